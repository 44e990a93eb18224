#include "client/output/print.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/lib/people.h"

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

namespace {

// Bytes of a cell that are seen: continuation bytes of UTF-8 and colours are not.
size_t Width(const std::string& cell) {
  size_t width = 0;
  for (size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '\x1b') {
      while (i < cell.size() && cell[i] != 'm') ++i;
    } else if ((cell[i] & 0xC0) != 0x80) {
      ++width;
    }
  }
  return width;
}

bool WantsColour(const Context& context) {
  if (context.color != "auto") return context.color == "always";
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && std::string(force) != "0") return true;
  const char* no = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if ((no != nullptr && *no != '\0') || (term != nullptr && std::string(term) == "dumb")) return false;
  return isatty(STDOUT_FILENO) != 0;
}

}  // namespace

std::string Paint(const Context& context, const std::string& word) {
  if (!WantsColour(context)) return word;
  const std::string first = word.substr(0, word.find(' '));
  const auto is = [&](std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), first) != words.end();
  };
  const char* colour = nullptr;
  if (is({"SUCCEEDED", "CORRECT", "FASTER", "ok", "online"})) colour = "32";
  if (is({"FAILED", "INCORRECT", "BUILD_FAILED", "RUNTIME_ERROR", "KERNEL_TIMEOUT", "OUT_OF_MEMORY",
          "INVALID_PROBLEM", "INTEGRITY_VIOLATION", "SLOWER", "TIMED_OUT", "no", "offline", "faulty", "quarantined"})) {
    colour = "31";
  }
  if (is({"DISTURBED", "INCONCLUSIVE", "UNAVAILABLE", "HELD", "CANCELLED", "EXPIRED", "drained",
          "reserved", "??"})) {
    colour = "33";
  }
  if (is({"RUNNING", "LEASED"})) colour = "36";
  return colour == nullptr ? word : absl::StrCat("\x1b[", colour, "m", word, "\x1b[0m");
}

Exit Done(const Context& context, const std::string& sentence) {
  if (context.json) {
    std::printf("{\"schema_version\":1,\"done\":true}\n");
  } else {
    std::printf("%s\n", sentence.c_str());
  }
  return Exit::kOk;
}

void PrintTable(const std::vector<std::string>& head,
                const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> width;
  for (const std::string& cell : head) width.push_back(Width(cell));
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], Width(row[i]));
  }
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(width[i] - Width(row[i]) + 2, ' ');
    }
    std::printf("%s\n", std::string(absl::StripTrailingAsciiWhitespace(line)).c_str());
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

std::string ClassName(v1::Priority priority) {
  return priority == v1::PRIORITY_INTERACTIVE ? "interactive"
         : priority == v1::PRIORITY_BATCH     ? "batch"
                                              : "normal";
}

Exit ShowJobs(Context& context, const v1::ListJobsRequest& request) {
  const auto page =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::ListJobs, request);
  if (!page.ok()) return Fail(context, page.status());
  if (context.json) {
    PrintJson("list", *page);
    return Exit::kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::Job& job : page->jobs()) {
    const v1::ResultSummary& s = job.summary();
    const bool done = job.state() == v1::JOB_STATE_SUCCEEDED;
    rows.push_back(
        {job.name(), Paint(context, Short(job.state())),
         done ? Paint(context, absl::StrCat(Short(s.verdict()), s.reason().empty() ? "" : " ", s.reason()))
              : job.state_reason(),
         s.median_us() > 0 ? TimeText(s.median_us()) : "-",
         s.outcome() != v1::OUTCOME_UNSPECIFIED ? Paint(context, Short(s.outcome())) : "-",
         Ago(job.create_time()), UserName(job.owner_uid()), job.spec().label()});
  }
  PrintTable({"JOB", "STATE", "VERDICT", "MEDIAN", "COMPARED", "CREATED", "USER", "LABEL"}, rows);
  if (!page->next_page_token().empty()) {
    std::fprintf(stderr, "more with --page-token=%s\n", page->next_page_token().c_str());
  }
  return Exit::kOk;
}

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
  const bool for_all = !device.fault().empty() && !device.has_quarantined_uid();
  if (for_all && device.has_quarantined_until()) return "quarantined";
  if (for_all && device.online()) return "faulty";
  if (device.online() && device.has_reservation()) return "reserved";
  return device.online() ? "online" : "offline";
}

namespace {

// Why a device takes no jobs, or not everybody's.
std::string NoteOf(const v1::Device& device) {
  if (device.drained()) {
    return absl::StrCat(device.drain_reason(), " (", UserName(device.drained_by_uid()),
                        device.has_drain_time() ? absl::StrCat(", ", Ago(device.drain_time())) : "", ")");
  }
  if (device.has_quarantined_until()) {
    return absl::StrCat(device.has_quarantined_uid() ? absl::StrCat("not for ", UserName(device.quarantined_uid()), " ") : "", "until ",
                        ClockText(device.quarantined_until(), std::time(nullptr)), ": ", device.fault());
  }
  if (!device.fault().empty()) return device.fault();
  if (!device.has_reservation()) return "";
  const v1::Reservation& reservation = device.reservation();
  return absl::StrCat("for ", UserName(reservation.uid()), " until ",
                      ClockText(reservation.until(), std::time(nullptr)),
                      reservation.reason().empty() ? "" : ": ", reservation.reason());
}

}  // namespace

void PrintDevices(const Context& context,
                  const google::protobuf::RepeatedPtrField<v1::Device>& devices) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::Device& device : devices) {
    rows.push_back({device.name(), Paint(context, StateOf(device)),
                    device.current_job().empty() ? "-" : device.current_job(),
                    device.pace_seconds() > 0 ? TimeText(device.pace_seconds() * 1e6) : "-",
                    device.model(), NoteOf(device)});
  }
  PrintTable({"DEVICE", "STATE", "JOB", "A JOB TAKES", "MODEL", "NOTE"}, rows);
}

// Of one workload: a mean of several has no floor.
static void PrintSuspicion(const v1::Timing& t) {
  if (!t.suspect() || t.floor_us() <= 0) return;
  const std::string needs = TimeText(t.floor_us());
  if (t.flops_floor_us() >= t.floor_us()) {
    std::printf("  SUSPECT: this GPU needs %s for the operations that the problem's flops() says; if some solution can do with "
                "fewer, let it count those\n", needs.c_str());
  } else {
    std::printf("  SUSPECT: this GPU needs %s to read what the problem declares dense; if not all of it is needed, "
                "declare \"access\": \"sparse\"\n", needs.c_str());
  }
}

static void PrintWorkloads(const Context& context, const v1::JobResult& result) {
  std::vector<std::string> head = {"WORKLOAD", "WEIGHT"};
  for (const v1::SubjectResult& s : result.subjects()) head.push_back(s.label());
  for (const v1::Comparison& c : result.comparisons()) head.push_back(absl::StrCat("against ", c.baseline()));
  std::vector<std::vector<std::string>> rows;
  for (const v1::WorkloadResult& w : result.workloads()) {
    std::vector<std::string> row = {w.name(), absl::StrFormat("%g", w.weight())};
    for (const v1::SubjectResult& s : w.subjects()) {
      const bool good = s.verdict() == v1::VERDICT_CORRECT && s.has_timing();
      row.push_back(good ? TimeText(s.timing().median_us()) : Paint(context, Short(s.verdict())));
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
    for (const v1::SubjectResult& s : w.subjects()) {
      if (s.timing().suspect()) std::printf("\nworkload %s: %s\n", w.name().c_str(), s.label().c_str());
      PrintSuspicion(s.timing());
    }
  }
}

// What only a GPU's result has: other times than the cold one, what kernels use.
static void PrintGpuLines(const v1::SubjectResult& s) {
  const v1::Timing& t = s.timing();
  if (t.batch_calls() > 0) {
    std::printf("\n%s: back to back %s a call, warm %s, CPU %s%s\n", s.label().c_str(), TimeText(t.back_to_back_us()).c_str(),
                TimeText(t.warm_us()).c_str(), TimeText(t.host_us()).c_str(), t.launch_bound() ? " (launch-bound)" : "");
  }
  if (t.median_cycles() > 0) {
    std::printf("  %.0f cycles at %.0f MHz%s%s%s\n", t.median_cycles(), t.sm_clock_mhz(),
                t.processes() > 1 ? absl::StrCat(", calls of ", t.processes(), " processes").c_str() : "",
                t.slowed() > 0 ? absl::StrCat(", ", t.slowed(), " calls of a GPU held down by heat or power left out").c_str() : "",
                s.runner_reused() ? ", in the process of an earlier candidate of the run" : "");
  }
  PrintSuspicion(t);
  for (const v1::KernelResources& k : s.build().kernels()) {
    std::printf("  %s: %d registers, %d bytes shared, %d + %d bytes spilled\n", k.name().c_str(), k.registers(),
                k.shared_bytes(), k.spill_store_bytes(), k.spill_load_bytes());
  }
}

void PrintResult(const Context& context, const v1::JobResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::SubjectResult& s : result.subjects()) {
    const bool timed = s.has_timing();
    rows.push_back({s.label(), s.role(),
                    Paint(context, absl::StrCat(Short(s.verdict()), s.reason().empty() ? "" : " ",
                                                s.reason())),
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
    for (const std::string& note : s.notes()) std::printf("\n%s: %s\n", s.label().c_str(), note.c_str());
  }
  for (const v1::SubjectResult& s : result.subjects()) PrintGpuLines(s);
  for (const v1::Comparison& c : result.comparisons()) {
    std::printf("\n%s against %s: %s, %s\n", c.candidate().c_str(), c.baseline().c_str(),
                Paint(context, Short(c.outcome())).c_str(), c.message().c_str());
  }
  for (const v1::Lint& lint : result.lint()) std::printf("\nproblem: %s\n", lint.message().c_str());
  if (result.workloads_size() > 0) PrintWorkloads(context, result);
}

}  // namespace kernelopt::client
