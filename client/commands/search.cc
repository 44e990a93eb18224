#include "absl/strings/str_join.h"
#include "client/commands/command.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

struct Options {
  std::vector<std::string> words;
  std::string page_token;
  int limit = 20;
};

Exit Run(Context& context, const Options& options) {
  v1::ListJobsRequest request;
  request.set_search(absl::StrJoin(options.words, " "));
  request.set_page_size(options.limit);
  request.set_page_token(options.page_token);
  return ShowJobs(context, request);
}

}  // namespace

void AddSearch(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("search", "find jobs by words of label, files and dims: softmax N=4096 gem*");
  command->add_option("words", options->words, "all of them must be there")->required();
  command->add_option("--limit", options->limit, "at most so many (20)");
  command->add_option("--page-token", options->page_token, "where the page before ended");
  command->callback([&context, options] { context.exit = Run(context, *options); });
}

}  // namespace kernelopt::client
