#include "build/compiler.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "build/cache.h"
#include "build/cutlass.h"

namespace kernelopt::worker {
namespace {

class CompilerTest : public testing::Test {
 protected:
  CompilerTest() {
    std::string name = "/tmp/kopt-compiler-XXXXXX";
    directory_ = mkdtemp(name.data());
    options_.cache_directory = directory_ + "/cache";
    options_.work_directory = directory_ + "/work";
    compiler_.emplace(Compiler::Find(options_).value());
  }
  ~CompilerTest() override { std::filesystem::remove_all(directory_); }

  std::variant<Built, BuildProblem> Build(const std::vector<SourceText>& files,
                                          const std::vector<std::string>& flags = {}) {
    auto built = compiler_->Build(files, flags, [this](std::string_view text) { log_.append(text); });
    EXPECT_TRUE(built.ok()) << built.status();
    return *std::move(built);
  }

  std::string directory_, log_;
  CompilerOptions options_;
  std::optional<Compiler> compiler_;
};

const SourceText kGood = {"k.cpp", "extern \"C\" void solve(float* y) { y[0] = 1; }"};

TEST_F(CompilerTest, ASecondBuildComesFromTheCacheAndIsTheSameBinary) {
  auto first = Build({kGood}), second = Build({kGood});
  EXPECT_FALSE(std::get<Built>(first).record.cached());
  EXPECT_TRUE(std::get<Built>(second).record.cached());
  EXPECT_EQ(std::get<Built>(first).record.binary_digest(), std::get<Built>(second).record.binary_digest());
}

TEST_F(CompilerTest, FlagsAndSourcesAreInTheKey) {
  auto a = Build({kGood}), b = Build({kGood}, {"-O1"});
  EXPECT_NE(std::get<Built>(a).record.cache_key(), std::get<Built>(b).record.cache_key());
  EXPECT_NE(SolutionDigest({{"a", "x"}}), SolutionDigest({{"b", "x"}}));
  EXPECT_NE(SolutionDigest({{"a", "x"}, {"b", "y"}}), SolutionDigest({{"b", "y"}, {"a", "x"}}));
}

TEST_F(CompilerTest, OtherFilesOfTheSolutionCanBeIncluded) {
  auto built = Build({{"k.cpp", "#include \"inc/h.h\"\nextern \"C\" void solve(float* y) { y[0] = kOne; }"},
                      {"inc/h.h", "constexpr float kOne = 1;"}});
  EXPECT_TRUE(std::holds_alternative<Built>(built)) << log_;
}

TEST_F(CompilerTest, TheObjectIsSealed) {
  auto built = Build({kGood});
  EXPECT_LT(write(std::get<Built>(built).object.get(), "x", 1), 0);
}

TEST_F(CompilerTest, FilesOfTheMachineCannotBeIncluded) {
  auto built = Build({{"k.cpp", "#include \"/etc/shadow\"\n"}});
  ASSERT_TRUE(std::holds_alternative<BuildProblem>(built));
  EXPECT_NE(std::get<BuildProblem>(built).message.find("No such file"), std::string::npos);
}

TEST_F(CompilerTest, TheFirstErrorIsInTheMessageAndAllOfThemInTheLog) {
  auto built = Build({{"k.cpp", "int a = ;\nint b = ;\n"}});
  EXPECT_NE(std::get<BuildProblem>(built).message.find("k.cpp:1"), std::string::npos);
  EXPECT_NE(log_.find("k.cpp:2"), std::string::npos);
}

TEST_F(CompilerTest, NothingIsLeftInTheWorkFolder) {
  Build({kGood});
  Build({{"k.cpp", "bad"}});
  EXPECT_TRUE(std::filesystem::is_empty(options_.work_directory));
}

// nvcc in the sandbox; without a toolkit there is nothing to try.
TEST_F(CompilerTest, CudaSourcesAreBuiltForOneGpu) {
  const std::string nvcc = "/usr/local/cuda/bin/nvcc";
  if (!std::filesystem::exists(nvcc)) GTEST_SKIP() << "no nvcc";
  options_.toolchain = CudaToolchain(nvcc, "90a", "");
  options_.address_bytes = int64_t{16} << 30;
  const auto found = Compiler::Find(options_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_NE(found->version().find("release"), std::string::npos) << found->version();
  compiler_.emplace(*found);
  auto built = Build({{"k.cu", "__global__ void K(float* y) { y[threadIdx.x] = 1; }\n"
                               "extern \"C\" void solve(float* y) { K<<<1, 32>>>(y); }"}});
  ASSERT_TRUE(std::holds_alternative<Built>(built)) << log_;
  const auto& flags = std::get<Built>(built).record.flags();
  EXPECT_NE(std::find(flags.begin(), flags.end(), "arch=compute_90a,code=[sm_90a,compute_90a]"), flags.end());
  EXPECT_NE(log_.find("registers"), std::string::npos) << "ptxas says what the kernel uses";
}

TEST_F(CompilerTest, TheHeadersOfAPythonPackageAreFound) {
  EXPECT_EQ(PackagedCutlass(directory_ + "/bin/python3"), "");
  for (const char* package : {"flashinfer/data/cutlass", "cutlass_library/source"}) {  // the second is preferred
    const std::string root = absl::StrCat(directory_, "/lib/python3.12/site-packages/", package);
    std::filesystem::create_directories(root + "/include/cutlass");
    std::ofstream(root + "/include/cutlass/version.h") << "#define CUTLASS_MAJOR 4\n";
    EXPECT_EQ(PackagedCutlass(directory_ + "/bin/python3"), root);
  }
}

// The headers of a CUTLASS are what its version file says and what it can be told.
TEST_F(CompilerTest, SolutionsOfCutlassAreBuiltWithItsHeaders) {
  const std::string nvcc = "/usr/local/cuda/bin/nvcc", root = directory_ + "/cutlass-4";
  if (!std::filesystem::exists(nvcc)) GTEST_SKIP() << "no nvcc";
  EXPECT_NE(FindCutlass("").status().message().find("worker.cutlass"), std::string::npos);
  EXPECT_NE(FindCutlass(root).status().message().find("include/cutlass/version.h"), std::string::npos);
  std::filesystem::create_directories(root + "/include/cutlass");
  std::ofstream(root + "/include/cutlass/version.h") << "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 0\n";
  const auto cutlass = FindCutlass(root);
  ASSERT_TRUE(cutlass.ok()) << cutlass.status();
  EXPECT_EQ(cutlass->version, "4.2.0");
  options_.toolchain = CudaToolchain(nvcc, "90a", "");
  AddCutlass(*cutlass, options_.toolchain);
  options_.address_bytes = int64_t{16} << 30;
  compiler_.emplace(Compiler::Find(options_).value());
  const std::vector<SourceText> files = {{"k.cu", "#include <cutlass/version.h>\n"
                                                  "extern \"C\" int Major() { return CUTLASS_MAJOR; }"}};
  EXPECT_TRUE(std::holds_alternative<Built>(Build(files, compiler_->toolchain().cutlass_flags))) << log_;
  EXPECT_TRUE(std::holds_alternative<BuildProblem>(Build(files))) << "only those that ask for it";
}

TEST(CudaToolchain, BringsAHostCompilerFromElsewhere) {
  const Toolchain there = CudaToolchain("/nvcc", "80", "/opt/gcc/bin/g++");
  ASSERT_EQ(there.read_only.size(), 1u);
  EXPECT_EQ(there.read_only[0].first, "/opt/gcc");
  EXPECT_TRUE(CudaToolchain("/nvcc", "80", "/usr/bin/g++-12").read_only.empty());
}

TEST(ObjectCache, TornEntriesAreMissesAndTheOldestGoFirst) {
  std::string name = "/tmp/kopt-cache-XXXXXX";
  const std::string directory = mkdtemp(name.data());
  const ObjectCache cache(directory, 400);
  cache.Put("a", std::string(100, 'a'));
  EXPECT_EQ(cache.Get("a"), std::string(100, 'a'));
  EXPECT_EQ(truncate((directory + "/a.so").c_str(), 120), 0);
  EXPECT_FALSE(cache.Get("a").has_value());
  cache.Put("b", std::string(100, 'b'));
  cache.Put("c", std::string(100, 'c'));
  (void)cache.Get("b");
  cache.Put("d", std::string(100, 'd'));
  EXPECT_TRUE(cache.Get("d").has_value());
  EXPECT_FALSE(cache.Get("a").has_value());
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace kernelopt::worker
