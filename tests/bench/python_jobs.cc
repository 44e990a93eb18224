// What a job of a Python solution takes from submission to result, one behind the
// other, with a zygote and without: the first of each daemon, and p50 of the others.
//
//   build/dev/tests/python_jobs_bench [jobs, 12]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "harness/daemon.h"

namespace {

using kernelopt::test::Ran;
using kernelopt::test::TestDaemon;

double Seconds(const TestDaemon& daemon, int number) {
  const std::string folder = kernelopt::test::TestsDirectory() + "/verdicts/", file = daemon.directory() + "/kernel.py";
  // Another file each time, so that nothing of it is known.
  kernelopt::test::WriteText(file, kernelopt::test::ReadText(folder + "py_correct/kernel.py") + "# " + std::to_string(number) + "\n");
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = daemon.Koptctl({"submit", file, "--ref=" + folder + "ref.py", "--baselines=none", "--N=4096", "--num-trials=20", "--wait", "--json"});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (ran.exit != 0) std::printf("exit code %d: %s%s\n", ran.exit, ran.out.c_str(), ran.err.c_str());
  return seconds;
}

void Row(const char* zygote, int jobs) {
  TestDaemon daemon({}, std::string("torch = \"auto\"\nmeasure_noise = \"off\"\nzygote = \"") + zygote + "\"\n");
  daemon.WaitForWorker();
  const double first = Seconds(daemon, 0);
  std::vector<double> others;
  for (int i = 1; i < jobs; ++i) others.push_back(Seconds(daemon, i));
  std::sort(others.begin(), others.end());
  std::printf("zygote %-3s  first %.2f s  p50 of %zu others %.2f s\n", zygote, first, others.size(), others[others.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const int jobs = std::max(2, argc > 1 ? std::atoi(argv[1]) : 12);
  Row("on", jobs);
  Row("off", jobs);
}
