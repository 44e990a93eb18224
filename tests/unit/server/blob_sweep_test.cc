#include "store/blob_sweep.h"

#include <future>

#include "blobs/blob_files.h"
#include "store_fixture.h"
#include "support/clock.h"
#include "support/sha256.h"

namespace kernelopt::server {
namespace {

class BlobSweepTest : public StoreTest {
 protected:
  BlobSweepTest() : files_(BlobFiles::Open(directory_ + "/blobs").value()) {}
  ~BlobSweepTest() override { database_.reset(); }

  std::string MakeFile(const std::string& bytes) {
    const std::string digest = support::Sha256Hex(bytes);
    auto upload = files_.Begin(1000).value();
    EXPECT_TRUE(upload->Append(bytes).ok());
    EXPECT_TRUE(upload->Commit(digest).ok());
    return digest;
  }
  absl::Status AddRow(const std::string& digest) {
    return Write([&](SQLite::Database& db) { return AddBlob(db, digest, 1, 1000, 0, 1); });
  }
  // Until everything asked for has been done: removals follow on the writer.
  void Settle() {
    std::promise<void> looked;
    database_->ReadLong([](SQLite::Database&) { return absl::OkStatus(); },
                        [&](const absl::Status&) { looked.set_value(); });
    looked.get_future().wait();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(Write([](SQLite::Database&) { return absl::OkStatus(); }).ok());
    }
  }
  static int64_t Later() { return support::Clock::Real().WallUs() + 1'000'000; }

  BlobFiles files_;
};

TEST_F(BlobSweepTest, FilesWithoutARowGoOnceTheyAreOld) {
  const std::string orphan = MakeFile("orphan"), known = MakeFile("known");
  ASSERT_TRUE(AddRow(known).ok());
  SweepOrphanFiles(*database_, files_, Later() - 3600'000'000);
  Settle();
  EXPECT_TRUE(files_.Has(orphan)) << "it may be an upload whose row is on its way";
  SweepOrphanFiles(*database_, files_, Later());
  Settle();
  EXPECT_FALSE(files_.Has(orphan));
  EXPECT_TRUE(files_.Has(known));
}

TEST_F(BlobSweepTest, AStaleBlobLosesRowAndFile) {
  const std::string stale = MakeFile("stale");
  ASSERT_TRUE(AddRow(stale).ok());
  SweepStaleBlobs(*database_, files_, 1);
  Settle();
  EXPECT_TRUE(files_.Has(stale)) << "touched at 1, not before it";
  SweepStaleBlobs(*database_, files_, 2);
  Settle();
  EXPECT_FALSE(files_.Has(stale));
}

// The bug: the sweep's row and the new row shared a commit, and the removal came
// after both.
TEST_F(BlobSweepTest, ABlobWrittenAgainWhileItIsSweptKeepsItsFile) {
  const std::string digest = MakeFile("again");
  ASSERT_TRUE(AddRow(digest).ok());
  std::promise<void> go;
  database_->Write(  // what comes next waits together, for one commit
      [&](SQLite::Database&) {
        go.get_future().wait();
        return absl::OkStatus();
      },
      nullptr);
  SweepStaleBlobs(*database_, files_, 2);
  bool there = false;
  std::promise<absl::Status> added;
  database_->Write(
      [&](SQLite::Database& db) {
        there = files_.Has(digest);  // as BlobService asks
        return AddBlob(db, digest, 1, 1000, 0, 5);
      },
      [&](const absl::Status& status) { added.set_value(status); });
  go.set_value();
  ASSERT_TRUE(added.get_future().get().ok());
  ASSERT_TRUE(there);
  Settle();
  EXPECT_TRUE(files_.Has(digest));
}

}  // namespace
}  // namespace kernelopt::server
