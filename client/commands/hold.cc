#include "client/commands/job_verb.h"

namespace kernelopt::client {

void AddHold(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("hold", "keep a queued job from being started");
  command->add_option("job", *job, "jobs/ID, ID or @last")->required();
  command->callback([&context, job] {
    context.exit = ChangeJob(context, *job, &v1::JobService::Stub::HoldJob);
  });
}

}  // namespace kernelopt::client
