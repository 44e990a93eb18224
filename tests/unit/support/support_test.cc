#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "support/files.h"
#include "support/ids.h"
#include "support/patience.h"
#include "support/sha256.h"
#include "support/status.h"
#include "support/suggest.h"

namespace kernelopt::support {
namespace {

class Folder {
 public:
  Folder() {
    std::string name = "/tmp/kopt-unit-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, HexIsLowerCaseAndSixtyFourLong) {
  EXPECT_TRUE(IsSha256Hex(std::string(64, 'a')));
  EXPECT_FALSE(IsSha256Hex(std::string(64, 'A')));
  EXPECT_FALSE(IsSha256Hex(std::string(63, 'a')));
  EXPECT_FALSE(IsSha256Hex("../" + std::string(61, 'a')));
}

TEST(Ids, SortByTimeAndDoNotRepeat) {
  EXPECT_LT(NewId(1'000'000), NewId(2'000'000));
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(NewId(5'000'000));
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_EQ(NewId(0).size(), 16u);
}

TEST(Ids, UuidsHaveVersionFour) {
  const std::string uuid = NewUuid();
  ASSERT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(uuid, NewUuid());
}

TEST(Ids, TextThatProtobufWouldNotParseAgainIsMended) {
  EXPECT_EQ(ValidUtf8("plain \xe2\x80\x98quoted\xe2\x80\x99"), "plain \xe2\x80\x98quoted\xe2\x80\x99");
  EXPECT_EQ(ValidUtf8("cut \xe2\x80"), "cut ??");
  EXPECT_EQ(ValidUtf8("latin \xe9 \xff"), "latin ? ?");
  EXPECT_EQ(ValidUtf8("\xc0\xaf \xed\xa0\x80"), "?? ???");
  v1::ErrorDetail detail, back;
  for (int byte = 0; byte < 256; ++byte) {
    detail.set_reason(ValidUtf8(std::string("a") + static_cast<char>(byte) + "b"));
    EXPECT_TRUE(back.ParseFromString(detail.SerializeAsString())) << byte;
  }
}

TEST(Ids, NamesOfOtherFormsAreRefused) {
  EXPECT_EQ(ParseName("jobs/abc", "jobs").value(), "abc");
  for (const char* bad : {"", "jobs/", "job/abc", "jobs/a/b", "abc"}) EXPECT_FALSE(ParseName(bad, "jobs").ok()) << bad;
  EXPECT_FALSE(ParseName("jobs/" + std::string(65, 'a'), "jobs").ok());
}

TEST(Suggest, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"num-trials", "num-warmup", "seed", "submit", "status"};
  EXPECT_EQ(Suggest("trails", names), "num-trials");
  EXPECT_EQ(Suggest("num_trials", names), "num-trials");
  EXPECT_EQ(Suggest("sumbit", names), "submit");
  EXPECT_EQ(Suggest("M", names), "");
  EXPECT_EQ(Suggest("completely-else", names), "");
}

TEST(Suggest, DistanceCountsASwapAsOne) {
  EXPECT_EQ(EditDistance("ab", "ba"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("", "abc"), 3);
}

TEST(Files, DurableWritesReplaceWhole) {
  const Folder folder;
  ASSERT_TRUE(WriteFileDurably(folder / "f", "one").ok());
  ASSERT_TRUE(WriteFileDurably(folder / "f", "two").ok());
  EXPECT_EQ(ReadFile(folder / "f").value(), "two");
  EXPECT_TRUE(absl::IsNotFound(ReadFile(folder / "g").status()));
  EXPECT_FALSE(WriteFileDurably(folder / "no/such", "x").ok());
}

TEST(Files, ALockIsHeldOnceAndSaysByWhom) {
  const Folder folder;
  auto first = LockFile(folder / "lock", "program pid 7");
  ASSERT_TRUE(first.ok());
  const auto second = LockFile(folder / "lock", "other");
  EXPECT_TRUE(absl::IsUnavailable(second.status()));
  EXPECT_NE(std::string(second.status().message()).find("program pid 7"), std::string::npos);
  first->Reset();
  EXPECT_TRUE(LockFile(folder / "lock", "other").ok());
}

TEST(Files, DirectoriesAreMadeWithTheirParents) {
  const Folder folder;
  EXPECT_TRUE(MakeDirectories(folder / "a/b/c").ok());
  EXPECT_TRUE(MakeDirectories(folder / "a/b/c").ok());
  EXPECT_EQ(access((folder / "a/b/c").c_str(), F_OK), 0);
}

TEST(Status, ReasonAndMetadataCrossTheWire) {
  const absl::Status inside =
      ReasonError(absl::StatusCode::kNotFound, Reason::JOB_NOT_FOUND, "no such job", {{"job", "jobs/x"}});
  const grpc::Status wire = ToGrpc(inside);
  EXPECT_EQ(wire.error_code(), grpc::StatusCode::NOT_FOUND);
  v1::RpcStatus rpc;
  ASSERT_TRUE(rpc.ParseFromString(wire.error_details()));
  EXPECT_EQ(rpc.code(), 5);
  ASSERT_EQ(rpc.details_size(), 1);

  const absl::Status outside = FromGrpc(wire);
  EXPECT_EQ(DetailOf(outside).reason(), "JOB_NOT_FOUND");
  EXPECT_EQ(DetailOf(outside).metadata().at("job"), "jobs/x");
  EXPECT_EQ(outside.message(), "no such job");
}

TEST(Status, EveryErrorHasADetailEvenWithoutAReason) {
  v1::RpcStatus rpc;
  ASSERT_TRUE(rpc.ParseFromString(ToGrpc(absl::InternalError("x")).error_details()));
  v1::ErrorDetail detail;
  ASSERT_TRUE(rpc.details(0).UnpackTo(&detail));
  EXPECT_EQ(detail.reason(), "INTERNAL");
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

TEST(Status, RetryAfterIsSetOnlyWhereTryingAgainHelps) {
  const auto with = DetailOf(ReasonError(absl::StatusCode::kUnavailable, Reason::SHUTTING_DOWN, ""));
  const auto without = DetailOf(ReasonError(absl::StatusCode::kNotFound, Reason::JOB_NOT_FOUND, ""));
  EXPECT_TRUE(with.has_retry_after());
  EXPECT_FALSE(without.has_retry_after());
}

TEST(Status, BadRequestListsEachField) {
  const absl::Status bad = BadRequest({{"a", "is wrong"}, {"b", "too"}});
  EXPECT_EQ(DetailOf(bad).field_violations_size(), 2);
  EXPECT_EQ(bad.message(), "a: is wrong; b: too");
}

TEST(Status, ReasonsAreUpperSnake) {
#define KOPT_CHECK(name)                                                            \
  for (const char c : ReasonName(Reason::name)) {                                   \
    EXPECT_TRUE((c >= 'A' && c <= 'Z') || c == '_') << ReasonName(Reason::name);    \
  }                                                                                 \
  EXPECT_EQ(ReasonName(Reason::name), #name);
  KOPT_REASONS(KOPT_CHECK)
#undef KOPT_CHECK
}

// Bug: a virtual machine that stood still for two seconds made an honest kernel a cheat.
TEST(Patience, DoesNotCountTheTimeInWhichTheLoopItselfStoodStill) {
  double now = MonotonicSeconds();
  Patience patience(2, now);
  const auto passes = [&](double seconds) {
    bool over = false;
    for (int i = 0; i < 100; ++i) over = patience.IsOver(now += seconds / 100);
    return over;
  };
  EXPECT_FALSE(passes(1.9));
  now += 10;
  EXPECT_FALSE(passes(0.05));
  EXPECT_TRUE(passes(0.1));
}

}  // namespace
}  // namespace kernelopt::support
