// Who may do what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace kernelopt::server {

// kNone: may not even look.
enum class Role { kNone, kUser, kOperator, kAdmin };

std::string RoleName(Role role);

// Who is more than a user, by uid or by group. Root and the daemon's own uid
// are admins without being listed.
struct RoleTable {
  uint32_t daemon_uid = 0;
  std::vector<uint32_t> operator_uids, admin_uids, worker_uids;
  std::vector<std::string> user_groups;  // empty: everybody is a user
  std::vector<std::string> operator_groups, admin_groups;
};

// Names of the groups of a uid, as the system's user database has them now. May
// block (LDAP): only the accept thread asks.
std::vector<std::string> GroupsOf(uint32_t uid);

// "1000,kopt-worker" -> uids. INVALID_ARGUMENT when an entry is neither a number
// nor the name of a user.
absl::Status ParseUids(const std::string& text, std::vector<uint32_t>& uids);

// A caller with their role.
struct Caller {
  uint32_t uid = 0;
  Role role = Role::kUser;
};

Role RoleOf(uint32_t uid, const std::vector<std::string>& groups, const RoleTable& table);
// May this uid attach as a worker (it also needs the token).
bool MayBeWorker(uint32_t uid, const RoleTable& table);

// PERMISSION_DENIED NOT_OWNER unless the caller owns it or is operator.
absl::Status RequireOwner(const Caller& caller, uint32_t owner_uid);
// PERMISSION_DENIED NEEDS_OPERATOR.
absl::Status RequireOperator(const Caller& caller);
// PERMISSION_DENIED NEEDS_ADMIN.
absl::Status RequireAdmin(const Caller& caller);

}  // namespace kernelopt::server
