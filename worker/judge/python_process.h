// A Python interpreter in its sandbox, asked in JSON over a socket and called over
// a control page: what the reference process and Python solutions have in common
// (worker/runner/kopt_wire.py). Used from the job thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "judge/answers.h"
#include "judge/arena.h"
#include "judge/line.h"
#include "judge/zygote.h"
#include "kernelopt/v1/job.pb.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

struct PythonOptions {
  std::string python = "/usr/bin/python3";
  std::string scripts;       // folder of kopt_*.py
  std::string wire_library;  // path of libkopt_wire.so
  // What Triton and torch.compile compile C with, an absolute path; empty: gcc of
  // the system.
  std::string host_compiler;
  bool torch = true;
  std::chrono::milliseconds call_timeout{60'000};
  std::function<void(std::string_view)> log;
  std::string anchor;  // path of kopt-runner, for a zygote; empty: without
  std::shared_ptr<Zygote> zygote;  // forks the processes; null: each imports by itself
};

class PythonProcess {
 public:
  // What it runs. kSolution may start processes, which a compiler needs; so may
  // kCompiling, a reference that torch.compile is asked of. kAhead is a solution
  // without the device (judge/compile_ahead.h).
  enum class Kind { kReference, kCompiling, kSolution, kAhead };
  // Spawns on `cpu` (-1: any); does not wait for the imports.
  static absl::StatusOr<std::unique_ptr<PythonProcess>> Start(Device& device, const PythonOptions& options, Kind kind, int cpu);
  // Waits for the imports, the first time.
  absl::StatusOr<PythonHost> WaitReady();

  // The text of an answer, or what it refused, which may be that it is gone; a
  // Status when the system failed.
  using Answer = absl::StatusOr<std::variant<std::string, InvalidProblem>>;
  Answer Exchange(const nlohmann::json& request, std::initializer_list<int> fds);
  // What it sent last, when it ended by itself; none: nothing that can be read.
  std::optional<InvalidProblem> LastWords();

  // Tells it to serve calls over the line, and stops it until the first. A refusal
  // is FAILED_PRECONDITION.
  absl::Status StartServing(const nlohmann::json& request);
  // Its answer when it has left the page; as of Exchange.
  Answer StopServing();

  // Stands still until Wake, whatever it is doing.
  absl::Status Pause() { return sandbox_->Freeze(); }
  absl::Status Wake() { return sandbox_->Thaw(); }

  Line& line() { return *line_; }
  Sandbox& sandbox() { return *sandbox_; }

 private:
  PythonProcess() = default;
  Answer Receive();
  std::string Name() const;

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Line> line_;
  support::UniqueFd socket_;
  std::chrono::milliseconds timeout_{60'000};
  Device* device_ = nullptr;
  Kind kind_ = Kind::kReference;
  std::optional<PythonHost> host_;
};

// For these options.
absl::StatusOr<std::unique_ptr<Zygote>> StartZygote(Device& device, const PythonOptions& options);

// Sizes by name, as Python is told them.
nlohmann::json DimsOf(const v1::ProblemSpec& problem);
// Of a problem of KernelBench, how its Model is called; else null.
nlohmann::json KernelBenchOf(const Contract& contract);
// What Python is told of a parameter: type, shape, or value.
nlohmann::json DescribeParameter(const Parameter& parameter);
// The contract and where its tensors lie, for the op "map".
nlohmann::json DescribeBuffers(Arena& arena, const v1::ProblemSpec& problem);

}  // namespace kernelopt::worker
