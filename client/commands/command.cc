#include "client/commands/command.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/settings.h"
#include "support/files.h"
#include "support/ids.h"

namespace kernelopt::client {
namespace {

std::string LastFile() { return StateHome() + "/last"; }

// What to do about it, where the server's message does not say.
std::string Advice(const Context& context, const absl::Status& status) {
  if (absl::IsUnavailable(status) && support::DetailOf(status).reason() == "INTERNAL") {
    return absl::StrCat("cannot reach kernelopt-d at ", context.socket(),
                        "; is it running? Start it with `kernelopt-d`, or name its socket with "
                        "--socket or KOPT_SOCKET");
  }
  return std::string(status.message());
}

Exit CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Exit::kOk;
    case absl::StatusCode::kNotFound:
      return Exit::kNotFound;
    case absl::StatusCode::kUnavailable:
      return Exit::kUnreachable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return Exit::kDenied;
    case absl::StatusCode::kResourceExhausted:
      return Exit::kQuota;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
      return Exit::kWrongState;
    case absl::StatusCode::kInvalidArgument:
      return Exit::kUsage;
    case absl::StatusCode::kDeadlineExceeded:
      return Exit::kWaitTimedOut;
    case absl::StatusCode::kCancelled:
      return Exit::kInterrupted;
    default:
      return Exit::kUnexpected;
  }
}

Exit ExitOfVerdict(const v1::ResultSummary& summary) {
  switch (summary.verdict()) {
    case v1::VERDICT_CORRECT:
      return summary.outcome() == v1::OUTCOME_INCONCLUSIVE ? Exit::kDisturbed : Exit::kOk;
    case v1::VERDICT_BUILD_FAILED:
      return Exit::kBuildFailed;
    case v1::VERDICT_KERNEL_TIMEOUT:
      return Exit::kTimedOut;
    case v1::VERDICT_DISTURBED:
      return Exit::kDisturbed;
    case v1::VERDICT_INTEGRITY_VIOLATION:
      return Exit::kIntegrity;
    case v1::VERDICT_UNAVAILABLE:
      return Exit::kUnavailable;
    case v1::VERDICT_INVALID_PROBLEM:
      return Exit::kInvalidProblem;
    default:
      return Exit::kNotCorrect;
  }
}

}  // namespace

Client& Context::client() {
  if (!client_) client_ = std::make_unique<Client>(socket());
  return *client_;
}

std::string Context::socket() const {
  return socket_flag.empty() ? config.Text("client.socket") : socket_flag;
}

Exit Fail(const Context& context, const absl::Status& status) {
  const v1::ErrorDetail detail = support::DetailOf(status);
  const std::string message = Advice(context, status);
  const Exit code = CodeOf(status);
  if (context.json) {
    nlohmann::json metadata = nlohmann::json::object();
    for (const auto& [key, value] : detail.metadata()) metadata[key] = value;
    const nlohmann::json error = {{"schema_version", 1},
                                  {"error",
                                   {{"code", absl::StatusCodeToString(status.code())},
                                    {"reason", detail.reason()},
                                    {"message", message},
                                    {"metadata", metadata}}}};
    std::printf("%s\n", error.dump().c_str());
  } else {
    std::fprintf(stderr, "koptctl: %s\n", message.c_str());
  }
  return code;
}

Exit UsageError(const Context& context, const std::string& message) {
  return Fail(context, absl::InvalidArgumentError(message));
}

Exit ExitOf(const v1::Job& job) {
  switch (job.state()) {
    case v1::JOB_STATE_SUCCEEDED:
      return ExitOfVerdict(job.summary());
    case v1::JOB_STATE_CANCELLED:
      return Exit::kCancelled;
    case v1::JOB_STATE_TIMED_OUT:
    case v1::JOB_STATE_EXPIRED:
      return Exit::kTimedOut;
    default:
      return Exit::kInfrastructure;
  }
}

absl::StatusOr<std::string> JobName(const std::string& given) {
  if (given == "@last") {
    const auto last = support::ReadFile(LastFile());
    if (!last.ok()) {
      return absl::NotFoundError("@last: nothing was submitted from this account yet");
    }
    return *last;
  }
  return absl::StartsWith(given, "jobs/") ? given : absl::StrCat("jobs/", given);
}

void RememberLast(const std::string& name) {
  // Best effort: without a home there is no @last.
  if (support::MakeDirectories(StateHome()).ok()) {
    (void)support::WriteFileDurably(LastFile(), name);
  }
}

}  // namespace kernelopt::client
