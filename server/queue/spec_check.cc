#include "queue/spec_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/util/time_util.h"
#include "queue/build_flags.h"
#include "support/sha256.h"
#include "support/ids.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using Violations = std::map<std::string, std::string>;

bool IsIdentifier(const std::string& name) {
  if (name.empty() || name.size() > 64) return false;
  const auto letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9');
         });
}

bool IsDashedName(const std::string& name, size_t most) {
  return name.size() <= most && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool IsSubjectId(const std::string& id) { return !id.empty() && IsDashedName(id, 32); }

void CheckFile(const v1::SourceFile& file, const std::string& field, Violations& bad) {
  if (!IsSafePath(file.path())) {
    bad[field + ".path"] = absl::StrCat(
        "\"", file.path().substr(0, 80),
        "\" must be a relative path of at most 8 segments of [A-Za-z0-9._-]{1,128}");
  }
  if (!support::IsSha256Hex(file.digest())) {
    bad[field + ".digest"] = "must be 64 lower-case hex digits (SHA-256 of the file)";
  }
}

void CheckDefinition(const v1::ProblemSpec& problem, const SpecLimits& limits, Violations& bad) {
  if (problem.has_definition()) {
    CheckFile(problem.definition(), "spec.problem.definition", bad);
    if (problem.dims_size() > 0) {
      bad["spec.problem.dims"] = "the workloads of problem.json say the dims; give no others";
    }
  } else if (problem.workloads_size() > 0) {
    bad["spec.problem.workloads"] = "only a problem.json (definition) has workloads";
  }
  if (problem.workloads_size() > limits.max_workloads) {
    bad["spec.problem.workloads"] = absl::StrCat("at most ", limits.max_workloads, " workloads");
  }
  if (problem.files_size() > limits.max_files) {
    bad["spec.problem.files"] = absl::StrCat("at most ", limits.max_files, " files");
  }
  std::set<std::string> paths;
  for (int i = 0; i < problem.files_size(); ++i) {
    const std::string field = absl::StrCat("spec.problem.files[", i, "]");
    CheckFile(problem.files(i), field, bad);
    if (!paths.insert(problem.files(i).path()).second) bad[field] = "the path is given twice";
  }
}

void CheckProblem(const v1::ProblemSpec& problem, const SpecLimits& limits, Violations& bad) {
  CheckFile(problem.reference(), "spec.problem.reference", bad);
  if (problem.dims_size() > limits.max_dims) {
    bad["spec.problem.dims"] = absl::StrCat("at most ", limits.max_dims, " dims");
  }
  std::set<std::string> names;
  for (int i = 0; i < problem.dims_size(); ++i) {
    const v1::Dim& dim = problem.dims(i);
    const std::string field = absl::StrCat("spec.problem.dims[", i, "]");
    if (!IsIdentifier(dim.name())) bad[field] = "the name must be a C identifier of at most 64 characters";
    if (dim.value_case() == v1::Dim::VALUE_NOT_SET) bad[field] = "has no value";
    if (!names.insert(dim.name()).second) bad[field] = absl::StrCat(dim.name(), " is given twice");
  }
  CheckDefinition(problem, limits, bad);
  if (problem.ptr_size() < 0) bad["spec.problem.ptr_size"] = "must not be negative";
  if (problem.atol() < 0) bad["spec.problem.atol"] = "must not be negative";
  if (problem.rtol() < 0) bad["spec.problem.rtol"] = "must not be negative";
}

void CheckSolution(const v1::Solution& solution, const std::string& field,
                   const SpecLimits& limits, Violations& bad) {
  if (solution.files_size() == 0) bad[field + ".files"] = "needs at least the main file";
  if (solution.files_size() > limits.max_files) {
    bad[field + ".files"] = absl::StrCat("at most ", limits.max_files, " files");
  }
  std::set<std::string> paths;
  for (int i = 0; i < solution.files_size(); ++i) {
    const std::string file_field = absl::StrCat(field, ".files[", i, "]");
    CheckFile(solution.files(i), file_field, bad);
    if (!paths.insert(solution.files(i).path()).second) bad[file_field] = "the path is given twice";
  }
  for (const std::string& path : paths) {
    const auto below = paths.lower_bound(path + "/");
    if (below == paths.end() || !absl::StartsWith(*below, path + "/")) continue;
    bad[field + ".files"] = absl::StrCat(path, " cannot be a file and the folder of ", *below);
  }
  if (solution.flags_size() > limits.max_flags) {
    bad[field + ".flags"] = absl::StrCat("at most ", limits.max_flags, " flags");
  }
  const std::string refused = RefusedFlag({solution.flags().begin(), solution.flags().end()}, limits.flags);
  if (!refused.empty()) bad[field + ".flags"] = refused;
}

void CheckCompileMode(const v1::SubjectSpec& subject, const std::string& field, Violations& bad) {
  static const std::set<std::string> kModes = {"", "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"};
  if (kModes.count(subject.compile_mode()) == 0) {
    bad[field] = "must be default, reduce-overhead, max-autotune or max-autotune-no-cudagraphs";
  } else if (!subject.compile_mode().empty() && subject.builtin() != v1::BUILTIN_BASELINE_TORCH_COMPILE) {
    bad[field] = "is for torch-compile only";
  }
}

void CheckSubjects(const v1::JobSpec& spec, const SpecLimits& limits, Violations& bad) {
  if (spec.subjects_size() > limits.max_subjects) {
    bad["spec.subjects"] = absl::StrCat("at most ", limits.max_subjects, " subjects");
  }
  std::set<std::string> ids;
  int candidates = 0;
  for (int i = 0; i < spec.subjects_size(); ++i) {
    const v1::SubjectSpec& subject = spec.subjects(i);
    const std::string field = absl::StrCat("spec.subjects[", i, "]");
    if (!IsSubjectId(subject.id())) bad[field + ".id"] = "must be [a-z0-9-]{1,32}";
    if (!ids.insert(subject.id()).second) bad[field + ".id"] = "is used twice";
    if (subject.role() == v1::ROLE_CANDIDATE) ++candidates;
    if (subject.role() == v1::ROLE_UNSPECIFIED) bad[field + ".role"] = "must be set";
    if (subject.has_solution()) {
      CheckSolution(subject.solution(), field + ".solution", limits, bad);
    } else if (subject.builtin() == v1::BUILTIN_BASELINE_UNSPECIFIED) {
      bad[field] = "needs a solution or a builtin baseline";
    } else if (subject.role() == v1::ROLE_CANDIDATE) {
      bad[field] = "a builtin baseline cannot be the candidate";
    }
    CheckCompileMode(subject, field + ".compile_mode", bad);
  }
  if (candidates != 1) bad["spec.subjects"] = "exactly one subject must be the candidate";
}

void CheckMeasure(const v1::MeasureSpec& measure, const SpecLimits& limits, Violations& bad) {
  const auto count = [&](const std::string& name, int64_t value) {
    if (value < 0 || value > limits.max_trials) {
      bad["spec.measure." + name] = absl::StrCat("must be 0 to ", limits.max_trials);
    }
  };
  count("num_trials", measure.num_trials());
  count("num_warmup", measure.num_warmup());
  count("discard_first", measure.discard_first());
  count("prewarm_calls", measure.prewarm_calls());
}

void CheckLimits(const v1::Limits& given, const SpecLimits& limits, Violations& bad) {
  const auto positive = [&](const std::string& name, bool set, double seconds, double most) {
    if (set && (seconds <= 0 || seconds > most)) {
      bad["spec.limits." + name] = absl::StrCat("must be above 0 and at most ", most, " s");
    }
  };
  constexpr double kYear = 366.0 * 24 * 3600;
  positive("queue", given.has_queue(), Seconds(given.queue()), kYear);
  positive("run", given.has_run(), Seconds(given.run()), limits.max_run_seconds);
  positive("no_progress", given.has_no_progress(), Seconds(given.no_progress()),
           limits.max_run_seconds);
  positive("call", given.has_call(), Seconds(given.call()), limits.max_run_seconds);
}

void CheckWaits(const v1::JobSpec& spec, const SpecLimits& limits, Violations& bad) {
  if (!v1::Priority_IsValid(spec.priority())) bad["spec.priority"] = "is not a class";
  if (spec.after_size() > limits.max_dependencies) {
    bad["spec.after"] = absl::StrCat("at most ", limits.max_dependencies, " jobs");
  }
  for (int i = 0; i < spec.after_size(); ++i) {
    if (!support::ParseName(spec.after(i).job(), "jobs").ok()) {
      bad[absl::StrCat("spec.after[", i, "].job")] = "must be jobs/{id}";
    }
    if (!v1::DependencyCondition_IsValid(spec.after(i).condition())) {
      bad[absl::StrCat("spec.after[", i, "].condition")] = "is not a condition";
    }
  }
  constexpr int64_t kFarSeconds = 253'402'300'799;  // the year 9999
  if (spec.has_not_before() &&
      (spec.not_before().seconds() < 0 || spec.not_before().seconds() > kFarSeconds ||
       spec.not_before().nanos() < 0 || spec.not_before().nanos() > 999'999'999)) {
    bad["spec.not_before"] = "must lie between the years 1970 and 9999";
  }
}

google::protobuf::Duration OfSeconds(double seconds) {
  return google::protobuf::util::TimeUtil::MicrosecondsToDuration(
      static_cast<int64_t>(seconds * 1e6));
}

}  // namespace

double Seconds(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) + duration.nanos() * 1e-9;
}

bool IsSafePath(const std::string& path) {
  const std::vector<std::string> segments = absl::StrSplit(path, '/');
  if (segments.size() > 8) return false;
  return std::all_of(segments.begin(), segments.end(), [](const std::string& segment) {
    if (segment.empty() || segment.size() > 128 || segment == "." || segment == "..") return false;
    if (segment[0] == '-') return false;  // compilers would take it for a flag
    return std::all_of(segment.begin(), segment.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '_' || c == '-';
    });
  });
}

absl::Status CheckSpec(const v1::JobSpec& spec, const SpecLimits& limits) {
  Violations bad;
  CheckProblem(spec.problem(), limits, bad);
  CheckSubjects(spec, limits, bad);
  CheckMeasure(spec.measure(), limits, bad);
  CheckLimits(spec.limits(), limits, bad);
  CheckWaits(spec, limits, bad);
  if (spec.label().size() > 200) bad["spec.label"] = "at most 200 characters";
  if (!IsDashedName(spec.run(), 64)) bad["spec.run"] = "must be [a-z0-9-]{1,64}, or empty";
  const bool gpu = spec.device().rfind("GPU-", 0) == 0 && spec.device().size() <= 64;
  if (!spec.device().empty() && spec.device() != "host" && !gpu) {
    bad["spec.device"] = "must be host or GPU-<uuid>; `koptctl device list` shows them";
  }
  return bad.empty() ? absl::OkStatus() : support::BadRequest(bad);
}

v1::JobSpec WithDefaults(v1::JobSpec spec, const SpecLimits& limits) {
  if (spec.kind() == v1::JOB_KIND_UNSPECIFIED) spec.set_kind(v1::JOB_KIND_BENCHMARK);
  if (spec.device().empty()) spec.set_device("host");
  if (spec.priority() == v1::PRIORITY_UNSPECIFIED) spec.set_priority(v1::PRIORITY_NORMAL);
  v1::MeasureSpec& measure = *spec.mutable_measure();
  if (!measure.has_num_warmup()) measure.set_num_warmup(5);
  if (!measure.has_discard_first()) measure.set_discard_first(1);
  if (!measure.has_prewarm_calls()) measure.set_prewarm_calls(1);
  v1::Limits& given = *spec.mutable_limits();
  if (!given.has_queue()) *given.mutable_queue() = OfSeconds(limits.queue_seconds);
  if (!given.has_run()) *given.mutable_run() = OfSeconds(limits.run_seconds);
  if (!given.has_no_progress()) *given.mutable_no_progress() = OfSeconds(limits.no_progress_seconds);
  if (!given.has_call()) *given.mutable_call() = OfSeconds(limits.call_seconds);
  for (v1::SubjectSpec& subject : *spec.mutable_subjects()) {
    if (!subject.has_solution()) continue;
    v1::Solution& solution = *subject.mutable_solution();
    if (solution.implementation() != v1::IMPLEMENTATION_UNSPECIFIED) continue;
    const std::string& path = solution.files(0).path();
    const std::string suffix = path.substr(std::min(path.size(), path.rfind('.')));
    const bool gpu_object = suffix == ".so" && spec.device() != "host";
    solution.set_implementation(suffix == ".cu" || gpu_object ? v1::IMPLEMENTATION_CUDA_CPP
                                : suffix == ".py" ? v1::IMPLEMENTATION_TRITON
                                                  : v1::IMPLEMENTATION_CPP);
  }
  return spec;
}

}  // namespace kernelopt::server
