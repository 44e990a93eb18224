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
  const auto response =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::ListJobs, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("list", *response);
    return Exit::kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::Job& job : response->jobs()) {
    const v1::ResultSummary& s = job.summary();
    const bool done = job.state() == v1::JOB_STATE_SUCCEEDED;
    rows.push_back({job.name(), Short(job.state()),
                    done ? absl::StrCat(Short(s.verdict()), s.reason().empty() ? "" : " ", s.reason()) : job.state_reason(),
                    s.median_us() > 0 ? TimeText(s.median_us()) : "-",
                    s.outcome() != v1::OUTCOME_UNSPECIFIED ? Short(s.outcome()) : "-",
                    Ago(job.create_time()), absl::StrCat(job.owner_uid()), job.spec().label()});
  }
  PrintTable({"JOB", "STATE", "VERDICT", "MEDIAN", "COMPARED", "CREATED", "UID", "LABEL"}, rows);
  if (!response->next_page_token().empty()) {
    std::fprintf(stderr, "more with --page-token=%s\n", response->next_page_token().c_str());
  }
  return Exit::kOk;
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
