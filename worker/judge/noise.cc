#include "judge/noise.h"

#include <algorithm>
#include <cmath>

#include "judge/benchmark.h"

namespace kernelopt::worker {
namespace {

constexpr char kReference[] = R"(TENSORS = {
    "x": {"shape": "N", "dtype": "float32"},
    "y": {"shape": "N", "dtype": "float32", "role": "out"},
}


def reference(x, **_):
    return 1 + x * (1 + x * (0.5 + x * (0.25 + x / 8)))
)";

// As much arithmetic as memory: neither noise alone.
constexpr char kKernel[] = R"(
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = 1 + x[i] * (1 + x[i] * (0.5F + x[i] * (0.25F + x[i] / 8)));
}
)";

constexpr char kGpuKernel[] = R"(
__global__ void Evaluate(const float* x, float* y, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    y[i] = 1 + x[i] * (1 + x[i] * (0.5F + x[i] * (0.25F + x[i] / 8)));
  }
}
extern "C" void solve(const float* x, float* y, int N) { Evaluate<<<1024, 256>>>(x, y, N); }
)";

// Middles of the bands, microseconds.
constexpr std::array<double, NoiseTable::kBands> kTargetUs = {10, 100, 1000, 10'000};
// Elements per microsecond, of a CPU and of a GPU.
constexpr double kFirstGuess = 500, kGpuFirstGuess = 300'000;
constexpr double kMostDropped = 0.02;
constexpr double kMostElements = 64 << 20, kGpuMostElements = 1 << 30;

// Nobody reads about it.
class Silent final : public JobSink {
 public:
  explicit Silent(const std::function<bool()>& stopped) : stopped_(stopped) {}
  void Progress(v1::Stage, int, int, const std::string&) override {}
  void Log(std::string_view) override {}
  bool Stopped() const override { return stopped_(); }

 private:
  const std::function<bool()>& stopped_;
};

absl::StatusOr<std::string> Source(const std::string& digest) {
  return std::string(digest == "reference" ? kReference : digest == "gpu" ? kGpuKernel : kKernel);
}

}  // namespace

NoiseMeter::NoiseMeter(const Bench& bench, NoiseTable& table) : bench_(bench), table_(table) {
  // A GPU's reference needs it.
  bench_.python.torch = OnGpu();
  // A false FASTER is what the floor is there for; it must not be left out.
  bench_.compare.always_fresh = true;
  bench_.compare.table = &table;
  for (size_t band = 0; band < elements_.size(); ++band) elements_[band] = (OnGpu() ? kGpuFirstGuess : kFirstGuess) * kTargetUs[band];
}

bool NoiseMeter::OnGpu() const { return bench_.device.clock() == Clock::kEvents; }

v1::JobSpec NoiseMeter::SpecFor(int64_t elements) const {
  v1::JobSpec spec;
  v1::ProblemSpec& problem = *spec.mutable_problem();
  problem.mutable_reference()->set_path("ref.py");
  problem.mutable_reference()->set_digest("reference");
  v1::Dim& dim = *problem.add_dims();
  dim.set_name("N");
  dim.set_int_value(elements);
  for (const v1::Role role : {v1::ROLE_CANDIDATE, v1::ROLE_BASELINE}) {
    v1::SubjectSpec& subject = *spec.add_subjects();
    subject.set_id(role == v1::ROLE_CANDIDATE ? "one" : "other");
    subject.set_role(role);
    subject.mutable_solution()->set_implementation(OnGpu() ? v1::IMPLEMENTATION_CUDA_CPP : v1::IMPLEMENTATION_CPP);
    v1::SourceFile& file = *subject.mutable_solution()->add_files();
    file.set_path(OnGpu() ? "kernel.cu" : "kernel.cpp");
    file.set_digest(OnGpu() ? "gpu" : "kernel");
  }
  v1::MeasureSpec& measure = *spec.mutable_measure();
  measure.set_num_trials(kMinBlocks * kRoundsPerBlock);
  measure.set_num_warmup(5);
  measure.set_discard_first(1);
  measure.set_prewarm_calls(1);
  spec.mutable_limits()->mutable_call()->set_seconds(10);
  return spec;
}

bool NoiseMeter::Step(const std::function<bool()>& stopped) {
  const int band = table_.NextBand();
  if (band < 0 || stopped()) return false;
  auto& elements = elements_[static_cast<size_t>(band)];
  auto reference = Reference::Start(bench_.device, bench_.python);
  if (!reference.ok()) return false;
  Silent sink(stopped);
  const auto result = RunBenchmark(SpecFor(static_cast<int64_t>(elements)), bench_, Source,
                                   **reference, sink, [] {});
  if (!result.ok() || result->comparisons_size() != 1) return false;
  const v1::Comparison& pair = result->comparisons(0);
  const double median_us = result->subjects(0).timing().median_us();
  if (!(median_us > 0)) return false;
  // Somebody else was at work: true of now, and not of the device.
  const v1::Timing& timing = result->subjects(0).timing();
  if (timing.dropped() > kMostDropped * timing.samples_us_size()) return false;
  elements = std::clamp(elements * kTargetUs[static_cast<size_t>(band)] / median_us, 64.0, OnGpu() ? kGpuMostElements : kMostElements);
  if (NoiseTable::BandOf(median_us) != band) return false;
  if (OnGpu()) {  // each run is a pair of fresh processes
    const double ratio = std::log(pair.speedup());
    table_.Add(band, ratio, {&ratio, 1});
    return true;
  }
  if (!pair.fresh_processes()) return false;
  const auto& ratios = pair.log_ratios();
  table_.Add(band, std::log(pair.speedup()), {ratios.data(), static_cast<size_t>(ratios.size())});
  return true;
}

}  // namespace kernelopt::worker
