#include "problem/shape_expr.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

const std::map<std::string, int64_t> kDims = {{"M", 4}, {"N", 6}, {"S", 2}, {"big", INT64_MAX}};

std::vector<int64_t> Extents(const std::string& text) {
  const auto shape = EvaluateShape(text, kDims);
  EXPECT_TRUE(shape.ok()) << text << ": " << shape.status();
  return shape.ok() ? shape->extents : std::vector<int64_t>{};
}

TEST(ShapeExpr, EvaluatesProductsSumsAndParentheses) {
  EXPECT_EQ(Extents("M,N"), (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(Extents(" M * N + 1 "), (std::vector<int64_t>{25}));
  EXPECT_EQ(Extents("(N - M)/S + 1, 7"), (std::vector<int64_t>{2, 7}));
}

TEST(ShapeExpr, RemembersWhichDimsItUsed) {
  EXPECT_EQ(EvaluateShape("M*M,3", kDims)->used, (std::set<std::string>{"M"}));
}

TEST(ShapeExpr, AMissingNameIsNotFoundAndTheMessageIsTheName) {
  const auto shape = EvaluateShape("M,K", kDims);
  EXPECT_TRUE(absl::IsNotFound(shape.status()));
  EXPECT_EQ(shape.status().message(), "K");
}

TEST(ShapeExpr, RefusesWhatIsNoShape) {
  for (const char* text : {"", "M,", "M N", "M+", "(M", "M)", "M%N", "-", ","}) {
    EXPECT_TRUE(absl::IsInvalidArgument(EvaluateShape(text, kDims).status())) << text;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(EvaluateShape(std::string(500, '('), kDims).status()));
}

TEST(ShapeExpr, ExtentsBelowOneDivisionsWithRestAndOverflowAreOutOfRange) {
  for (const char* text : {"M-M", "M-N", "M/0", "N/M", "big*2", "big+1", "99999999999999999999"}) {
    EXPECT_TRUE(absl::IsOutOfRange(EvaluateShape(text, kDims).status())) << text;
  }
}

}  // namespace
}  // namespace kernelopt::worker
