// A worker with nothing to do measures the noise of its device, and drops it
// when a job comes.
#include <gtest/gtest.h>

#include "harness/daemon.h"
#include "harness/soon.h"

namespace kernelopt::test {
namespace {

using nlohmann::json;

json Table(const TestDaemon& daemon) {
  return json::parse(ReadText(daemon.directory() + "/worker/noise.json"), nullptr, false);
}

size_t RunsIn(const json& table) {
  size_t runs = 0;
  if (table.is_object()) {
    for (const json& band : table["bands"]) runs += band.size();
  }
  return runs;
}

TEST(Noise, IsMeasuredWhenIdleAndAJobDoesNotWaitForIt) {
  TestDaemon daemon({}, "measure_noise = \"on\"\nidle_seconds = 0.1\n");
  daemon.WaitForWorker();
  // A run with more than 2 % of dropped calls does not count: on a busy machine it takes many.
  ASSERT_TRUE(Soon([&] { return RunsIn(Table(daemon)) > 0; }, 400)) << ReadText(daemon.directory() + "/logs/worker-host.log");
  const json table = Table(daemon);
  for (const json& band : table["bands"]) {
    for (const json& run : band) EXPECT_LT(std::abs(run[0].get<double>()), 0.5) << "a kernel against itself";
  }

  // Whatever it was doing then, the job is judged as ever.
  const std::string examples = ExamplesDirectory();
  const Ran ran = daemon.Koptctl({"submit", examples + "/vector_add/optimised.cpp", "--ref=" + examples + "/vector_add/ref.py",
                                  "--N=65536", "--baselines=none", "--num-trials=30", "--wait", "--json"}, 60);
  const json result = ran.json();
  ASSERT_TRUE(result.contains("result")) << ran.out << ran.err;
  EXPECT_EQ(result["result"]["subjects"][0]["reason"].get<std::string>().find("REFERENCE"), std::string::npos);
  const json& phases = result["result"]["phases"];
  EXPECT_FALSE(phases.empty());
}

}  // namespace
}  // namespace kernelopt::test
