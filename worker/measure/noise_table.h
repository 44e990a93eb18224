// What this device shows between two equal kernels, by duration. Pure.
//
// Filled by comparing a kernel with itself in fresh processes, the same way as
// any comparison that needs them (judge/noise.h), in the worker's idle time. A
// short call is disturbed otherwise than a long one, so bands of duration have
// figures of their own.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelopt::worker {

// What a comparison may assume about one duration.
struct Noise {
  double floor = 0;       // relative; differences below it mean nothing
  double process_sd = 0;  // of the log ratio of one pair of processes
  int runs = 0;           // behind the figures; 0: assumed, not measured
};

class NoiseTable {
 public:
  // Upper ends in microseconds; the last band has none.
  static constexpr std::array<double, 3> kBandEnds = {30, 300, 3000};
  static constexpr int kBands = static_cast<int>(kBandEnds.size()) + 1;
  static constexpr int kRunsWanted = 10;   // before figures are used
  static constexpr int kRunsKept = 40;     // older ones are forgotten
  static constexpr double kLowestFloor = 0.001;

  static int BandOf(double duration_us);

  // One A/A comparison: its log ratio, and those of its pairs of processes.
  // Kept in the band given, which the caller aimed at.
  void Add(int band, double log_ratio, std::span<const double> pair_log_ratios);

  // The largest |ratio - 1| among the runs; `assumed` before there are
  // kRunsWanted.
  Noise For(double duration_us, const Noise& assumed) const;

  // The band with the fewest runs below kRunsWanted; -1: none.
  int NextBand() const;

  // A JSON text, for the worker's state folder. `device` names the machine the
  // figures belong to; those of another are not read (NOT_FOUND).
  std::string Write(const std::string& device) const;
  static absl::StatusOr<NoiseTable> Read(const std::string& text, const std::string& device);

 private:
  struct Run {
    double log_ratio = 0, pair_variance = 0;
  };
  std::array<std::vector<Run>, kBands> bands_;
};

}  // namespace kernelopt::worker
