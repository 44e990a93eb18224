#include "device/self_test.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "device/host/host_device.h"
#include "device/host/host_ops.h"
#include "device/last_words.h"

namespace kernelopt::worker {
namespace {

TEST(SelfTest, ASoundDevicePasses) {
  const auto host = MakeHostDevice(0);
  EXPECT_TRUE(SelfTest(*host).ok()) << SelfTest(*host);
}

// An address line that is stuck: what is written to the second half appears in
// the first.
TEST(SelfTest, MemoryThatIsSeenTwiceDoesNot) {
  constexpr size_t kHalf = 64 << 10;
  const int fd = memfd_create("half", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, kHalf), 0);
  char* const both = static_cast<char*>(mmap(nullptr, 2 * kHalf, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (const size_t at : {size_t{0}, kHalf}) {
    ASSERT_NE(mmap(both + at, kHalf, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0), MAP_FAILED);
  }
  const absl::Status status = SelfTest(*MakeHostOps(), both, 2 * kHalf);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(status.message().find("does not hold"), std::string::npos) << status;
  munmap(both, 2 * kHalf);
  close(fd);
}

TEST(LastWords, AreKeptWhereAskedAndTakenOnce) {
  std::string path = "/tmp/kopt-words-XXXXXX";
  close(mkstemp(path.data()));
  KeepLastWords(path);
  LastWords("the GPU failed the judge");
  EXPECT_EQ(TakeLastWords(path), "the GPU failed the judge");
  EXPECT_EQ(TakeLastWords(path), "");
  KeepLastWords("");
  LastWords("nobody asks");
  EXPECT_EQ(TakeLastWords(path), "");
}

}  // namespace
}  // namespace kernelopt::worker
