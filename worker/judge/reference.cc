#include "judge/reference.h"

#include <nlohmann/json.hpp>

namespace kernelopt::worker {

using nlohmann::json;

absl::StatusOr<std::unique_ptr<Reference>> Reference::Start(Device& device, const PythonOptions& options,
                                                            PythonProcess::Kind kind) {
  auto process = PythonProcess::Start(device, options, kind, device.runner_cpu());
  if (!process.ok()) return process.status();
  std::unique_ptr<Reference> reference(new Reference());
  reference->process_ = *std::move(process);
  reference->device_ = &device;
  reference->options_ = options;
  return reference;
}

// The value of an answer that was read with `read`.
template <class T, class Read>
static Reference::Answer<T> Take(const PythonProcess::Answer& answer, Read read) {
  using Result = std::variant<T, InvalidProblem>;
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  return Result(read(std::get<std::string>(*answer)));
}

Reference::Answer<ReferenceFacts> Reference::Load(const std::string& source,
                                                  const std::string& name) {
  using Result = std::variant<ReferenceFacts, InvalidProblem>;
  if (facts_ && source == source_ && name == name_) return Result(*facts_);
  facts_.reset();
  source_ = source;
  name_ = name;
  const auto answer = process_->Exchange({{"op", "load"}, {"source", source}, {"name", name}}, {});
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) return Result(*invalid);
  Result facts = ReadFacts(std::get<std::string>(*answer));
  if (const auto* good = std::get_if<ReferenceFacts>(&facts)) facts_ = *good;
  return facts;
}

absl::Status Reference::Rest() {
  arena_ = nullptr;
  const auto answer = process_->Exchange({{"op", "rest"}}, {});
  if (!answer.ok()) return answer.status();
  if (const auto* refused = std::get_if<InvalidProblem>(&*answer)) return absl::UnavailableError(refused->message);
  return Pause();
}

absl::StatusOr<std::unique_ptr<Reference>> Reference::Another(bool compiles) const {
  auto another = Start(*device_, options_, compiles ? PythonProcess::Kind::kCompiling : PythonProcess::Kind::kReference);
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
  process_ = std::move((*another)->process_);
  return absl::OkStatus();
}

Reference::Answer<Reference::Work> Reference::Map(Arena& arena, const v1::ProblemSpec& problem) {
  arena_ = nullptr;  // that of an earlier workload is gone
  if (!sandbox().Alive()) {
    if (absl::Status s = Revive(); !s.ok()) return s;
  }
  arena_ = &arena;
  problem_ = problem;
  json request = DescribeBuffers(arena, problem);
  if (arena.staging() != nullptr) request["sizes"]["staging"] = arena.staging()->size();
  const int inputs = arena.inputs().fd(), outputs = arena.outputs().fd(), expected = arena.expected().fd();
  const auto answer = arena.staging() != nullptr
                          ? process_->Exchange(request, {inputs, outputs, expected, line().fd(), arena.staging()->fd()})
                          : process_->Exchange(request, {inputs, outputs, expected, line().fd()});
  return Take<Work>(answer, ReadWork);
}

Reference::Answer<Reference::Ok> Reference::TakeFile(const Parameter& parameter, int fd) {
  return Take<Ok>(process_->Exchange({{"op", "file"}, {"parameter", parameter.name}}, {fd}),
                  [](const std::string&) { return Ok{}; });
}

Reference::Answer<Reference::Ok> Reference::MakePlan() {
  return Take<Ok>(process_->Exchange({{"op", "plan"}}, {}), [](const std::string&) { return Ok{}; });
}

Reference::Answer<std::vector<std::string>> Reference::MakeInputs(uint64_t seed) {
  // Generators take signed 64-bit seeds at most.
  return Take<std::vector<std::string>>(process_->Exchange({{"op", "make_inputs"}, {"seed", seed & INT64_MAX}}, {}), [](const std::string& text) { return ReadNames(text, "made"); });
}

Reference::Answer<Reference::Expected> Reference::ComputeExpected(const Ask& ask) {
  return Take<Expected>(process_->Exchange({{"op", "expected"},
                                  {"check_inputs", ask.check_inputs},
                                  {"oracle_seconds", ask.oracle_seconds},
                                  {"keep_outputs", ask.keep_outputs}}, {}),
                        ReadResults);
}

Reference::Answer<Reference::Checked> Reference::Check() {
  return Take<Checked>(process_->Exchange({{"op", "check"}}, {}), ReadChecked);
}

absl::Status Reference::StartServing(const std::string& mode) {
  return process_->StartServing({{"op", "serve"}, {"mode", mode}});
}

absl::Status Reference::StopServing() {
  const auto answer = process_->StopServing();
  if (!answer.ok()) return answer.status();
  const auto* refused = std::get_if<InvalidProblem>(&*answer);
  return refused != nullptr ? absl::FailedPreconditionError(refused->message) : absl::OkStatus();
}

}  // namespace kernelopt::worker
