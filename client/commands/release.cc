#include "client/commands/job_verb.h"

namespace kernelopt::client {

void AddRelease(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("release", "let a held job start");
  command->add_option("job", *job, "jobs/ID, ID or @last")->required();
  command->callback([&context, job] {
    context.exit = ChangeJob(context, *job, &v1::JobService::Stub::ReleaseJob);
  });
}

}  // namespace kernelopt::client
