#include <cstdio>
#include <unistd.h>

#include "client/commands/command.h"
#include "client/commands/spec_options.h"
#include "client/commands/until_end.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

struct Options {
  SpecOptions spec;
  bool follow = false, wait = false;
};

Exit Run(Context& context, const Options& options, const std::vector<std::string>& extras) {
  Submission submission;
  const auto spec = MakeSpec(options.spec, extras, context, submission);
  if (!spec.ok()) return Fail(context, spec.status());
  const auto created = submission.Create(context.client(), *spec, options.spec.request_id);
  if (!created.ok()) return Fail(context, created.status());
  const std::string& name = created->job().name();
  RememberLast(name);
  for (const std::string& warning : created->warnings()) {
    if (!context.json) std::fprintf(stderr, "koptctl: note: %s\n", warning.c_str());
  }
  const bool stays = options.follow || options.wait || !options.spec.output_dir.empty();
  if (!stays) {
    if (context.json) {
      PrintJson("job", created->job());
    } else if (context.quiet || isatty(STDOUT_FILENO) == 0) {
      std::printf("%s\n", name.c_str());
    } else {
      std::printf("%s submitted; follow it with `koptctl follow @last`\n", name.c_str());
    }
    return Exit::kOk;
  }
  if (!context.json) std::fprintf(stderr, "%s\n", name.c_str());
  UntilEnd until;
  until.progress = options.follow || !options.wait;
  until.output_dir = options.spec.output_dir;
  return WaitUntilEnd(context, name, until);
}

}  // namespace

void AddSubmit(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("submit", "put a benchmark job into the queue");
  AddSpecOptions(*command, options->spec);
  command->add_flag("--follow", options->follow, "show it until it ends");
  command->add_flag("--wait", options->wait, "wait for the end, without a progress line");
  command->callback([&context, options, command] {
    context.exit = Run(context, *options, command->remaining());
  });
}

void AddBenchmark(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  options->follow = true;
  CLI::App* command = app.add_subcommand("benchmark", "submit, follow and report in one go");
  AddSpecOptions(*command, options->spec);
  command->callback([&context, options, command] {
    if (options->spec.priority.empty()) options->spec.priority = "interactive";
    context.exit = Run(context, *options, command->remaining());
  });
}

}  // namespace kernelopt::client
