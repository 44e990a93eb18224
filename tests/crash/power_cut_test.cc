// The power is cut at a random moment, again and again: what was acknowledged is
// there afterwards. TEST_CUTS sets the number (500), TEST_SEED gives others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "crash/box.h"
#include "crash/sim_disk.h"
#include "harness/wanted.h"
#include "support/disk.h"
#include "spdlog/spdlog.h"

namespace kernelopt::test {
namespace {

namespace fs = std::filesystem;

std::string MakeDirectory() {
  std::string name = "/dev/shm/kopt-cut-XXXXXX";
  return mkdtemp(name.data());
}

TEST(PowerCut, AfterFiveHundredCutsEverythingPromisedIsThere) {
  spdlog::set_level(spdlog::level::off);
  const int cuts = Wanted("TEST_CUTS", 500);
  int promises = 0, refused_starts = 0;
  std::mt19937 random(static_cast<unsigned>(Wanted("TEST_SEED", 1)));
  auto box = std::make_unique<Box>(MakeDirectory());
  for (int i = 0; i < cuts; ++i) {
    const auto seed = static_cast<unsigned>(random());
    std::mt19937 dice(seed);
    // A box that has been cut goes on after most cuts; now and then a new one,
    // because making a database is a delicate time too.
    if (i % 5 == 0) {
      promises += box->promises();
      fs::remove_all(box->directory());
      box = std::make_unique<Box>(MakeDirectory());
    }
    const std::string image = MakeDirectory();
    {
      SimDisk disk(box->directory());
      disk.CutAt(1 + dice() % (i % 5 == 0 ? 900 : 250));
      if (box->Open().ok()) {
        for (int step = 0; step < 60; ++step) {
          if (dice() % 4 == 0) {
            box->Burst(1 + static_cast<int>(dice() % 6), dice);
          } else {
            (void)box->Step(dice);
          }
        }
      } else {
        ++refused_starts;  // the cut came while it opened
      }
      box->Close();
      disk.WriteImage(image, dice);
    }
    fs::remove_all(box->directory());
    box->MoveTo(image);
    const absl::Status opened = box->Open();
    ASSERT_TRUE(opened.ok()) << "cut " << i << " seed " << seed << ": " << opened;
    ASSERT_EQ(box->Check(), "") << "cut " << i << " seed " << seed << " in " << image;
    box->Close();
  }
  promises += box->promises();
  fs::remove_all(box->directory());
  std::printf("%d power cuts (%d while it started), %d promises, 0 broken\n", cuts, refused_starts, promises);
  EXPECT_GT(promises, cuts) << "work must be done for this to mean anything";
}

// The bug of cut 390: a database that is being made is not yet in WAL mode, and
// its rollback journal counts as on disk once it was synced. Every call of a
// first start, and then of the start after it, is a place to cut.
TEST(PowerCut, AtEveryCallOfAFirstStart) {
  spdlog::set_level(spdlog::level::off);
  int starts = 0;
  bool finished = false;
  for (int at = 1; !finished; ++at) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      std::mt19937 dice(seed * 100'000 + static_cast<unsigned>(at));
      Box box(MakeDirectory());
      for (int start = 0; start < 2; ++start) {
        const std::string image = MakeDirectory();
        {
          SimDisk disk(box.directory());
          disk.CutAt(at);
          finished = box.Open().ok() && disk.calls() < at;
          box.Close();
          disk.WriteImage(image, dice);
        }
        fs::remove_all(box.directory());
        box.MoveTo(image);
        ++starts;
      }
      const absl::Status opened = box.Open();
      ASSERT_TRUE(opened.ok()) << "cut at call " << at << " seed " << seed << ": " << opened;
      ASSERT_EQ(box.Check(), "") << "cut at call " << at << " seed " << seed;
      box.Close();
      fs::remove_all(box.directory());
    }
  }
  std::printf("%d starts cut at each of their calls, 0 refused afterwards\n", starts);
}

// A disk that forgets what was not synced must be able to make this test fail.
TEST(PowerCut, TheSimulatedDiskForgetsWhatWasNotSynced) {
  const std::string directory = MakeDirectory(), image = MakeDirectory();
  std::mt19937 dice(1);
  int lost = 0;
  {
    SimDisk disk(directory);
    for (int i = 0; i < 20; ++i) {
      const std::string path = directory + "/f" + std::to_string(i);
      const int fd = support::Disk::Current().Open(path, O_WRONLY | O_CREAT, 0600);
      support::Disk::Current().Write(fd, "promise", 7);
      close(fd);
    }
    disk.WriteImage(image, dice);
  }
  for (int i = 0; i < 20; ++i) {
    std::error_code none;
    lost += fs::file_size(image + "/f" + std::to_string(i), none) == 7 ? 0 : 1;
  }
  EXPECT_GT(lost, 5);
  fs::remove_all(directory);
  fs::remove_all(image);
}

}  // namespace
}  // namespace kernelopt::test
