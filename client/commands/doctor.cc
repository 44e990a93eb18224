#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/print.h"
#include "support/capability.h"

namespace kernelopt::client {
namespace {

void Print(const v1::Capability& c) {
  std::printf("  %-4s %-24s %s\n", c.available() ? "ok" : "no", c.name().c_str(), c.detail().c_str());
}

Exit Run(Context& context) {
  const auto found =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::GetCapabilities,
                            v1::GetCapabilitiesRequest());
  if (!found.ok()) return Fail(context, found.status());
  if (context.json) {
    PrintJson("capabilities", *found);
    return Exit::kOk;
  }
  std::printf("daemon at %s\n", context.socket().c_str());
  bool good = true;
  for (const v1::Capability& capability : found->daemon()) {
    Print(capability);
    good &= capability.available();
  }
  for (const v1::Device& device : found->devices()) {
    std::printf("%s, %s (%s), worker %s\n", device.name().c_str(), device.model().c_str(),
                device.online() ? "online" : "offline", device.worker_version().c_str());
    if (!device.fault().empty()) Print(support::Capable("device", false, device.fault()));
    for (const v1::Capability& capability : device.capabilities()) Print(capability);
  }
  std::printf("%s\n", good ? "The daemon is well. A `no` above is a thing jobs on this machine "
                             "cannot use; they end UNAVAILABLE when they need it."
                           : "Something the daemon needs is missing; see the `no` lines above.");
  return good ? Exit::kOk : Exit::kUnexpected;
}

}  // namespace

void AddDoctor(CLI::App& app, Context& context) {
  app.add_subcommand("doctor", "what this machine can do, what is missing, how to get it")
      ->callback([&context] { context.exit = Run(context); });
}

}  // namespace kernelopt::client
