// Every folder of tests/problems through the real programs: what a problem can
// ask for, each by a solution that is right and by some that are not.
//   expect.json   args, and per solution NAME.cpp or NAME.py its verdict, reason, a part
//                 of the message, and fields of the result by JSON pointer; "by_chance"
//                 where a right one may be refused once in some thousand times; "torch"
//                 where the reference or a solution needs PyTorch
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/daemon.h"

namespace kernelopt::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TestDaemon& Daemon(bool torch = false) {
  static TestDaemon numpy({}, "workspace_bytes = 1073741824\n");
  if (!torch) return numpy;
  static TestDaemon with_torch({}, "torch = \"auto\"\n");
  return with_torch;
}

std::string Folder(const std::string& name) { return TestsDirectory() + "/problems/" + name + "/"; }

std::vector<std::string> Problems() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(TestsDirectory() + "/problems")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

json ResultOf(std::vector<std::string> arguments, const json& more, TestDaemon& daemon = Daemon()) {
  arguments.insert(arguments.end(), {"--num-trials=20", "--wait", "--json"});
  bool baselines = false;
  for (const json& argument : more) {
    arguments.push_back(argument.get<std::string>());
    baselines = baselines || arguments.back().rfind("--baselines", 0) == 0;
  }
  if (!baselines) arguments.push_back("--baselines=none");
  const Ran ran = daemon.Until(arguments, [](const Ran& one) { return !Disturbed(one); }, 120);
  const json answer = ran.json();
  if (answer.is_object() && answer.contains("result")) return answer["result"];
  ADD_FAILURE() << ran.exit << "\n" << ran.out << ran.err;
  return {};
}

void Expect(const json& result, const json& wanted, const std::string& name) {
  const json& subject = result["subjects"][0];
  EXPECT_EQ(subject["verdict"], "VERDICT_" + wanted["verdict"].get<std::string>()) << name << subject.dump(1);
  EXPECT_EQ(subject["reason"], wanted.value("reason", "")) << name << subject["message"];
  EXPECT_NE(subject["message"].get<std::string>().find(wanted.value("says", "")), std::string::npos)
      << name << subject["message"];
  if (!wanted.contains("fields")) return;
  for (const auto& field : wanted["fields"].items()) {
    const json::json_pointer at(field.key());
    EXPECT_EQ(result.contains(at) ? result[at] : json(), field.value()) << name << " " << field.key();
  }
}

class Problem : public testing::TestWithParam<std::string> {};

// Baselines among the arguments are files of the folder, or have names.
json In(const std::string& folder, json arguments) {
  const std::string option = "--baselines=";
  for (json& one : arguments) {
    const std::string text = one.get<std::string>();
    if (text.rfind(option, 0) == 0 && fs::exists(folder + text.substr(option.size(), text.find(',') - option.size()))) {
      one = option + folder + text.substr(option.size());
    }
  }
  return arguments;
}

TEST_P(Problem, IsJudgedAsItAsks) {
  const std::string folder = Folder(GetParam());
  const json expect = json::parse(ReadText(folder + "expect.json"));
  const bool torch = expect.value("torch", false);
  TestDaemon& daemon = Daemon(torch);
  daemon.WaitForWorker();
  if (torch && daemon.Koptctl({"doctor"}).out.find("ok   reference.torch") == std::string::npos) GTEST_SKIP() << "no PyTorch here";
  const std::string problem = expect.contains("problem") ? "--problem=" + folder + expect["problem"].get<std::string>()
                                                         : "--ref=" + folder + "ref.py";
  for (const auto& one : expect["cases"].items()) {
    const std::string stem = folder + one.key(), solution = stem + (fs::exists(stem + ".py") ? ".py" : ".cpp");
    const std::vector<std::string> submit = {"submit", solution, problem};
    json result = ResultOf(submit, In(folder, expect["args"]), daemon);
    if (one.value().contains("by_chance") && result["subjects"][0]["verdict"] != "VERDICT_CORRECT") {
      result = ResultOf(submit, In(folder, expect["args"]), daemon);
    }
    if (result.is_object()) Expect(result, one.value(), one.key() + ": ");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Problem, testing::ValuesIn(Problems()),
                         [](const auto& one) { return one.param; });

TEST(Prebuilt, ASharedObjectIsJudgedByTheDeclarationBesideItAndMarked) {
  Daemon().WaitForWorker();
  const std::string folder = Folder("scratch"), made = Daemon().directory() + "/solution.so";
  const Ran built = RunProgram({"/usr/bin/g++", "-shared", "-fPIC", "-O2", "-o", made, folder + "right.cpp"});
  ASSERT_EQ(built.exit, 0) << built.err;
  const std::string header = Daemon().directory() + "/solution.h";
  WriteText(header, "extern \"C\" void solve(const float* x, float* tmp, float* y, int N);\n");

  const json good = ResultOf({"submit", made, "--ref=" + folder + "ref.py", "--with=" + header, "--N=4096"}, json::array());
  EXPECT_EQ(good["subjects"][0]["verdict"], "VERDICT_CORRECT") << good.dump(1);
  EXPECT_EQ(good["subjects"][0]["build"]["prebuilt"], true);

  const json bare = ResultOf({"submit", made, "--ref=" + folder + "ref.py", "--N=4096"}, json::array());
  EXPECT_EQ(bare["subjects"][0]["reason"], "NO_ENTRY_POINT");
  WriteText(made, "not an object");
  const json text = ResultOf({"submit", made, "--ref=" + folder + "ref.py", "--with=" + header, "--N=4096"}, json::array());
  EXPECT_EQ(text["subjects"][0]["reason"], "COMPILE_ERROR");
}

TEST(Baselines, ThatTheReferenceDoesNotKnowAreUnavailable) {
  Daemon().WaitForWorker();
  const std::string folder = Folder("workloads");
  const json result = ResultOf({"submit", folder + "right.cpp", "--problem=" + folder + "problem.json"}, json::array({"--baselines=library"}));
  EXPECT_EQ(result["subjects"][1]["verdict"], "VERDICT_UNAVAILABLE") << result.dump(1);
  EXPECT_EQ(result["subjects"][1]["reason"], "NO_SUCH_BASELINE");
}

TEST(Workloads, OneCanBeChosenAndAnUnknownOneIsNamed) {
  Daemon().WaitForWorker();
  const std::string folder = Folder("workloads");
  const std::vector<std::string> base = {"submit", folder + "right.cpp", "--problem=" + folder + "problem.json"};
  const json one = ResultOf(base, json::array({"--workload=no-offset"}));
  ASSERT_EQ(one["workloads"].size(), 1U);
  EXPECT_EQ(one["workloads"][0]["name"], "no-offset");
  const json none = ResultOf(base, json::array({"--workload=huge"}));
  EXPECT_NE(none["subjects"][0]["message"].get<std::string>().find("has no workload \"huge\"; it has small, no-offset, odd"),
            std::string::npos) << none["subjects"][0]["message"];
}

}  // namespace
}  // namespace kernelopt::test
