#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/commands/command.h"
#include "client/lib/people.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

struct Options {
  std::string user;
  std::vector<std::string> limits, names;
};

std::string Of(const std::string& used, const std::string& limit, bool limited) {
  return limited ? absl::StrCat(used, " of ", limit) : used;
}
std::string Count(int64_t used, int64_t limit) {
  return Of(absl::StrCat(used), absl::StrCat(limit), limit > 0);
}
std::string Bytes(int64_t used, int64_t limit) {
  return Of(BytesText(used), BytesText(limit), limit > 0);
}
std::string Seconds(double used, int64_t limit) {
  return Of(absl::StrFormat("%.1f s", used), absl::StrFormat("%d s", limit), limit > 0);
}

Exit Show(Context& context, const std::string& user) {
  v1::GetQuotaRequest request;
  if (!user.empty()) {
    const auto uid = ParseUser(user);
    if (!uid.ok()) return Fail(context, uid.status());
    request.set_uid(*uid);
  }
  const auto response =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::GetQuota, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("quota", *response);
    return Exit::kOk;
  }
  const v1::Quota& limits = response->limits();
  const v1::QuotaUsage& used = response->used();
  const auto own = [&](const std::string& name) {
    for (const std::string& set : response->own_limits()) {
      if (set == name) return "own";
    }
    return "default";
  };
  std::printf("%s (uid %u)\n", UserName(response->uid()).c_str(), response->uid());
  PrintTable({"LIMIT", "USED", "SET"},
             {{"queued_jobs", Count(used.queued_jobs(), limits.queued_jobs()), own("queued_jobs")},
              {"running_jobs", Count(used.running_jobs(), limits.running_jobs()), own("running_jobs")},
              {"turn_seconds_per_day", Seconds(used.turn_seconds_today(), limits.turn_seconds_per_day()),
               own("turn_seconds_per_day")},
              {"submissions_per_minute",
               Count(static_cast<int64_t>(used.submissions()), limits.submissions_per_minute()),
               own("submissions_per_minute")},
              {"blob_bytes", Bytes(used.blob_bytes(), limits.blob_bytes()), own("blob_bytes")},
              {"log_bytes", Bytes(used.log_bytes(), limits.log_bytes()), own("log_bytes")},
              {"share_percent",
               absl::StrFormat("%.1f s of turns lately, weight %d %%", used.decayed_turn_seconds(),
                               limits.share_percent()),
               own("share_percent")}});
  return Exit::kOk;
}

Exit List(Context& context) {
  v1::ListQuotasRequest request;
  request.set_page_size(1000);
  const auto response =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::ListQuotas, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("quotas", *response);
    return Exit::kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::GetQuotaResponse& user : response->users()) {
    const v1::Quota& limits = user.limits();
    const v1::QuotaUsage& used = user.used();
    rows.push_back({UserName(user.uid()), Count(used.queued_jobs(), limits.queued_jobs()),
                    Count(used.running_jobs(), limits.running_jobs()),
                    Seconds(used.turn_seconds_today(), limits.turn_seconds_per_day()),
                    absl::StrFormat("%.1f s", used.decayed_turn_seconds()),
                    absl::StrFormat("%d %%", limits.share_percent()),
                    Bytes(used.blob_bytes(), limits.blob_bytes()),
                    Bytes(used.log_bytes(), limits.log_bytes())});
  }
  PrintTable({"USER", "QUEUED", "RUNNING", "TODAY", "LATELY", "WEIGHT", "FILES", "LOGS"}, rows);
  return Exit::kOk;
}

Exit Change(Context& context, const Options& options) {
  const auto uid = ParseUser(options.user);
  if (!uid.ok()) return Fail(context, uid.status());
  v1::SetQuotaRequest request;
  request.set_uid(*uid);
  for (const std::string& given : options.limits) {
    const std::vector<std::string> parts = absl::StrSplit(given, absl::MaxSplits('=', 1));
    int64_t value = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &value)) {
      return UsageError(context, absl::StrCat("\"", given, "\" is not NAME=NUMBER, for example "
                                              "queued_jobs=100; `koptctl quota` shows the names"));
    }
    (*request.mutable_limits())[parts[0]] = value;
  }
  for (const std::string& name : options.names) request.add_reset(name);
  const auto response =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::SetQuota, request);
  if (!response.ok()) return Fail(context, response.status());
  return Show(context, options.user);
}

}  // namespace

void AddQuota(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("quota", "your limits and what you used of them");
  command->require_subcommand(0, 1);
  command->callback([&context, command] {
    if (command->get_subcommands().empty()) context.exit = Show(context, "");
  });
  CLI::App* show = command->add_subcommand("show", "those of another user (operators)");
  show->add_option("user", options->user, "name or uid")->required();
  show->callback([&context, options] { context.exit = Show(context, options->user); });
  command->add_subcommand("list", "every user, the one that used most first (operators)")
      ->callback([&context] { context.exit = List(context); });
  CLI::App* set = command->add_subcommand("set", "change limits of a user (admins)");
  set->add_option("user", options->user, "name or uid")->required();
  set->add_option("limits", options->limits, "NAME=NUMBER; 0 means no limit")->required();
  set->callback([&context, options] { context.exit = Change(context, *options); });
  CLI::App* reset = command->add_subcommand("reset", "back to the defaults (admins)");
  reset->add_option("user", options->user, "name or uid")->required();
  reset->add_option("names", options->names, "names of limits")->required();
  reset->callback([&context, options] { context.exit = Change(context, *options); });
}

}  // namespace kernelopt::client
