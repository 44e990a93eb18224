#include "agent/spool.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "support/files.h"

namespace kernelopt::worker {
namespace {

namespace fs = std::filesystem;

std::string FileOf(const v1::LeaseId& lease) {
  return absl::StrCat(absl::StrReplaceAll(lease.job(), {{"/", "_"}}), "-", lease.attempt(), "-",
                      lease.epoch(), ".result");
}

}  // namespace

absl::StatusOr<Spool> Spool::Open(const std::string& directory) {
  if (absl::Status s = support::MakeDirectories(directory + "/rejected"); !s.ok()) return s;
  return Spool(directory);
}

absl::Status Spool::Put(const v1::ResultReport& report) {
  return support::WriteFileDurably(directory_ + "/" + FileOf(report.lease()),
                                   report.SerializeAsString());
}

std::vector<v1::ResultReport> Spool::All() const {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    if (entry.path().extension() == ".result") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<v1::ResultReport> reports;
  for (const fs::path& file : files) {
    const auto bytes = support::ReadFile(file.string());
    v1::ResultReport report;
    if (bytes.ok() && report.ParseFromString(*bytes) && report.has_lease()) {
      reports.push_back(std::move(report));
    } else {
      fs::rename(file, fs::path(directory_) / "rejected" / file.filename(), error);
    }
  }
  return reports;
}

void Spool::Remove(const v1::LeaseId& lease) const {
  std::error_code ignored;
  fs::remove(fs::path(directory_) / FileOf(lease), ignored);
}

void Spool::Reject(const v1::LeaseId& lease) const {
  std::error_code ignored;
  fs::rename(fs::path(directory_) / FileOf(lease), fs::path(directory_) / "rejected" / FileOf(lease),
             ignored);
}

}  // namespace kernelopt::worker
