// koptctl through the real socket: verbs, exit codes, JSON that fits the
// published schemas.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/daemon.h"

namespace kernelopt::test {
namespace {

using nlohmann::json;

TestDaemon& Daemon() {
  static TestDaemon daemon;
  return daemon;
}

std::string Example(const std::string& path) { return ExamplesDirectory() + "/" + path; }

std::vector<std::string> SubmitAdd(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"submit", Example("vector_add/optimised.cpp"),
                                        "--ref=" + Example("vector_add/ref.py"), "--N=65536"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string NameOf(const Ran& ran) { return ran.out.substr(0, ran.out.find('\n')); }

// python3-jsonschema is the independent reader of our schemas.
void ExpectSchema(const Ran& ran, const std::string& schema) {
  const std::string file = Daemon().directory() + "/out.json";
  WriteText(file, ran.out);
  const Ran checked = RunProgram({"/usr/bin/python3", "-c",
                           "import json, jsonschema, sys\n"
                           "schema = json.load(open(sys.argv[1]))\n"
                           "lines = [l for l in open(sys.argv[2]) if l.strip()]\n"
                           "assert lines, 'no output'\n"
                           "for line in lines: jsonschema.validate(json.loads(line), schema)\n",
                           std::string(KOPT_SCHEMAS_DIR) + "/" + schema + ".schema.json", file});
  EXPECT_EQ(checked.exit, 0) << schema << "\n" << checked.err << "\n" << ran.out << ran.err;
}

TEST(Cli, ProblemsAndTheExamplesOfTheirSchemaFitTheSchema) {
  const std::string schema = std::string(KOPT_SCHEMAS_DIR) + "/problem.schema.json";
  const Ran checked = RunProgram({"/usr/bin/python3", "-c",
                           "import json, jsonschema, sys\n"
                           "schema = json.load(open(sys.argv[1]))\n"
                           "jsonschema.Draft7Validator.check_schema(schema)\n"
                           "for problem in schema['examples'] + [json.load(open(p)) for p in sys.argv[2:]]:\n"
                           "    jsonschema.validate(problem, schema)\n",
                           schema, TestsDirectory() + "/problems/workloads/problem.json"});
  EXPECT_EQ(checked.exit, 0) << checked.err;
}

TEST(Cli, WorkloadsAreShownInATableInTheReportAndInTheJson) {
  Daemon().WaitForWorker();
  const std::string folder = TestsDirectory() + "/problems/workloads/", out = Daemon().directory() + "/workloads";
  const std::vector<std::string> job = {folder + "right.cpp", "--problem=" + folder + "problem.json",
                                        "--baselines=pytorch-eager", "--output-dir=" + out};
  std::vector<std::string> arguments = {"benchmark"};
  arguments.insert(arguments.end(), job.begin(), job.end());
  const Ran ran = Daemon().Judged(arguments);
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("WORKLOAD   WEIGHT  right.cpp"), std::string::npos) << ran.out;
  EXPECT_NE(ReadText(out + "/benchmark.md").find("| Workload | Weight |"), std::string::npos);
  ExpectSchema(Daemon().Koptctl({"result", "@last", "--json"}), "result");
}

TEST(Cli, ABenchmarkWritesItsReportsAndComparesWithTheBaselineFile) {
  Daemon().WaitForWorker();
  const std::string out = Daemon().directory() + "/out";
  const Ran ran = Daemon().Judged({"benchmark", Example("softmax/optimised.cpp"), "--ref=" + Example("softmax/ref.py"),
                                   "--baselines=" + Example("softmax/naive.cpp") + ",pytorch-eager", "--M=256",
                                   "--N=512", "--output-dir=" + out});
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("optimised against naive: FASTER"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("timing"), std::string::npos) << "a line per stage: " << ran.err;
  EXPECT_NE(ReadText(out + "/benchmark.md").find("| **Correctness** | PASS |"), std::string::npos);
  EXPECT_NE(ReadText(out + "/benchmark.md").find("NumPy"), std::string::npos);
  EXPECT_NE(ReadText(out + "/correctness.md").find("**ALL PASS**"), std::string::npos);
  const json result = json::parse(ReadText(out + "/result.json"));
  EXPECT_EQ(result["result"]["protocol"], "kopt-1");
  EXPECT_GE(result["result"]["subjects"][0]["timing"]["samples_us"].size(), 16u);
  EXPECT_GE(result["result"]["subjects"][0]["audited_calls"].get<int>(), 3);
}

// Without a daemon at hand, and each thing by name that was changed.
TEST(Cli, VerifyChecksAResultOffline) {
  Daemon().WaitForWorker();
  const std::string out = Daemon().directory() + "/signed", file = out + "/result.json";
  ASSERT_LE(Daemon().Koptctl(SubmitAdd({"--wait", "--output-dir=" + out})).exit, 15);
  const auto offline = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {BinDirectory() + "/koptctl", "--socket=/nowhere", "verify"});
    return RunProgram(arguments, 20);
  };
  const Ran shown = Daemon().Koptctl({"verify", "--show-key", "--json"});
  ExpectSchema(shown, "signing_key");
  const std::string key = shown.json()["signing_key"]["public_key"];

  const Ran holds = offline({file, "--key=" + key});
  EXPECT_EQ(holds.exit, 0) << holds.err;
  EXPECT_NE(holds.out.find("problem sha256:"), std::string::npos) << holds.out;
  EXPECT_NE(holds.out.find("binary sha256:"), std::string::npos) << holds.out;
  EXPECT_EQ(offline({file, "--key=" + Daemon().directory() + "/signing.key.pub"}).exit, 0) << "the file that the daemon keeps";

  const json text = json::parse(ReadText(file));
  const auto changed = [&](const std::function<void(json&)>& change) {
    json copy = text;
    change(copy["result"]);
    WriteText(out + "/changed.json", copy.dump());
    return offline({out + "/changed.json", "--key=" + key});
  };
  const Ran faster = changed([](json& r) { r["subjects"][0]["timing"]["samples_us"][0] = 0.5; });
  EXPECT_EQ(faster.exit, 1);
  EXPECT_NE(faster.err.find("changed since it was signed: samples, result"), std::string::npos) << faster.err;
  EXPECT_NE(changed([](json& r) { r["subjects"][0]["verdict"] = "VERDICT_INCORRECT"; }).err.find("subject, result"), std::string::npos);
  EXPECT_NE(changed([](json& r) { r["conditions"]["device_model"] = "a better one"; }).err.find("device, result"), std::string::npos);
  EXPECT_NE(changed([](json& r) { r["call_nonces"][0] = "1"; }).err.find("nonces, result"), std::string::npos);
  EXPECT_NE(changed([](json& r) { r["phases"][0]["seconds"] = 9; }).err.find("signed: result"), std::string::npos);
  // Bug: the job beside the result, which people read first, was not looked at.
  const auto changed_job = [&](const std::function<void(json&)>& change) {
    json copy = text;
    change(copy["job"]);
    WriteText(out + "/changed.json", copy.dump());
    return offline({out + "/changed.json", "--key=" + key}).err;
  };
  EXPECT_NE(changed_job([](json& j) { j["summary"]["median_us"] = 0.5; }).find("signed: the job's summary"), std::string::npos);
  EXPECT_NE(changed_job([](json& j) { j["spec"]["problem"]["dims"][0]["int_value"] = "1"; }).find("signed: spec"), std::string::npos);
  EXPECT_NE(changed_job([](json& j) { j["name"] = "jobs/0"; }).find("signed: job"), std::string::npos);
  EXPECT_NE(changed([](json& r) { r.erase("signature"); }).err.find("not signed"), std::string::npos);
  EXPECT_NE(changed([](json& r) { r["signature"]["statement"] = "kernelopt-result 1\n"; }).err.find("does not belong"), std::string::npos);

  const Ran other = offline({file, "--key=" + std::string(64, 'a')});
  EXPECT_EQ(other.exit, 1);
  EXPECT_NE(other.err.find("not by"), std::string::npos) << other.err;
  EXPECT_EQ(offline({file, "--key=nonsense"}).exit, 2);
  EXPECT_EQ(offline({out + "/benchmark.md"}).exit, 2) << "no result.json";
  EXPECT_EQ(offline({out + "/missing.json"}).exit, 3);
  ExpectSchema(offline({file, "--json"}), "verify");
}

TEST(Cli, AnExplicitNumberOfTrialsIsExact) {
  Daemon().WaitForWorker();
  const Ran ran = Daemon().Koptctl(SubmitAdd({"--num-trials=37", "--baselines=none", "--wait", "--json"}));
  const json timing = ran.json()["result"]["subjects"][0]["timing"];
  EXPECT_EQ(timing["samples_us"].size() + timing["dropped"].get<size_t>(), 37u);
}

TEST(Cli, EveryExampleIsCorrectAndTheOptimisedOneIsNotSlower) {
  Daemon().WaitForWorker();
  const std::vector<std::pair<std::string, std::vector<std::string>>> examples = {
      {"vector_add", {"--N=262144"}},
      {"softmax", {"--M=256", "--N=512"}},
      {"rms_norm", {"--M=256", "--N=512", "--eps=1e-5"}},
      {"layer_norm", {"--M=256", "--N=512", "--eps=1e-5"}},
      {"gemm", {"--M=128", "--N=128", "--K=128"}}};
  for (const auto& [name, dims] : examples) {
    std::vector<std::string> arguments = {"submit", Example(name + "/optimised.cpp"), "--ref=" + Example(name + "/ref.py"),
                                          "--baselines=" + Example(name + "/naive.cpp"), "--wait", "--json"};
    arguments.insert(arguments.end(), dims.begin(), dims.end());
    const json result = Daemon().Judged(arguments).json()["result"];
    for (const json& subject : result["subjects"]) {
      EXPECT_EQ(subject["verdict"], "VERDICT_CORRECT") << name << subject["message"];
    }
    EXPECT_NE(result["comparisons"][0]["outcome"], "OUTCOME_SLOWER") << name;
  }
}

TEST(Cli, SubmitPrintsOnlyTheNameWhenPiped) {
  const Ran ran = Daemon().Koptctl(SubmitAdd({"--hold"}));
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out.rfind("jobs/", 0), 0u) << ran.out;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1);
  EXPECT_EQ(Daemon().Koptctl({"cancel", NameOf(ran)}).exit, 0);
}

TEST(Cli, AHeldJobWaitsIsExplainedAndCanBeCancelled) {
  const std::string job = NameOf(Daemon().Koptctl(SubmitAdd({"--hold", "--label=held one"})));
  EXPECT_NE(Daemon().Koptctl({"why", job}).out.find("held"), std::string::npos);
  EXPECT_EQ(Daemon().Koptctl({"wait", job, "--timeout=0.3"}).exit, 8);
  EXPECT_EQ(Daemon().Koptctl({"result", job}).exit, 7);
  EXPECT_NE(Daemon().Koptctl({"list", "--label=held one"}).out.find(job), std::string::npos);
  EXPECT_EQ(Daemon().Koptctl({"cancel", job}).exit, 0);
  EXPECT_EQ(Daemon().Koptctl({"cancel", job}).exit, 0);
  EXPECT_EQ(Daemon().Koptctl({"wait", job}).exit, 13);
  const Ran again = Daemon().Koptctl({"retry", job});
  EXPECT_EQ(again.exit, 0);
  const int end = Daemon().Koptctl({"wait", NameOf(again)}).exit;
  EXPECT_TRUE(end == 0 || end == 15) << end << ": 15 is a busy machine";
}

TEST(Cli, ARunningJobIsStoppedByCancel) {
  Daemon().WaitForWorker();
  const std::string folder = TestsDirectory() + "/verdicts";
  const std::string job = NameOf(Daemon().Koptctl({"submit", folder + "/infinite_loop/kernel.cpp", "--ref=" + folder + "/ref.py",
                                                   "--baselines=none", "--N=64", "--call-timeout=300"}));
  for (int i = 0; i < 300 && Daemon().Koptctl({"status", job}).out.find("RUNNING") == std::string::npos; ++i) usleep(20'000);
  EXPECT_EQ(Daemon().Koptctl({"cancel", job}).exit, 0);
  EXPECT_EQ(Daemon().Koptctl({"wait", job, "--timeout=30"}).exit, 13);
}

TEST(Cli, AnEarlierJobIsABaseline) {
  Daemon().WaitForWorker();
  const std::string earlier = NameOf(Daemon().Koptctl(SubmitAdd({"--hold"})));
  const Ran ran = Daemon().Koptctl({"submit", Example("vector_add/naive.cpp"), "--ref=" + Example("vector_add/ref.py"), "--N=65536",
                                    "--baselines=" + earlier + ",pytorch-eager", "--wait", "--json"}, 60);
  const json subjects = ran.json()["result"]["subjects"];
  ASSERT_EQ(subjects.size(), 3u) << ran.out << ran.err;
  EXPECT_EQ(subjects[1]["label"], "optimised.cpp");
  EXPECT_EQ(subjects[1]["id"], "job-" + earlier.substr(5));
  EXPECT_EQ(subjects[1]["verdict"], "VERDICT_CORRECT") << ran.out;
  EXPECT_EQ(Daemon().Koptctl(SubmitAdd({"--baselines=jobs/0000000000000000"})).exit, 3);
  EXPECT_EQ(Daemon().Koptctl({"cancel", earlier}).exit, 0);
}

TEST(Cli, LimitsOfTimeEndAJobTimedOut) {
  const std::string folder = TestsDirectory() + "/verdicts";
  const Ran run = Daemon().Koptctl({"submit", folder + "/infinite_loop/kernel.cpp", "--ref=" + folder + "/ref.py",
                                    "--baselines=none", "--N=64", "--call-timeout=300", "--run-timeout=1", "--wait"}, 60);
  EXPECT_EQ(run.exit, 12) << run.out << run.err;
  EXPECT_NE(run.err.find("--run-timeout"), std::string::npos) << run.err;
  const Ran queue = Daemon().Koptctl(SubmitAdd({"--hold", "--queue-timeout=0.5", "--wait"}), 60);
  EXPECT_EQ(queue.exit, 12) << queue.err;
}

TEST(Cli, UsageErrorsSayWhatToWrite) {
  const auto fails = [](std::vector<std::string> arguments, const std::string& says) {
    const Ran ran = Daemon().Koptctl(std::move(arguments));
    EXPECT_EQ(ran.exit, 2) << ran.out << ran.err;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  };
  fails({"sumbit"}, "did you mean `koptctl submit`");
  fails({"submit"}, "solution_file");
  fails(SubmitAdd({"--M", "4"}), "--M=VALUE");
  fails(SubmitAdd({"--M=four"}), "not a number");
  fails(SubmitAdd({"--baselines=bogus"}), "pytorch-eager");
  fails(SubmitAdd({"--timing-method=stopwatch"}), "cuda_event");
  fails(SubmitAdd({"--priority=urgent"}), "interactive");
  fails(SubmitAdd({"--gpu=0"}), "serves no GPU");
  fails(SubmitAdd({"--baselines=torch-compile:fast"}), "max-autotune");
  fails(SubmitAdd({"--baselines=pytorch-eager:default"}), "torch-compile only");
  fails(SubmitAdd({"--num-trials=200000"}), "100000");
  fails(SubmitAdd({"--N=1"}), "twice");
}

TEST(Cli, ThingsThatAreNotThereAreExitThree) {
  EXPECT_EQ(Daemon().Koptctl({"status", "jobs/nope"}).exit, 3);
  EXPECT_EQ(Daemon().Koptctl({"device", "drain", "GPU-1", "--reason=x"}).exit, 3);
  EXPECT_EQ(Daemon().Koptctl({"submit", "/no/such.cpp", "--ref=/no/ref.py"}).exit, 3);
}

TEST(Cli, AMissingDaemonIsExitFourWithinASecondAndSaysWhatToDo) {
  Ran ran;
  for (int attempt = 0; attempt < 3 && ran.exit != 4; ++attempt) {  // killed: the machine was busy
    ran = RunProgram({BinDirectory() + "/koptctl", "--socket", "/tmp/no-such.sock", "status"}, 5);
  }
  EXPECT_EQ(ran.exit, 4);
  EXPECT_NE(ran.err.find("KOPT_SOCKET"), std::string::npos) << ran.err;
}

TEST(Cli, JsonFitsTheSchemas) {
  Daemon().WaitForWorker();
  const Ran submitted = Daemon().Koptctl(SubmitAdd({"--json"}));
  ExpectSchema(submitted, "job");
  const std::string job = submitted.json()["job"]["name"];
  ExpectSchema(Daemon().Koptctl({"wait", job, "--json"}), "result");
  ExpectSchema(Daemon().Koptctl({"result", job, "--json"}), "result");
  ExpectSchema(Daemon().Koptctl({"status", job, "--json"}), "job");
  ExpectSchema(Daemon().Koptctl({"status", "--json"}), "status");
  ExpectSchema(Daemon().Koptctl({"--json"}), "status");
  ExpectSchema(Daemon().Koptctl({"list", "--json"}), "list");
  ExpectSchema(Daemon().Koptctl({"why", job, "--json"}), "why");
  ExpectSchema(Daemon().Koptctl({"doctor", "--json"}), "capabilities");
  ExpectSchema(Daemon().Koptctl({"device", "list", "--json"}), "devices");
  ExpectSchema(Daemon().Koptctl({"config", "show", "--json"}), "config");
  ExpectSchema(Daemon().Koptctl({"version", "--json"}), "version");
  ExpectSchema(Daemon().Koptctl({"report", job, "--json"}), "report");
  ExpectSchema(Daemon().Koptctl({"status", "jobs/nope", "--json"}), "error");
  ExpectSchema(Daemon().Koptctl({"sumbit", "--json"}), "error");
  ExpectSchema(Daemon().Koptctl({"report", job, "--format=result.json"}), "result_file");
}

TEST(Cli, LogsHoldWhatTheCompilerSaidAndGoOnFromAnOffset) {
  const std::string folder = TestsDirectory() + "/verdicts";
  const Ran run = Daemon().Koptctl({"submit", folder + "/compile_error/kernel.cpp", "--ref=" + folder + "/ref.py",
                                    "--baselines=none", "--N=64", "--wait"});
  EXPECT_EQ(run.exit, 11);
  const std::string whole = Daemon().Koptctl({"logs", "@last"}).out;
  EXPECT_NE(whole.find("error:"), std::string::npos);
  EXPECT_EQ(Daemon().Koptctl({"logs", "@last", "--offset=10", "--follow"}).out, whole.substr(10));
  ExpectSchema(Daemon().Koptctl({"logs", "@last", "--json"}), "log");
}

TEST(Cli, ADrainedDeviceStartsNothingUntilResumed) {
  Daemon().WaitForWorker();
  EXPECT_NE(Daemon().Koptctl({"device", "drain", "host", "--reason=new fan"}).out.find("drained"), std::string::npos);
  const std::string job = NameOf(Daemon().Koptctl(SubmitAdd()));
  EXPECT_EQ(Daemon().Koptctl({"wait", job, "--timeout=0.5"}).exit, 8);
  EXPECT_NE(Daemon().Koptctl({"why", job}).out.find("new fan"), std::string::npos);
  EXPECT_EQ(Daemon().Koptctl({"device", "resume", "host"}).exit, 0);
  const int end = Daemon().Koptctl({"wait", job, "--timeout=60"}).exit;
  EXPECT_TRUE(end == 0 || end == 15) << end << ": 15 is a busy machine";
}

TEST(Cli, ConfigShowsWhereValuesComeFrom) {
  EXPECT_NE(Daemon().Koptctl({"config", "show", "--origin"}).out.find("# default"), std::string::npos);
}

TEST(Cli, DoctorTellsTheTruthAboutThisMachine) {
  Daemon().WaitForWorker();
  const Ran ran = Daemon().Koptctl({"doctor"});
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_NE(ran.out.find("ok   sandbox"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("ok   compiler.cpp             g++"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("no   reference.torch"), std::string::npos) << "switched off by the harness: " << ran.out;
  EXPECT_NE(ran.out.find("no   device.cuda"), std::string::npos) << ran.out;
}

TEST(Cli, JsonOfTheQueueAndOfAdminsFitsTheSchemas) {
  const Ran pause = Daemon().Koptctl({"queue", "pause", "--reason=json", "--json"});
  ExpectSchema(pause, "done");
  Daemon().Koptctl(SubmitAdd({"--not-before=+1h"}));
  Daemon().Koptctl(SubmitAdd());
  ExpectSchema(Daemon().Koptctl({"queue", "--json"}), "queue");
  ExpectSchema(Daemon().Koptctl({"why", "@last", "--json"}), "why");
  ExpectSchema(Daemon().Koptctl({"queue", "resume", "--json"}), "done");
  EXPECT_EQ(Daemon().Koptctl({"wait", "@last"}).exit == 4, false);
  ExpectSchema(Daemon().Koptctl({"quota", "--json"}), "quota");
  ExpectSchema(Daemon().Koptctl({"quota", "list", "--json"}), "quotas");
  ExpectSchema(Daemon().Koptctl({"admin", "backup", "--json"}), "backup");
  ExpectSchema(Daemon().Koptctl({"admin", "archive", "--before=900d", "--json"}), "archive");
  ExpectSchema(Daemon().Koptctl({"admin", "audit", "--json"}), "audit");
  ExpectSchema(Daemon().Koptctl({"device", "reserve", "host", "--until=+1h", "--json"}), "device");
  ExpectSchema(Daemon().Koptctl({"device", "unreserve", "host", "--json"}), "device");
  ExpectSchema(Daemon().Koptctl({"search", "nothing", "--json"}), "list");
  ExpectSchema(Daemon().Koptctl({"admin", "doctor", "--json"}), "capabilities");
}

TEST(Cli, UsageErrorsOfTheQueueSayWhatToWrite) {
  const Ran when = Daemon().Koptctl({"device", "reserve", "host", "--until=soon"});
  EXPECT_EQ(when.exit, 2);
  EXPECT_NE(when.err.find("18:00, +2h"), std::string::npos) << when.err;
  const Ran quota = Daemon().Koptctl({"quota", "set", "root", "jobs=3"});
  EXPECT_EQ(quota.exit, 2);
  EXPECT_NE(quota.err.find("queued_jobs"), std::string::npos) << quota.err;
  EXPECT_EQ(Daemon().Koptctl({"quota", "set", "no-such-user", "queued_jobs=3"}).exit, 3);
  const Ran negative = Daemon().Koptctl({"quota", "set", "root", "queued_jobs=-1"});
  EXPECT_EQ(negative.exit, 2) << negative.err;
  EXPECT_EQ(Daemon().Koptctl(SubmitAdd({"--after=nope"})).exit, 3);
  EXPECT_EQ(Daemon().Koptctl(SubmitAdd({"--not-before=later"})).exit, 2);
}

// The shells themselves, each asked what follows some words.
TEST(Cli, BashZshAndFishComplete) {
  Daemon().WaitForWorker();
  const std::string folder = Daemon().directory() + "/completions";
  std::filesystem::create_directories(folder);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    WriteText(folder + "/" + shell, Daemon().Koptctl({"completions", shell}).out);
  }
  setenv("PATH", (BinDirectory() + ":" + std::getenv("PATH")).c_str(), 1);
  setenv("KOPT_SOCKET", Daemon().socket().c_str(), 1);
  const Ran bash = RunProgram({"/bin/bash", "-c",
                               "source " + folder + "/bash\n"
                               "ask() { COMP_WORDS=(koptctl \"$@\"); COMP_CWORD=$#; COMPREPLY=(); compopt() { :; }; _koptctl; echo \"${COMPREPLY[*]}\"; }\n"
                               "ask dev; ask device re; ask why @; ask submit --prio; ask device drain h\n"});
  EXPECT_EQ(bash.out, "device\nresume reserve\n@last\n--priority=\nhost\n") << bash.out << bash.err;
  const Ran fish = RunProgram({"/usr/bin/fish", "--no-config", "-c",
                               "source " + folder + "/fish; complete -C 'koptctl quo'; complete -C 'koptctl queue pa'"});
  EXPECT_NE(fish.out.find("quota\tyour limits"), std::string::npos) << fish.out << fish.err;
  EXPECT_NE(fish.out.find("pause\t"), std::string::npos) << fish.out;
  const Ran zsh = RunProgram({"/bin/zsh", "-f", "-c",
                              "autoload -U compinit && compinit -u -d " + folder + "/zdump\n"
                              "source " + folder + "/zsh\n"
                              "_describe() { print -l -- ${(P)2}; }\n"
                              "words=(koptctl sea); CURRENT=2; _koptctl\n"});
  EXPECT_NE(zsh.out.find("search:find jobs"), std::string::npos) << zsh.out << zsh.err;
  unsetenv("KOPT_SOCKET");
}

TEST(Cli, ManualPagesAreSoundAndNameEveryVerb) {
  const std::string folder = Daemon().directory() + "/man";
  std::filesystem::create_directories(folder);
  ASSERT_EQ(Daemon().Koptctl({"man", folder}).exit, 0);
  const std::string main = ReadText(folder + "/koptctl.1");
  for (const char* verb : {"submit", "queue", "quota", "search", "hold", "release", "admin", "completions"}) {
    EXPECT_NE(main.find(std::string("\\fB\\&") + verb + "\\fR"), std::string::npos) << verb;
  }
  EXPECT_EQ(main.find("__complete"), std::string::npos);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Ran lint = RunProgram({"/usr/bin/man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", entry.path()});
    EXPECT_EQ(lint.err, "") << entry.path();
  }
}

TEST(Cli, HelpNamesEveryVerb) {
  const Ran ran = Daemon().Koptctl({"--help"});
  EXPECT_EQ(ran.exit, 0);
  for (const char* verb : {"submit", "benchmark", "status", "wait", "follow", "logs", "result", "report", "cancel", "retry",
                           "list", "why", "doctor", "device", "config", "version"}) {
    EXPECT_NE(ran.out.find(std::string("  ") + verb), std::string::npos) << verb;
  }
}

}  // namespace
}  // namespace kernelopt::test
