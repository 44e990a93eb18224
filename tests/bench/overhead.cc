// What a warm job costs beside the calls it times: wall time of the job at the
// worker minus timed calls and evictions. Prints p50 over jobs, for buffers up
// to 16 MiB, with the reference on NumPy and on PyTorch.
//
//   build/dev/tests/overhead_bench [jobs per row, 15]
#include <algorithm>
#include <cstdio>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "harness/daemon.h"

namespace {

using kernelopt::test::Ran;
using kernelopt::test::TestDaemon;
using nlohmann::json;

struct Cost {
  double wall_ms = 0, beyond_ms = 0, examine = 0, fill = 0, verify = 0, audit = 0, load = 0;
};

double Phase(const json& result, const std::string& name) {
  for (const json& phase : result["phases"]) {
    if (phase["name"] == name) return phase["seconds"].get<double>() * 1e3;
  }
  return 0;
}

Cost OneJob(const TestDaemon& daemon, long elements) {
  const std::string folder = kernelopt::test::ExamplesDirectory() + "/vector_add/";
  const Ran ran = daemon.Koptctl({"submit", folder + "optimised.cpp", "--ref=" + folder + "ref.py", "--baselines=none",
                                  "--num-trials=100", "--N=" + std::to_string(elements), "--wait", "--json"});
  const json result = ran.json()["result"];
  Cost cost;
  for (const char* phase : {"prepare", "build", "allocate", "examine", "load", "calibrate", "verify", "time", "audit"}) {
    cost.wall_ms += Phase(result, phase);
  }
  cost.beyond_ms = cost.wall_ms - Phase(result, "time.calls") - Phase(result, "evict");
  cost.examine = Phase(result, "examine");
  cost.fill = Phase(result, "time.fill");
  cost.verify = Phase(result, "verify");
  cost.audit = Phase(result, "audit");
  cost.load = Phase(result, "load") + Phase(result, "calibrate");
  return cost;
}

void Row(const TestDaemon& daemon, const char* framework, double mib, int jobs) {
  const long elements = static_cast<long>(mib * 1048576 / 12);  // three float tensors
  OneJob(daemon, elements);                                    // fills the compile cache
  std::vector<Cost> costs;
  for (int i = 0; i < jobs; ++i) {
    // Warm: the spare reference process has its imports done.
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    costs.push_back(OneJob(daemon, elements));
  }
  std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.beyond_ms < b.beyond_ms; });
  const Cost& c = costs[costs.size() / 2];
  std::printf("%-8s %6.2f MiB  p50 beyond calls and evictions %7.1f ms  (job %7.1f ms; load %5.1f, examine %5.1f, "
              "verify %6.1f, fill %6.1f, audit %6.1f)\n",
              framework, mib, c.beyond_ms, c.wall_ms, c.load, c.examine, c.verify, c.fill, c.audit);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 15;
  for (const char* torch : {"off", "auto"}) {
    TestDaemon daemon({}, std::string("torch = \"") + torch + "\"\n");
    daemon.WaitForWorker();
    for (const double mib : {0.1, 1.0, 4.0, 16.0}) Row(daemon, torch[0] == 'o' ? "numpy" : "torch", mib, jobs);
  }
  return 0;
}
