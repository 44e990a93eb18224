#include <cstdio>

#include "client/commands/command.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

Exit Run(Context& context, const std::string& given) {
  const auto name = JobName(given);
  if (!name.ok()) return Fail(context, name.status());
  v1::CancelJobRequest request;
  request.set_name(*name);
  const auto response =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::CancelJob, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("job", response->job());
  } else if (response->job().cancel_requested()) {
    std::printf("%s is being stopped by its worker\n", name->c_str());
  } else {
    std::printf("%s\n", JobLine(response->job()).c_str());
  }
  return Exit::kOk;
}

}  // namespace

void AddCancel(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("cancel", "end a job early");
  command->add_option("job", *job, "jobs/ID, ID or @last")->required();
  command->callback([&context, job] { context.exit = Run(context, *job); });
}

}  // namespace kernelopt::client
