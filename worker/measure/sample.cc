#include "measure/sample.h"

#include <cmath>
#include <limits>

namespace kernelopt::worker {

Series Screen(std::span<const Sample> samples) {
  Series series;
  int apart = 0;
  for (const Sample& s : samples) {
    series.called += s.called ? 1 : 0;
    series.billed += s.billed ? 1 : 0;
    series.impossible += s.impossible ? 1 : 0;
    series.early += s.called && s.early ? 1 : 0;
    apart += s.called && s.apart ? 1 : 0;
  }
  series.unwitnessed = 2 * apart > series.called;
  for (const Sample& s : samples) {
    const bool drop = s.called && ((s.apart && !series.unwitnessed) || s.slowed);
    series.slowed += drop && s.slowed ? 1 : 0;
    series.dropped += drop ? 1 : 0;
    series.late += drop && s.late && !s.slowed ? 1 : 0;
    series.us.push_back(s.called && !drop ? s.time_us : std::numeric_limits<double>::quiet_NaN());
  }
  return series;
}

std::vector<double> Kept(std::span<const double> us) {
  std::vector<double> kept;
  for (const double value : us) {
    if (!std::isnan(value)) kept.push_back(value);
  }
  return kept;
}

}  // namespace kernelopt::worker
