#include <cstdio>
#include <nlohmann/json.hpp>

#include "client/commands/command.h"

namespace kernelopt::client {
namespace {

struct Options {
  std::string job;
  int64_t offset = 0;
  bool follow = false;
};

Exit Run(Context& context, const Options& options) {
  const auto name = JobName(options.job);
  if (!name.ok()) return Fail(context, name.status());
  int64_t at = options.offset;
  const auto end = context.client().ReadLog(*name, options.offset, options.follow,
                                            [&](const std::string& data) {
    if (context.json) {
      const nlohmann::json line = {{"schema_version", 1}, {"log", {{"offset", at}, {"data", data}}}};
      std::printf("%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    } else {
      std::fwrite(data.data(), 1, data.size(), stdout);
    }
    at += static_cast<int64_t>(data.size());
    std::fflush(stdout);
  });
  return end.ok() ? Exit::kOk : Fail(context, end.status());
}

}  // namespace

void AddLogs(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("logs", "print what compiler and kernel wrote");
  command->add_option("job", options->job, "jobs/ID, ID or @last")->required();
  command->add_option("--offset", options->offset, "first byte");
  command->add_flag("--follow,-f", options->follow, "go on until the job ends");
  command->callback([&context, options] { context.exit = Run(context, *options); });
}

}  // namespace kernelopt::client
