// The small rooms of the server: blobs, logs, roles, hub.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "auth/roles.h"
#include "blobs/blob_files.h"
#include "dispatch/hub.h"
#include "logs/log_files.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

class RoomsTest : public testing::Test {
 protected:
  RoomsTest() {
    std::string name = "/tmp/kopt-rooms-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~RoomsTest() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
};

TEST_F(RoomsTest, ABlobIsThereOnlyWholeAndUnderItsOwnDigest) {
  const auto blobs = BlobFiles::Open(directory_).value();
  const std::string digest = support::Sha256Hex("hello world");
  auto upload = blobs.Begin(100).value();
  ASSERT_TRUE(upload->Append("hello ").ok());
  EXPECT_FALSE(blobs.Read(digest, 0, 100).ok());
  ASSERT_TRUE(upload->Append("world").ok());
  ASSERT_TRUE(upload->Commit(digest).ok());
  EXPECT_EQ(blobs.Read(digest, 0, 100).value(), "hello world");
  EXPECT_EQ(blobs.Read(digest, 6, 3).value(), "wor");
  EXPECT_EQ(blobs.Read(digest, 11, 100).value(), "");
}

TEST_F(RoomsTest, WrongBytesAndTooManyAreRefusedWithoutATrace) {
  const auto blobs = BlobFiles::Open(directory_).value();
  {
    auto upload = blobs.Begin(10).value();
    ASSERT_TRUE(upload->Append("0123456789").ok());
    EXPECT_EQ(support::DetailOf(upload->Append("x")).reason(), "BLOB_TOO_LARGE");
  }
  {
    auto upload = blobs.Begin(10).value();
    ASSERT_TRUE(upload->Append("abc").ok());
    EXPECT_EQ(support::DetailOf(upload->Commit(std::string(64, '0'))).reason(), "DIGEST_MISMATCH");
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/incoming"));
}

TEST_F(RoomsTest, LogChunksMayRepeatAndAreWrittenOnce) {
  LogFiles logs(directory_, 1000);
  ASSERT_TRUE(logs.Append("j", 1, 0, "abc").ok());
  ASSERT_TRUE(logs.Append("j", 1, 0, "abcdef").ok());
  ASSERT_TRUE(logs.Append("j", 1, 3, "def").ok());
  LogFiles restarted(directory_, 1000);
  ASSERT_TRUE(restarted.Append("j", 1, 3, "defg").ok());
  ASSERT_TRUE(restarted.Append("j", 2, 0, "again").ok());
  EXPECT_EQ(restarted.Read("j", 0, 1000)->data, "==> attempt 1 <==\nabcdefg==> attempt 2 <==\nagain");
}

TEST_F(RoomsTest, LogsAreCappedAndSaySo) {
  LogFiles logs(directory_, 100);
  ASSERT_TRUE(logs.Append("j", 1, 0, std::string(500, 'x')).ok());
  ASSERT_TRUE(logs.Append("j", 1, 500, std::string(500, 'y')).ok());
  const auto piece = logs.Read("j", 0, 10'000);
  EXPECT_NE(piece->data.find("[log capped at 100 bytes]"), std::string::npos);
  EXPECT_EQ(piece->data.find('y'), piece->data.find("ytes"));
  EXPECT_TRUE(piece->truncated);
  EXPECT_LT(piece->data.size(), 150u);
}

TEST_F(RoomsTest, ALogNobodyWroteIsEmpty) { EXPECT_EQ(LogFiles(directory_, 10).Read("none", 0, 10)->data, ""); }

TEST(Roles, RootAndTheDaemonAreAdminsListsGiveTheRest) {
  RoleTable table;
  table.daemon_uid = 500;
  table.operator_uids = {7};
  table.worker_uids = {9};
  EXPECT_EQ(RoleOf(0, {}, table), Role::kAdmin);
  EXPECT_EQ(RoleOf(500, {}, table), Role::kAdmin);
  EXPECT_EQ(RoleOf(7, {}, table), Role::kOperator);
  EXPECT_EQ(RoleOf(8, {}, table), Role::kUser);
  EXPECT_TRUE(MayBeWorker(500, table));
  EXPECT_TRUE(MayBeWorker(9, table));
  EXPECT_FALSE(MayBeWorker(8, table));
}

TEST(Roles, GroupsGiveRolesAndKeepStrangersOut) {
  RoleTable table;
  table.operator_groups = {"ops"};
  table.admin_groups = {"admins", "wheel"};
  table.worker_uids = {9};
  EXPECT_EQ(RoleOf(8, {"ops"}, table), Role::kOperator);
  EXPECT_EQ(RoleOf(8, {"ops", "wheel"}, table), Role::kAdmin);
  EXPECT_EQ(RoleOf(8, {"users"}, table), Role::kUser);
  table.user_groups = {"gpu"};
  EXPECT_EQ(RoleOf(8, {"users"}, table), Role::kNone);
  EXPECT_EQ(RoleOf(8, {"gpu"}, table), Role::kUser);
  EXPECT_EQ(RoleOf(9, {}, table), Role::kUser) << "a worker's account need not be in the group";
  EXPECT_EQ(RoleOf(0, {}, table), Role::kAdmin);
}

TEST(Roles, TheSystemTellsTheGroupsOfAUid) {
  const std::vector<std::string> groups = GroupsOf(0);
  EXPECT_NE(std::find(groups.begin(), groups.end(), "root"), groups.end());
  EXPECT_TRUE(GroupsOf(4'000'000'000).empty());
}

TEST(Roles, OwnersAndOperatorsMayOthersMayNot) {
  EXPECT_TRUE(RequireOwner({5, Role::kUser}, 5).ok());
  EXPECT_TRUE(RequireOwner({5, Role::kOperator}, 6).ok());
  EXPECT_EQ(support::DetailOf(RequireOwner({5, Role::kUser}, 6)).reason(), "NOT_OWNER");
  EXPECT_EQ(support::DetailOf(RequireOperator({5, Role::kUser})).reason(), "NEEDS_OPERATOR");
  EXPECT_EQ(support::DetailOf(RequireAdmin({5, Role::kOperator})).reason(), "NEEDS_ADMIN");
}

TEST(Roles, UidListsAreParsedStrictly) {
  std::vector<uint32_t> uids;
  EXPECT_TRUE(ParseUids("1,22", uids).ok());
  EXPECT_EQ(uids, (std::vector<uint32_t>{1, 22}));
  EXPECT_FALSE(ParseUids("bob", uids).ok());
  EXPECT_TRUE(ParseUids("", uids).ok());
}

TEST(Hub, OnlyWatchersOfTheJobAreWokenAndNoneAfterDropping) {
  Hub hub;
  int a = 0, b = 0;
  Hub::Ticket ticket_a = hub.Subscribe("a", [&] { ++a; });
  Hub::Ticket ticket_b = hub.Subscribe("b", [&] { ++b; });
  hub.Publish("a");
  hub.PublishAll();
  EXPECT_EQ(a, 2);
  EXPECT_EQ(b, 1);
  ticket_a.Drop();
  hub.Publish("a");
  EXPECT_EQ(a, 2);
}

TEST(Hub, ProgressIsKeptUntilCleared) {
  Hub hub;
  v1::Progress progress;
  progress.set_done(3);
  hub.SetProgress("a", progress);
  EXPECT_EQ(hub.ProgressOf("a").done(), 3);
  hub.ClearProgress("a");
  EXPECT_EQ(hub.ProgressOf("a").done(), 0);
}

}  // namespace
}  // namespace kernelopt::server
