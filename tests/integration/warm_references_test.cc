// Reference processes that serve one job after the other, and spare ones.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include "harness/daemon.h"

namespace kernelopt::test {
namespace {

namespace fs = std::filesystem;

// Says in `flops` how often this process was asked.
constexpr char kReference[] = R"(
asked = 0


def reference(a, b, **kwargs):
    return a + b


def flops(**dims):
    global asked
    asked += 1
    return asked
)";

class WarmReferences : public testing::Test {
 protected:
  void SetUp() override {
    daemon_.WaitForWorker();
  }

  std::vector<std::string> Job(const std::string& reference, int trials) const {
    const std::string path = daemon_.directory() + "/ref.py";
    WriteText(path, reference);
    return {"submit", ExamplesDirectory() + "/vector_add/optimised.cpp", "--ref=" + path, "--baselines=none", "--N=4096",
            "--num-trials=" + std::to_string(trials), "--wait", "--json"};
  }

  double Asked(const std::string& reference) const {
    const Ran ran = daemon_.Koptctl(Job(reference, 20));
    const nlohmann::json answer = ran.json();
    if (!answer.is_object() || !answer.contains("result")) ADD_FAILURE() << ran.out << ran.err;
    return answer["result"]["contract"]["flops"].get<double>();
  }

  TestDaemon daemon_;
};

// Reference processes that stand still.
int Stopped() {
  int stopped = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text);
    // Forked from the zygote, or where there is none an interpreter of its own.
    std::ifstream command(entry.path() / "cmdline");
    std::stringstream arguments;
    arguments << command.rdbuf();
    const bool own = arguments.str().find("python3") < 16 && arguments.str().find("kopt_reference.py") != std::string::npos;
    stopped += text.find("(kopt-reference) T ") != std::string::npos || (own && text.find(") T ") != std::string::npos) ? 1 : 0;
  }
  return stopped;
}

TEST_F(WarmReferences, ServeTheNextJobOnTheSameProblem) {
  EXPECT_EQ(Asked(kReference), 1);
  EXPECT_EQ(Asked(kReference), 2);
  EXPECT_EQ(Asked(kReference + std::string("# another\n")), 1);
  EXPECT_EQ(Asked(kReference), 3);
}

TEST_F(WarmReferences, OneThatEndedIsReplaced) {
  Asked(kReference);  // builds the kernel, which takes longer than the fuse on some machines
  const std::string leaves = kReference + std::string("import os, threading\nthreading.Timer(1.5, os._exit, [0]).start()\n");
  EXPECT_EQ(Asked(leaves), 1);
  // It stands still between jobs, so its timer fires when it is woken.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const Ran ran = daemon_.Koptctl(Job(leaves, 20));
  EXPECT_TRUE(ran.json().contains("result")) << ran.out << ran.err;
  daemon_.WaitForWorker();
  EXPECT_GE(Asked(kReference), 1);
}

// PyTorch convolves float32 as TF32 on a GPU unless told not to.
TEST(References, MathIsThatOfEachJob) {
  TestDaemon daemon({}, "torch = \"auto\"\n");
  daemon.WaitForWorker();
  if (daemon.Koptctl({"doctor"}).out.find("ok   reference.torch") == std::string::npos) GTEST_SKIP() << "no PyTorch here";
  const std::string folder = daemon.directory() + "/problem/";
  fs::create_directory(folder);
  const std::string reference = R"(
import torch

torch.backends.cuda.matmul.allow_tf32 = True


def reference(x, y, **_):
    y.fill_(2 * torch.backends.cuda.matmul.allow_tf32 + torch.backends.cudnn.allow_tf32)
)";
  WriteText(folder + "ref.py", reference);
  const auto judged = [&](const std::string& math, int expected) {
    WriteText(folder + "problem.json", R"({"name": "math", "reference": "ref.py", )" + math + R"("tensors": {
        "x": {"shape": "N", "dtype": "float32"}, "y": {"shape": "N", "dtype": "float32", "role": "out"}},
        "workloads": [{"name": "one", "dims": {"N": 1000}}]})");
    WriteText(folder + "kernel.cpp", "extern \"C\" void solve(const float* x, float* y, int N) {\n  for (int i = 0; i < N; ++i) y[i] = " +
                                         std::to_string(expected) + ";\n}\n");
    const Ran ran = daemon.Judged({"submit", folder + "kernel.cpp", "--problem=" + folder + "problem.json", "--baselines=none",
                                   "--num-trials=20", "--wait", "--json"});
    const nlohmann::json answer = ran.json();
    if (!answer.is_object() || !answer.contains("result")) return ran.out + ran.err;
    return answer["result"]["subjects"][0]["verdict"].get<std::string>();
  };
  EXPECT_EQ(judged("", 0), "VERDICT_CORRECT");
  EXPECT_EQ(judged(R"("math": "tf32", )", 3), "VERDICT_CORRECT");
  EXPECT_EQ(judged(R"("math": "strict", )", 0), "VERDICT_CORRECT") << "the process of the job before";
  WriteText(folder + "ref.py", reference + "\n\nMATH = \"tf32\"\n");
  EXPECT_EQ(judged("", 3), "VERDICT_CORRECT");
}

// While a warm one served, the spare one went on importing PyTorch on the CPU of
// the runners: calls were late by whole ticks of the scheduler, jobs DISTURBED.
TEST_F(WarmReferences, ASpareOneStandsStillWhileAJobRuns) {
  EXPECT_EQ(Asked(kReference), 1);
  auto job = std::async(std::launch::async, [this] { return daemon_.Koptctl(Job(kReference, 3000)); });
  int seen = 0;
  while (job.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) seen += Stopped() > 0 ? 1 : 0;
  const nlohmann::json answer = job.get().json();
  ASSERT_TRUE(answer.contains("result"));
  EXPECT_EQ(answer["result"]["contract"]["flops"].get<double>(), 2);
  EXPECT_GE(seen, 10);
}

}  // namespace
}  // namespace kernelopt::test
