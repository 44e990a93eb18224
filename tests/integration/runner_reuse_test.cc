// One process for the candidates of a run (worker.runner_reuse), and when it is
// replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "harness/daemon.h"

namespace kernelopt::test {
namespace {

constexpr char kAdd[] = R"(
static int calls = 0;
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  ++calls;
  for (int i = 0; i < N; ++i) c[i] = a[i] + b[i];
}
)";
constexpr char kThread[] = R"(
#include <thread>
#include <unistd.h>
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool started = [] {
    std::thread([] { for (;;) pause(); }).detach();  // ended by nothing, not even by unloading
    return true;
  }();
  if (!started) return;
  for (int i = 0; i < N; ++i) c[i] = a[i] + b[i];
}
)";
// Its static has one address in the whole process, so the object stays loaded.
constexpr char kUnique[] = R"(
template <class T> T& Calls() { static T calls = 0; return calls; }
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  ++Calls<int>();
  for (int i = 0; i < N; ++i) c[i] = a[i] + b[i];
}
)";
constexpr char kWrong[] = R"(extern "C" void solve(const float* a, const float* b, float* c, int N) { for (int i = 0; i < N; ++i) c[i] = a[i]; })";

// One job, and what it has to show.
struct Job {
  std::string source, run;
  bool reused = false;  // called in the process of an earlier one
  int n = 4096;
  std::string verdict = "CORRECT";
};

class RunnerReuse : public testing::Test {
 protected:
  void Start(const std::string& mode) {
    daemon_ = std::make_unique<TestDaemon>(std::vector<std::string>(), "runner_reuse = \"" + mode + "\"\n");
    daemon_->WaitForWorker();
  }

  // The jobs one after the other, in runs that no attempt has used; all of them
  // again when the machine was too busy for one (which ends its process).
  void Expect(const std::vector<Job>& jobs) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::this_thread::sleep_for(std::chrono::seconds(attempt));
      std::vector<nlohmann::json> subjects;
      for (const Job& job : jobs) subjects.push_back(Judge(job, "-" + std::to_string(attempt)));
      const auto disturbed = [](const nlohmann::json& s) {
        return s["verdict"] == "VERDICT_DISTURBED" || (s.contains("timing") && s["timing"]["witness"] == "WITNESS_UNWITNESSED");
      };
      if (attempt + 1 < kAttempts && std::any_of(subjects.begin(), subjects.end(), disturbed)) continue;
      for (size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_EQ(subjects[i]["verdict"], "VERDICT_" + jobs[i].verdict) << "job " << i << ": " << subjects[i];
        EXPECT_EQ(subjects[i]["runner_reused"], jobs[i].reused) << "job " << i;
      }
      return;
    }
  }

  std::unique_ptr<TestDaemon> daemon_;

 private:
  static constexpr int kAttempts = 8;

  nlohmann::json Judge(const Job& job, const std::string& attempt) {
    const std::string path = daemon_->directory() + "/kernel.cpp";
    WriteText(path, job.source);
    std::vector<std::string> arguments = {"submit", path, "--ref=" + ExamplesDirectory() + "/vector_add/ref.py",
                                          "--baselines=none", "--N=" + std::to_string(job.n), "--num-trials=20", "--wait", "--json"};
    if (!job.run.empty()) arguments.push_back("--run=" + job.run + attempt);
    const nlohmann::json answer = daemon_->Koptctl(arguments).json();
    if (answer.is_object() && answer.contains("result")) return answer["result"]["subjects"][0];
    ADD_FAILURE() << answer;
    return {{"verdict", ""}, {"runner_reused", false}};
  }
};

TEST_F(RunnerReuse, CandidatesOfOneRunShareAProcess) {
  Start("same-run");
  Expect({{kAdd, "first", false},
          {kAdd, "first", true},
          {kAdd + std::string("// another solution, other sizes"), "first", true, 1000},
          {kAdd, "second", false},
          {kAdd, "", false}});
}

TEST_F(RunnerReuse, AfterAnythingOddItIsAFreshOne) {
  Start("same-run");
  Expect({{kAdd, "run", false},
          {kWrong, "run", true, 4096, "INCORRECT"},
          {kAdd, "run", false},
          {kThread, "run", true},
          {kAdd, "run", false}});
}

// Bug: the next candidate was called with the code of one that cannot be unloaded.
TEST_F(RunnerReuse, OneThatStaysLoadedIsTheLastOfItsProcess) {
  Start("same-run");
  Expect({{kUnique, "run", false}, {kWrong, "run", false, 4096, "INCORRECT"}});
}

// Bug: its address space was that of the first candidate's buffers.
TEST_F(RunnerReuse, LargerBuffersTakeAProcessOfTheirOwn) {
  Start("same-run");
  Expect({{kAdd, "run", false, 4096}, {kAdd, "run", false, 1 << 20}, {kAdd, "run", true, 4096}});
}

TEST_F(RunnerReuse, IsOffUnlessTheAdminAllowsIt) {
  Start("never");
  Expect({{kAdd, "run", false}, {kAdd, "run", false}});
}

TEST_F(RunnerReuse, ARunHasAPlainName) {
  Start("never");
  const Ran ran = daemon_->Koptctl({"submit", ExamplesDirectory() + "/vector_add/optimised.cpp",
                                    "--ref=" + ExamplesDirectory() + "/vector_add/ref.py", "--N=64", "--run=Not/Plain"});
  EXPECT_NE(ran.exit, 0);
  EXPECT_NE(ran.err.find("spec.run"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace kernelopt::test
