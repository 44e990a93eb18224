#include "client/commands/command.h"
#include "client/commands/until_end.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

Exit Run(Context& context, const std::string& given) {
  const auto name = JobName(given);
  if (!name.ok()) return Fail(context, name.status());
  v1::GetJobResultRequest request;
  request.set_name(*name);
  const auto response =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::GetJobResult, request);
  if (!response.ok()) return Fail(context, response.status());
  v1::GetJobRequest get;
  get.set_name(*name);
  const auto job = context.client().Call(context.client().jobs(), &v1::JobService::Stub::GetJob, get);
  if (!job.ok()) return Fail(context, job.status());
  if (context.json) {
    PrintJson("result", response->result());
  } else {
    PrintResult(context, response->result());
  }
  return ExitOf(job->job());
}

}  // namespace

void AddResult(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("result", "print the result of an ended job");
  command->add_option("job", *job, "jobs/ID, ID or @last")->required();
  command->callback([&context, job] { context.exit = Run(context, *job); });
}

}  // namespace kernelopt::client
