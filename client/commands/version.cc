#include <cstdio>
#include <nlohmann/json.hpp>

#include "client/commands/command.h"

namespace kernelopt::client {
namespace {

// The client's own version always; the daemon's when it answers.
Exit Run(Context& context) {
  const auto status = context.client().Call(
      context.client().system(), &v1::SystemService::Stub::GetStatus, v1::GetStatusRequest());
  const std::string server = status.ok() ? status->version() : "";
  if (context.json) {
    const nlohmann::json out = {{"schema_version", 1},
                                {"version", {{"client", KOPT_VERSION}, {"server", server}}}};
    std::printf("%s\n", out.dump().c_str());
  } else {
    std::printf("koptctl %s\nkernelopt-d %s\n", KOPT_VERSION,
                server.empty() ? "not reachable" : server.c_str());
  }
  return Exit::kOk;
}

}  // namespace

void AddVersion(CLI::App& app, Context& context) {
  app.add_subcommand("version", "version of client and daemon")
      ->callback([&context] { context.exit = Run(context); });
}

}  // namespace kernelopt::client
