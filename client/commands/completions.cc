// Completions come from the very CLI::App that parses: the scripts only hand the
// words typed so far to the hidden word `__complete`, so they cannot go stale.
#include <unistd.h>

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "support/ids.h"

namespace kernelopt::client {
namespace {

constexpr char kBash[] = R"SH(# koptctl completions for bash; put it into /etc/bash_completion.d or source it
_koptctl() {
  local line cur=${COMP_WORDS[COMP_CWORD]}
  local IFS=$'\n'
  COMPREPLY=()
  for line in $(koptctl __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    if [ "$line" = :files ]; then COMPREPLY+=($(compgen -f -- "$cur")); compopt -o filenames
    else COMPREPLY+=("${line%%$'\t'*}"); fi
  done
  if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -F _koptctl koptctl
)SH";

constexpr char kZsh[] = R"SH(#compdef koptctl
# koptctl completions for zsh; put it into a folder of $fpath as _koptctl
_koptctl() {
  local line
  local -a plain
  for line in ${(f)"$(koptctl __complete ${words[2,CURRENT]} 2>/dev/null)"}; do
    if [[ $line == :files ]]; then _files
    else plain+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}"); fi
  done
  _describe koptctl plain
}
if [ "$funcstack[1]" = _koptctl ]; then _koptctl "$@"; else compdef _koptctl koptctl; fi
)SH";

constexpr char kFish[] = R"SH(# koptctl completions for fish; put it into ~/.config/fish/completions/koptctl.fish
function __koptctl
    set -l words (commandline -opc) (commandline -ct)
    for line in (koptctl __complete $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c koptctl -f -a '(__koptctl)'
)SH";

void Say(const std::string& word, const std::string& about, const std::string& begin) {
  if (absl::StartsWith(word, begin)) std::printf("%s\t%s\n", word.c_str(), about.c_str());
}

void SayJobs(Context& context, const std::string& begin) {
  Say("@last", "the job submitted last", begin);
  v1::ListJobsRequest request;
  request.set_mine(true);
  request.set_page_size(20);
  const auto jobs =
      context.client().Call(context.client().jobs(), &v1::JobService::Stub::ListJobs, request, 1);
  if (!jobs.ok()) return;
  for (const v1::Job& job : jobs->jobs()) {
    Say(job.name(), absl::StrCat(v1::JobState_Name(job.state()).substr(10), " ", job.spec().label()), begin);
  }
}

void SayDevices(Context& context, const std::string& begin) {
  const auto devices = context.client().Call(context.client().devices(),
                                             &v1::DeviceService::Stub::ListDevices,
                                             v1::ListDevicesRequest(), 1);
  if (!devices.ok()) return;
  for (const v1::Device& device : devices->devices()) Say(support::IdOf(device.name()), device.model(), begin);
}

void SayValues(Context& context, const std::string& name, const std::string& begin) {
  if (name == "job" || name == "--after" || name == "--after-any") return SayJobs(context, begin);
  if (name == "device" || name == "--device") return SayDevices(context, begin);
  if (name == "shell") {
    for (const char* shell : {"bash", "zsh", "fish"}) Say(shell, "", begin);
  } else if (name == "--priority") {
    for (const char* name_of : {"interactive", "normal", "batch"}) Say(name_of, "", begin);
  } else {
    std::printf(":files\n");
  }
}

const CLI::App* VerbOf(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

}  // namespace

void Complete(const CLI::App& root, Context& context, const std::vector<std::string>& words) {
  const CLI::App* at = &root;
  const std::string begin = words.empty() ? "" : words.back();
  size_t positionals = 0;
  const CLI::Option* wants = nullptr;  // an option whose value comes next
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (wants != nullptr) {
      wants = nullptr;
    } else if (absl::StartsWith(word, "-")) {
      const CLI::Option* option = at->get_option_no_throw(word);
      if (option != nullptr && option->get_expected_min() > 0) wants = option;
    } else if (const CLI::App* verb = VerbOf(*at, word)) {
      at = verb;
      positionals = 0;
    } else {
      ++positionals;
    }
  }
  if (wants != nullptr) return SayValues(context, "--" + wants->get_single_name(), begin);
  if (absl::StartsWith(begin, "-")) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const bool value = option->get_expected_min() > 0;
        Say(absl::StrCat("--", name, value ? "=" : ""), option->get_description(), begin);
      }
    }
    return;
  }
  for (const CLI::App* verb : at->get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) Say(verb->get_name(), verb->get_description(), begin);
  }
  size_t index = 0;
  for (const CLI::Option* option : at->get_options()) {
    if (!option->get_positional()) continue;
    const bool last = index++ == positionals || option->get_expected_max() > 1;
    if (last) return SayValues(context, option->get_single_name(), begin);
  }
}

void AddCompletions(CLI::App& app, Context&) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completions", "print the completion script of a shell");
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell] {
    std::printf("%s", *shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish);
  });
}

}  // namespace kernelopt::client
