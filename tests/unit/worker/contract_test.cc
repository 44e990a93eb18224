#include "problem/contract.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

SolveSignature Parse(const std::string& parameters) {
  return std::get<SolveSignature>(ParseSolve("extern \"C\" void solve(" + parameters + ") {}"));
}

v1::ProblemSpec Problem(const std::map<std::string, double>& dims) {
  v1::ProblemSpec problem;
  for (const auto& [name, value] : dims) {
    v1::Dim* dim = problem.add_dims();
    dim->set_name(name);
    if (value == static_cast<double>(static_cast<int64_t>(value))) {
      dim->set_int_value(static_cast<int64_t>(value));
    } else {
      dim->set_real_value(value);
    }
  }
  return problem;
}

std::string ReasonOf(const std::variant<Contract, InvalidProblem>& derived) {
  const auto* invalid = std::get_if<InvalidProblem>(&derived);
  return invalid == nullptr ? "derived" : invalid->reason;
}

// Of `count` parameters: N, an output, and inputs.
std::string Long(size_t count) {
  std::string parameters = "float* y, int N";
  for (size_t i = 2; i < count; ++i) parameters += ", const float* t" + std::to_string(i);
  return parameters;
}

TEST(Contract, SolveTakesSoManyParametersAndNoMore) {
  for (const size_t count : {kMaxParameters, kMaxParameters + 1}) {
    const SolveSignature signature = Parse(Long(count));
    const auto derived = DeriveContract(signature, "candidate", {}, Problem({{"N", 8}}));
    ASSERT_EQ(ReasonOf(derived), "derived");
    EXPECT_EQ(CheckSignature(signature, std::get<Contract>(derived)).has_value(), count > kMaxParameters);
  }
}

TEST(Contract, WithoutShapesEveryPointerGetsTheProductOfTheTwoLargestDims) {
  const auto derived = DeriveContract(Parse("const float* a, float* c, int M, int N, int K"), "candidate",
                                      {}, Problem({{"M", 3}, {"N", 5}, {"K", 4}}));
  const Contract& contract = std::get<Contract>(derived);
  EXPECT_EQ(contract.ptr_size, 20);
  EXPECT_EQ(contract.parameters[0].elements(), 20);
  EXPECT_EQ(contract.parameters[1].role, TensorRole::kOut);
  EXPECT_EQ(contract.contract_from, "candidate");
}

TEST(Contract, PtrSizeWinsAndWithoutDimsItIsOneMi) {
  v1::ProblemSpec problem = Problem({{"N", 7}});
  problem.set_ptr_size(11);
  EXPECT_EQ(std::get<Contract>(DeriveContract(Parse("float* c, int N"), "candidate", {}, problem)).ptr_size, 11);
  EXPECT_EQ(std::get<Contract>(DeriveContract(Parse("float* c"), "candidate", {}, {})).ptr_size, 1 << 20);
}

TEST(Contract, TensorsGiveShapesRolesAndContent) {
  ReferenceFacts facts;
  facts.tensors["x"] = {.shape = "M,N", .dtype = "float32", .role = TensorRole::kIn, .init = Init{Init::Kind::kUniform, -1, 1, ""}};
  facts.tensors["y"] = {.shape = "M", .role = TensorRole::kInOut};
  const auto derived = DeriveContract(Parse("const float* x, float* y, int M"), "baseline", facts,
                                      Problem({{"M", 3}, {"N", 5}}));
  const Contract& contract = std::get<Contract>(derived);
  EXPECT_EQ(contract.parameters[0].layout.shape, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(contract.parameters[0].init, (Init{Init::Kind::kUniform, -1, 1, ""}));
  EXPECT_EQ(contract.parameters[1].role, TensorRole::kInOut);
  EXPECT_EQ(contract.contract_from, "reference");
}

// A kernel that truncates where cuBLAS rounds.
TEST(Contract, WithTf32TheDefaultToleranceIsThatOfHalves) {
  ReferenceFacts facts;
  const SolveSignature signature = Parse("float* y, int N");
  const v1::ProblemSpec problem = Problem({{"N", 4}});
  EXPECT_EQ(std::get<Contract>(DeriveContract(signature, "candidate", facts, problem)).atol, 1e-4);
  facts.tf32 = true;
  EXPECT_EQ(std::get<Contract>(DeriveContract(signature, "candidate", facts, problem)).atol, 1e-2);
  facts.atol = 1e-5;
  EXPECT_EQ(std::get<Contract>(DeriveContract(signature, "candidate", facts, problem)).atol, 1e-5);
}

TEST(Contract, ToleranceOfTheSubmitterWinsThenTheReferencesThenTheTypes) {
  ReferenceFacts facts;
  const SolveSignature signature = Parse("half* y, int N");
  v1::ProblemSpec problem = Problem({{"N", 4}});
  EXPECT_EQ(std::get<Contract>(DeriveContract(signature, "candidate", facts, problem)).atol, 1e-2);
  facts.atol = 0.5;
  EXPECT_EQ(std::get<Contract>(DeriveContract(signature, "candidate", facts, problem)).tolerance_from, "reference");
  problem.set_atol(0.25);
  const auto contract = std::get<Contract>(DeriveContract(signature, "candidate", facts, problem));
  EXPECT_EQ(contract.atol, 0.25);
  EXPECT_EQ(contract.tolerance_from, "cli");
}

TEST(Contract, AnOutputMayHaveAToleranceOfItsOwn) {
  ReferenceFacts facts;
  facts.atol = 0.5;
  facts.tensors["y"] = {.shape = "N"};
  facts.tensors["y"].compare.atol = 0.125;
  const SolveSignature signature = Parse("float* y, float* z, int N");
  const auto contract = std::get<Contract>(DeriveContract(signature, "candidate", facts, Problem({{"N", 4}})));
  EXPECT_EQ(contract.parameters[0].atol, 0.125);
  EXPECT_EQ(contract.parameters[1].atol, 0.5);
  facts.tensors["y"].compare.kind = Compare::Kind::kExact;
  EXPECT_EQ(std::get<Contract>(DeriveContract(signature, "candidate", facts, Problem({{"N", 4}}))).parameters[0].atol, 0);
}

std::string MessageFor(const DeclaredTensor& x, const ReferenceFacts& more = {},
                       const std::string& parameters = "const float* x, float* y, int N") {
  ReferenceFacts facts = more;
  facts.tensors["x"] = x;
  const auto derived = DeriveContract(Parse(parameters), "candidate", facts, Problem({{"N", 4}}));
  const auto* bad = std::get_if<InvalidProblem>(&derived);
  return bad == nullptr ? "derived" : bad->message;
}

TEST(Contract, RolesAndContentThatDoNotFitTogetherAreRefused) {
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const Init file{Init::Kind::kFile, 0, 1, "x.npy"}, offsets{Init::Kind::kOffsets, 0, 8, ""};
  EXPECT_EQ(MessageFor({.shape = "N", .role = TensorRole::kStatic, .init = file}), "derived");
  says(MessageFor({.shape = "N", .init = file}), "must be \"static\"");
  says(MessageFor({.shape = "N", .role = TensorRole::kPlan}), "needs a function plan");
  says(MessageFor({.shape = "N", .init = offsets}), "needs an integer type");
  says(MessageFor({.shape = "N", .role = TensorRole::kScratch}), "takes a const pointer");
  says(MessageFor({.shape = "N", .alignment = 2}), "multiple of the element's 4 bytes");
  says(MessageFor({.shape = "N,N", .strides = "N"}), "1 strides for 2 dimensions");
  says(MessageFor({.shape = "N,N", .strides = "2,1"}), "elements overlap");
  says(MessageFor({.shape = "N", .compare = {.kind = Compare::Kind::kCustom}}, {}, "float* x, int N"), "check(outputs");
}

TEST(Contract, CheckDecidesAboutTheOutputsThatAskForItOrAboutAll) {
  ReferenceFacts facts;
  facts.check = true;
  const auto all = DeriveContract(Parse("float* x, float* y, int N"), "candidate", facts, Problem({{"N", 4}}));
  for (const Parameter& p : std::get<Contract>(all).parameters) {
    if (!p.output()) continue;
    EXPECT_EQ(p.compare.kind, Compare::Kind::kCustom);
  }
  facts.tensors["x"] = {.shape = "N", .compare = {.kind = Compare::Kind::kCustom}};
  const auto one = DeriveContract(Parse("float* x, float* y, int N"), "candidate", facts, Problem({{"N", 4}}));
  EXPECT_EQ(std::get<Contract>(one).parameters[1].compare.kind, Compare::Kind::kAllclose);
}

TEST(Contract, AWorkloadChangesDimsContentAndTolerance) {
  ReferenceFacts facts;
  facts.tensors["x"] = {.shape = "N"};
  facts.atol = 1;
  ProblemDefinition definition;
  definition.tensors["x"] = {.shape = "N,2"};
  Workload workload;
  workload.dims = {Problem({{"N", 8}}).dims(0)};
  workload.atol = 0.5;
  workload.inputs["x"] = {Init::Kind::kZeros, 0, 1, ""};
  const WorkloadProblem made = ForWorkload(facts, definition, workload, Problem({{"N", 4}}));
  const auto derived = DeriveContract(Parse("const float* x, float* y, int N"), "candidate", made.facts, made.problem);
  const Contract& contract = std::get<Contract>(derived);
  EXPECT_EQ(contract.contract_from, "problem");
  EXPECT_EQ(contract.parameters[0].layout.shape, (std::vector<int64_t>{8, 2}));
  EXPECT_EQ(contract.parameters[0].init.kind, Init::Kind::kZeros);
  EXPECT_EQ(contract.parameters[1].atol, 0.5);
}

TEST(Contract, PrepareMayTakeOnlyWhatIsStatic) {
  ReferenceFacts facts;
  facts.tensors["w"] = {.shape = "N", .role = TensorRole::kStatic};
  const std::string solve = "extern \"C\" void solve(const float* w, const float* x, float* y, int N) {}\n";
  const auto signature = [&](const std::string& more) { return std::get<SolveSignature>(ParseSolve(solve + more)); };
  const auto contract = std::get<Contract>(DeriveContract(signature(""), "candidate", facts, Problem({{"N", 4}})));
  EXPECT_FALSE(CheckSignature(signature("extern \"C\" void solve_prepare(const float* w, int N) {}"), contract));
  const auto bad = CheckSignature(signature("extern \"C\" void solve_prepare(const float* x) {}"), contract);
  ASSERT_TRUE(bad.has_value());
  EXPECT_NE(bad->message.find("may read only what is static"), std::string::npos) << bad->message;
}

TEST(Contract, OneSolutionMayTakeAStreamAndAnotherNone) {
  const auto signature = [](const std::string& more) {
    return std::get<SolveSignature>(ParseSolve("extern \"C\" void solve(const float* x, float* y, int N" + more + ");"));
  };
  const auto contract = std::get<Contract>(DeriveContract(signature(", cudaStream_t s"), "candidate", {}, Problem({{"N", 4}})));
  EXPECT_EQ(contract.parameters.size(), 3u);
  EXPECT_FALSE(CheckSignature(signature(""), contract));
  EXPECT_FALSE(CheckSignature(signature(", cudaStream_t stream"), contract));
  EXPECT_TRUE(CheckSignature(signature(", int M"), contract));
}

TEST(Contract, ScalarsMustBeGivenAndFit) {
  const SolveSignature signature = Parse("float* y, int N, float eps");
  EXPECT_EQ(ReasonOf(DeriveContract(signature, "candidate", {}, Problem({{"N", 4}}))), "MISSING_DIM");
  EXPECT_EQ(ReasonOf(DeriveContract(signature, "candidate", {}, Problem({{"N", 1.5}, {"eps", 1}}))), "DIM_OUT_OF_RANGE");
  EXPECT_EQ(ReasonOf(DeriveContract(signature, "candidate", {}, Problem({{"N", 1e12}, {"eps", 1}}))), "DIM_OUT_OF_RANGE");
  EXPECT_EQ(ReasonOf(DeriveContract(signature, "candidate", {}, Problem({{"N", -1}, {"eps", 1}}))), "DIM_OUT_OF_RANGE");
  const auto good = DeriveContract(signature, "candidate", {}, Problem({{"N", 4}, {"eps", 1e-5}}));
  EXPECT_EQ(std::get<Contract>(good).parameters[2].real_value, 1e-5);
}

TEST(Contract, AnUnusedDimIsAnErrorWithTheOptionThatWasMeant) {
  const auto derived = DeriveContract(Parse("float* y, int N"), "candidate", {}, Problem({{"N", 4}, {"trails", 50}}));
  EXPECT_EQ(ReasonOf(derived), "UNUSED_DIM");
  EXPECT_NE(std::get<InvalidProblem>(derived).message.find("--num-trials=50"), std::string::npos);
}

TEST(Contract, SolveMustMatchWhatTheReferenceDeclares) {
  ReferenceFacts facts;
  facts.tensors["x"] = {.shape = "N", .dtype = "float16"};
  EXPECT_EQ(ReasonOf(DeriveContract(Parse("const float* x, float* y, int N"), "candidate", facts, Problem({{"N", 4}}))),
            "CONTRACT_MISMATCH");
  facts.tensors["x"].dtype = "";
  facts.tensors["z"] = {.shape = "N"};
  EXPECT_EQ(ReasonOf(DeriveContract(Parse("const float* x, float* y, int N"), "candidate", facts, Problem({{"N", 4}}))),
            "CONTRACT_MISMATCH");
}

TEST(Contract, ASecondSolutionMayOrderItsParametersAsItLikesButNotChangeThem) {
  const auto contract = std::get<Contract>(
      DeriveContract(Parse("const float* x, float* y, int N"), "baseline", {}, Problem({{"N", 4}})));
  EXPECT_FALSE(CheckSignature(Parse("int N, float* y, const float* x"), contract).has_value());
  EXPECT_FALSE(CheckSignature(Parse("float* x, float* y, int N"), contract).has_value());
  EXPECT_TRUE(CheckSignature(Parse("const float* x, const float* y, int N"), contract).has_value());
  EXPECT_TRUE(CheckSignature(Parse("const double* x, float* y, int N"), contract).has_value());
  EXPECT_TRUE(CheckSignature(Parse("const float* x, float* y"), contract).has_value());
  EXPECT_TRUE(CheckSignature(Parse("const float* x, float* y, int N, int M"), contract).has_value());
}

}  // namespace
}  // namespace kernelopt::worker
