#include "auth/roles.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::Reason;
using support::ReasonError;

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
      break;
  }
  return "user";
}

absl::Status ParseUids(const std::string& text, std::vector<uint32_t>& uids) {
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ',', absl::SkipEmpty()))) {
    uint32_t uid = 0;
    if (!absl::SimpleAtoi(part, &uid)) {
      return absl::InvalidArgumentError(absl::StrCat("\"", part, "\" is not a uid (a number)"));
    }
    uids.push_back(uid);
  }
  return absl::OkStatus();
}

Caller CallerOf(uint32_t uid, const RoleTable& table) {
  if (uid == 0 || uid == table.daemon_uid || Lists(table.admin_uids, uid)) {
    return {uid, Role::kAdmin};
  }
  return {uid, Lists(table.operator_uids, uid) ? Role::kOperator : Role::kUser};
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
                                  " is not an operator (auth.operator_uids of kernelopt-d)"));
}

absl::Status RequireAdmin(const Caller& caller) {
  if (caller.role >= Role::kAdmin) return absl::OkStatus();
  return ReasonError(
      absl::StatusCode::kPermissionDenied, Reason::NEEDS_ADMIN,
      absl::StrCat("uid ", caller.uid, " is not an admin (auth.admin_uids of kernelopt-d)"));
}

}  // namespace kernelopt::server
