#include "judge/reference.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "judge/runner.h"

namespace kernelopt::worker {
namespace {

using nlohmann::json;

// Torch alone takes seconds to import on a busy machine.
constexpr std::chrono::milliseconds kReadyTimeout{60'000};

json ParameterJson(const Arena& arena, size_t index) {
  const Parameter& p = arena.contract().parameters[index];
  json out = {{"name", p.name}, {"role", RoleName(p.role)}};
  if (!p.tensor()) {
    if (IsFloating(p.dtype)) {
      out["value"] = p.real_value;
    } else {
      out["value"] = p.int_value;
    }
    return out;
  }
  const wire::Tensor tensor = arena.WireTensor(index);
  const Layout layout = p.problem_layout();
  out["dtype"] = p.type_name();
  out["shape"] = layout.shape;
  out["strides"] = layout.strides;
  out["span"] = layout.span;
  out["file"] = p.init.file;
  out["offset"] = tensor.map_offset + tensor.offset;
  out["staging"] = arena.StagingOffset(index);
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Reference>> Reference::Start(Device& device,
                                                            const ReferenceOptions& options) {
  auto sockets = MakeSocketPair();
  if (!sockets.ok()) return sockets.status();
  SandboxSpec spec;
  spec.arguments = {options.python, "-I", "-B", "/kopt/kopt_reference.py"};
  spec.read_only = {{options.wire_library, "/kopt/libkopt_wire.so"}};
  for (const char* script : {"kopt_reference.py", "kopt_problem.py", "kopt_views.py", "kopt_gpu.py"}) {
    spec.read_only.push_back({absl::StrCat(options.scripts, "/", script), absl::StrCat("/kopt/", script)});
  }
  spec.environment = {{"KOPT_TORCH", options.torch ? "auto" : "off"},
                      {"KOPT_WIRE_LIBRARY", "/kopt/libkopt_wire.so"},
                      {"OMP_NUM_THREADS", "1"},
                      {"OPENBLAS_NUM_THREADS", "1"},
                      {"MKL_NUM_THREADS", "1"}};
  spec.seccomp = SeccompProfile::kReference;
  spec.limits.address_bytes = int64_t{32} << 30;
  // A virtual environment of its own.
  if (const size_t bin = options.python.rfind("/bin/"); options.python.rfind("/usr/", 0) != 0 && bin != std::string::npos) {
    const std::string root = options.python.substr(0, bin);
    spec.read_only.emplace_back(root, root);
  }
  LetIn(device.reach(), spec);
  spec.socket_fd = sockets->theirs.get();
  spec.cpu = device.runner_cpu();
  spec.log = options.log;
  auto sandbox = Sandbox::Spawn(spec);
  if (!sandbox.ok()) return sandbox.status();
  std::unique_ptr<Reference> reference(new Reference());
  reference->sandbox_ = *std::move(sandbox);
  reference->socket_ = std::move(sockets->ours);
  reference->timeout_ = options.call_timeout;
  reference->device_ = &device;
  reference->options_ = options;
  auto line = Line::Make(*reference->sandbox_);
  if (!line.ok()) return line.status();
  reference->line_ = *std::move(line);
  return reference;
}

absl::StatusOr<ReferenceHost> Reference::WaitReady() {
  if (host_) return *host_;
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), kReadyTimeout);
  if (!text.ok()) {
    return absl::UnavailableError(
        absl::StrCat("the reference process did not start (python3-numpy installed?): ",
                     std::string(text.status().message())));
  }
  const auto host = ReadHost(*text);
  if (!host) return absl::InternalError("the reference process said nonsense");
  host_ = *host;
  return *host_;
}

// The value of an answer that was read with `read`.
template <class T, class Read>
static Reference::Answer<T> Take(const Reference::Answer<std::string>& answer, Read read) {
  using Result = std::variant<T, InvalidProblem>;
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  return Result(read(std::get<std::string>(*answer)));
}

Reference::Answer<std::string> Reference::Exchange(const json& request,
                                                   std::initializer_list<int> fds) {
  using Result = std::variant<std::string, InvalidProblem>;
  const std::string packet = request.dump(-1, ' ', false, json::error_handler_t::replace);
  if (packet.size() > wire::kMaxMessage) {
    return Result(InvalidProblem{"REFERENCE_FAILED", "the reference file is larger than 128 KiB"});
  }
  device_->ops().Settle();  // it looks at what was filled
  if (absl::Status s = SendPacket(socket_.get(), packet, fds); !s.ok()) {
    return Result(InvalidProblem{"REFERENCE_FAILED", "the reference process has died"});
  }
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), timeout_);
  if (absl::IsDeadlineExceeded(text.status())) {
    return Result(InvalidProblem{
        "REFERENCE_TIMEOUT", absl::StrCat("the reference took longer than ", timeout_.count() / 1000,
                                          " s (worker.reference_seconds)")});
  }
  if (!text.ok()) {
    const auto end = sandbox_->Wait(std::chrono::seconds(2));
    const std::string how = !end.ok()          ? "ended"
                            : end->signalled   ? absl::StrCat("died of signal ", end->code)
                                               : absl::StrCat("called exit(", end->code, ")");
    return Result(InvalidProblem{"REFERENCE_FAILED", absl::StrCat("the reference process ", how)});
  }
  if (const auto refused = ReadRefusal(*text)) return Result(*refused);
  return Result(*text);
}

Reference::Answer<ReferenceFacts> Reference::Load(const std::string& source,
                                                  const std::string& name) {
  using Result = std::variant<ReferenceFacts, InvalidProblem>;
  if (facts_ && source == source_ && name == name_) return Result(*facts_);
  facts_.reset();
  source_ = source;
  name_ = name;
  const auto answer = Exchange({{"op", "load"}, {"source", source}, {"name", name}}, {});
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  Result facts = ReadFacts(std::get<std::string>(*answer));
  if (const auto* good = std::get_if<ReferenceFacts>(&facts)) facts_ = *good;
  return facts;
}

absl::Status Reference::Rest() {
  arena_ = nullptr;
  const auto answer = Exchange({{"op", "rest"}}, {});
  if (!answer.ok()) return answer.status();
  if (const auto* refused = std::get_if<InvalidProblem>(&*answer)) return absl::UnavailableError(refused->message);
  return Pause();
}

absl::Status Reference::Pause() { return sandbox_->Freeze(); }

absl::Status Reference::Wake() { return sandbox_->Thaw(); }

absl::StatusOr<std::unique_ptr<Reference>> Reference::Another() const {
  auto another = Start(*device_, options_);
  if (!another.ok()) return another.status();
  if (auto host = (*another)->WaitReady(); !host.ok()) return host.status();
  if (auto loaded = (*another)->Load(source_, name_); !loaded.ok()) return loaded.status();
  if (arena_ != nullptr) {
    if (auto mapped = (*another)->Map(*arena_, problem_); !mapped.ok()) return mapped.status();
  }
  return another;
}

absl::Status Reference::Revive() {
  auto another = Another();
  if (!another.ok()) return another.status();
  sandbox_ = std::move((*another)->sandbox_);
  line_ = std::move((*another)->line_);
  socket_ = std::move((*another)->socket_);
  return absl::OkStatus();
}

Reference::Answer<Reference::Work> Reference::Map(Arena& arena, const v1::ProblemSpec& problem) {
  arena_ = nullptr;  // that of an earlier workload is gone
  if (!sandbox_->Alive()) {
    if (absl::Status s = Revive(); !s.ok()) return s;
  }
  arena_ = &arena;
  problem_ = problem;
  json request = {{"op", "map"},
                  {"place", device_->clock() == Clock::kEvents ? "gpu" : "host"},
                  {"tf32", arena.contract().tf32},
                  {"dims", json::object()},
                  {"sizes", {{"inputs", arena.inputs().size()}, {"outputs", arena.outputs().size()}}},
                  {"parameters", json::array()}};
  for (const v1::Dim& dim : problem.dims()) {
    request["dims"][dim.name()] = dim.has_int_value() ? json(dim.int_value()) : json(dim.real_value());
  }
  for (size_t i = 0; i < arena.contract().parameters.size(); ++i) {
    request["parameters"].push_back(ParameterJson(arena, i));
  }
  if (arena.staging() != nullptr) request["sizes"]["staging"] = arena.staging()->size();
  const int inputs = arena.inputs().fd(), outputs = arena.outputs().fd(), expected = arena.expected().fd();
  const auto answer = arena.staging() != nullptr
                          ? Exchange(request, {inputs, outputs, expected, line_->fd(), arena.staging()->fd()})
                          : Exchange(request, {inputs, outputs, expected, line_->fd()});
  return Take<Work>(answer, ReadWork);
}

Reference::Answer<Reference::Ok> Reference::TakeFile(const Parameter& parameter, int fd) {
  return Take<Ok>(Exchange({{"op", "file"}, {"parameter", parameter.name}}, {fd}),
                  [](const std::string&) { return Ok{}; });
}

Reference::Answer<Reference::Ok> Reference::MakePlan() {
  return Take<Ok>(Exchange({{"op", "plan"}}, {}), [](const std::string&) { return Ok{}; });
}

Reference::Answer<std::vector<std::string>> Reference::MakeInputs(uint64_t seed) {
  // Generators take signed 64-bit seeds at most.
  return Take<std::vector<std::string>>(Exchange({{"op", "make_inputs"}, {"seed", seed & INT64_MAX}}, {}), ReadMade);
}

Reference::Answer<Reference::Expected> Reference::ComputeExpected(const Ask& ask) {
  return Take<Expected>(Exchange({{"op", "expected"},
                                  {"check_inputs", ask.check_inputs},
                                  {"oracle_seconds", ask.oracle_seconds},
                                  {"keep_outputs", ask.keep_outputs}}, {}),
                        ReadResults);
}

Reference::Answer<Reference::Checked> Reference::Check() {
  return Take<Checked>(Exchange({{"op", "check"}}, {}), ReadChecked);
}

absl::Status Reference::StartServing(const std::string& mode) {
  line_->page().phase.store(static_cast<uint32_t>(wire::Phase::kIdle));
  const auto answer = Exchange({{"op", "serve"}, {"mode", mode}}, {});
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) {
    return absl::FailedPreconditionError(invalid->message);
  }
  return line_->Hold();
}

absl::Status Reference::StopServing() {
  line_->Leave();
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), timeout_);
  if (!text.ok()) return text.status();
  const auto refused = ReadRefusal(*text);
  return refused ? absl::FailedPreconditionError(refused->message) : absl::OkStatus();
}

}  // namespace kernelopt::worker
