#include "problem/definition.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace kernelopt::worker {
namespace {

constexpr char kSoftmax[] = R"({
  "name": "softmax",
  "description": "rows of a matrix",
  "math": "strict",
  "tensors": {
    "x": {"shape": "M,N", "dtype": "float32", "role": "in", "init": "uniform", "low": -4, "high": 4},
    "table": {"shape": ["N"], "role": "static", "access": "sparse", "alignment": 64},
    "y": {"shape": "M,N", "role": "out", "strides": "N,1", "compare": "matched_ratio",
          "matched_ratio": 0.999, "cap": 4, "nan": "forbid", "deterministic": true, "atol": 1e-5}
  },
  "workloads": [
    {"name": "small", "dims": {"M": 8, "N": 128}},
    {"name": "large", "dims": {"M": 1024, "N": 4096, "eps": 1e-5}, "weight": 3, "hidden": true,
     "tolerance": {"rtol": 0.01}, "inputs": {"x": {"init": "normal"}}}
  ]
})";

std::string MessageOf(const std::string& text) {
  const auto parsed = ParseDefinition(text);
  const auto* bad = std::get_if<InvalidProblem>(&parsed);
  return bad == nullptr ? "good" : bad->reason + ": " + bad->message;
}

TEST(Definition, EveryKeyIsRead) {
  const auto parsed = ParseDefinition(kSoftmax);
  ASSERT_TRUE(std::holds_alternative<ProblemDefinition>(parsed)) << MessageOf(kSoftmax);
  const auto& d = std::get<ProblemDefinition>(parsed);
  EXPECT_EQ(d.name, "softmax");
  EXPECT_EQ(d.tensors.at("x").init, (Init{Init::Kind::kUniform, -4, 4, ""}));
  EXPECT_EQ(d.tensors.at("table").role, TensorRole::kStatic);
  EXPECT_TRUE(d.tensors.at("table").sparse);
  EXPECT_EQ(d.tensors.at("table").alignment, 64);
  const Compare& compare = d.tensors.at("y").compare;
  EXPECT_EQ(compare.kind, Compare::Kind::kMatchedRatio);
  EXPECT_EQ(compare.ratio, 0.999);
  EXPECT_EQ(compare.cap, 4);
  EXPECT_FALSE(compare.nan_equal);
  EXPECT_TRUE(compare.deterministic);
  EXPECT_EQ(compare.atol, 1e-5);
  ASSERT_EQ(d.workloads.size(), 2U);
  EXPECT_EQ(d.workloads[1].weight, 3);
  EXPECT_TRUE(d.workloads[1].hidden);
  EXPECT_EQ(d.workloads[1].rtol, 0.01);
  EXPECT_EQ(d.workloads[1].inputs.at("x").kind, Init::Kind::kNormal);
  EXPECT_EQ(d.workloads[1].dims.size(), 3U);
}

// The published schema and this parser must mean the same; its examples are read
// by both (tests/integration/cli_test.cc has the other reader).
TEST(Definition, TheExamplesOfThePublishedSchemaAreRead) {
  std::ifstream file(std::string(KOPT_SCHEMAS_DIR) + "/problem.schema.json");
  const nlohmann::json schema = nlohmann::json::parse(file);
  ASSERT_GE(schema["examples"].size(), 2U);
  for (const auto& example : schema["examples"]) EXPECT_EQ(MessageOf(example.dump()), "good");
}

TEST(Definition, EveryKeyOfThePublishedSchemaIsKnownAndNoOther) {
  std::ifstream file(std::string(KOPT_SCHEMAS_DIR) + "/problem.schema.json");
  const nlohmann::json schema = nlohmann::json::parse(file);
  for (const auto& key : schema["definitions"]["tensor"]["properties"].items()) {
    // A value of a wrong type is refused by name; an unknown key would be refused as unknown.
    nlohmann::json tensor = {{"shape", "N"}};
    tensor[key.key()] = nlohmann::json::object();
    const std::string message =
        MessageOf(nlohmann::json{{"tensors", {{"x", tensor}}}, {"workloads", {nlohmann::json::object()}}}.dump());
    EXPECT_NE(message, "good") << key.key();
    EXPECT_EQ(message.find("unknown"), std::string::npos) << message;
  }
}

TEST(Definition, MistakesAreNamedWithTheirPlace) {
  const auto with = [](const std::string& tensor) {
    return MessageOf(R"({"tensors": {"x": )" + tensor + R"(}, "workloads": [{"dims": {}}]})");
  };
  EXPECT_EQ(MessageOf("{"), "PROBLEM_FORMAT: problem.json: is not valid JSON");
  EXPECT_EQ(MessageOf("[]"), "PROBLEM_FORMAT: problem.json: must be an object");
  EXPECT_NE(MessageOf("{}").find("at least one workload"), std::string::npos);
  EXPECT_NE(MessageOf(R"({"workload": []})").find("did you mean \"workloads\"?"), std::string::npos);
  EXPECT_NE(with(R"({"dtype": "float32"})").find("tensors.x: needs a \"shape\""), std::string::npos);
  EXPECT_NE(with(R"({"shape": "N", "role": "input"})").find("in, out, inout, static, plan, scratch"), std::string::npos);
  EXPECT_NE(with(R"({"shape": "N", "init": "uniform", "low": 2, "high": 1})").find("low must be below high"), std::string::npos);
  EXPECT_NE(with(R"({"shape": "N", "alignment": 48})").find("power of two"), std::string::npos);
  EXPECT_NE(with(R"({"shape": "N", "rtoll": 1})").find("did you mean \"rtol\"?"), std::string::npos);
  EXPECT_NE(with(R"({"shape": "N", "atol": "small"})").find("\"atol\" must be a number"), std::string::npos);
  EXPECT_NE(MessageOf(R"({"workloads": [{"name": "a", "dims": {"N": "8"}}]})").find("dim N must be a number"), std::string::npos);
  EXPECT_NE(MessageOf(R"({"workloads": [{"name": "a"}, {"name": "a"}]})").find("two workloads are called a"), std::string::npos);
  EXPECT_NE(MessageOf(R"({"workloads": [{"weight": 0}]})").find("weight must be above 0"), std::string::npos);
}

TEST(Definition, WorkloadsAreChosenByNameInTheirOwnOrder) {
  const auto d = std::get<ProblemDefinition>(ParseDefinition(kSoftmax));
  const auto both = SelectWorkloads(d, {"large", "small"});
  EXPECT_EQ(std::get<std::vector<Workload>>(both)[0].name, "small");
  EXPECT_EQ(std::get<std::vector<Workload>>(SelectWorkloads(d, {})).size(), 2U);
  EXPECT_NE(std::get<InvalidProblem>(SelectWorkloads(d, {"huge"})).message.find("it has small, large"), std::string::npos);
}

// Bug: the names were read from a temporary, and the worker died.
TEST(Definition, WithoutTensorsThereIsNoOrderOfThem) {
  const auto parsed = ParseDefinition(R"({"name": "n", "reference": "ref.py", "workloads": [{"name": "one", "dims": {"N": 1}}]})");
  ASSERT_TRUE(std::holds_alternative<ProblemDefinition>(parsed));
  EXPECT_TRUE(std::get<ProblemDefinition>(parsed).order.empty());
}

TEST(Definition, TensorsAreInTheOrderOfTheFile) {
  const auto parsed = ParseDefinition(R"({"name": "n", "reference": "ref.py", "tensors": {"y": {"shape": "N", "dtype": "float32"},
      "a": {"shape": "N", "dtype": "float32"}}, "workloads": [{"name": "one", "dims": {"N": 1}}]})");
  ASSERT_TRUE(std::holds_alternative<ProblemDefinition>(parsed));
  EXPECT_EQ(std::get<ProblemDefinition>(parsed).order, (std::vector<std::string>{"y", "a"}));
}

}  // namespace
}  // namespace kernelopt::worker
