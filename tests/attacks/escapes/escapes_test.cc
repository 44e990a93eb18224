// Tries to get out of the sandbox, from inside, in a hundred ways (inside.py), as a
// compiler, as a reference and as a solution; and by what a build may name.
#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <mutex>
#include <sstream>

#include "build/compiler.h"
#include "harness/daemon.h"
#include "sandbox/sandbox.h"
#include "support/files.h"

namespace kernelopt::worker {
namespace {

constexpr int kFewest = 110;  // tries; fewer means that the program ended early

// What is outside and must stay there.
class Outside {
 public:
  Outside() {
    std::string name = "/tmp/kopt-secret-XXXXXX";
    folder_ = mkdtemp(name.data());
    std::filesystem::permissions(folder_, std::filesystem::perms::others_read | std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
    test::WriteText(secret(), "s3cret_of_the_outside");
    listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, abstract().data(), abstract().size());
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract().size())), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
  }
  ~Outside() {
    close(listener_);
    std::filesystem::remove_all(folder_);
  }
  const std::string& folder() const { return folder_; }
  std::string secret() const { return folder_ + "/secret"; }
  std::string abstract() const { return "kopt-outside-" + std::to_string(getpid()); }

 private:
  std::string folder_;
  int listener_ = -1;
};

std::string TryFrom(SeccompProfile profile, const Outside& outside) {
  std::mutex mutex;
  std::string said;
  SandboxSpec spec;
  spec.seccomp = profile;
  spec.read_only = {{test::TestsDirectory() + "/attacks/escapes", "/escapes"}};
  spec.arguments = {"/usr/bin/python3", "-B", "/escapes/inside.py", outside.secret(), std::to_string(getpid()), outside.abstract(),
                    std::to_string(geteuid())};
  spec.log = [&](std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex);
    said += text;
  };
  auto sandbox = Sandbox::Spawn(spec);
  EXPECT_TRUE(sandbox.ok()) << sandbox.status();
  if (!sandbox.ok()) return "";
  EXPECT_TRUE((*sandbox)->Wait(std::chrono::seconds(60)).ok());
  sandbox->reset();
  return said;
}

class Escapes : public testing::TestWithParam<SeccompProfile> {};

TEST_P(Escapes, NoneSucceeds) {
  const Outside outside;
  // Bug: a descriptor that whoever started the worker had left open (here 3, as of ctest's log) came along into sandboxes without a socket.
  const support::UniqueFd left_open(open(outside.secret().c_str(), O_RDONLY));
  if (left_open.get() != 3) dup2(left_open.get(), 3);
  const std::string said = TryFrom(GetParam(), outside);
  std::istringstream lines(said);
  std::string line;
  int tried = 0, escaped = 0;
  while (std::getline(lines, line)) {
    if (line.rfind("tried ", 0) == 0) tried = std::atoi(line.c_str() + 6);
    if (line.find(" ESCAPED: ") == std::string::npos) continue;
    ++escaped;
    ADD_FAILURE() << line;
  }
  EXPECT_GE(tried, kFewest) << said;
  std::printf("  %d tries, %d escapes\n", tried, escaped);
}

std::string NameOf(SeccompProfile profile) {
  return profile == SeccompProfile::kCompiler ? "Compiler" : profile == SeccompProfile::kReference ? "Reference" : "Runner";
}

INSTANTIATE_TEST_SUITE_P(As, Escapes, testing::Values(SeccompProfile::kCompiler, SeccompProfile::kReference, SeccompProfile::kRunner),
                         [](const auto& one) { return NameOf(one.param); });

// A build that reaches for a file, by its source and by flags that the server would refuse before.
struct Reach {
  const char* name;
  const char* source;  // SECRET stands for the path
  std::vector<std::string> flags = {};
};

const std::vector<Reach>& Reaches() {
  static const std::vector<Reach> reaches = {
      {"include", "#include \"SECRET\"\n"},
      {"includes_shadow", "#include \"/etc/shadow\"\n"},
      {"includes_proc", "#include \"/proc/self/environ\"\n"},
      {"has_include", "#if __has_include(\"SECRET\")\n#include \"SECRET\"\n#endif\nextern \"C\" void solve(float* y) { *y = 1; }\n"},
      {"incbin", "asm(\".section .rodata\\n.incbin \\\"SECRET\\\"\\n.previous\");\nextern \"C\" void solve(float* y) { *y = 1; }\n"},
      {"assembler_includes", "asm(\".include \\\"SECRET\\\"\");\n"},
      {"line_directive", "#line 1 \"SECRET\"\nerror here;\n"},
      {"climbs", "#include \"../../../../../../../../../../SECRET\"\n"},
      {"include_flag", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-include", "SECRET"}},
      {"response_file", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"@SECRET"}},
      {"plugin", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-fplugin=SECRET"}},
      {"specs", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-specs=SECRET"}},
      {"linker_script", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-Wl,-T,SECRET"}},
      {"version_script", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-Wl,--version-script=SECRET"}},
      {"links_it", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-Wl,--format=binary", "SECRET", "-Wl,--format=default"}},
      {"runs_a_wrapper", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-wrapper", "/bin/cat,SECRET"}},
      {"dumps_the_system", "extern \"C\" void solve(float* y) { *y = 1; }\n", {"-iquote", "/", "-include", "SECRET"}},
  };
  return reaches;
}

std::string WithPath(std::string text, const std::string& path) {
  for (size_t at = text.find("SECRET"); at != std::string::npos; at = text.find("SECRET")) text.replace(at, 6, path);
  return text;
}

class Builds : public testing::TestWithParam<Reach> {};

TEST_P(Builds, SeeNothingOfTheOutside) {
  const Outside outside;
  CompilerOptions options;
  options.cache_directory = outside.folder() + "/cache";
  options.work_directory = outside.folder() + "/work";
  const auto compiler = Compiler::Find(options);
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  std::vector<std::string> flags;
  for (const std::string& flag : GetParam().flags) flags.push_back(WithPath(flag, outside.secret()));
  std::string log;
  const auto built = compiler->Build({{"k.cpp", WithPath(GetParam().source, outside.secret())}}, flags, [&](std::string_view text) { log.append(text); });
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(log.find("s3cret_of"), std::string::npos) << log;
  EXPECT_EQ(log.find("root:"), std::string::npos) << log;
  if (const auto* good = std::get_if<Built>(&*built)) {
    const auto object = support::ReadFile("/proc/self/fd/" + std::to_string(good->object.get()));
    ASSERT_TRUE(object.ok());
    EXPECT_EQ(object->find("s3cret_of"), std::string::npos) << "in the object";
  } else {
    EXPECT_EQ(std::get<BuildProblem>(*built).message.find("s3cret_of"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(By, Builds, testing::ValuesIn(Reaches()), [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace kernelopt::worker
