// What every verb shares: options, connection, output, exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "client/lib/client.h"
#include "support/config.h"

namespace kernelopt::client {

// Frozen: scripts depend on them. 10 and up only from verbs that wait for a
// result.
enum class Exit {
  kOk = 0,
  kUnexpected = 1,
  kUsage = 2,
  kNotFound = 3,
  kUnreachable = 4,
  kDenied = 5,
  kQuota = 6,
  kWrongState = 7,
  kWaitTimedOut = 8,
  kNotCorrect = 10,
  kBuildFailed = 11,
  kTimedOut = 12,
  kCancelled = 13,
  kInfrastructure = 14,
  kDisturbed = 15,
  kIntegrity = 16,
  kUnavailable = 17,
  kInvalidProblem = 18,
  kInterrupted = 130,
};

// Lives as long as the program.
struct Context {
  explicit Context(support::Config settings) : config(std::move(settings)) {}

  support::Config config;
  std::string socket_flag;
  bool json = false, quiet = false;
  std::string color = "auto";
  Exit exit = Exit::kOk;

  Client& client();
  std::string socket() const;

 private:
  std::unique_ptr<Client> client_;
};

// Prints an error the way the user asked (people: stderr; --json: stdout) and
// returns the exit code that belongs to it.
Exit Fail(const Context& context, const absl::Status& status);
Exit UsageError(const Context& context, const std::string& message);
// Exit code of an ended job; the summary decides for SUCCEEDED.
Exit ExitOf(const v1::Job& job);

// `jobs/ID`, `ID` or `@last` -> `jobs/ID`.
absl::StatusOr<std::string> JobName(const std::string& given);
void RememberLast(const std::string& name);

// Registers one verb. To add a verb: copy the shape of cancel.cc, declare its
// function here, add a line in registry.cc, a golden help text under
// tests/golden/cli and a line in client/README.md.
void AddAdmin(CLI::App& app, Context& context);
void AddBenchmark(CLI::App& app, Context& context);
void AddCancel(CLI::App& app, Context& context);
void AddCompletions(CLI::App& app, Context& context);
void AddConfig(CLI::App& app, Context& context);
void AddDevice(CLI::App& app, Context& context);
void AddDoctor(CLI::App& app, Context& context);
void AddFollow(CLI::App& app, Context& context);
void AddHold(CLI::App& app, Context& context);
void AddList(CLI::App& app, Context& context);
void AddLogs(CLI::App& app, Context& context);
void AddMan(CLI::App& app, Context& context);
void AddQueue(CLI::App& app, Context& context);
void AddQuota(CLI::App& app, Context& context);
void AddRelease(CLI::App& app, Context& context);
void AddReport(CLI::App& app, Context& context);
void AddResult(CLI::App& app, Context& context);
void AddRetry(CLI::App& app, Context& context);
void AddSearch(CLI::App& app, Context& context);
void AddStatus(CLI::App& app, Context& context);
void AddSubmit(CLI::App& app, Context& context);
void AddVerify(CLI::App& app, Context& context);
void AddVersion(CLI::App& app, Context& context);
void AddWait(CLI::App& app, Context& context);
void AddWhy(CLI::App& app, Context& context);
void AddAllVerbs(CLI::App& app, Context& context);

// completions.cc: prints what could follow `words`, the last of which is being
// typed: one a line with a tab and what it is, or `:files`.
void Complete(const CLI::App& app, Context& context, const std::vector<std::string>& words);

// status.cc, also what koptctl without a verb does.
Exit ShowStatus(Context& context);

}  // namespace kernelopt::client
