#include "judge/python_process.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "judge/runner.h"

namespace kernelopt::worker {
namespace {

using nlohmann::json;

// Torch alone takes seconds to import on a busy machine.
constexpr std::chrono::milliseconds kReadyTimeout{60'000};

const char* PlaceOf(const Device& device) { return device.clock() == Clock::kEvents ? "gpu" : "host"; }

json ParameterJson(const Arena& arena, size_t index) {
  const Parameter& p = arena.contract().parameters[index];
  json out = DescribeParameter(p);
  if (!p.tensor()) return out;
  const wire::Tensor tensor = arena.WireTensor(index);
  out["file"] = p.init.file;
  out["offset"] = tensor.map_offset + tensor.offset;
  out["staging"] = arena.StagingOffset(index);
  return out;
}

bool IsSolution(PythonProcess::Kind kind) { return kind == PythonProcess::Kind::kSolution || kind == PythonProcess::Kind::kAhead; }

SandboxSpec SpecOf(Device& device, const PythonOptions& options, PythonProcess::Kind kind) {
  SandboxSpec spec;
  spec.arguments = {options.python, "-I", "-B", IsSolution(kind) ? "/kopt/kopt_solution.py" : "/kopt/kopt_reference.py"};
  spec.read_only = {{options.wire_library, "/kopt/libkopt_wire.so"}};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.scripts, error)) {
    const std::string name = entry.path().filename().string();
    if (absl::StartsWith(name, "kopt_") && absl::EndsWith(name, ".py")) spec.read_only.emplace_back(entry.path().string(), absl::StrCat("/kopt/", name));
  }
  spec.environment = {{"KOPT_TORCH", options.torch ? "auto" : "off"},
                      {"KOPT_WIRE_LIBRARY", "/kopt/libkopt_wire.so"},
                      {"USER", "kernelopt"},  // no uid of a sandbox is in passwd; CuTe DSL asks
                      {"OMP_NUM_THREADS", "1"},
                      {"OPENBLAS_NUM_THREADS", "1"},
                      {"MKL_NUM_THREADS", "1"},
                      // Compilers that a call starts end with it; a pool of them would not.
                      {"TORCHINDUCTOR_COMPILE_THREADS", "1"},
                      {"TRITON_CACHE_DIR", "/tmp/triton"},
                      {"TORCHINDUCTOR_CACHE_DIR", "/tmp/inductor"}};
  spec.seccomp = kind == PythonProcess::Kind::kReference ? SeccompProfile::kReference : SeccompProfile::kCompiler;
  spec.limits.address_bytes = int64_t{32} << 30;
  std::set<std::string> roots;
  if (!options.host_compiler.empty()) {
    const std::filesystem::path bin = std::filesystem::path(options.host_compiler).parent_path();
    spec.environment.emplace_back("CC", (bin / "gcc").string());
    spec.environment.emplace_back("CXX", options.host_compiler);
    if (!absl::StartsWith(bin.string(), "/usr/")) roots.insert(bin.parent_path().string());
  }
  // A virtual environment, and the installation that it is made from.
  for (const std::string& path : {options.python, std::filesystem::canonical(options.python, error).string()}) {
    const size_t bin = path.rfind("/bin/");
    if (bin != std::string::npos && !absl::StartsWith(path, "/usr/")) roots.insert(path.substr(0, bin));
  }
  for (const std::string& root : roots) spec.read_only.emplace_back(root, root);
  spec.environment.emplace_back("KOPT_PLACE", PlaceOf(device));
  spec.log = options.log;
  const Reach reach = device.reach();
  LetIn(kind == PythonProcess::Kind::kAhead ? Reach{.nodes = {}, .environment = reach.environment, .calls = {}} : reach, spec);
  return spec;
}

// Without a zygote that can do it, it imports by itself.
absl::StatusOr<std::unique_ptr<Sandbox>> SpawnOrFork(const PythonOptions& options, const SandboxSpec& spec, PythonProcess::Kind kind) {
  if (options.zygote && options.zygote->trouble().ok()) {
    auto forked = options.zygote->Fork(spec, IsSolution(kind) ? "solution" : "reference");
    if (forked.ok()) return forked;
    if (options.log) options.log(absl::StrCat("kernelopt-worker: no zygote for this one: ", std::string(forked.status().message()), "\n"));
  }
  return Sandbox::Spawn(spec);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Zygote>> StartZygote(Device& device, const PythonOptions& options) {
  auto environment = SpecOf(device, options, PythonProcess::Kind::kReference).environment;
  for (auto& [name, value] : environment) {
    if (name == "KOPT_WIRE_LIBRARY") value = options.wire_library;  // as it is outside
    if (absl::EndsWith(name, "_CACHE_DIR")) value = "/nonexistent";  // there, others could write to it
  }
  environment.emplace_back("KOPT_ARCH", device.arch());
  return Zygote::Start({options.python, options.scripts + "/kopt_zygote.py", options.anchor, environment});
}

json KernelBenchOf(const Contract& contract) {
  const json about = json::parse(contract.kernelbench, nullptr, false);
  return about.is_object() ? about : json();
}

json DescribeParameter(const Parameter& p) {
  json out = {{"name", p.name}, {"role", RoleName(p.role)}};
  if (!p.tensor()) {
    if (IsFloating(p.dtype)) {
      out["value"] = p.real_value;
    } else {
      out["value"] = p.int_value;
    }
    return out;
  }
  const Layout layout = p.problem_layout();
  out["dtype"] = p.type_name();
  out["shape"] = layout.shape;
  out["strides"] = layout.strides;
  out["span"] = layout.span;
  return out;
}

json DimsOf(const v1::ProblemSpec& problem) {
  json dims = json::object();
  for (const v1::Dim& dim : problem.dims()) {
    dims[dim.name()] = dim.has_int_value() ? json(dim.int_value()) : json(dim.real_value());
  }
  return dims;
}

json DescribeBuffers(Arena& arena, const v1::ProblemSpec& problem) {
  json request = {{"op", "map"},
                  {"tf32", arena.contract().tf32},
                  {"seed", problem.seed()},
                  {"kernelbench", KernelBenchOf(arena.contract())},
                  {"dims", DimsOf(problem)},
                  {"sizes", {{"inputs", arena.inputs().size()}, {"outputs", arena.outputs().size()}}},
                  {"parameters", json::array()}};
  for (size_t i = 0; i < arena.contract().parameters.size(); ++i) {
    request["parameters"].push_back(ParameterJson(arena, i));
  }
  return request;
}

absl::StatusOr<std::unique_ptr<PythonProcess>> PythonProcess::Start(Device& device, const PythonOptions& options, Kind kind, int cpu) {
  auto sockets = MakeSocketPair();
  if (!sockets.ok()) return sockets.status();
  SandboxSpec spec = SpecOf(device, options, kind);
  spec.socket_fd = sockets->theirs.get();
  spec.cpu = cpu;
  auto sandbox = SpawnOrFork(options, spec, kind);
  if (!sandbox.ok()) return sandbox.status();
  std::unique_ptr<PythonProcess> process(new PythonProcess());
  process->sandbox_ = *std::move(sandbox);
  process->socket_ = std::move(sockets->ours);
  process->timeout_ = options.call_timeout;
  process->device_ = &device;
  process->kind_ = kind;
  auto line = Line::Make(*process->sandbox_);
  if (!line.ok()) return line.status();
  process->line_ = *std::move(line);
  process->line_->page().place = device.clock() == Clock::kEvents ? wire::Place::kGpu : wire::Place::kHost;
  return process;
}

std::string PythonProcess::Name() const { return IsSolution(kind_) ? "the solution's process" : "the reference process"; }

absl::StatusOr<PythonHost> PythonProcess::WaitReady() {
  if (host_) return *host_;
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), kReadyTimeout);
  if (!text.ok()) {
    return absl::UnavailableError(absl::StrCat(Name(), " did not start (python3-numpy installed?): ", std::string(text.status().message())));
  }
  const auto host = ReadHost(*text);
  if (!host) return absl::InternalError(absl::StrCat(Name(), " said nonsense"));
  host_ = *host;
  return *host_;
}

PythonProcess::Answer PythonProcess::Receive() {
  using Result = std::variant<std::string, InvalidProblem>;
  const bool solution = IsSolution(kind_);
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), timeout_);
  if (absl::IsDeadlineExceeded(text.status())) {
    return Result(InvalidProblem{solution ? "TIMEOUT" : "REFERENCE_TIMEOUT",
                                 absl::StrCat(solution ? "importing or preparing the solution" : "the reference", " took longer than ",
                                              timeout_.count() / 1000, " s (worker.reference_seconds)")});
  }
  if (!text.ok()) {
    const auto end = sandbox_->Wait(std::chrono::seconds(2));
    const std::string how = !end.ok()        ? "ended"
                            : end->signalled ? absl::StrCat("died of signal ", end->code)
                                             : absl::StrCat("called exit(", end->code, ")");
    return Result(InvalidProblem{solution ? "PROCESS_ENDED" : "REFERENCE_FAILED", absl::StrCat(Name(), " ", how)});
  }
  if (const auto refused = ReadRefusal(*text)) return Result(*refused);
  return Result(*text);
}

PythonProcess::Answer PythonProcess::Exchange(const json& request, std::initializer_list<int> fds) {
  using Result = std::variant<std::string, InvalidProblem>;
  const bool solution = IsSolution(kind_);
  const std::string packet = request.dump(-1, ' ', false, json::error_handler_t::replace);
  if (packet.size() > wire::kMaxMessage) {
    return Result(InvalidProblem{"REFERENCE_FAILED", "the reference file is larger than 128 KiB"});
  }
  device_->ops().Settle();  // it looks at what was filled
  if (absl::Status s = SendPacket(socket_.get(), packet, fds); !s.ok()) {
    return Result(InvalidProblem{solution ? "PROCESS_ENDED" : "REFERENCE_FAILED", absl::StrCat(Name(), " has died")});
  }
  return Receive();
}

std::optional<InvalidProblem> PythonProcess::LastWords() {
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), std::chrono::milliseconds(0));
  return text.ok() ? ReadRefusal(*text) : std::nullopt;
}

absl::Status PythonProcess::StartServing(const json& request) {
  line_->page().phase.store(static_cast<uint32_t>(wire::Phase::kIdle));
  const auto answer = Exchange(request, {});
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) return absl::FailedPreconditionError(invalid->message);
  return line_->Hold();
}

PythonProcess::Answer PythonProcess::StopServing() {
  line_->Leave();
  return Receive();
}

}  // namespace kernelopt::worker
