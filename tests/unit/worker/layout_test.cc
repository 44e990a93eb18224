#include "problem/layout.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kernelopt::worker {
namespace {

Layout Lay(const std::vector<int64_t>& shape, const DeclaredTensor& declared) {
  auto layout = LayOut(shape, declared, {{"LD", 5}}, "x");
  EXPECT_TRUE(std::holds_alternative<Layout>(layout));
  return std::holds_alternative<Layout>(layout) ? std::get<Layout>(layout) : Layout{};
}

TEST(Layout, ContiguousHasNoStridesAndNoGaps) {
  const Layout l = Lay({2, 3}, {.shape = "2,3"});
  EXPECT_FALSE(l.strided());
  EXPECT_EQ(l.elements, 6);
  EXPECT_EQ(l.span, 6);
}

TEST(Layout, ARowPitchLeavesGapsAndColumnMajorDoesNot) {
  const Layout pitch = Lay({2, 3}, {.shape = "2,3", .strides = "LD,1"});
  EXPECT_EQ(pitch.span, 8);
  EXPECT_EQ(Places(pitch), (std::vector<int64_t>{0, 1, 2, 5, 6, 7}));
  const Layout columns = Lay({2, 3}, {.shape = "2,3", .column_major = true});
  EXPECT_EQ(columns.span, 6);
  EXPECT_EQ(Places(columns), (std::vector<int64_t>{0, 2, 4, 1, 3, 5}));
}

TEST(Layout, PartsAreNeighboursAndTheWholeComesBack) {
  const Layout pitch = Lay({2, 3}, {.shape = "2,3", .strides = "LD,1"});
  const auto parts = std::get<Layout>(InParts(pitch, "x"));
  EXPECT_EQ(parts.elements, 12);
  EXPECT_EQ(parts.span, 16);
  EXPECT_EQ(Places(parts), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(Places(Whole(parts)), Places(pitch));
  EXPECT_EQ(Whole(parts).span, 8);
  const auto dense = std::get<Layout>(InParts(Lay({4}, {.shape = "4"}), "x"));
  EXPECT_FALSE(dense.strided());
  EXPECT_EQ(dense.shape, (std::vector<int64_t>{4, 2}));
  Layout large = Lay({4}, {.shape = "4"});
  large.elements = large.span = INT64_MAX / 2 + 1;
  EXPECT_EQ(std::get<InvalidProblem>(InParts(large, "x")).reason, "DIM_OUT_OF_RANGE");
}

TEST(Layout, GatherUndoesScatterAndGapsStay) {
  const Layout pitch = Lay({2, 3}, {.shape = "2,3", .strides = "LD,1"});
  std::vector<int> dense(6), memory(8, -1), back(6);
  std::iota(dense.begin(), dense.end(), 10);
  Scatter(pitch, sizeof(int), dense.data(), memory.data());
  EXPECT_EQ(memory, (std::vector<int>{10, 11, 12, -1, -1, 13, 14, 15}));
  Gather(pitch, sizeof(int), memory.data(), back.data());
  EXPECT_EQ(back, dense);
}

TEST(Layout, ADimensionOfOneMayHaveAnyStride) {
  EXPECT_EQ(Lay({1, 4}, {.shape = "1,4", .strides = "1,1"}).span, 4);
}

}  // namespace
}  // namespace kernelopt::worker
