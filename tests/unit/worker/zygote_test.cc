// A process that the zygote forks is kept in as one that bwrap starts: looked at
// from inside, by a solution's file.
#include "judge/zygote.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "build/seal.h"
#include "device/host/host_device.h"
#include "harness/soon.h"
#include "judge/python_process.h"

namespace kernelopt::worker {
namespace {

namespace fs = std::filesystem;

class ZygoteTest : public testing::Test {
 protected:
  ZygoteTest() {
    const std::string bin = KOPT_BIN_DIR;
    options_.scripts = bin;
    options_.wire_library = bin + "/libkopt_wire.so";
    options_.anchor = bin + "/kopt-runner";
    options_.torch = false;
    options_.log = [this](std::string_view text) {
      const std::lock_guard<std::mutex> lock(mutex_);
      log_.append(text);
    };
  }

  // A child ready to be asked, whose sandbox the zygote has made.
  std::unique_ptr<PythonProcess> Fork() {
    if (!options_.zygote) {
      auto zygote = StartZygote(*device_, options_);
      EXPECT_TRUE(zygote.ok()) << zygote.status();
      options_.zygote = *std::move(zygote);
    }
    auto process = PythonProcess::Start(*device_, options_, PythonProcess::Kind::kSolution, -1);
    EXPECT_TRUE(process.ok()) << process.status();
    EXPECT_TRUE(options_.zygote->trouble().ok()) << options_.zygote->trouble();
    EXPECT_TRUE((*process)->WaitReady().ok()) << Log();
    return *std::move(process);
  }

  void Import(PythonProcess& process, const std::string& source) {
    const auto fd = Seal(source + "\ndef run_kernel():\n    pass\n");
    EXPECT_TRUE(process.Exchange({{"op", "file"}, {"path", "s.py"}}, {fd->get()}).ok());
    (void)process.Exchange({{"op", "import"}, {"path", "s.py"}}, {});
  }
  std::string Log() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return log_;
  }

  std::unique_ptr<Device> device_ = MakeHostDevice(0);
  PythonOptions options_;

 private:
  std::mutex mutex_;
  std::string log_;
};

TEST_F(ZygoteTest, AChildHasNoRightsAFilterAndNamespacesOfItsOwn) {
  auto process = Fork();
  Import(*process, R"py(
import ctypes, os, socket
libc = ctypes.CDLL(None)
def call(function, *arguments):
    if function(*arguments) != 0: raise OSError
for line in open("/proc/self/status"):
    if line.startswith(("Cap", "Seccomp:", "NoNewPrivs", "Groups")): print(line.strip())
print("uid", os.getuid() if os.getuid() < 1802436608 else "pool")
for space in ("mnt", "pid", "net", "ipc", "uts"): print(space, os.readlink("/proc/self/ns/" + space))
print("processes", sum(name.isdigit() for name in os.listdir("/proc")))
print("descriptors", sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:4])
for what in ("socket.socket()", "os.listdir('/root')", "os.listdir('/home')", "open('/usr/x', 'w')", "call(libc.unshare, 0x10000000)", "call(libc.mount, b'none', b'/tmp', b'tmpfs', 0, None)", "call(libc.ptrace, 16, 2, 0, 0)", "open('/proc/1/mem', 'r+b')", "call(libc.syscall, 56, 0x8011, 0, 0, 0, 0)", "os.setuid(0)"):
    try:
        eval(what)
        print("ESCAPED", what)
    except Exception as error:
        print("refused", what, type(error).__name__)
for number in (9, 15, 19):
    os.kill(1, number)  # the anchor, which keeps all of this
import importlib.util, resource
print("limits", [resource.getrlimit(one)[1] for one in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS)])
print("finds", importlib.util.find_spec("kopt_gpu") is not None)
print("variables", os.environ["HOME"], os.environ["KOPT_WIRE_LIBRARY"], flush=True)
)py");
  ASSERT_TRUE(test::Soon([&] { return Log().find("variables") != std::string::npos; })) << Log();
  const std::string seen = Log();
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_NE(seen.find(absl::StrCat(set, ":\t0000000000000000")), std::string::npos) << set << seen;
  }
  EXPECT_NE(seen.find("Seccomp:\t2"), std::string::npos) << seen;
  EXPECT_NE(seen.find("NoNewPrivs:\t1"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("ESCAPED"), std::string::npos) << seen;
  EXPECT_NE(seen.find("descriptors [0, 1, 2, 3]"), std::string::npos) << seen;
  EXPECT_NE(seen.find("processes 2"), std::string::npos) << "the anchor, itself: " << seen;
  EXPECT_NE(seen.find("limits [0, 256, 268435456, 34359738368]"), std::string::npos) << seen;
  EXPECT_NE(seen.find("finds True"), std::string::npos) << "scripts that are imported when they are needed: " << seen;
  EXPECT_NE(seen.find("variables /tmp /kopt/libkopt_wire.so"), std::string::npos) << seen;
  for (const char* space : {"mnt", "pid", "net", "ipc", "uts"}) {
    const std::string ours = fs::read_symlink(absl::StrCat("/proc/self/ns/", space)).string();
    EXPECT_EQ(seen.find(ours), std::string::npos) << space << seen;
  }
  EXPECT_EQ(seen.find("uid pool") != std::string::npos, geteuid() == 0) << seen;
}

TEST_F(ZygoteTest, ChildrenSeeNothingOfEachOther) {
  auto one = Fork(), other = Fork();
  EXPECT_NE(one->sandbox().uid() == other->sandbox().uid(), geteuid() == 0);
  Import(*one, "import json; json.marker = 1; open('/tmp/left', 'w').close(); open('/dev/shm/left', 'w').close()");
  Import(*other, "import json, os; print('sees', hasattr(json, 'marker'), os.listdir('/tmp'), os.listdir('/dev/shm'), flush=True)");
  EXPECT_TRUE(test::Soon([&] { return Log().find("sees False ['solution'] []") != std::string::npos; })) << Log();
}

TEST_F(ZygoteTest, EndsAreTold) {
  auto left = Fork();
  Import(*left, "import os; os._exit(7)");
  const auto end = left->sandbox().Wait(std::chrono::seconds(10));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_FALSE(end->signalled);
  EXPECT_EQ(end->code, 7);
  auto died = Fork();
  Import(*died, "import ctypes; ctypes.string_at(0)");
  const auto killed = died->sandbox().Wait(std::chrono::seconds(10));
  ASSERT_TRUE(killed.ok()) << killed.status();
  EXPECT_TRUE(killed->signalled);
  EXPECT_EQ(killed->code, SIGSEGV);
}

TEST_F(ZygoteTest, NothingSurvivesTheSandbox) {
  auto process = Fork();
  Import(*process, "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\n");
  const auto payload = process->sandbox().payload();
  ASSERT_TRUE(payload.ok());
  EXPECT_EQ((*payload)->Count()->processes, 2);
  const uid_t uid = process->sandbox().uid();
  process.reset();
  if (uid == geteuid()) return;  // nothing to tell its processes by
  for (const auto& entry : fs::directory_iterator("/proc")) {
    struct stat about {};
    if (isdigit(entry.path().filename().string()[0]) == 0 || stat(entry.path().c_str(), &about) != 0) continue;
    EXPECT_NE(about.st_uid, uid) << entry.path();
  }
}

TEST_F(ZygoteTest, AnInterpreterThatOthersCanChangeIsNotRunByRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has rights to lose";
  std::string root = "/tmp/kopt-python-XXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  fs::create_directories(root + "/bin");
  fs::create_symlink("/usr/bin/python3", root + "/bin/python3");
  fs::permissions(root, fs::perms::all);
  options_.python = root + "/bin/python3";
  EXPECT_EQ(StartZygote(*device_, options_).status().code(), absl::StatusCode::kFailedPrecondition);
  fs::permissions(root, fs::perms::owner_all);
  EXPECT_TRUE(StartZygote(*device_, options_).ok());
  fs::remove_all(root);
}

TEST_F(ZygoteTest, WithoutOneThatWorksEachProcessImportsByItself) {
  options_.anchor = "/bin/false";  // says nothing: no sandbox can be kept
  auto zygote = StartZygote(*device_, options_);
  ASSERT_TRUE(zygote.ok());
  options_.zygote = *std::move(zygote);
  auto process = PythonProcess::Start(*device_, options_, PythonProcess::Kind::kReference, -1);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_TRUE((*process)->WaitReady().ok());
  EXPECT_FALSE(options_.zygote->trouble().ok());
}

}  // namespace
}  // namespace kernelopt::worker
