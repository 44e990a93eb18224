#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

struct Options {
  std::vector<std::string> states;
  std::string label, page_token;
  bool mine = false;
  int limit = 20;
};

Exit Run(Context& context, const Options& options) {
  v1::ListJobsRequest request;
  for (const std::string& given : options.states) {
    v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
    if (!v1::JobState_Parse(absl::StrCat("JOB_STATE_", absl::AsciiStrToUpper(given)), &state)) {
      return UsageError(context, absl::StrCat("--state=", given, " is not a job state (queued, held, "
                                              "leased, running, succeeded, failed, cancelled, "
                                              "timed_out, expired)"));
    }
    request.add_states(state);
  }
  request.set_mine(options.mine);
  request.set_label(options.label);
  request.set_page_size(options.limit);
  request.set_page_token(options.page_token);
  return ShowJobs(context, request);
}

}  // namespace

void AddList(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "list jobs, newest first");
  command->add_option("--state", options->states, "only these states; may be repeated");
  command->add_option("--label", options->label, "only labels containing this text");
  command->add_flag("--mine", options->mine, "only my own");
  command->add_option("--limit", options->limit, "at most so many (20)");
  command->add_option("--page-token", options->page_token, "where the page before ended");
  command->callback([&context, options] { context.exit = Run(context, *options); });
}

}  // namespace kernelopt::client
