#include "measure/noise_table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kernelopt::worker {

using nlohmann::json;

int NoiseTable::BandOf(double duration_us) {
  const auto end = std::upper_bound(kBandEnds.begin(), kBandEnds.end(), duration_us);
  return static_cast<int>(end - kBandEnds.begin());
}

void NoiseTable::Add(int band, double log_ratio, std::span<const double> pair_log_ratios) {
  double squares = 0;
  for (const double ratio : pair_log_ratios) squares += ratio * ratio;
  std::vector<Run>& runs = bands_.at(static_cast<size_t>(band));
  runs.push_back({log_ratio, pair_log_ratios.empty()
                                 ? 0
                                 : squares / static_cast<double>(pair_log_ratios.size())});
  if (runs.size() > kRunsKept) runs.erase(runs.begin());
}

Noise NoiseTable::For(double duration_us, const Noise& assumed) const {
  const std::vector<Run>& runs = bands_[static_cast<size_t>(BandOf(duration_us))];
  if (runs.size() < kRunsWanted) return assumed;
  Noise noise;
  double variance = 0;
  for (const Run& run : runs) {
    noise.floor = std::max(noise.floor, std::expm1(std::fabs(run.log_ratio)));
    variance += run.pair_variance / static_cast<double>(runs.size());
  }
  noise.floor = std::max(noise.floor, kLowestFloor);
  noise.process_sd = std::sqrt(variance);
  noise.runs = static_cast<int>(runs.size());
  return noise;
}

int NoiseTable::NextBand() const {
  const auto fewest = std::min_element(bands_.begin(), bands_.end(), [](const auto& a, const auto& b) {
    return a.size() < b.size();
  });
  return fewest->size() < kRunsWanted ? static_cast<int>(fewest - bands_.begin()) : -1;
}

std::string NoiseTable::Write(const std::string& device) const {
  json bands = json::array();
  for (const std::vector<Run>& runs : bands_) {
    json band = json::array();
    for (const Run& run : runs) band.push_back({run.log_ratio, run.pair_variance});
    bands.push_back(band);
  }
  return json({{"version", 1}, {"device", device}, {"bands", bands}}).dump(1) + "\n";
}

absl::StatusOr<NoiseTable> NoiseTable::Read(const std::string& text, const std::string& device) {
  const json root = json::parse(text, nullptr, false);
  NoiseTable table;
  try {
    if (root.at("version") != 1 || root.at("device") != device) {
      return absl::NotFoundError("noise figures of another device or version");
    }
    const json& bands = root.at("bands");
    for (size_t band = 0; band < table.bands_.size(); ++band) {
      for (const json& run : bands.at(band)) {
        table.bands_[band].push_back({run.at(0).get<double>(), run.at(1).get<double>()});
      }
    }
  } catch (const json::exception&) {
    return absl::NotFoundError("not a table of noise figures");
  }
  return table;
}

}  // namespace kernelopt::worker
