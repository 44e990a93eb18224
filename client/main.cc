// koptctl: submits jobs and shows them. See client/README.md.
#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/settings.h"
#include "support/suggest.h"

namespace {

using kernelopt::client::Context;
using kernelopt::client::Exit;

// CLI11 says what it could not use; we add what was probably meant.
std::string Meant(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--socket" || argument == "--color") ++i;
    if (argument.rfind("-", 0) == 0) continue;
    const std::string near = kernelopt::support::Suggest(argument, verbs);
    return near.empty() || near == argument ? "" : absl::StrCat("; did you mean `koptctl ", near, "`?");
  }
  return "";
}

// Options of koptctl itself may stand anywhere: they are moved to the front, so
// that a verb is free to take unknown --NAME=VALUE as dims.
std::vector<std::string> GlobalsFirst(int argc, char** argv) {
  std::vector<std::string> globals, rest;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool flag = argument == "--json" || argument == "--quiet" || argument == "-q";
    const bool with_value = argument == "--socket" || argument == "--color";
    const bool joined = argument.rfind("--socket=", 0) == 0 || argument.rfind("--color=", 0) == 0;
    (flag || with_value || joined ? globals : rest).push_back(argument);
    if (with_value && i + 1 < argc) globals.emplace_back(argv[++i]);
  }
  globals.insert(globals.end(), rest.begin(), rest.end());
  std::reverse(globals.begin(), globals.end());  // the order CLI11 wants a vector in
  return globals;
}

int Run(int argc, char** argv) {
  Context context{kernelopt::support::Config{kernelopt::client::ClientSettings()}};
  if (absl::Status s = kernelopt::client::LoadSettings(context.config); !s.ok()) {
    return static_cast<int>(kernelopt::client::UsageError(context, std::string(s.message())));
  }
  CLI::App app{"koptctl: submit GPU and CPU kernels to kernelopt-d and read its verdicts\n"
               "Example: koptctl benchmark kernel.cpp --ref=ref.py --baselines=naive.cpp --N=4096"};
  app.add_option("--socket", context.socket_flag, "socket of kernelopt-d");
  app.add_flag("--json", context.json, "machine-readable output, one object");
  app.add_flag("--quiet,-q", context.quiet, "only what was asked for");
  app.add_option("--color", context.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.set_version_flag("--version", "koptctl " KOPT_VERSION);
  kernelopt::client::AddAllVerbs(app, context);
  if (argc > 1 && std::string(argv[1]) == "__complete") {  // typed so far, not meant
    kernelopt::client::Complete(app, context, {argv + 2, argv + argc});
    return 0;
  }
  try {
    app.parse(GlobalsFirst(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    for (int i = 1; i < argc; ++i) context.json |= std::string(argv[i]) == "--json";
    return static_cast<int>(kernelopt::client::UsageError(
        context, absl::StrCat(error.what(), Meant(app, argc, argv), " (koptctl --help)")));
  }
  if (app.get_subcommands().empty()) context.exit = kernelopt::client::ShowStatus(context);
  return static_cast<int>(context.exit);
}

}  // namespace

int main(int argc, char** argv) {
  const int code = Run(argc, argv);
  // A full or closed stdout must not look like success.
  return std::fflush(stdout) == 0 ? code : static_cast<int>(Exit::kUnexpected);
}
