// The judge on this machine as it is: a kernel against itself, and against a
// version made 10 % slower.
//
//   real_pairs [--runs 100] [--only equal|slower]
//
// Prints what 100 comparisons of each kind said, and the longest job.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "harness/daemon.h"
#include "support/clock.h"

namespace kernelopt::test {
namespace {

// In the range in which the series is exact.
constexpr char kReference[] = R"(import numpy

TENSORS = {"x": {"shape": "N", "init": "uniform", "low": -3, "high": 3}, "y": {"shape": "N"}}


def reference(x, **_):
    return numpy.exp(numpy.asarray(x))
)";

// exp(x) by a series, `work` percent of the elements done twice.
std::string Kernel(int twice_percent) {
  return "static float Exp(float x) {\n  float s = 1;\n"
         "  for (int k = 24; k > 0; --k) s = 1 + s * x / static_cast<float>(k);\n  return s;\n}\n"
         "extern \"C\" void solve(const float* x, float* y, int N) {\n"
         "  for (int i = 0; i < N; ++i) y[i] = Exp(x[i]);\n"
         "  for (int i = 0; i < N / 100 * " + std::to_string(twice_percent) + "; ++i) "
         "y[i] = 0.5F * y[i] + 0.5F * Exp(x[i]);\n}\n";
}

void Run(TestDaemon& daemon, const char* what, const std::string& candidate, int runs) {
  std::map<std::string, int> outcomes;
  double longest = 0;
  const std::string folder = daemon.directory();
  for (int run = 0; run < runs; ++run) {
    const double begin = support::MonotonicSeconds();
    const auto result = daemon.Koptctl({"submit", folder + candidate, "--ref=" + folder + "/ref.py",
                                        "--N=65536", "--baselines=" + folder + "/plain.cpp", "--wait",
                                        "--json"}).json();
    longest = std::max(longest, support::MonotonicSeconds() - begin);
    const bool good = result.is_object() && result.contains("result") &&
                      result["result"]["comparisons"].size() == 1;
    ++outcomes[good ? result["result"]["comparisons"][0]["outcome"].get<std::string>().substr(8) : "failed"];
  }
  std::printf("%-22s", what);
  for (const auto& [name, count] : outcomes) std::printf("  %s %d", name.c_str(), count);
  std::printf("  (of %d; longest job %.1f s)\n", runs, longest);
  std::fflush(stdout);
}

}  // namespace
}  // namespace kernelopt::test

int main(int argc, char** argv) {
  using namespace kernelopt::test;  // NOLINT: this is the program of that folder
  int runs = 100;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--runs") == 0) runs = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  TestDaemon daemon;
  daemon.WaitForWorker();
  WriteText(daemon.directory() + "/ref.py", kReference);
  WriteText(daemon.directory() + "/plain.cpp", Kernel(0));
  WriteText(daemon.directory() + "/slower.cpp", Kernel(10));
  if (only != "slower") Run(daemon, "equal kernels", "/plain.cpp", runs);
  if (only != "equal") Run(daemon, "10 % slower", "/slower.cpp", runs);
}
