#include <cstdio>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "client/commands/admin_doctor.h"
#include "client/commands/command.h"
#include "client/lib/people.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

constexpr double kLongSeconds = 3600;  // copying a large database

struct Options {
  std::string ended_before = "90d", page_token;
  int limit = 20;
};

Exit Backup(Context& context) {
  const auto response =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::Backup,
                            v1::BackupRequest(), kLongSeconds);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("backup", *response);
  } else {
    std::printf("backups/%s (%s), checked\n", response->file_name().c_str(),
                BytesText(response->size()).c_str());
  }
  return Exit::kOk;
}

Exit Archive(Context& context, const std::string& before) {
  v1::ArchiveJobsRequest request;
  const int64_t now_s = std::time(nullptr);
  if (const auto age = ParseDuration(before); age.ok()) {
    request.mutable_ended_before()->set_seconds(now_s - *age);
  } else if (const auto time = ParseTime(before, now_s); time.ok()) {
    *request.mutable_ended_before() = *time;
  } else {
    return UsageError(context, absl::StrCat("--before=", before, " is neither an age (90d) nor a time"));
  }
  const auto response =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::ArchiveJobs, request,
                            kLongSeconds);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("archive", *response);
  } else if (response->jobs() == 0) {
    std::printf("no job ended before then\n");
  } else {
    std::printf("moved %lld jobs to archive/%s; koptctl still shows each by its name\n",
                static_cast<long long>(response->jobs()), response->file_name().c_str());
  }
  return Exit::kOk;
}

Exit Audit(Context& context, const Options& options) {
  v1::ListAuditEventsRequest request;
  request.set_page_size(options.limit);
  request.set_page_token(options.page_token);
  const auto response = context.client().Call(
      context.client().system(), &v1::SystemService::Stub::ListAuditEvents, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("audit", *response);
    return Exit::kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::AuditEvent& event : response->events()) {
    rows.push_back({ClockText(event.time(), std::time(nullptr)), UserName(event.uid()), event.action(),
                    event.target(), event.detail()});
  }
  PrintTable({"TIME", "WHO", "DID", "TO", "DETAIL"}, rows);
  if (!response->next_page_token().empty()) {
    std::fprintf(stderr, "more with --page-token=%s\n", response->next_page_token().c_str());
  }
  return Exit::kOk;
}

}  // namespace

void AddAdmin(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("admin", "backups, archives, audit trail, health of the box");
  command->require_subcommand(1);
  command->add_subcommand("backup", "copy the database while it is in use, and check the copy")
      ->callback([&context] { context.exit = Backup(context); });
  CLI::App* archive = command->add_subcommand("archive", "move old ended jobs to a file of their own");
  archive->add_option("--before", options->ended_before, "age (90d) or time they ended before")
      ->capture_default_str();
  archive->callback([&context, options] { context.exit = Archive(context, options->ended_before); });
  CLI::App* audit = command->add_subcommand("audit", "who changed what, newest first");
  audit->add_option("--limit", options->limit, "at most so many (20)");
  audit->add_option("--page-token", options->page_token, "where the page before ended");
  audit->callback([&context, options] { context.exit = Audit(context, *options); });
  command->add_subcommand("doctor", "what an operator should know of this installation")
      ->callback([&context] { context.exit = AdminDoctor(context); });
}

}  // namespace kernelopt::client
