#include "agent/idle.h"

#include "spdlog/spdlog.h"
#include "support/files.h"

namespace kernelopt::worker {

Idle::Idle(Bench& bench, const std::string& path, const std::string& machine, bool enabled)
    : path_(path), machine_(machine), enabled_(enabled && bench.sandbox_level != "none"), meter_(bench, table_) {
  const auto text = support::ReadFile(path);
  auto known = text.ok() ? NoiseTable::Read(*text, machine) : absl::StatusOr<NoiseTable>(text.status());
  if (known.ok()) table_ = *std::move(known);
  bench.compare.table = &table_;
}

void Idle::Use(const std::function<bool()>& wanted) {
  if (!enabled_ || !meter_.Step(wanted)) return;
  if (absl::Status s = support::WriteFileDurably(path_, table_.Write(machine_)); !s.ok()) {
    spdlog::warn("noise figures are not kept: {}", std::string(s.message()));
  }
  if (table_.NextBand() < 0) spdlog::info("the noise of {} is known in all bands ({})", machine_, path_);
}

}  // namespace kernelopt::worker
