// A solution in Python (Triton, CuTe DSL, PyTorch) in a process of its own
// (worker/runner/kopt_solution.py). Used from the job thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "build/compiler.h"
#include "judge/death.h"
#include "judge/python_process.h"
#include "judge/spares.h"

namespace kernelopt::worker {

class PythonSolution {
 public:
  // With its files, the main one first, imported, and what CompileAhead made of
  // them (empty: nothing); UNAVAILABLE when the process did not start. A Finding:
  // what is wrong with the solution.
  using Started = std::variant<std::unique_ptr<PythonSolution>, Finding>;
  static absl::StatusOr<Started> Start(Spares& spares, const std::vector<SourceText>& files, const std::string& cache);

  // What CompileAhead made, for launches from here on.
  absl::StatusOr<std::optional<Finding>> TakeCache(const std::string& archive);

  // What setup() makes of these dims, where nothing else declares the tensors.
  absl::StatusOr<std::variant<ReferenceFacts, Finding>> Describe(const v1::ProblemSpec& problem);

  // Maps the buffers and calls setup(), then stands ready to be called. None: it
  // is. On a GPU compilers run in its first call, not here.
  absl::StatusOr<std::optional<Finding>> Load(Arena& arena, const v1::ProblemSpec& problem);
  absl::StatusOr<std::optional<Finding>> TakeSets(Arena& arena);
  // Goes back from the page to its socket; then, to the page again.
  absl::StatusOr<std::optional<Finding>> Leave();
  absl::StatusOr<std::optional<Finding>> Serve();
  // Outputs that it has returned instead of writing them, known when it has left.
  const std::vector<std::string>& copied() const { return copied_; }
  // Entries in the caches of Triton and Inductor, by its own word, when it has left.
  int64_t compiled() const { return compiled_; }
  // Weights of a ModelNew that are its own; known after Load.
  const std::vector<std::string>& own_weights() const { return own_weights_; }

  // Why a call ended its process, if it said so.
  std::optional<Finding> LastWords();
  const std::string& framework() const { return framework_; }
  Line& line() { return process_->line(); }
  Sandbox& sandbox() { return process_->sandbox(); }
  // Standing still; nothing else may be asked of it then.
  std::unique_ptr<PythonProcess> GiveUpProcess();

 private:
  PythonSolution() = default;
  // None: it did what was asked.
  absl::StatusOr<std::optional<Finding>> Ask(const nlohmann::json& request, std::initializer_list<int> fds);

  std::unique_ptr<PythonProcess> process_;
  std::string framework_;
  std::vector<std::string> copied_, own_weights_;
  int64_t compiled_ = 0;
};

// Starts processes of one solution: that of the build serves the first workload.
class PythonStarter {
 public:
  PythonStarter(Spares& spares, std::vector<SourceText> files) : spares_(spares), files_(std::move(files)) {}

  absl::StatusOr<PythonSolution::Started> Start();
  // As PythonSolution::Describe, of the process that the next Start gives.
  absl::StatusOr<std::variant<ReferenceFacts, Finding>> Describe(const v1::ProblemSpec& problem);
  // What CompileAhead made, for every process from here on, and one that waits.
  void UseCache(std::string archive);
  // Seconds that the last Start took that began a process.
  double start_s() const { return start_s_; }
  // Whether processes begin with their imports done.
  bool Forks() const { return spares_.forks_python(); }
  // For the next Start.
  void Keep(std::unique_ptr<PythonSolution> solution) { waiting_ = std::move(solution); }

 private:
  Spares& spares_;
  const std::vector<SourceText> files_;
  std::string cache_;
  std::unique_ptr<PythonSolution> waiting_;
  double start_s_ = 0;
};

}  // namespace kernelopt::worker
