// Manual pages, written from the same CLI::App that parses.
#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/commands/command.h"
#include "support/files.h"

namespace kernelopt::client {
namespace {

// roff reads backslashes, and dots and quotes at the start of a line.
std::string Roff(const std::string& text) {
  return absl::StrCat("\\&", absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"\n", "\n\\&"}}));
}

// `koptctl device drain`; the root has no name of its own.
std::string FullName(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "koptctl";
  return absl::StrCat(FullName(*app.get_parent()), " ", app.get_name());
}

void AddOptions(std::string& page, const CLI::App& app) {
  std::string options;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    const bool value = option->get_expected_min() > 0 && !option->get_positional();
    absl::StrAppend(&options, ".TP\n\\fB", Roff(option->get_name(!option->get_positional(), true)),
                    "\\fR", value ? " \\fIVALUE\\fR" : "", "\n", Roff(option->get_description()), "\n");
  }
  if (!options.empty()) absl::StrAppend(&page, ".SH OPTIONS\n", options);
}

std::vector<const CLI::App*> Verbs(const CLI::App& app) {
  std::vector<const CLI::App*> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verbs.push_back(verb);
  }
  return verbs;
}

std::string Page(const CLI::App& app) {
  const std::string name = FullName(app);
  const std::string title = absl::StrReplaceAll(name, {{" ", "-"}});
  std::string page = absl::StrCat(".TH ", absl::AsciiStrToUpper(Roff(title)), " 1 \"\" \"koptctl ",
                                  KOPT_VERSION, "\" \"User Commands\"\n.SH NAME\n", Roff(title),
                                  " \\- ", Roff(app.get_description()), "\n.SH SYNOPSIS\n\\fB",
                                  Roff(name), "\\fR");
  const std::vector<const CLI::App*> verbs = Verbs(app);
  absl::StrAppend(&page, verbs.empty() ? "" : " \\fIVERB\\fR", " [\\fIOPTIONS\\fR]");
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) absl::StrAppend(&page, " \\fI", Roff(option->get_single_name()), "\\fR");
  }
  absl::StrAppend(&page, "\n");
  AddOptions(page, app);
  if (!verbs.empty()) {
    absl::StrAppend(&page, ".SH VERBS\n");
    for (const CLI::App* verb : verbs) {
      absl::StrAppend(&page, ".TP\n\\fB", Roff(verb->get_name()), "\\fR\n", Roff(verb->get_description()), "\n");
    }
  }
  absl::StrAppend(&page, ".SH EXIT STATUS\n0 ok, 2 usage, 3 not found, 4 daemon unreachable, 5 denied, 6 quota "
                  "or full, 7 wrong state, 8 \\-\\-timeout passed; from verbs that wait: 10 not correct, 11 "
                  "build failed, 12 timed out, 13 cancelled, 14 infrastructure, 15 disturbed or "
                  "inconclusive, 16 integrity, 17 unavailable, 18 invalid problem; 130 interrupted.\n");
  return page;
}

absl::Status WritePages(const CLI::App& app, const std::string& directory) {
  const std::string title = absl::StrReplaceAll(FullName(app), {{" ", "-"}});
  const absl::Status wrote =
      support::WriteFileDurably(absl::StrCat(directory, "/", title, ".1"), Page(app), 0644);
  if (!wrote.ok()) return wrote;
  for (const CLI::App* verb : Verbs(app)) {
    if (absl::Status s = WritePages(*verb, directory); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

void AddMan(CLI::App& app, Context& context) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("man", "write the manual pages into a folder")->group("");
  command->add_option("directory", *directory, "where to")->required();
  command->callback([&app, &context, directory] {
    const absl::Status wrote = WritePages(app, *directory);
    context.exit = wrote.ok() ? Exit::kOk : Fail(context, wrote);
  });
}

}  // namespace kernelopt::client
