#include <cstdio>
#include <nlohmann/json.hpp>

#include "client/commands/command.h"

namespace kernelopt::client {
namespace {

Exit Show(Context& context, bool origin) {
  nlohmann::json all = nlohmann::json::array();
  for (const support::Config::Shown& shown : context.config.Show()) {
    if (context.json) {
      all.push_back({{"key", shown.key}, {"value", shown.value}, {"origin", shown.origin}});
    } else if (origin) {
      std::printf("%-18s = %-40s # %s\n", shown.key.c_str(), shown.value.c_str(), shown.origin.c_str());
    } else {
      std::printf("%-18s = %s\n", shown.key.c_str(), shown.value.c_str());
    }
  }
  if (context.json) {
    std::printf("%s\n", nlohmann::json({{"schema_version", 1}, {"config", all}}).dump().c_str());
  }
  return Exit::kOk;
}

}  // namespace

void AddConfig(CLI::App& app, Context& context) {
  auto origin = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("config", "settings of koptctl");
  command->require_subcommand(1);
  CLI::App* show = command->add_subcommand("show", "every setting and its value");
  show->add_flag("--origin", *origin, "also where each value comes from");
  show->callback([&context, origin] { context.exit = Show(context, *origin); });
}

}  // namespace kernelopt::client
