#include "client/commands/spec_options.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/commands/choose_device.h"
#include "client/commands/problem_file.h"
#include "client/lib/people.h"
#include "google/protobuf/util/time_util.h"
#include "support/suggest.h"

namespace kernelopt::client {
namespace {

namespace fs = std::filesystem;

absl::Status Wrong(const std::string& text) { return absl::InvalidArgumentError(text); }

absl::Status AddDim(const std::string& name, const std::string& value, v1::ProblemSpec& problem) {
  v1::Dim dim;
  dim.set_name(name);
  int64_t integer = 0;
  double real = 0;
  if (absl::SimpleAtoi(value, &integer)) {
    dim.set_int_value(integer);
  } else if (absl::SimpleAtod(value, &real)) {
    dim.set_real_value(real);
  } else {
    return Wrong(absl::StrCat("dim ", name, "=", value, ": \"", value, "\" is not a number"));
  }
  *problem.add_dims() = dim;
  return absl::OkStatus();
}

// --NAME=VALUE that no option claimed.
absl::Status AddExtras(const std::vector<std::string>& extras, v1::ProblemSpec& problem) {
  for (const std::string& extra : extras) {
    const size_t equals = extra.find('=');
    if (!absl::StartsWith(extra, "--")) {
      return Wrong(absl::StrCat("unexpected argument \"", extra,
                                "\"; dims are written --NAME=VALUE, with no space"));
    }
    if (equals == std::string::npos) {
      return Wrong(absl::StrCat("unknown option ", extra, "; a dim is written ", extra, "=VALUE"));
    }
    if (absl::Status s = AddDim(extra.substr(2, equals - 2), extra.substr(equals + 1), problem);
        !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Implementation> ImplementationOf(const std::string& name) {
  static const std::map<std::string, v1::Implementation> kNames = {
      {"auto", v1::IMPLEMENTATION_UNSPECIFIED}, {"cpp-host", v1::IMPLEMENTATION_CPP},
      {"cpp", v1::IMPLEMENTATION_CPP},          {"cuda-cpp", v1::IMPLEMENTATION_CUDA_CPP},
      {"cuda", v1::IMPLEMENTATION_CUDA_CPP},    {"cutlass", v1::IMPLEMENTATION_CUTLASS},
      {"triton", v1::IMPLEMENTATION_TRITON},    {"cute-dsl", v1::IMPLEMENTATION_CUTE_DSL},
      {"cute", v1::IMPLEMENTATION_CUTE_DSL}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) {
    return Wrong(absl::StrCat("--implementation=", name,
                              " is not one of auto, cpp, cuda-cpp, cutlass, triton, cute-dsl"));
  }
  return found->second;
}

// The main file, then what --with names; folders with everything in them.
absl::Status AddFiles(const std::string& main, const std::vector<std::string>& with,
                      Submission& submission, v1::Solution& solution) {
  const auto add = [&](const std::string& path, const std::string& as) -> absl::Status {
    auto file = submission.AddFile(path, as);
    if (!file.ok()) return file.status();
    *solution.add_files() = *std::move(file);
    return absl::OkStatus();
  };
  if (absl::Status s = add(main, ""); !s.ok()) return s;
  for (const std::string& path : with) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (absl::Status s = add(path, ""); !s.ok()) return s;
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      if (entry.is_regular_file()) inside.push_back(entry.path().string());
    }
    std::sort(inside.begin(), inside.end());
    const std::string parent = fs::path(path).lexically_normal().parent_path().string();
    for (const std::string& file : inside) {
      if (absl::Status s = add(file, fs::path(file).lexically_relative(parent.empty() ? "." : parent).string());
          !s.ok()) {
        return s;
      }
    }
  }
  return absl::OkStatus();
}

struct Builtin {
  const char* id;
  v1::BuiltinBaseline value;
};

std::optional<Builtin> BuiltinOf(const std::string& name) {
  static const std::map<std::string, Builtin> kNames = {
      {"pytorch-eager", {"pytorch-eager", v1::BUILTIN_BASELINE_EAGER}},
      {"eager", {"pytorch-eager", v1::BUILTIN_BASELINE_EAGER}},
      {"torch", {"pytorch-eager", v1::BUILTIN_BASELINE_EAGER}},
      {"torch-compile", {"torch-compile", v1::BUILTIN_BASELINE_TORCH_COMPILE}},
      {"compile", {"torch-compile", v1::BUILTIN_BASELINE_TORCH_COMPILE}},
      {"flashinfer", {"flashinfer", v1::BUILTIN_BASELINE_FLASHINFER}},
      {"library", {"library", v1::BUILTIN_BASELINE_LIBRARY}}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

std::string SuffixOf(const std::string& path) { return fs::path(path).extension().string(); }

// The candidate of an earlier job, whose files the server still has.
absl::Status AddEarlier(Context& context, const std::string& name, v1::SubjectSpec& subject) {
  v1::GetJobRequest request;
  request.set_name(name);
  const auto response = context.client().Call(context.client().jobs(), &v1::JobService::Stub::GetJob, request);
  if (!response.ok()) return response.status();
  for (const v1::SubjectSpec& theirs : response->job().spec().subjects()) {
    if (theirs.role() == v1::ROLE_CANDIDATE) *subject.mutable_solution() = theirs.solution();
  }
  if (!subject.has_solution()) return Wrong(absl::StrCat("--baselines: ", name, " has no candidate that you may see"));
  return absl::OkStatus();
}

// Built-in names, earlier jobs and solution files, separated by commas.
// --implementation is said of those with the candidate's suffix.
absl::Status AddBaselines(const SpecOptions& options, const std::string& list, v1::Implementation implementation, Context& context,
                          Submission& submission, std::vector<std::string>& ids, v1::JobSpec& spec) {
  std::vector<std::string> items = absl::StrSplit(list, ',', absl::SkipEmpty());
  if (list == "none" || list == "off") items.clear();
  if (list == "all") items = {"pytorch-eager", "torch-compile", "flashinfer", "library"};
  for (const std::string& item : items) {
    v1::SubjectSpec subject;
    subject.set_role(v1::ROLE_BASELINE);
    const auto [name, mode] = std::pair<std::string, std::string>(absl::StrSplit(item, absl::MaxSplits(':', 1)));
    if (const auto builtin = BuiltinOf(name)) {
      subject.set_id(mode.empty() ? builtin->id : absl::StrCat(builtin->id, "-", mode));
      subject.set_builtin(builtin->value);
      subject.set_compile_mode(mode);
    } else if (absl::StartsWith(item, "jobs/") || absl::StartsWith(item, "@")) {
      const auto job = JobName(item);
      if (!job.ok()) return job.status();
      subject.set_id(absl::StrCat("job-", job->substr(std::string_view("jobs/").size())));
      if (absl::Status s = AddEarlier(context, *job, subject); !s.ok()) return s;
    } else if (absl::StrContains(item, '.') || absl::StrContains(item, '/')) {
      subject.set_id(SubjectIdFor(item, ids));
      v1::Solution& solution = *subject.mutable_solution();
      if (absl::Status s = AddFiles(item, {}, submission, solution); !s.ok()) return s;
      const bool alike = SuffixOf(item) == SuffixOf(options.solution);
      if (alike) solution.set_implementation(implementation);
      for (const std::string& flag : options.flags) solution.add_flags(flag);
    } else {
      return Wrong(absl::StrCat("--baselines: \"", item, "\" is not one of pytorch-eager, "
                                "torch-compile, flashinfer, library, all, none, jobs/ID, or a solution file"));
    }
    if (std::find(ids.begin(), ids.end(), subject.id()) != ids.end()) continue;  // said twice
    ids.push_back(subject.id());
    *spec.add_subjects() = subject;
  }
  return absl::OkStatus();
}

google::protobuf::Duration OfSeconds(double seconds) {
  return google::protobuf::util::TimeUtil::MicrosecondsToDuration(static_cast<int64_t>(seconds * 1e6));
}

absl::Status SetMeasure(const SpecOptions& o, v1::MeasureSpec& measure) {
  if (o.num_trials && *o.num_trials < 1) return Wrong("--num-trials must be at least 1");
  if (o.num_trials) measure.set_num_trials(*o.num_trials);
  if (o.num_warmup) measure.set_num_warmup(*o.num_warmup);
  if (o.discard_first) measure.set_discard_first(*o.discard_first);
  if (o.prewarm_calls) measure.set_prewarm_calls(*o.prewarm_calls);
  if (o.timing_method == "cuda_event") {
    measure.set_timing_method(v1::TIMING_METHOD_CUDA_EVENT);
  } else if (o.timing_method == "host_time") {
    measure.set_timing_method(v1::TIMING_METHOD_HOST_TIME);
  } else {
    return Wrong(absl::StrCat("--timing-method=", o.timing_method, " is not cuda_event or host_time"));
  }
  return absl::OkStatus();
}

absl::Status SetPriority(const std::string& name, v1::JobSpec& spec) {
  static const std::map<std::string, v1::Priority> kNames = {
      {"interactive", v1::PRIORITY_INTERACTIVE},
      {"normal", v1::PRIORITY_NORMAL},
      {"batch", v1::PRIORITY_BATCH}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) {
    return Wrong(absl::StrCat("--priority=", name, " is not interactive, normal or batch"));
  }
  spec.set_priority(found->second);
  return absl::OkStatus();
}

absl::Status SetWaits(const SpecOptions& o, v1::JobSpec& spec) {
  const auto add = [&](const std::vector<std::string>& jobs, v1::DependencyCondition condition) {
    for (const std::string& given : jobs) {
      const auto name = JobName(given);
      if (!name.ok()) return name.status();
      v1::Dependency& dependency = *spec.add_after();
      dependency.set_job(*name);
      dependency.set_condition(condition);
    }
    return absl::OkStatus();
  };
  if (absl::Status s = add(o.after, v1::DEPENDENCY_CONDITION_AFTER_OK); !s.ok()) return s;
  if (absl::Status s = add(o.after_any, v1::DEPENDENCY_CONDITION_AFTER_ANY); !s.ok()) return s;
  if (o.not_before.empty()) return absl::OkStatus();
  const auto time = ParseTime(o.not_before, std::time(nullptr));
  if (!time.ok()) return time.status();
  *spec.mutable_not_before() = *time;
  return absl::OkStatus();
}

}  // namespace

void AddSpecOptions(CLI::App& c, SpecOptions& o) {
  c.add_option("solution_file", o.solution, ".cpp or .so (host), .cu or .py solution file")->required();
  c.add_option("--ref", o.reference, "Python reference that defines reference(**kwargs)");
  c.add_option("--problem", o.problem, "problem.json: tensors and workloads; names the reference beside it");
  c.add_option("--workload", o.workloads, "only this workload of problem.json; may be repeated");
  c.add_option("--output-dir", o.output_dir, "write benchmark.md, correctness.md, result.json there");
  c.add_option("--implementation,--impl,--backend", o.implementation,
               "auto, cpp, cuda-cpp, cutlass, triton, cute-dsl");
  c.add_option("--baselines", o.baselines,
               "comma list of pytorch-eager, torch-compile[:MODE], flashinfer, library, jobs/ID, solution files; all, none");
  c.add_option("--timing-method", o.timing_method, "cuda_event or host_time");
  c.add_option("--num-warmup", o.num_warmup, "untimed calls before timing (5)");
  c.add_option("--num-trials", o.num_trials, "timed calls, exactly (100, adapted to the noise)");
  c.add_option("--discard-first", o.discard_first, "timed calls thrown away at the start (1)");
  c.add_option("--prewarm-calls", o.prewarm_calls, "untimed calls before anything else (1)");
  c.add_option("--ptr-size", o.ptr_size, "elements of each pointer without a declared shape");
  c.add_option("--arch", o.arch, "sm_90 or another: a GPU of this architecture; what is compiled is always for the GPU it runs on");
  c.add_option("--gpu", o.gpu, "which GPU of `koptctl device list`, from 0; leave out for the host device");
  c.add_option("--device", o.device, "host or GPU-<uuid>");
  c.add_option("--atol", o.atol, "absolute tolerance");
  c.add_option("--rtol", o.rtol, "relative tolerance");
  c.add_option("--seed", o.seed, "seed of the public draw (42)");
  c.add_option("--dim", o.dims, "a dim or scalar as NAME=VALUE, for names that are options");
  c.add_option("--with", o.with, "further source file or folder; may be repeated");
  c.add_option("--flag", o.flags, "compiler flag, as --flag=-fopenmp; may be repeated");
  c.add_option("--priority", o.priority, "interactive, normal or batch");
  c.add_option("--label", o.label, "text shown in lists");
  c.add_option("--run", o.run, "run it belongs to, [a-z0-9-]{1,64}");
  c.add_option("--run-timeout", o.run_timeout_s, "seconds from lease to result (600)");
  c.add_option("--queue-timeout", o.queue_timeout_s, "seconds to wait for a device (86400)");
  c.add_option("--call-timeout", o.call_timeout_s, "seconds of one call of solve (10)");
  c.add_option("--request-id", o.request_id, "UUID that makes repeated submissions one job");
  c.add_flag("--hold", o.hold, "create it held; `koptctl release` lets it start");
  c.add_option("--after", o.after, "wait for this job to end CORRECT; may be repeated");
  c.add_option("--after-any", o.after_any, "wait for this job to end, however; may be repeated");
  c.add_option("--not-before", o.not_before, "18:00, +2h or \"2026-11-22 18:00\"");
  c.allow_extras();
  c.footer("Dims and scalars of solve are written --NAME=VALUE, for example --M=1024 --eps=1e-5.");
}

absl::StatusOr<v1::JobSpec> MakeSpec(const SpecOptions& o, const std::vector<std::string>& extras,
                                     Context& context, Submission& submission) {
  v1::JobSpec spec;
  v1::ProblemSpec& problem = *spec.mutable_problem();
  if (o.reference.empty() && o.problem.empty()) {
    return Wrong("give --ref=FILE.py or --problem=problem.json: what is right must be said somewhere");
  }
  if (!o.reference.empty()) {
    auto reference = submission.AddFile(o.reference);
    if (!reference.ok()) return reference.status();
    *problem.mutable_reference() = *std::move(reference);
  }
  if (!o.problem.empty()) {
    if (absl::Status s = AddProblemFile(o.problem, o.workloads, submission, problem); !s.ok()) return s;
  } else if (!o.workloads.empty()) {
    return Wrong("--workload needs --problem=problem.json");
  }
  for (const std::string& dim : o.dims) {
    const size_t equals = dim.find('=');
    if (equals == std::string::npos) return Wrong(absl::StrCat("--dim ", dim, " must be NAME=VALUE"));
    if (absl::Status s = AddDim(dim.substr(0, equals), dim.substr(equals + 1), problem); !s.ok()) return s;
  }
  if (absl::Status s = AddExtras(extras, problem); !s.ok()) return s;
  problem.set_ptr_size(o.ptr_size);
  problem.set_seed(o.seed);
  if (o.atol) problem.set_atol(*o.atol);
  if (o.rtol) problem.set_rtol(*o.rtol);
  const auto implementation = ImplementationOf(o.implementation);
  if (!implementation.ok()) return implementation.status();
  v1::SubjectSpec candidate;
  candidate.set_role(v1::ROLE_CANDIDATE);
  candidate.set_id(SubjectIdFor(o.solution, {}));
  v1::Solution& solution = *candidate.mutable_solution();
  if (absl::Status s = AddFiles(o.solution, o.with, submission, solution); !s.ok()) return s;
  solution.set_implementation(*implementation);
  for (const std::string& flag : o.flags) solution.add_flags(flag);
  std::vector<std::string> ids = {candidate.id()};
  *spec.add_subjects() = candidate;
  const std::string baselines = o.baselines.empty() ? context.config.Text("client.baselines") : o.baselines;
  if (absl::Status s = AddBaselines(o, baselines, *implementation, context, submission, ids, spec); !s.ok()) return s;
  if (absl::Status s = SetMeasure(o, *spec.mutable_measure()); !s.ok()) return s;
  auto device = ChooseDevice(o, context);
  if (!device.ok()) return device.status();
  spec.set_device(*std::move(device));
  if (absl::Status s = SetPriority(o.priority.empty() ? context.config.Text("client.priority") : o.priority, spec); !s.ok()) return s;
  if (o.run_timeout_s) *spec.mutable_limits()->mutable_run() = OfSeconds(*o.run_timeout_s);
  if (o.queue_timeout_s) *spec.mutable_limits()->mutable_queue() = OfSeconds(*o.queue_timeout_s);
  if (o.call_timeout_s) *spec.mutable_limits()->mutable_call() = OfSeconds(*o.call_timeout_s);
  spec.set_label(o.label);
  spec.set_run(o.run);
  spec.set_hold(o.hold);
  if (absl::Status s = SetWaits(o, spec); !s.ok()) return s;
  return spec;
}

}  // namespace kernelopt::client
