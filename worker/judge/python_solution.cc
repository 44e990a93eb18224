#include "judge/python_solution.h"

#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "build/seal.h"
#include "support/clock.h"

namespace kernelopt::worker {
namespace {

using nlohmann::json;
using MaybeFinding = absl::StatusOr<std::optional<Finding>>;

// Once it is called there is nothing that it could blame but itself.
Finding FindingInCall(const InvalidProblem& words) {
  static const std::set<std::string> kRun = {"BAD_RETURN", "TIMEOUT", "PROCESS_ENDED"};
  return {v1::VERDICT_RUNTIME_ERROR, kRun.count(words.reason) > 0 ? words.reason : "EXCEPTION", words.message, {}};
}

// Before that, its words choose among what can be its own fault, no more.
Finding FindingOfWords(const InvalidProblem& words) {
  static const std::set<std::string> kBuild = {"MISSING_IMPORT", "IMPORT_FAILED", "NO_ENTRY_POINT", "BAD_SETUP"};
  static const std::set<std::string> kProblem = {"CONTRACT_MISMATCH", "NO_TENSORS"};
  if (kBuild.count(words.reason) > 0) return {v1::VERDICT_BUILD_FAILED, words.reason, words.message, {}};
  if (kProblem.count(words.reason) > 0) return {v1::VERDICT_INVALID_PROBLEM, words.reason, words.message, {}};
  if (words.reason == "UNSUPPORTED_TYPE") return {v1::VERDICT_UNAVAILABLE, words.reason, words.message, {}};
  return FindingInCall(words);
}

}  // namespace

MaybeFinding PythonSolution::Ask(const json& request, std::initializer_list<int> fds) {
  const auto answer = process_->Exchange(request, fds);
  if (!answer.ok()) return answer.status();
  const auto* refused = std::get_if<InvalidProblem>(&*answer);
  return refused == nullptr ? std::nullopt : std::optional<Finding>(FindingOfWords(*refused));
}

absl::StatusOr<PythonSolution::Started> PythonSolution::Start(Spares& spares, const std::vector<SourceText>& files, const std::string& cache) {
  auto process = spares.TakePython();
  if (!process.ok()) return process.status();
  std::unique_ptr<PythonSolution> solution(new PythonSolution());
  solution->process_ = *std::move(process);
  auto host = solution->process_->WaitReady();
  if (!host.ok()) {  // one that waited, perhaps, and found no memory
    process = spares.TakePython();
    if (!process.ok()) return process.status();
    solution->process_ = *std::move(process);
    host = solution->process_->WaitReady();
  }
  if (!host.ok()) return host.status();
  solution->framework_ = host->framework;
  for (const SourceText& file : files) {
    const auto fd = Seal(file.content);
    if (!fd.ok()) return fd.status();
    auto wrong = solution->Ask({{"op", "file"}, {"path", file.path}}, {fd->get()});
    if (!wrong.ok()) return wrong.status();
    if (*wrong) return Started(**wrong);
  }
  auto taken = solution->TakeCache(cache);
  if (!taken.ok()) return taken.status();
  if (*taken) return Started(**taken);
  auto wrong = solution->Ask({{"op", "import"}, {"path", files[0].path}}, {});
  if (!wrong.ok()) return wrong.status();
  if (*wrong) return Started(**wrong);
  return Started(std::move(solution));
}

MaybeFinding PythonSolution::TakeCache(const std::string& archive) {
  if (archive.empty()) return std::optional<Finding>();
  const auto fd = Seal(archive);
  if (!fd.ok()) return fd.status();
  return Ask({{"op", "cache"}}, {fd->get()});
}

absl::StatusOr<std::variant<ReferenceFacts, Finding>> PythonSolution::Describe(const v1::ProblemSpec& problem) {
  using Result = std::variant<ReferenceFacts, Finding>;
  const auto answer = process_->Exchange({{"op", "describe"}, {"dims", DimsOf(problem)}, {"seed", problem.seed()}}, {});
  if (!answer.ok()) return answer.status();
  if (const auto* refused = std::get_if<InvalidProblem>(&*answer)) return Result(FindingOfWords(*refused));
  auto facts = ReadFacts(std::get<std::string>(*answer));
  if (const auto* wrong = std::get_if<InvalidProblem>(&facts)) {
    return Result(Finding{v1::VERDICT_BUILD_FAILED, "BAD_SETUP", absl::StrCat("setup(): ", wrong->message), {}});
  }
  return Result(std::get<ReferenceFacts>(facts));
}

MaybeFinding PythonSolution::Serve() {
  const absl::Status served = process_->StartServing({{"op", "serve"}});
  if (absl::IsFailedPrecondition(served)) {
    return std::optional<Finding>({v1::VERDICT_RUNTIME_ERROR, "EXCEPTION", std::string(served.message()), {}});
  }
  return served.ok() ? MaybeFinding(std::nullopt) : served;
}

MaybeFinding PythonSolution::Load(Arena& arena, const v1::ProblemSpec& problem) {
  const auto answer = process_->Exchange(DescribeBuffers(arena, problem), {arena.inputs().fd(), arena.outputs().fd(), line().fd()});
  if (!answer.ok()) return answer.status();
  if (const auto* refused = std::get_if<InvalidProblem>(&*answer)) return std::optional<Finding>(FindingOfWords(*refused));
  own_weights_ = ReadNames(std::get<std::string>(*answer), "own_weights");
  return Serve();
}

MaybeFinding PythonSolution::Leave() {
  const auto left = process_->StopServing();
  if (!left.ok()) return left.status();
  if (const auto* refused = std::get_if<InvalidProblem>(&*left)) return std::optional<Finding>(FindingInCall(*refused));
  copied_ = ReadNames(std::get<std::string>(*left), "copied");
  compiled_ = ReadCount(std::get<std::string>(*left), "compiled");
  return std::optional<Finding>();
}

std::unique_ptr<PythonProcess> PythonSolution::GiveUpProcess() {
  if (!process_->Pause().ok()) process_.reset();
  return std::move(process_);
}

MaybeFinding PythonSolution::TakeSets(Arena& arena) {
  if (auto left = Leave(); !left.ok() || *left) return left;
  const auto set = arena.set_bytes();
  SharedMemory* const objects[] = {arena.sets(false), arena.sets(true)};
  auto wrong = Ask({{"op", "sets"},
                    {"sizes", {{"inputs", objects[0]->size()}, {"outputs", objects[1]->size()}}},
                    {"bytes", {{"inputs", set[0]}, {"outputs", set[1]}}}},
                   {objects[0]->fd(), objects[1]->fd()});
  return !wrong.ok() || *wrong ? wrong : Serve();
}

std::optional<Finding> PythonSolution::LastWords() {
  const auto words = process_->LastWords();
  return words ? std::optional<Finding>(FindingInCall(*words)) : std::nullopt;
}

void PythonStarter::UseCache(std::string archive) {
  cache_ = std::move(archive);
  if (waiting_ && !waiting_->TakeCache(cache_).ok()) waiting_.reset();  // the next Start says why
}

absl::StatusOr<PythonSolution::Started> PythonStarter::Start() {
  if (waiting_) return PythonSolution::Started(std::move(waiting_));
  const double begin = support::MonotonicSeconds();
  auto started = PythonSolution::Start(spares_, files_, cache_);
  start_s_ = support::MonotonicSeconds() - begin;
  return started;
}

absl::StatusOr<std::variant<ReferenceFacts, Finding>> PythonStarter::Describe(const v1::ProblemSpec& problem) {
  using Result = std::variant<ReferenceFacts, Finding>;
  auto started = Start();
  if (!started.ok()) return started.status();
  if (const auto* wrong = std::get_if<Finding>(&*started)) return Result(*wrong);
  auto& solution = std::get<std::unique_ptr<PythonSolution>>(*started);
  auto described = solution->Describe(problem);
  if (described.ok() && std::holds_alternative<ReferenceFacts>(*described)) Keep(std::move(solution));
  return described;
}

}  // namespace kernelopt::worker
