#include <cstdio>

#include "client/commands/command.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

Exit Run(Context& context, const std::string& given) {
  const auto name = JobName(given);
  if (!name.ok()) return Fail(context, name.status());
  v1::ExplainJobRequest request;
  request.set_name(*name);
  const auto response =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::ExplainJob, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("why", *response);
  } else {
    std::printf("%s: %s\n", name->c_str(), response->message().c_str());
  }
  return Exit::kOk;
}

}  // namespace

void AddWhy(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("why", "say what a job waits for");
  command->add_option("job", *job, "jobs/ID, ID or @last")->required();
  command->callback([&context, job] { context.exit = Run(context, *job); });
}

}  // namespace kernelopt::client
