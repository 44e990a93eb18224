#include "judge/zygote.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "judge/runner.h"

namespace kernelopt::worker {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kImports{120'000}, kFork{20'000};

bool OnlyRootWrites(const fs::path& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return true;
  // Debian's group staff may write /usr/local, where root's PATH begins.
  constexpr gid_t kRoot = 0, kStaff = 50;
  const bool group = (about.st_mode & S_IWGRP) != 0 && about.st_gid != kRoot && about.st_gid != kStaff;
  const bool others = (about.st_mode & S_IWOTH) != 0 || group;
  // In /tmp others can add, but not take away what is root's.
  return about.st_uid == 0 && (!others || (S_ISDIR(about.st_mode) && (about.st_mode & S_ISVTX) != 0));
}

// Everything on the way to it counts: who can rename a folder can put another there.
absl::Status OnlyRootChanges(fs::path path) {
  for (; !path.empty(); path = path.parent_path()) {
    if (!OnlyRootWrites(path)) {
      return absl::FailedPreconditionError(absl::StrCat(path.string(), " can be changed by others than root, who runs the zygote"));
    }
    if (path == path.root_path()) break;
  }
  return absl::OkStatus();
}

// What it imports from, as far as one look tells: the interpreter, its environment,
// their folders of packages.
absl::Status Trustworthy(const std::string& python) {
  std::error_code error;
  const fs::path real = fs::canonical(python, error);
  if (geteuid() != 0) {
    // A child reaches the file by /proc/self/exe, past the read-only mounts.
    struct stat about {};
    const bool own = stat(real.c_str(), &about) == 0 && about.st_uid == geteuid();
    return own ? absl::FailedPreconditionError(absl::StrCat(real.string(), " belongs to the worker's own user")) : absl::OkStatus();
  }
  for (const fs::path& one : {fs::path(python), real}) {
    const fs::path root = one.parent_path().parent_path();
    std::vector<fs::path> paths = {one, root / "lib/python3/dist-packages"};
    for (const fs::path& lib : {root / "lib", root / "local/lib"}) {
      for (const auto& entry : fs::directory_iterator(lib, error)) {
        if (entry.path().filename().string().rfind("python3", 0) != 0) continue;
        for (const char* packages : {"site-packages", "dist-packages"}) paths.push_back(entry.path() / packages);
      }
    }
    for (const fs::path& path : paths) {
      if (absl::Status s = OnlyRootChanges(path); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<pid_t> SpawnIt(const ZygoteOptions& options, int socket) {
  std::vector<std::string> words = {options.python, "-I", "-B", options.script};
  // No home: what lies in a folder that others write is none of its business.
  std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/nonexistent"};
  for (const auto& [name, value] : options.environment) variables.push_back(absl::StrCat(name, "=", value));
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, 3);
  posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, options.python.c_str(), &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return absl::UnavailableError(absl::StrCat(options.python, ": ", std::strerror(failed)));
  return pid;
}

absl::StatusOr<json> Answer(int socket, std::chrono::milliseconds timeout) {
  const absl::StatusOr<std::string> text = ReceivePacket(socket, timeout);
  if (!text.ok()) return absl::AbortedError(absl::StrCat("the zygote: ", std::string(text.status().message())));
  json answer = json::parse(*text, nullptr, false);
  if (!answer.is_object()) return absl::InternalError("the zygote said nonsense");
  if (answer.contains("busy")) return absl::ResourceExhaustedError(answer["busy"].dump());
  if (answer.contains("error")) return absl::FailedPreconditionError(answer["error"].dump());
  return answer;
}

json RequestOf(const SandboxSpec& spec, const Sandbox& sandbox, const std::string& role) {
  json environment = {{"HOME", "/tmp"}, {"TMPDIR", "/tmp"}};
  for (const auto& [name, value] : spec.environment) environment[name] = value;
  const bool root = geteuid() == 0;
  return {{"role", role},
          {"environment", environment},
          {"user", !root},
          {"uid", root ? static_cast<int64_t>(sandbox.uid()) : -1},
          {"cpu", spec.cpu}};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Zygote>> Zygote::Start(const ZygoteOptions& options) {
  if (absl::Status s = Trustworthy(options.python); !s.ok()) return s;
  auto sockets = MakeSocketPair();
  if (!sockets.ok()) return sockets.status();
  const auto pid = SpawnIt(options, sockets->theirs.get());
  if (!pid.ok()) return pid.status();
  std::unique_ptr<Zygote> zygote(new Zygote());
  zygote->options_ = options;
  zygote->pid_ = *pid;
  zygote->socket_ = std::move(sockets->ours);
  return zygote;
}

Zygote::~Zygote() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

absl::StatusOr<std::unique_ptr<Sandbox>> Zygote::Fork(SandboxSpec spec, const std::string& role) {
  if (!trouble_.ok()) return trouble_;
  auto sandbox = TryFork(spec, role);
  // Of the zygote itself; a sandbox that did not start is another matter, once some did.
  const absl::Status& failed = sandbox.status();
  if (!failed.ok() && (!worked_ || absl::IsFailedPrecondition(failed) || absl::IsInternal(failed) || absl::IsAborted(failed))) trouble_ = failed;
  worked_ |= sandbox.ok();
  return sandbox;
}

absl::StatusOr<std::unique_ptr<Sandbox>> Zygote::TryFork(SandboxSpec& spec, const std::string& role) {
  if (!ready_) {
    if (auto answer = Answer(socket_.get(), kImports); !answer.ok()) return answer.status();
    ready_ = true;
  }
  auto anchor = MakeSocketPair();
  if (!anchor.ok()) return anchor.status();
  const int socket = spec.socket_fd;
  spec.arguments = {"/kopt/kopt-runner", "anchor"};
  spec.read_only.emplace_back(options_.anchor, "/kopt/kopt-runner");
  spec.socket_fd = anchor->theirs.get();
  spec.joined = true;
  auto sandbox = Sandbox::Spawn(spec);
  if (!sandbox.ok()) return sandbox.status();
  anchor->theirs.Reset();
  // Before it speaks, the sandbox is not complete.
  if (auto here = ReceivePacket(anchor->ours.get(), kFork); !here.ok()) return here.status();
  auto door = (*sandbox)->Open();
  if (!door.ok()) return door.status();
  const json request = RequestOf(spec, **sandbox, role);
  if (absl::Status s = SendPacket(socket_.get(), request.dump(), {socket, door->log.get(), door->seccomp.get(), door->init, anchor->ours.get()}); !s.ok()) return s;
  const auto answer = Answer(socket_.get(), kFork);
  if (!answer.ok()) return answer.status();
  if (absl::Status s = (*sandbox)->Adopt(answer->value("pid", -1)); !s.ok()) return s;
  return sandbox;
}

}  // namespace kernelopt::worker
