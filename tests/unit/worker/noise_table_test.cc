#include "measure/noise_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kernelopt::worker {
namespace {

NoiseTable Filled(int band, int runs) {
  NoiseTable table;
  for (int i = 0; i < runs; ++i) {
    table.Add(band, i == 3 ? -0.004 : 0.001, std::vector<double>{0.003, -0.003});
  }
  return table;
}

TEST(NoiseTable, BandsEndWhereTheySay) {
  EXPECT_EQ(NoiseTable::BandOf(29.9), 0);
  EXPECT_EQ(NoiseTable::BandOf(30), 1);
  EXPECT_EQ(NoiseTable::BandOf(1e9), NoiseTable::kBands - 1);
}

TEST(NoiseTable, AssumesUntilThereAreTenRunsThenTakesTheLargest) {
  const Noise assumed{0.02, 0.01, 0};
  EXPECT_EQ(Filled(2, 9).For(1000, assumed).floor, 0.02);
  const Noise known = Filled(2, 10).For(1000, assumed);
  EXPECT_NEAR(known.floor, std::expm1(0.004), 1e-12);
  EXPECT_NEAR(known.process_sd, 0.003, 1e-12);
  EXPECT_EQ(known.runs, 10);
  EXPECT_EQ(Filled(2, 10).For(10, assumed).runs, 0);  // another band
}

TEST(NoiseTable, OldRunsAreForgottenAndTheFloorHasAnEnd) {
  NoiseTable table = Filled(0, 4);
  for (int i = 0; i < NoiseTable::kRunsKept; ++i) table.Add(0, 0, std::vector<double>{0.0});
  EXPECT_EQ(table.For(1, {}).floor, NoiseTable::kLowestFloor);
}

TEST(NoiseTable, AsksForTheBandWithTheFewestRuns) {
  EXPECT_EQ(Filled(0, 1).NextBand(), 1);
  NoiseTable table;
  for (int band = 0; band < NoiseTable::kBands; ++band) {
    for (int i = 0; i < NoiseTable::kRunsWanted; ++i) table.Add(band, 0, {});
  }
  EXPECT_EQ(table.NextBand(), -1);
}

TEST(NoiseTable, TheFileLooksAsItAlwaysDid) {
  NoiseTable table;
  table.Add(1, 0.5, std::vector<double>{0.25, -0.25});
  EXPECT_EQ(table.Write("host: CPU"),
            "{\n \"bands\": [\n  [],\n  [\n   [\n    0.5,\n    0.0625\n   ]\n  ],\n  [],\n  []\n ],\n"
            " \"device\": \"host: CPU\",\n \"version\": 1\n}\n");
}

TEST(NoiseTable, IsReadBackForTheSameDeviceOnly) {
  const std::string text = Filled(1, 12).Write("host: some CPU");
  const auto same = NoiseTable::Read(text, "host: some CPU");
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->For(100, {}).floor, Filled(1, 12).For(100, {}).floor);
  EXPECT_EQ(NoiseTable::Read(text, "host: another CPU").status().code(), absl::StatusCode::kNotFound);
  for (const char* bad : {"", "{}", "[1]", "{\"version\":1,\"device\":\"d\",\"bands\":[[1]]}"}) {
    EXPECT_FALSE(NoiseTable::Read(bad, "d").ok()) << bad;
  }
}

}  // namespace
}  // namespace kernelopt::worker
