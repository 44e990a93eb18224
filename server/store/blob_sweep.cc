#include "store/blob_sweep.h"

#include <memory>

#include "spdlog/spdlog.h"
#include "store/blob_rows.h"

namespace kernelopt::server {
namespace {

// Those of `digests` that have no row when the writer comes to it.
void RemoveFiles(Database& database, const BlobFiles& files, std::vector<std::string> digests,
                 const char* what) {
  if (digests.empty()) return;
  database.Write(
      [&files, what, digests = std::move(digests)](SQLite::Database& db) {
        int removed = 0;
        for (const std::string& digest : digests) {
          if (BlobExists(db, digest)) continue;  // written again meanwhile
          files.Remove(digest);
          ++removed;
        }
        spdlog::info("removed {} {} blob files", removed, what);
        return absl::OkStatus();
      },
      nullptr);
}

}  // namespace

void SweepStaleBlobs(Database& database, const BlobFiles& files, int64_t before_us) {
  auto dropped = std::make_shared<std::vector<std::string>>();
  database.Write(
      [=](SQLite::Database& db) {
        *dropped = DropStaleBlobs(db, before_us);
        return absl::OkStatus();
      },
      [=, &database, &files](const absl::Status& status) {
        if (status.ok()) RemoveFiles(database, files, *dropped, "unreferenced");
      });
}

void SweepOrphanFiles(Database& database, const BlobFiles& files, int64_t before_us) {
  database.ReadLong(
      [=, &database, &files](SQLite::Database& db) {
        std::vector<std::string> orphans;
        for (std::string& digest : files.WrittenBefore(before_us)) {
          if (!BlobExists(db, digest)) orphans.push_back(std::move(digest));
        }
        RemoveFiles(database, files, std::move(orphans), "orphaned");
        return absl::OkStatus();
      },
      nullptr);
}

}  // namespace kernelopt::server
