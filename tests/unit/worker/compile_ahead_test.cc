// Triton's real compiler, on the processes that a worker asks: Triton itself is
// only there where deploy/test.sh has put it (an interpreter in build/tools).
#include "judge/compile_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "device/host/host_device.h"
#include "judge/zygote.h"

namespace kernelopt::worker {
namespace {

namespace fs = std::filesystem;

constexpr char kKernel[] = R"py(
import os
import triton
import triton.language as tl

cache = os.environ["TRITON_CACHE_DIR"]
print("in the cache:", len(os.listdir(cache)) if os.path.isdir(cache) else 0)

@triton.jit
def double(x, y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < N), mask=at < N)

def run_kernel(x, y, N):
)py";

class CompileAheadTest : public testing::Test {
 protected:
  CompileAheadTest() {
    const std::string bin = KOPT_BIN_DIR;
    bench_.python.scripts = bin;
    bench_.python.wire_library = bin + "/libkopt_wire.so";
    bench_.python.anchor = bin + "/kopt-runner";
    bench_.python.log = [this](std::string_view text) { Log(text); };
    bench_.ahead.arch = "90a";
    bench_.ahead.directory = directory_;
    Workload(1000, false);
    plan_.host.framework = "torch";
  }
  ~CompileAheadTest() override { fs::remove_all(directory_); }

  void Workload(int64_t n, bool hidden) {
    WorkloadPlan workload;
    workload.hidden = hidden;
    v1::Dim& dim = *workload.problem.add_dims();
    dim.set_name("N");
    dim.set_int_value(n);
    for (const char* name : {"x", "y"}) {
      Parameter& p = workload.contract.parameters.emplace_back();
      p.name = name;
      p.role = *name == 'x' ? TensorRole::kIn : TensorRole::kOut;
      p.layout.shape = {n};
      p.layout.elements = p.layout.span = n;
    }
    Parameter& scalar = workload.contract.parameters.emplace_back();
    scalar.name = "N";
    scalar.role = TensorRole::kScalar;
    scalar.dtype = DType::kInt32;
    scalar.int_value = n;
    plan_.workloads.push_back(std::move(workload));
  }

  std::string Compile(const std::string& body) {
    files_ = {{"k.py", absl::StrCat(kKernel, body)}};
    return CompileAhead(bench_, files_, plan_, [this](std::string_view text) { Log(text); });
  }
  // What the solution printed as it was imported with this.
  std::string Import(const std::string& archive) {
    (void)TakeLog();
    Spares spares(*device_, bench_.runner, bench_.python, 0);
    auto started = PythonSolution::Start(spares, files_, archive);
    if (!started.ok()) return absl::StrCat(started.status().ToString(), TakeLog());
    std::get<std::unique_ptr<PythonSolution>>(*started).reset();
    return TakeLog();
  }
  void Log(std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    log_.append(text);
  }
  std::string TakeLog() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(log_, "");
  }

  static std::string NewDirectory() {
    std::string name = "/tmp/kopt-ahead-XXXXXX";
    return mkdtemp(name.data());
  }
  static CompilerOptions Folders(const std::string& directory) {
    CompilerOptions options;
    options.cache_directory = directory + "/cache";
    options.work_directory = directory + "/work";
    return options;
  }

  const std::string directory_ = NewDirectory();
  std::unique_ptr<Device> device_ = MakeHostDevice(0);
  Compiler compiler_ = Compiler::Find(Folders(directory_)).value();
  Bench bench_{*device_, compiler_};
  JobPlan plan_;

 private:
  std::vector<SourceText> files_;
  std::mutex mutex_;
  std::string log_;
};

// deploy/test.sh makes an interpreter that has it.
class CompileAheadWithTriton : public CompileAheadTest {
 protected:
  void SetUp() override {
    const fs::path tools = fs::path(KOPT_TESTS_DIR).parent_path() / "build/tools/python";
    if (!fs::exists(tools / "complete")) GTEST_SKIP() << "no Triton here: ./deploy/test.sh installs it";
    bench_.python.python = fs::canonical(tools).string() + "/bin/python";
  }
};

constexpr char kLaunch[] = "    double[(triton.cdiv(N, 256),)](x, y, N, 256)\n";

TEST_F(CompileAheadWithTriton, WhatTheFirstCallWouldCompileIsThereWhenTheSolutionIsImported) {
  const std::string archive = Compile(kLaunch), log = TakeLog();
  EXPECT_NE(log.find("k.py: compiled before its turn, "), std::string::npos) << log;
  EXPECT_EQ(log.find("compiled before its turn, 0 files"), std::string::npos) << log;
  EXPECT_THAT(Import(""), testing::HasSubstr("in the cache: 0"));
  EXPECT_THAT(Import(archive), testing::HasSubstr("in the cache: 1"));
  EXPECT_EQ(Compile(kLaunch), archive);
  EXPECT_EQ(TakeLog(), "k.py: was compiled for an earlier job\n");
}

TEST_F(CompileAheadWithTriton, ThroughAZygoteAsWell) {
  auto zygote = StartZygote(*device_, bench_.python);
  if (absl::IsFailedPrecondition(zygote.status())) GTEST_SKIP() << zygote.status();
  ASSERT_TRUE(zygote.ok()) << zygote.status();
  bench_.python.zygote = *std::move(zygote);
  const std::string archive = Compile(kLaunch), log = TakeLog();
  EXPECT_TRUE(bench_.python.zygote->trouble().ok()) << bench_.python.zygote->trouble();
  EXPECT_EQ(log.find("compiled before its turn, 0 files"), std::string::npos) << log;
  EXPECT_THAT(Import(archive), testing::HasSubstr("in the cache: 1"));
}

TEST_F(CompileAheadWithTriton, WhatNeedsContentIsLeftToTheFirstCall) {
  const std::string archive = Compile(absl::StrCat(kLaunch, "    x.numpy()\n")), log = TakeLog();
  EXPECT_NE(log.find("what else there is compiles in the first call: "), std::string::npos) << log;
  EXPECT_THAT(Import(archive), testing::HasSubstr("in the cache: 1"));
}

TEST_F(CompileAheadWithTriton, HiddenWorkloadsAreNotShownToIt) {
  plan_.workloads.clear();
  Workload(2000, true);
  Workload(3000, false);
  (void)Compile("    raise ValueError(N)\n");
  const std::string log = TakeLog();
  EXPECT_NE(log.find("ValueError: 3000"), std::string::npos) << log;
}

TEST_F(CompileAheadWithTriton, OneThatDoesNotEndIsGivenUpAndTriedAgain) {
  bench_.ahead.seconds = 5;
  const std::string never_ends = absl::StrCat(kLaunch, R"py(
    while True:
        try:
            while True: pass
        except Exception: pass
)py");
  for (int i = 0; i < 2; ++i) {
    const std::string archive = Compile(never_ends), log = TakeLog();
    EXPECT_NE(log.find("compiled before its turn"), std::string::npos) << log;
    EXPECT_NE(log.find("GaveUp: compiling ahead took more than 5 s"), std::string::npos) << log;
    EXPECT_THAT(Import(archive), testing::HasSubstr("in the cache: ")) << "what there is of it";
  }
}

// Review finding: what one workload does ended the compilation of all others.
TEST_F(CompileAheadWithTriton, AWorkloadThatFailsLeavesTheOthers) {
  Workload(2000, false);
  const std::string archive = Compile(absl::StrCat("    if N == 1000: raise ValueError\n", kLaunch));
  EXPECT_THAT(Import(archive), testing::HasSubstr("in the cache: 1"));
}

// Review finding: a form that returns its outputs was refused, for they are no plain tensors here.
TEST_F(CompileAheadWithTriton, OutputsMayBeReturned) {
  (void)Compile(absl::StrCat(kLaunch, "    return y\n"));
  EXPECT_EQ(TakeLog().find("; what else"), std::string::npos);
}

// Review finding: a memory that grows counted nowhere, and outlived the sandbox.
TEST_F(CompileAheadWithTriton, TheArchiveCannotFillTheMemory) {
  (void)Compile(R"py(
    for fd in range(3, 64):
        try: path = os.readlink(f"/proc/self/fd/{fd}")
        except OSError: continue
        if "kopt-ahead" in path: os.ftruncate(fd, 300 << 20)
    raise ValueError("it grew")
)py");
  const std::string log = TakeLog();
  EXPECT_THAT(log, testing::HasSubstr("File too large"));
}

TEST_F(CompileAheadWithTriton, TooMuchIsNotUsed) {
  bench_.ahead.archive_bytes = 10'000;
  EXPECT_EQ(Compile(kLaunch), "");
  EXPECT_NE(TakeLog().find("not compiled before its turn: more than"), std::string::npos);
}

TEST_F(CompileAheadTest, WithoutTritonThereIsAReason) {
  EXPECT_NE(Compile(kLaunch), "") << "an empty archive, kept so that it is not tried again";
  EXPECT_NE(TakeLog().find("0 files"), std::string::npos);
}

TEST_F(CompileAheadTest, NothingIsCompiledForAHost) {
  bench_.ahead.arch = "";
  EXPECT_EQ(Compile(kLaunch), "");
  EXPECT_EQ(TakeLog(), "");
}

}  // namespace
}  // namespace kernelopt::worker
