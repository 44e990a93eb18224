// Golden files: tests/golden/reports. TEST_UPDATE_GOLDEN=1 writes them anew.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "reports/report.h"

namespace kernelopt::server {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Golden(const std::string& name) { return std::string(KOPT_TESTS_DIR) + "/golden/reports/" + name; }

void ExpectGolden(const std::string& name, const std::string& text) {
  if (std::getenv("TEST_UPDATE_GOLDEN") != nullptr) std::ofstream(Golden(name)) << text;
  EXPECT_EQ(text, Read(Golden(name))) << name;
}

struct Stored {
  v1::Job job;
  v1::JobResult result;
};

Stored Load(const std::string& name) {
  Stored stored;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(Read(Golden(name + ".job.textproto")), &stored.job));
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(Read(Golden(name + ".result.textproto")), &stored.result));
  return stored;
}

TEST(Reports, AComparedJobLooksAsPublished) {
  const Stored s = Load("faster");
  ExpectGolden("faster.benchmark.md", RenderReport(s.job, s.result, v1::REPORT_FORMAT_BENCHMARK_MD).content);
  ExpectGolden("faster.correctness.md", RenderReport(s.job, s.result, v1::REPORT_FORMAT_CORRECTNESS_MD).content);
  ExpectGolden("faster.result.json", RenderReport(s.job, s.result, v1::REPORT_FORMAT_RESULT_JSON).content);
}

TEST(Reports, AWrongKernelSaysFailAndWhere) {
  const Stored s = Load("wrong");
  ExpectGolden("wrong.benchmark.md", RenderBenchmarkMd(s.job, s.result));
  ExpectGolden("wrong.correctness.md", RenderCorrectnessMd(s.job, s.result));
}

TEST(Reports, TheFirstTableKeepsTheKeysThatScriptsRead) {
  const Stored s = Load("faster");
  const std::string text = RenderBenchmarkMd(s.job, s.result);
  size_t at = 0;
  for (const char* key : {"# Benchmark Report", "**Solution**", "**Reference**", "**GPU**", "**Arch**", "**Dims**",
                          "**Correctness**", "**Timing Method**", "**Prewarm Calls**", "**Cache Mode**",
                          "**Timing Scope**", "## Timing", "Mean Time (ms)", "Median Time (ms)", "P20 Time (ms)",
                          "P80 Time (ms)", "Min Time (ms)", "Max Time (ms)", "Std dev (ms)", "Samples", "Speedup (vs "}) {
    const size_t found = text.find(key, at);
    ASSERT_NE(found, std::string::npos) << key;
    at = found;
  }
}

// Bug: the tolerance of a job with problem.json was reported as 0.
TEST(Reports, TheContractOfAJobWithWorkloadsIsThatOfOne) {
  Stored s = Load("faster");
  s.result.add_workloads();  // hidden
  s.result.add_workloads()->mutable_contract()->Swap(s.result.mutable_contract());
  s.result.mutable_workloads(1)->mutable_contract()->set_tf32(true);
  const std::string text = RenderBenchmarkMd(s.job, s.result);
  EXPECT_NE(text.find("atol=0.0001 rtol=0.001 (from dtype), TF32 allowed"), std::string::npos) << text;
}

TEST(Reports, FileNamesAreTheUsualOnes) {
  EXPECT_EQ(RenderReport({}, {}, v1::REPORT_FORMAT_BENCHMARK_MD).file_name, "benchmark.md");
  EXPECT_EQ(RenderReport({}, {}, v1::REPORT_FORMAT_CORRECTNESS_MD).file_name, "correctness.md");
  EXPECT_EQ(RenderReport({}, {}, v1::REPORT_FORMAT_RESULT_JSON).file_name, "result.json");
}

}  // namespace
}  // namespace kernelopt::server
