#include "auth/roles.h"

#include <grp.h>
#include <pwd.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::Reason;
using support::ReasonError;

bool Meet(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

bool Lists(const std::vector<uint32_t>& uids, uint32_t uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

}  // namespace

std::string RoleName(Role role) {
  switch (role) {
    case Role::kAdmin:
      return "admin";
    case Role::kOperator:
      return "operator";
    case Role::kUser:
      return "user";
    case Role::kNone:
      break;
  }
  return "none";
}

absl::Status ParseUids(const std::string& text, std::vector<uint32_t>& uids) {
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ',', absl::SkipEmpty()))) {
    uint32_t uid = 0;
    std::vector<char> buffer(64 << 10);
    passwd entry{};
    passwd* user = nullptr;
    if (!absl::SimpleAtoi(part, &uid)) {
      getpwnam_r(part.c_str(), &entry, buffer.data(), buffer.size(), &user);
      if (user == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("\"", part, "\" is neither a uid nor a user of this machine"));
      }
      uid = user->pw_uid;
    }
    uids.push_back(uid);
  }
  return absl::OkStatus();
}

std::vector<std::string> GroupsOf(uint32_t uid) {
  std::vector<char> buffer(64 << 10);
  passwd entry{};
  passwd* user = nullptr;
  if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &user) != 0 || user == nullptr) return {};
  int count = 64;
  std::vector<gid_t> gids(static_cast<size_t>(count));
  if (getgrouplist(user->pw_name, user->pw_gid, gids.data(), &count) < 0) {
    gids.resize(static_cast<size_t>(count));
    if (getgrouplist(user->pw_name, user->pw_gid, gids.data(), &count) < 0) return {};
  }
  gids.resize(static_cast<size_t>(count));
  std::vector<std::string> names;
  std::vector<char> text(256 << 10);
  for (const gid_t gid : gids) {
    group found{};
    group* out = nullptr;
    if (getgrgid_r(gid, &found, text.data(), text.size(), &out) == 0 && out != nullptr) {
      names.emplace_back(found.gr_name);
    }
  }
  return names;
}

Role RoleOf(uint32_t uid, const std::vector<std::string>& groups, const RoleTable& table) {
  if (uid == 0 || uid == table.daemon_uid || Lists(table.admin_uids, uid) ||
      Meet(groups, table.admin_groups)) {
    return Role::kAdmin;
  }
  if (Lists(table.operator_uids, uid) || Meet(groups, table.operator_groups)) return Role::kOperator;
  // Workers may have an account of their own that is in no group.
  const bool user = table.user_groups.empty() || Meet(groups, table.user_groups) ||
                    Lists(table.worker_uids, uid);
  return user ? Role::kUser : Role::kNone;
}

bool MayBeWorker(uint32_t uid, const RoleTable& table) {
  return uid == table.daemon_uid || Lists(table.worker_uids, uid);
}

absl::Status RequireOwner(const Caller& caller, uint32_t owner_uid) {
  if (caller.uid == owner_uid || caller.role >= Role::kOperator) return absl::OkStatus();
  return ReasonError(absl::StatusCode::kPermissionDenied, Reason::NOT_OWNER,
                     absl::StrCat("this job belongs to uid ", owner_uid, ", you are uid ",
                                  caller.uid));
}

absl::Status RequireOperator(const Caller& caller) {
  if (caller.role >= Role::kOperator) return absl::OkStatus();
  return ReasonError(absl::StatusCode::kPermissionDenied, Reason::NEEDS_OPERATOR,
                     absl::StrCat("uid ", caller.uid,
                                  " is not an operator (auth.operator_groups, auth.operator_uids of "
                                  "kernelopt-d)"));
}

absl::Status RequireAdmin(const Caller& caller) {
  if (caller.role >= Role::kAdmin) return absl::OkStatus();
  return ReasonError(
      absl::StatusCode::kPermissionDenied, Reason::NEEDS_ADMIN,
      absl::StrCat("uid ", caller.uid, " is not an admin (auth.admin_groups, auth.admin_uids "
                       "of kernelopt-d)"));
}

}  // namespace kernelopt::server
