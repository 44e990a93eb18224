#include "client/commands/command.h"
#include "client/commands/until_end.h"

namespace kernelopt::client {

void AddWait(CLI::App& app, Context& context) {
  struct Options {
    std::string job;
    double timeout_s = 0;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("wait", "wait for the end; the exit code is the verdict");
  command->add_option("job", options->job, "jobs/ID, ID or @last")->required();
  command->add_option("--timeout", options->timeout_s, "give up after so many seconds (exit 8)");
  command->callback([&context, options] {
    const auto name = JobName(options->job);
    if (!name.ok()) {
      context.exit = Fail(context, name.status());
      return;
    }
    UntilEnd until;
    until.timeout_s = options->timeout_s;
    until.progress = false;
    context.exit = WaitUntilEnd(context, *name, until);
  });
}

void AddFollow(CLI::App& app, Context& context) {
  auto job = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("follow", "show a job until it ends, then its result");
  command->add_option("job", *job, "jobs/ID, ID or @last")->required();
  command->callback([&context, job] {
    const auto name = JobName(*job);
    context.exit = name.ok() ? WaitUntilEnd(context, *name, {}) : Fail(context, name.status());
  });
}

}  // namespace kernelopt::client
