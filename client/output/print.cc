#include "client/output/print.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelopt::client {

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  (void)google::protobuf::util::MessageToJsonString(message, &text, options);
  return text;
}

void PrintJson(const std::string& key, const google::protobuf::Message& message) {
  std::printf("{\"schema_version\":1,\"%s\":%s}\n", key.c_str(), ToJson(message).c_str());
}

void PrintTable(const std::vector<std::string>& head,
                const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> width;
  for (const std::string& cell : head) width.push_back(cell.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(width[i] - row[i].size() + 2, ' ');
    }
    std::printf("%s\n", line.c_str());
  };
  print(head);
  for (const auto& row : rows) print(row);
}

std::string TimeText(double us) {
  if (us < 1000) return absl::StrFormat("%.2f us", us);
  if (us < 1e6) return absl::StrFormat("%.3f ms", us / 1e3);
  return absl::StrFormat("%.3f s", us / 1e6);
}

std::string Ago(const google::protobuf::Timestamp& time) {
  const int64_t s = std::max<int64_t>(0, std::time(nullptr) - time.seconds());
  if (s < 120) return absl::StrCat(s, " s ago");
  if (s < 7200) return absl::StrCat(s / 60, " min ago");
  if (s < 172800) return absl::StrCat(s / 3600, " h ago");
  return absl::StrCat(s / 86400, " d ago");
}

std::string Short(v1::JobState state) { return v1::JobState_Name(state).substr(10); }
std::string Short(v1::Verdict verdict) { return v1::Verdict_Name(verdict).substr(8); }
std::string Short(v1::Outcome outcome) { return v1::Outcome_Name(outcome).substr(8); }

std::string JobLine(const v1::Job& job) {
  std::string line = absl::StrCat(job.name(), "  ", Short(job.state()));
  if (job.state() != v1::JOB_STATE_SUCCEEDED) {
    if (!job.state_message().empty()) absl::StrAppend(&line, "  ", job.state_message());
    return line;
  }
  const v1::ResultSummary& s = job.summary();
  absl::StrAppend(&line, "  ", Short(s.verdict()), s.reason().empty() ? "" : " ", s.reason());
  if (s.median_us() > 0) absl::StrAppend(&line, "  ", TimeText(s.median_us()));
  if (s.outcome() != v1::OUTCOME_UNSPECIFIED) absl::StrAppend(&line, "  ", Short(s.outcome()));
  if (s.speedup() > 0) absl::StrAppendFormat(&line, " %.2fx", s.speedup());
  return line;
}

std::string StateOf(const v1::Device& device) {
  if (device.drained()) return "drained";
  return device.online() ? "online" : "offline";
}

void PrintDevices(const google::protobuf::RepeatedPtrField<v1::Device>& devices) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::Device& device : devices) {
    rows.push_back({device.name(), StateOf(device),
                    device.current_job().empty() ? "-" : device.current_job(), device.model()});
  }
  PrintTable({"DEVICE", "STATE", "JOB", "MODEL"}, rows);
}

static void PrintWorkloads(const v1::JobResult& result) {
  std::vector<std::string> head = {"WORKLOAD", "WEIGHT"};
  for (const v1::SubjectResult& s : result.subjects()) head.push_back(s.label());
  for (const v1::Comparison& c : result.comparisons()) head.push_back(absl::StrCat("against ", c.baseline()));
  std::vector<std::vector<std::string>> rows;
  for (const v1::WorkloadResult& w : result.workloads()) {
    std::vector<std::string> row = {w.name(), absl::StrFormat("%g", w.weight())};
    for (const v1::SubjectResult& s : w.subjects()) {
      const bool good = s.verdict() == v1::VERDICT_CORRECT && s.has_timing();
      row.push_back(good ? TimeText(s.timing().median_us()) : Short(s.verdict()));
    }
    for (const v1::Comparison& c : w.comparisons()) {
      row.push_back(c.speedup() > 0 ? absl::StrFormat("%s %.3fx", Short(c.outcome()), c.speedup())
                                    : Short(c.outcome()));
    }
    rows.push_back(std::move(row));
  }
  std::printf("\n");
  PrintTable(head, rows);
  for (const v1::WorkloadResult& w : result.workloads()) {
    for (const v1::Lint& lint : w.lint()) std::printf("\nworkload %s: %s\n", w.name().c_str(), lint.message().c_str());
  }
}

void PrintResult(const v1::JobResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::SubjectResult& s : result.subjects()) {
    const bool timed = s.has_timing();
    rows.push_back({s.label(), s.role(),
                    absl::StrCat(Short(s.verdict()), s.reason().empty() ? "" : " ", s.reason()),
                    timed ? TimeText(s.timing().median_us()) : "-",
                    timed ? absl::StrFormat("%s to %s", TimeText(s.timing().median_low_us()),
                                            TimeText(s.timing().median_high_us()))
                          : "-",
                    timed && s.timing().samples_us_size() > 0 ? absl::StrCat(s.timing().samples_us_size())
                                                              : "-"});
  }
  PrintTable({"SUBJECT", "ROLE", "VERDICT", "MEDIAN", "95 % INTERVAL", "SAMPLES"}, rows);
  for (const v1::SubjectResult& s : result.subjects()) {
    if (!s.message().empty()) std::printf("\n%s: %s\n", s.label().c_str(), s.message().c_str());
  }
  for (const v1::Comparison& c : result.comparisons()) {
    std::printf("\n%s against %s: %s, %s\n", c.candidate().c_str(), c.baseline().c_str(),
                Short(c.outcome()).c_str(), c.message().c_str());
  }
  for (const v1::Lint& lint : result.lint()) std::printf("\nproblem: %s\n", lint.message().c_str());
  if (result.workloads_size() > 0) PrintWorkloads(result);
}

}  // namespace kernelopt::client
