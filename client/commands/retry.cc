#include <cstdio>

#include "client/commands/command.h"
#include "client/output/print.h"
#include "support/ids.h"

namespace kernelopt::client {
namespace {

Exit Run(Context& context, const std::string& given) {
  const auto name = JobName(given);
  if (!name.ok()) return Fail(context, name.status());
  v1::RetryJobRequest request;
  request.set_name(*name);
  request.set_request_id(support::NewUuid());
  const auto response =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::RetryJob, request);
  if (!response.ok()) return Fail(context, response.status());
  RememberLast(response->job().name());
  if (context.json) {
    PrintJson("job", response->job());
  } else {
    std::printf("%s\n", response->job().name().c_str());
  }
  return Exit::kOk;
}

}  // namespace

void AddRetry(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("retry", "submit an ended job once more, as a new job");
  command->add_option("job", *job, "jobs/ID, ID or @last")->required();
  command->callback([&context, job] { context.exit = Run(context, *job); });
}

}  // namespace kernelopt::client
