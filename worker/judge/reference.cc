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

// What comes from the process may be anything: no getter throws.
bool BoolOf(const json& answer, const char* key) {
  return answer.is_object() && answer.contains(key) && answer[key].is_boolean() && answer[key].get<bool>();
}

std::string TextOf(const json& answer, const char* key, const std::string& fallback) {
  if (!answer.is_object() || !answer.contains(key) || !answer[key].is_string()) return fallback;
  return answer[key].get<std::string>();
}

std::optional<double> NumberOf(const json& answer, const char* key) {
  if (!answer.is_object() || !answer.contains(key) || !answer[key].is_number()) return std::nullopt;
  return answer[key].get<double>();
}

std::variant<ReferenceFacts, InvalidProblem> FactsOf(const json& answer) {
  ReferenceFacts facts;
  facts.atol = NumberOf(answer, "atol");
  facts.rtol = NumberOf(answer, "rtol");
  for (const json& function : answer.value("functions", json::array())) {
    facts.make_inputs |= function == "make_inputs";
    facts.plan |= function == "plan";
    facts.check |= function == "check";
  }
  for (const auto& item : answer.at("tensors").items()) {
    auto tensor = ParseDeclaredTensor(item.value(), absl::StrCat("TENSORS[\"", item.key(), "\"]"));
    if (auto* invalid = std::get_if<InvalidProblem>(&tensor)) return *invalid;
    facts.tensors[item.key()] = std::get<DeclaredTensor>(tensor);
  }
  return facts;
}

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
  out["dtype"] = std::string(DTypeName(p.dtype));
  out["shape"] = p.layout.shape;
  out["strides"] = p.layout.strides;
  out["span"] = p.layout.span;
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
  for (const char* script : {"kopt_reference.py", "kopt_problem.py", "kopt_views.py"}) {
    spec.read_only.push_back({absl::StrCat(options.scripts, "/", script), absl::StrCat("/kopt/", script)});
  }
  spec.environment = {{"KOPT_TORCH", options.torch ? "auto" : "off"},
                      {"KOPT_WIRE_LIBRARY", "/kopt/libkopt_wire.so"},
                      {"OMP_NUM_THREADS", "1"},
                      {"OPENBLAS_NUM_THREADS", "1"},
                      {"MKL_NUM_THREADS", "1"}};
  spec.seccomp = SeccompProfile::kReference;
  spec.limits.address_bytes = int64_t{32} << 30;
  spec.socket_fd = sockets->theirs.get();
  spec.cpu = device.runner_cpu();
  spec.log = options.log;
  auto sandbox = Sandbox::Spawn(spec);
  if (!sandbox.ok()) return sandbox.status();
  std::unique_ptr<Reference> reference(new Reference());
  reference->sandbox_ = *std::move(sandbox);
  reference->socket_ = std::move(sockets->ours);
  reference->timeout_ = options.call_timeout;
  auto line = Line::Make(device, *reference->sandbox_);
  if (!line.ok()) return line.status();
  reference->line_ = *std::move(line);
  return reference;
}

absl::StatusOr<ReferenceHost> Reference::WaitReady() {
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), kReadyTimeout);
  if (!text.ok()) {
    return absl::UnavailableError(
        absl::StrCat("the reference process did not start (python3-numpy installed?): ",
                     std::string(text.status().message())));
  }
  const json ready = json::parse(*text, nullptr, false);
  if (!ready.is_object() || !ready.contains("framework")) {
    return absl::InternalError("the reference process said nonsense");
  }
  return ReferenceHost{TextOf(ready, "framework", ""), BoolOf(ready, "torch_compile"),
                       BoolOf(ready, "flashinfer")};
}

Reference::Answer<std::string> Reference::Exchange(const std::string& request,
                                              std::initializer_list<int> fds) {
  using Result = std::variant<std::string, InvalidProblem>;
  if (absl::Status s = SendPacket(socket_.get(), request, fds); !s.ok()) {
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
  const json answer = json::parse(*text, nullptr, false);
  if (!answer.is_object()) {
    return Result(InvalidProblem{"REFERENCE_FAILED", "the reference wrote to the judge's socket"});
  }
  if (!BoolOf(answer, "ok")) {
    return Result(InvalidProblem{TextOf(answer, "reason", "REFERENCE_FAILED"),
                                 TextOf(answer, "message", "the reference failed")});
  }
  return Result(*text);
}

Reference::Answer<ReferenceFacts> Reference::Load(const std::string& source,
                                                  const std::string& name) {
  using Result = std::variant<ReferenceFacts, InvalidProblem>;
  const std::string request =
      json({{"op", "load"}, {"source", source}, {"name", name}})
          .dump(-1, ' ', false, json::error_handler_t::replace);
  if (request.size() > wire::kMaxMessage) {
    return Result(InvalidProblem{"REFERENCE_FAILED", "the reference file is larger than 128 KiB"});
  }
  auto answer = Exchange(request, {});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  const json facts = json::parse(std::get<std::string>(*answer), nullptr, false);
  if (!facts.is_object() || !facts.contains("tensors")) {
    return Result(InvalidProblem{"REFERENCE_FAILED", "the reference wrote to the judge's socket"});
  }
  try {
    auto read = FactsOf(facts);
    if (auto* bad = std::get_if<InvalidProblem>(&read)) return Result(*bad);
    return Result(std::get<ReferenceFacts>(read));
  } catch (const json::exception&) {  // of another shape than our script sends
    return Result(InvalidProblem{"REFERENCE_FAILED", "the reference wrote to the judge's socket"});
  }
}

Reference::Answer<json> Reference::ExchangeJson(const json& request, std::initializer_list<int> fds) {
  using Result = std::variant<json, InvalidProblem>;
  auto answer = Exchange(request.dump(-1, ' ', false, json::error_handler_t::replace), fds);
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  return Result(json::parse(std::get<std::string>(*answer), nullptr, false));
}

Reference::Answer<Reference::Work> Reference::Map(Arena& arena, const v1::ProblemSpec& problem) {
  using Result = std::variant<Work, InvalidProblem>;
  json request = {{"op", "map"},
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
  auto answer = arena.staging() != nullptr
                    ? ExchangeJson(request, {inputs, outputs, expected, line_->fd(), arena.staging()->fd()})
                    : ExchangeJson(request, {inputs, outputs, expected, line_->fd()});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  const json& got = std::get<json>(*answer);
  return Result(Work{NumberOf(got, "flops").value_or(0), NumberOf(got, "bytes").value_or(0)});
}

Reference::Answer<Reference::Ok> Reference::TakeFile(const Parameter& parameter, int fd) {
  using Result = std::variant<Ok, InvalidProblem>;
  auto answer = ExchangeJson({{"op", "file"}, {"parameter", parameter.name}}, {fd});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  return Result(Ok{});
}

Reference::Answer<Reference::Ok> Reference::MakePlan() {
  using Result = std::variant<Ok, InvalidProblem>;
  auto answer = ExchangeJson({{"op", "plan"}}, {});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  return Result(Ok{});
}

Reference::Answer<std::vector<std::string>> Reference::MakeInputs(uint64_t seed) {
  using Result = std::variant<std::vector<std::string>, InvalidProblem>;
  // Generators take signed 64-bit seeds at most.
  auto answer = ExchangeJson({{"op", "make_inputs"}, {"seed", seed & INT64_MAX}}, {});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  std::vector<std::string> names;
  const json& got = std::get<json>(*answer);
  for (const json& name : got.contains("made") && got["made"].is_array() ? got["made"] : json::array()) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return Result(names);
}

Reference::Answer<Reference::Expected> Reference::ComputeExpected(const Ask& ask) {
  using Result = std::variant<Expected, InvalidProblem>;
  auto answer = ExchangeJson({{"op", "expected"},
                              {"check_inputs", ask.check_inputs},
                              {"keep_own", ask.keep_own},
                              {"oracle_seconds", ask.oracle_seconds}}, {});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  const json& got = std::get<json>(*answer);
  Expected expected{TextOf(got, "oracle", "") == "float64", TextOf(got, "oracle_message", ""), {}};
  if (got.contains("errors") && got["errors"].is_object()) {
    for (const auto& item : got["errors"].items()) {
      const double error = NumberOf(got["errors"], item.key().c_str()).value_or(0);
      if (error >= 0) expected.errors[item.key()] = error;
    }
  }
  return Result(expected);
}

Reference::Answer<Reference::Checked> Reference::Check() {
  using Result = std::variant<Checked, InvalidProblem>;
  auto answer = ExchangeJson({{"op", "check"}}, {});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  const json& got = std::get<json>(*answer);
  return Result(Checked{BoolOf(got, "passed"), TextOf(got, "message", "")});
}

absl::Status Reference::StartServing(const std::string& mode) {
  line_->page().phase.store(static_cast<uint32_t>(wire::Phase::kIdle));
  auto answer = Exchange(json({{"op", "serve"}, {"mode", mode}}).dump(), {});
  if (!answer.ok()) return answer.status();
  if (auto* invalid = std::get_if<InvalidProblem>(&*answer)) {
    return absl::FailedPreconditionError(invalid->message);
  }
  return line_->Hold();
}

absl::Status Reference::StopServing() {
  line_->Leave();
  const absl::StatusOr<std::string> text = ReceivePacket(socket_.get(), timeout_);
  if (!text.ok()) return text.status();
  const json left = json::parse(*text, nullptr, false);
  if (!left.is_object() || left.contains("reason")) {
    return absl::FailedPreconditionError(TextOf(left, "message", "nonsense"));
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
