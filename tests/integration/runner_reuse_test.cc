// One process for the candidates of a run (worker.runner_reuse), and when it is
// replaced.
#include <gtest/gtest.h>

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

class RunnerReuse : public testing::Test {
 protected:
  void Start(const std::string& mode) {
    daemon_ = std::make_unique<TestDaemon>(std::vector<std::string>(), "runner_reuse = \"" + mode + "\"\n");
    daemon_->Start();
    daemon_->WaitForWorker();
  }

  // Its candidate was called in the process of an earlier one.
  bool Reused(const std::string& source, const std::string& run, int n = 4096) {
    const std::string path = daemon_->directory() + "/kernel.cpp";
    WriteText(path, source);
    std::vector<std::string> job = {"submit", path, "--ref=" + ExamplesDirectory() + "/vector_add/ref.py", "--baselines=none",
                                    "--N=" + std::to_string(n), "--num-trials=20", "--wait", "--json"};
    if (!run.empty()) job.push_back("--run=" + run);
    const nlohmann::json answer = daemon_->Koptctl(job).json();
    if (!answer.is_object() || !answer.contains("result")) {
      ADD_FAILURE() << answer;
      return false;
    }
    verdict_ = answer["result"]["subjects"][0]["verdict"];
    return answer["result"]["subjects"][0]["runner_reused"];
  }

  std::unique_ptr<TestDaemon> daemon_;
  std::string verdict_;
};

TEST_F(RunnerReuse, CandidatesOfOneRunShareAProcess) {
  Start("same-run");
  EXPECT_FALSE(Reused(kAdd, "first"));
  EXPECT_TRUE(Reused(kAdd, "first"));
  EXPECT_EQ(verdict_, "VERDICT_CORRECT");
  EXPECT_TRUE(Reused(kAdd + std::string("// another solution, other sizes"), "first", 1000));
  EXPECT_EQ(verdict_, "VERDICT_CORRECT");
  EXPECT_FALSE(Reused(kAdd, "second"));
  EXPECT_FALSE(Reused(kAdd, ""));
}

TEST_F(RunnerReuse, AfterAnythingOddItIsAFreshOne) {
  Start("same-run");
  EXPECT_FALSE(Reused(kAdd, "run"));
  EXPECT_TRUE(Reused(kWrong, "run"));
  EXPECT_EQ(verdict_, "VERDICT_INCORRECT");
  EXPECT_FALSE(Reused(kAdd, "run"));
  EXPECT_TRUE(Reused(kThread, "run"));
  EXPECT_EQ(verdict_, "VERDICT_CORRECT");
  EXPECT_FALSE(Reused(kAdd, "run"));
}

// Bug: the next candidate was called with the code of one that cannot be unloaded.
TEST_F(RunnerReuse, OneThatStaysLoadedIsTheLastOfItsProcess) {
  Start("same-run");
  EXPECT_FALSE(Reused(kUnique, "run"));
  EXPECT_EQ(verdict_, "VERDICT_CORRECT");
  EXPECT_FALSE(Reused(kWrong, "run"));
  EXPECT_EQ(verdict_, "VERDICT_INCORRECT");
}

// Bug: its address space was that of the first candidate's buffers.
TEST_F(RunnerReuse, LargerBuffersTakeAProcessOfTheirOwn) {
  Start("same-run");
  EXPECT_FALSE(Reused(kAdd, "run", 4096));
  EXPECT_FALSE(Reused(kAdd, "run", 1 << 20));
  EXPECT_EQ(verdict_, "VERDICT_CORRECT");
  EXPECT_TRUE(Reused(kAdd, "run", 4096));
}

TEST_F(RunnerReuse, IsOffUnlessTheAdminAllowsIt) {
  Start("never");
  EXPECT_FALSE(Reused(kAdd, "run"));
  EXPECT_FALSE(Reused(kAdd, "run"));
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
