// What Python processes say, read without trust.
#include "judge/answers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kernelopt::worker {
namespace {

using nlohmann::json;

// It was read as a text, of which 4,096 characters are kept: a model of many layers
// became a problem without a Model.
TEST(ReadFacts, KernelBenchOfAModelWithManyWeightsIsWhole) {
  json weights = json::object();
  for (int layer = 0; layer < 400; ++layer) weights["layer" + std::to_string(layer) + "__weight"] = "layer.weight";
  const json about = {{"init", {1, 2}}, {"arguments", json::array()}, {"weights", weights}};
  const json answer = {{"ok", true}, {"tensors", json::object()}, {"kernelbench", about}};
  const auto facts = ReadFacts(answer.dump());
  ASSERT_TRUE(std::holds_alternative<ReferenceFacts>(facts));
  EXPECT_EQ(json::parse(std::get<ReferenceFacts>(facts).kernelbench), about);
}

TEST(ReadFacts, WhatIsOfAnotherTypeIsEmpty) {
  const auto facts = ReadFacts(R"({"ok": true, "tensors": {}, "kernelbench": "Model", "order": 3, "functions": {"plan": 1}})");
  ASSERT_TRUE(std::holds_alternative<ReferenceFacts>(facts));
  EXPECT_EQ(std::get<ReferenceFacts>(facts).kernelbench, "");
  EXPECT_TRUE(std::get<ReferenceFacts>(facts).order.empty());
  EXPECT_FALSE(std::get<ReferenceFacts>(facts).plan);
  EXPECT_TRUE(std::holds_alternative<InvalidProblem>(ReadFacts("[]")));
}

// FlashInfer's row was eager PyTorch where the reference took any arguments and looked at none.
TEST(ReadFacts, BaselinesThatAReferenceKnows) {
  const auto facts = ReadFacts(R"({"ok": true, "tensors": {}, "functions": ["plan", "flashinfer"]})");
  ASSERT_TRUE(std::holds_alternative<ReferenceFacts>(facts));
  EXPECT_TRUE(std::get<ReferenceFacts>(facts).names_flashinfer);
  EXPECT_FALSE(std::get<ReferenceFacts>(facts).takes_baseline);
}

}  // namespace
}  // namespace kernelopt::worker
