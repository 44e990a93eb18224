#include <cstdio>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/lib/people.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

struct Options {
  std::string device, reason;
  int limit = 20;
};

Exit List(Context& context, const Options& options) {
  v1::ListQueueRequest request;
  request.set_device(options.device);
  request.set_page_size(options.limit);
  const auto response =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::ListQueue, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("queue", *response);
    return Exit::kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::QueueEntry& entry : response->entries()) {
    const v1::Job& job = entry.job();
    rows.push_back({entry.position() > 0 ? absl::StrCat(entry.position()) : "-", job.name(),
                    UserName(job.owner_uid()), ClassName(job.spec().priority()), job.spec().device(),
                    entry.reason(),
                    entry.has_estimated_start_time()
                        ? absl::StrCat("~", ClockText(entry.estimated_start_time(), std::time(nullptr)))
                        : "-",
                    Ago(job.create_time()), job.spec().label()});
  }
  if (rows.empty()) {
    std::printf("nothing waits\n");
  } else {
    PrintTable({"PLACE", "JOB", "USER", "CLASS", "DEVICE", "WAITS FOR", "START", "CREATED", "LABEL"}, rows);
  }
  if (!response->pause_reason().empty()) {
    std::fprintf(stderr, "the queue is paused: %s\n", response->pause_reason().c_str());
  }
  if (response->total() > response->entries_size()) {
    std::fprintf(stderr, "%lld more; --limit=%lld shows all\n",
                 static_cast<long long>(response->total() - response->entries_size()),
                 static_cast<long long>(response->total()));
  }
  return Exit::kOk;
}

Exit Pause(Context& context, const std::string& reason) {
  v1::PauseQueueRequest request;
  request.set_reason(reason);
  const auto response = context.client().Call(context.client().system(),
                                              &v1::SystemService::Stub::PauseQueue, request);
  if (!response.ok()) return Fail(context, response.status());
  return Done(context, "paused: running jobs finish, no new ones start");
}

Exit Resume(Context& context) {
  const auto response =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::ResumeQueue,
                            v1::ResumeQueueRequest());
  if (!response.ok()) return Fail(context, response.status());
  return Done(context, "resumed");
}

}  // namespace

void AddQueue(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("queue", "jobs that wait, in the order they will start");
  command->add_option("--device", options->device, "only this one (host, GPU-<uuid>)");
  command->add_option("--limit", options->limit, "at most so many (20)");
  command->require_subcommand(0, 1);
  command->callback([&context, options, command] {
    if (command->get_subcommands().empty()) context.exit = List(context, *options);
  });
  CLI::App* pause = command->add_subcommand("pause", "start no new jobs on any device");
  pause->add_option("--reason", options->reason, "shown to everyone who waits")->required();
  pause->callback([&context, options] { context.exit = Pause(context, options->reason); });
  command->add_subcommand("resume", "start jobs again")->callback([&context] {
    context.exit = Resume(context);
  });
}

}  // namespace kernelopt::client
