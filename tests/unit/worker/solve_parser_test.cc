#include "problem/solve_parser.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

SolveSignature Good(const std::string& source) {
  auto parsed = ParseSolve(source);
  const auto* problem = std::get_if<ParseProblem>(&parsed);
  EXPECT_EQ(problem, nullptr) << (problem != nullptr ? problem->message : "");
  return problem == nullptr ? std::get<SolveSignature>(parsed) : SolveSignature{};
}

std::string ReasonOf(const std::string& source) {
  auto parsed = ParseSolve(source);
  const auto* problem = std::get_if<ParseProblem>(&parsed);
  return problem == nullptr ? "parsed" : problem->reason;
}

std::string One(const std::string& parameter) {
  return "extern \"C\" void solve(" + parameter + ") {}";
}

SolveParameter First(const std::string& parameter) {
  const SolveSignature signature = Good(One(parameter));
  return signature.parameters.empty() ? SolveParameter{} : signature.parameters[0];
}

TEST(SolveParser, ReadsPointersScalarsAndConst) {
  const SolveSignature s = Good(R"(extern "C" void solve(const float* a, double* b, int N) {})");

  ASSERT_EQ(s.parameters.size(), 3u);
  EXPECT_EQ(s.parameters[0], (SolveParameter{"a", "float*", DType::kFloat32, true, true}));
  EXPECT_EQ(s.parameters[1], (SolveParameter{"b", "double*", DType::kFloat64, true, false}));
  EXPECT_EQ(s.parameters[2], (SolveParameter{"N", "int", DType::kInt32, false, false}));
}

TEST(SolveParser, PrepareAndWorkspaceAreReadWhereTheyAre) {
  const std::string solve = "extern \"C\" void solve(const float* w, float* y, void* workspace, int N) {}\n";
  const std::string bytes = "extern \"C\" size_t solve_workspace_bytes(int N) { return 4 * N; }\n";
  const SolveSignature s = Good(solve + bytes + "extern \"C\" void solve_prepare(const float* w, void* workspace);");
  EXPECT_TRUE(s.parameters[2].workspace);
  ASSERT_TRUE(s.prepare.has_value());
  EXPECT_EQ(s.prepare->size(), 2U);
  ASSERT_TRUE(s.workspace_bytes.has_value());
  EXPECT_EQ((*s.workspace_bytes)[0].name, "N");
  EXPECT_FALSE(Good(One("float* y")).prepare.has_value());
  EXPECT_EQ(ReasonOf(solve), "BAD_SIGNATURE") << "a workspace of unknown size";
  EXPECT_EQ(ReasonOf(solve + "extern \"C\" float solve_workspace_bytes(int N);"), "BAD_SIGNATURE");
  EXPECT_EQ(ReasonOf(One("void* x, float* y")), "UNSUPPORTED_TYPE");
}

TEST(SolveParser, ComplexNumbersArePointersToPairs) {
  for (const char* type : {"cuFloatComplex", "cuComplex", "float2", "std::complex<float>", "cuda::std::complex<float>", "thrust::complex<float>"}) {
    const SolveParameter p = First(std::string("const ") + type + "* __restrict__ x");
    EXPECT_TRUE(p.complex && p.pointer && p.pointee_const) << type;
    EXPECT_EQ(p.dtype, DType::kFloat32) << type;
    EXPECT_EQ(p.name, "x") << type;
  }
  for (const char* type : {"cuDoubleComplex", "double2", "std::complex<double>"}) {
    EXPECT_EQ(First(std::string(type) + "* x").dtype, DType::kFloat64) << type;
  }
  EXPECT_FALSE(First("float* x").complex);
  EXPECT_EQ(ReasonOf(One("cuFloatComplex x")), "UNSUPPORTED_TYPE") << "by value";
  EXPECT_EQ(ReasonOf(One("std::complex<half>* x")), "UNSUPPORTED_TYPE");
  EXPECT_EQ(ReasonOf(One("std::vector<float>* x")), "BAD_SIGNATURE");
}

TEST(SolveParser, TheStarMayStandAnywhereAndRestrictIsNoName) {
  for (const char* text : {"const float *x", "const float* x", "float const *x", "const float * __restrict__ x",
                           "const float* const x", "const float x[]", "const float x[16]",
                           "const volatile float *x", "const float* __restrict x"}) {
    const SolveParameter p = First(text);
    EXPECT_EQ(p.name, "x") << text;
    EXPECT_EQ(p.c_type, "float*") << text;
    EXPECT_TRUE(p.pointee_const) << text;
  }
}

TEST(SolveParser, ConstOfThePointerItselfMakesNoInput) {
  EXPECT_FALSE(First("float* const x").pointee_const);
}

TEST(SolveParser, NamesThatContainKeywordsSurvive) {
  EXPECT_EQ(First("float* constant_buf").name, "constant_buf");
  EXPECT_FALSE(First("float* constant_buf").pointee_const);
}

TEST(SolveParser, KnowsEveryTypeOfTheTable) {
  const std::vector<std::pair<std::string, DType>> types = {
      {"float", DType::kFloat32},          {"double", DType::kFloat64},
      {"half", DType::kFloat16},           {"__half", DType::kFloat16},
      {"__nv_bfloat16", DType::kBfloat16}, {"__nv_fp8_e4m3", DType::kFloat8E4M3},
      {"__nv_fp8_e5m2", DType::kFloat8E5M2}, {"int64_t", DType::kInt64},
      {"std::int64_t", DType::kInt64},     {"long long", DType::kInt64},
      {"long", DType::kInt64},             {"int", DType::kInt32},
      {"unsigned", DType::kUint32},        {"unsigned int", DType::kUint32},
      {"size_t", DType::kUint64},          {"short", DType::kInt16},
      {"signed char", DType::kInt8},       {"unsigned char", DType::kUint8},
      {"uint8_t", DType::kUint8},          {"bool", DType::kBool}};
  for (const auto& [text, type] : types) {
    EXPECT_EQ(First(text + "* x").dtype, type) << text;
    EXPECT_EQ(First(text + " x").pointer, false) << text;
  }
}

TEST(SolveParser, FindsItInAnExternBlockAndAsAPrototype) {
  EXPECT_EQ(Good("extern \"C\" {\nint other();\nvoid solve(float* y, int N) {}\n}").parameters.size(), 2u);
  EXPECT_EQ(Good("extern \"C\" void solve(float* y);\nvoid solve(float* y) { y[0] = 1; }").parameters.size(), 1u);
}

TEST(SolveParser, CommentsStringsAndPreprocessorLinesDoNotConfuseIt) {
  const SolveSignature s = Good(
      "// extern \"C\" void solve(int wrong) {}\n"
      "/* extern \"C\" void solve(int wrong) {} */\n"
      "#define X extern \"C\" void solve(int wrong) {\\\n}\n"
      "const char* text = \"extern \\\"C\\\" void solve(int wrong) {\";\n"
      "const char* raw = R\"x(} extern \"C\" void solve(int wrong) {)x\";\n"
      "void helper() { solve(1); }\n"
      "extern \"C\" void solve(const float* a /* in */, // first\n  float* b) noexcept {}\n");
  ASSERT_EQ(s.parameters.size(), 2u);
  EXPECT_EQ(s.parameters[1].name, "b");
}

TEST(SolveParser, CallsInsideFunctionsAreNotDeclarations) {
  EXPECT_EQ(ReasonOf("extern \"C\" int main() { solve(1, 2); }"), "NO_ENTRY_POINT");
}

TEST(SolveParser, SaysWhatIsWrong) {
  EXPECT_EQ(ReasonOf(""), "NO_ENTRY_POINT");
  EXPECT_EQ(ReasonOf("void solve(float* x) {}"), "NO_ENTRY_POINT");
  EXPECT_EQ(ReasonOf("extern \"C\" int solve(float* x) { return 0; }"), "BAD_SIGNATURE");
  EXPECT_EQ(ReasonOf(One("float*")), "BAD_SIGNATURE");
  EXPECT_EQ(ReasonOf(One("float& x")), "BAD_SIGNATURE");
  EXPECT_EQ(ReasonOf(One("float* x, int x")), "BAD_SIGNATURE");
  EXPECT_EQ(ReasonOf(One("float** x")), "UNSUPPORTED_TYPE");
  EXPECT_EQ(ReasonOf(One("void* x")), "UNSUPPORTED_TYPE");
  EXPECT_EQ(ReasonOf(One("MyType x")), "UNSUPPORTED_TYPE");
  EXPECT_EQ(ReasonOf(One("cudaStream_t* s")), "UNSUPPORTED_TYPE");
}

TEST(SolveParser, AStreamIsNoParameterOfTheProblem) {
  const auto parsed = ParseSolve("extern \"C\" void solve(const float* x, float* y, int N, cudaStream_t stream);");
  const auto& parameters = std::get<SolveSignature>(parsed).parameters;
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_TRUE(parameters[3].stream);
  EXPECT_FALSE(parameters[3].of_problem());
  EXPECT_TRUE(parameters[2].of_problem());
}

TEST(SolveParser, TruncatedSourceIsAnErrorNotACrash) {
  const std::string whole = "extern \"C\" void solve(const float* a, float b[4], int N = 3) { /* x */ }";
  for (size_t n = 0; n < whole.size(); ++n) (void)ParseSolve(whole.substr(0, n));
}

}  // namespace
}  // namespace kernelopt::worker
