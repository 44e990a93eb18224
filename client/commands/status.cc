#include <cstdio>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/lib/people.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

Exit ShowJob(Context& context, const std::string& given) {
  const auto name = JobName(given);
  if (!name.ok()) return Fail(context, name.status());
  v1::GetJobRequest request;
  request.set_name(*name);
  const auto response =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::GetJob, request);
  if (!response.ok()) return Fail(context, response.status());
  const v1::Job& job = response->job();
  if (context.json) {
    PrintJson("job", job);
    return Exit::kOk;
  }
  std::printf("%s\n", JobLine(job).c_str());
  std::printf("  created %s by %s, device %s%s%s\n", Ago(job.create_time()).c_str(),
              UserName(job.owner_uid()).c_str(), job.spec().device().c_str(), job.spec().label().empty() ? "" : ", ",
              job.spec().label().c_str());
  for (const v1::Attempt& attempt : job.attempts()) {
    std::printf("  attempt %d: leased %s, %s\n", attempt.number(), Ago(attempt.lease_time()).c_str(),
                attempt.end_reason().empty() ? "running" : attempt.end_reason().c_str());
  }
  return Exit::kOk;
}

}  // namespace

Exit ShowStatus(Context& context) {
  const auto status = context.client().Call(
      context.client().system(), &v1::SystemService::Stub::GetStatus, v1::GetStatusRequest());
  if (!status.ok()) return Fail(context, status.status());
  if (context.json) {
    PrintJson("status", *status);
    return Exit::kOk;
  }
  std::string line;
  for (const v1::StateCount& count : status->counts()) {
    if (count.count() == 0) continue;
    absl::StrAppend(&line, line.empty() ? "" : ", ", count.count(), " ", count.state());
  }
  std::printf("kernelopt-d %s, up since %s; you are uid %u (%s)\n", status->version().c_str(),
              Ago(status->start_time()).c_str(), status->caller_uid(), status->caller_role().c_str());
  std::printf("jobs: %s%s\n\n", line.empty() ? "none" : line.c_str(),
              status->paused()
                  ? absl::StrCat("; the queue is PAUSED (", status->pause_reason(), ")").c_str()
                  : "");
  if (!status->refusing_reason().empty()) std::printf("%s\n\n", status->refusing_reason().c_str());
  PrintDevices(context, status->devices());
  return Exit::kOk;
}

void AddStatus(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("status", "the daemon at a glance, or one job");
  command->add_option("job", *job, "jobs/ID, ID or @last; none: the daemon");
  command->callback([&context, job] {
    context.exit = job->empty() ? ShowStatus(context) : ShowJob(context, *job);
  });
}

}  // namespace kernelopt::client
