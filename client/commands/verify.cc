// Checks result.json without a daemon.
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/commands/command.h"
#include "client/output/print.h"
#include "support/ed25519.h"
#include "support/files.h"
#include "support/statement.h"

namespace kernelopt::client {
namespace {

using nlohmann::json;

struct Options {
  std::string file, key;
  bool show_key = false;
};

// Of result.json, or of what `koptctl --json result` prints, which has no job.
struct Given {
  v1::JobResult result;
  std::optional<v1::Job> job;
};

absl::Status Parse(const std::string& path, const json& from, google::protobuf::Message& to) {
  const auto read = google::protobuf::util::JsonStringToMessage(from.dump(), &to);
  if (read.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::string(read.message()), "; a newer koptctl may have made it"));
}

absl::StatusOr<Given> ReadGiven(const std::string& path) {
  const auto text = support::ReadFile(path);
  if (!text.ok()) return text.status();
  const json parsed = json::parse(*text, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("result")) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no result.json (`koptctl report JOB --format=result.json` prints one)"));
  }
  Given given;
  if (absl::Status s = Parse(path, parsed["result"], given.result); !s.ok()) return s;
  if (!parsed.contains("job")) return given;
  given.job.emplace();
  if (absl::Status s = Parse(path, parsed["job"], *given.job); !s.ok()) return s;
  return given;
}

// The job beside the result repeats some of it.
void AddChangedOfJob(const v1::Job& job, const v1::JobResult& result, std::vector<std::string>& changed) {
  if (support::SpecDigest(job.spec()) != support::SpecIn(result.signature().statement())) changed.push_back("spec");
  if (job.name() != result.job()) changed.push_back("job");
  if (job.summary().SerializeAsString() != support::SummaryOf(result).SerializeAsString()) changed.push_back("the job's summary");
}

// Hex digits, or a file of them (<state>/signing.key.pub).
absl::StatusOr<std::string> ReadKey(const std::string& given) {
  std::string key = support::FromHex(given);
  if (key.size() != 32) {
    const auto text = support::ReadFile(given);
    key = text.ok() ? support::FromHex(std::string(absl::StripAsciiWhitespace(*text))) : "";
  }
  if (key.size() == 32) return key;
  return absl::InvalidArgumentError(absl::StrCat("--key=", given, " is neither a public key (64 hex digits) nor a file with one"));
}

// Empty: it holds.
std::string WhatIsWrong(const Given& given, const std::string& key) {
  const v1::JobResult& result = given.result;
  const v1::Signature& s = result.signature();
  if (s.signature().empty()) return "it is not signed; daemons sign results since 0.1.0";
  if (s.algorithm() != "ed25519") return absl::StrCat("signed by ", s.algorithm(), ", which this koptctl does not know");
  if (!key.empty() && key != s.public_key()) {
    return absl::StrCat("it is signed by key ", support::KeyId(s.public_key()), ", not by ", support::KeyId(key));
  }
  if (!support::SignatureHolds(s.public_key(), s.statement(), s.signature())) return "the signature does not belong to its statement";
  auto changed = support::ChangedLines(s.statement(), support::StatementOf(result, support::SpecIn(s.statement())));
  if (given.job) AddChangedOfJob(*given.job, result, changed);
  return changed.empty() ? "" : absl::StrCat("changed since it was signed: ", absl::StrJoin(changed, ", "));
}

void Print(const Context& context, const Options& options, const v1::JobResult& result, const std::string& wrong) {
  const v1::Signature& s = result.signature();
  const std::string id = s.public_key().empty() ? "" : support::KeyId(s.public_key());
  if (context.json) {
    const json out = {{"schema_version", 1},
                      {"verify", {{"holds", wrong.empty()}, {"wrong", wrong}, {"key_id", id}, {"public_key", support::ToHex(s.public_key())},
                                  {"key_given", !options.key.empty()}, {"statement", s.statement()}}}};
    std::printf("%s\n", out.dump().c_str());
    return;
  }
  if (!wrong.empty()) return;
  std::printf("%s holds: signed by key %s over\n\n", options.file.c_str(), id.c_str());
  for (const auto& line : absl::StrSplit(s.statement(), '\n', absl::SkipEmpty())) std::printf("  %s\n", std::string(line).c_str());
  if (options.key.empty()) {
    std::fprintf(stderr, "\nwhose key that is, --key=KEY would tell: the owner of the box prints it with `koptctl verify --show-key`\n");
  }
}

Exit ShowKey(Context& context) {
  const auto key = context.client().Call(context.client().system(), &v1::SystemService::Stub::GetSigningKey, v1::GetSigningKeyRequest());
  if (!key.ok()) return Fail(context, key.status());
  if (context.json) {
    const json out = {{"schema_version", 1}, {"signing_key", {{"algorithm", key->algorithm()}, {"key_id", key->key_id()}, {"public_key", support::ToHex(key->public_key())}}}};
    std::printf("%s\n", out.dump().c_str());
  } else {
    std::printf("%s\n", support::ToHex(key->public_key()).c_str());
  }
  return Exit::kOk;
}

Exit Run(Context& context, const Options& options) {
  if (options.show_key) return ShowKey(context);
  if (options.file.empty()) return UsageError(context, "verify needs a result.json, or --show-key");
  const auto given = ReadGiven(options.file);
  if (!given.ok()) return Fail(context, given.status());
  const auto key = options.key.empty() ? absl::StatusOr<std::string>("") : ReadKey(options.key);
  if (!key.ok()) return UsageError(context, std::string(key.status().message()));
  const std::string wrong = WhatIsWrong(*given, *key);
  Print(context, options, given->result, wrong);
  if (wrong.empty()) return Exit::kOk;
  if (!context.json) std::fprintf(stderr, "%s does not hold: %s\n", options.file.c_str(), wrong.c_str());
  return Exit::kUnexpected;
}

}  // namespace

void AddVerify(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("verify", "check the signature of a result.json, offline");
  command->add_option("file", options->file, "result.json, as report writes it");
  command->add_option("--key", options->key, "public key that it must be signed with: 64 hex digits, or a file of them");
  command->add_flag("--show-key", options->show_key, "print the public key of the daemon instead");
  command->callback([&context, options] { context.exit = Run(context, *options); });
}

}  // namespace kernelopt::client
