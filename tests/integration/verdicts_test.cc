// Every folder of tests/verdicts through the real programs: verdict, reason and
// a sentence that says what to do; and the next job is unaffected.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/daemon.h"

namespace kernelopt::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TestDaemon& Daemon() {
  static TestDaemon daemon({}, "build_seconds = 12\nreference_seconds = 6\nmax_buffer_bytes = 1073741824\n");
  return daemon;
}

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(TestsDirectory() + "/verdicts")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// DISTURBED, or not DISTURBED where that is wanted: the machine did something else just then.
Ran Submit(const std::string& name, const json& about) {
  const std::string folder = TestsDirectory() + "/verdicts/" + name;
  const std::string own = folder + "/ref.py";
  const std::string reference = fs::exists(own) ? own : TestsDirectory() + "/verdicts/ref.py";
  std::vector<std::string> arguments = {"submit", folder + "/" + about["kernel"].get<std::string>(),
                                        "--ref=" + reference, "--baselines=none",
                                        "--num-trials=40", "--wait", "--json"};
  for (const json& argument : about["args"]) {
    arguments.push_back(argument.get<std::string>());
    const std::string with = "--with=";  // a file of the case
    if (arguments.back().rfind(with, 0) == 0) arguments.back().insert(with.size(), folder + "/");
  }
  const bool wanted = about["verdict"] == "DISTURBED";
  return Daemon().Until(arguments, [&](const Ran& ran) { return Disturbed(ran) == wanted; }, 120);
}

json ReadCase(const std::string& name) {
  return json::parse(ReadText(TestsDirectory() + "/verdicts/" + name + "/case.json"));
}

json CandidateOf(const Ran& ran) {
  const json result = ran.json();
  return result.is_object() && result.contains("result") ? result["result"]["subjects"][0] : json();
}

int ExitOf(const std::string& verdict) {
  const std::map<std::string, int> codes = {
      {"CORRECT", 0}, {"INCORRECT", 10}, {"RUNTIME_ERROR", 10}, {"OUT_OF_MEMORY", 10},
      {"BUILD_FAILED", 11}, {"KERNEL_TIMEOUT", 12}, {"DISTURBED", 15},
      {"INTEGRITY_VIOLATION", 16}, {"UNAVAILABLE", 17}, {"INVALID_PROBLEM", 18}};
  return codes.at(verdict);
}

class Verdict : public testing::TestWithParam<std::string> {};

TEST_P(Verdict, IsGivenWithItsReasonAndAnAdviceAndTheNextJobIsUnaffected) {
  Daemon().WaitForWorker();
  const json about = ReadCase(GetParam());

  const Ran ran = Submit(GetParam(), about);
  const json candidate = CandidateOf(ran);
  ASSERT_TRUE(candidate.is_object()) << ran.exit << "\n" << ran.out << ran.err;
  EXPECT_EQ(candidate["verdict"], "VERDICT_" + about["verdict"].get<std::string>()) << candidate.dump(1);
  EXPECT_EQ(candidate["reason"], about["reason"]) << candidate["message"];
  EXPECT_NE(candidate["message"].get<std::string>().find(about["says"].get<std::string>()), std::string::npos)
      << candidate["message"];
  const std::string noted = candidate["notes"].empty() ? "" : candidate["notes"][0].get<std::string>();
  const std::string notes = about.value("notes", "");
  EXPECT_TRUE(notes.empty() ? noted.empty() : noted.find(notes) != std::string::npos) << noted;
  EXPECT_EQ(ran.exit, ExitOf(about["verdict"].get<std::string>()));

  const Ran next = Submit("correct", ReadCase("correct"));
  EXPECT_EQ(CandidateOf(next)["verdict"], "VERDICT_CORRECT") << next.out << next.err;
}

INSTANTIATE_TEST_SUITE_P(Cases, Verdict, testing::ValuesIn(Cases()),
                         [](const auto& one) { return one.param; });

TEST(VerdictTable, EveryVerdictHasAnExample) {
  std::set<std::string> seen;
  for (const std::string& name : Cases()) seen.insert(ReadCase(name)["verdict"].get<std::string>());
  EXPECT_EQ(seen, (std::set<std::string>{"CORRECT", "INCORRECT", "BUILD_FAILED", "RUNTIME_ERROR",
                                         "KERNEL_TIMEOUT", "OUT_OF_MEMORY", "INVALID_PROBLEM",
                                         "INTEGRITY_VIOLATION", "DISTURBED", "UNAVAILABLE"}));
}

}  // namespace
}  // namespace kernelopt::test
