#include "judge/runner.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "judge/answers.h"
#include "support/clock.h"

namespace kernelopt::worker {
namespace {

constexpr std::chrono::milliseconds kLoadTimeout{20'000};

static_assert(kMaxParameters <= wire::kMaxArguments && kMaxParameters <= wire::kMaxTensors);

wire::ArgumentKind KindOf(DType type) {
  switch (type) {
    case DType::kFloat64: return wire::ArgumentKind::kDouble;
    case DType::kInt8: return wire::ArgumentKind::kInt8;
    case DType::kInt16: return wire::ArgumentKind::kInt16;
    case DType::kInt32: return wire::ArgumentKind::kInt32;
    case DType::kInt64: return wire::ArgumentKind::kInt64;
    case DType::kBool:
    case DType::kUint8: return wire::ArgumentKind::kUint8;
    case DType::kUint16: return wire::ArgumentKind::kUint16;
    case DType::kUint32: return wire::ArgumentKind::kUint32;
    case DType::kUint64: return wire::ArgumentKind::kUint64;
    default: return wire::ArgumentKind::kFloat;
  }
}

// Arguments in the order of this signature; tensors by contract index.
// `call` takes a part of solve's parameters, by name.
absl::Status DescribeSide(const std::optional<Parameters>& list, const SolveSignature& signature,
                          wire::SideCall& call) {
  call = {};
  call.there = list ? 1 : 0;
  if (!list) return absl::OkStatus();
  for (const SolveParameter& wanted : *list) {
    const auto found = std::find_if(signature.parameters.begin(), signature.parameters.end(),
                                    [&](const SolveParameter& p) { return p.name == wanted.name; });
    if (found == signature.parameters.end() || call.argument_count >= wire::kMaxArguments) {
      return absl::InvalidArgumentError(absl::StrCat(wanted.name, " is not a parameter of solve"));
    }
    call.arguments[call.argument_count++] = static_cast<uint16_t>(found - signature.parameters.begin());
  }
  return absl::OkStatus();
}

// Arguments in the order of this signature; tensors by contract index.
absl::Status DescribeCall(Arena& arena, const SolveSignature& signature, wire::ControlPage& page) {
  const std::vector<Parameter>& parameters = arena.contract().parameters;
  page.argument_count = static_cast<uint32_t>(signature.parameters.size());
  page.tensor_count = 0;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    wire::Argument& argument = page.arguments[i];
    argument = {};
    if (signature.parameters[i].stream) {
      argument.kind = wire::ArgumentKind::kStream;
      continue;
    }
    if (signature.parameters[i].workspace) {
      argument.kind = wire::ArgumentKind::kPointer;
      argument.tensor = wire::kWorkspace;
      continue;
    }
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) {
      return p.name == signature.parameters[i].name;
    });
    if (found->tensor()) {
      argument.kind = wire::ArgumentKind::kPointer;
      argument.tensor = page.tensor_count;
      page.tensors[page.tensor_count] = arena.WireTensor(static_cast<size_t>(found - parameters.begin()));
      page.tensors[page.tensor_count++].lasting = found->lasting() ? 1 : 0;
    } else {
      argument.kind = KindOf(found->dtype);
      argument.integer = found->int_value;
      argument.real = found->real_value;
    }
  }
  page.object_bytes[0] = static_cast<uint64_t>(arena.inputs().size());
  page.object_bytes[1] = static_cast<uint64_t>(arena.outputs().size());
  if (absl::Status s = DescribeSide(signature.prepare, signature, page.prepare); !s.ok()) return s;
  return DescribeSide(signature.workspace_bytes, signature, page.workspace);
}

}  // namespace

void LetIn(const Reach& reach, SandboxSpec& spec) {
  spec.devices.insert(spec.devices.end(), reach.nodes.begin(), reach.nodes.end());
  spec.environment.insert(spec.environment.end(), reach.environment.begin(), reach.environment.end());
  spec.allowed_calls.insert(spec.allowed_calls.end(), reach.calls.begin(), reach.calls.end());
  if (reach.address_limit) return;
  spec.limits.address_bytes = 0;
  spec.limits.file_bytes = 0;  // the driver maps files of its own
}

absl::StatusOr<SocketPair> MakeSocketPair() {
  std::array<int, 2> fds{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    return support::ErrnoStatus("socketpair", "");
  }
  const int size = 512 << 10;
  for (const int fd : fds) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return SocketPair{support::UniqueFd(fds[0]), support::UniqueFd(fds[1])};
}

absl::Status SendPacket(int socket, std::string_view text, std::initializer_list<int> fds) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fds.size() > 0) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), fds.begin(), fds.size() * sizeof(int));
  }
  if (sendmsg(socket, &header, MSG_NOSIGNAL) < 0) {
    return absl::UnavailableError(absl::StrCat("the process is gone: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReceivePacket(int socket, std::chrono::milliseconds timeout) {
  pollfd wait{socket, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&wait, 1, static_cast<int>(timeout.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return absl::DeadlineExceededError("no answer in time");
  std::string text(wire::kMaxMessage, '\0');
  const ssize_t n = recv(socket, text.data(), text.size(), MSG_DONTWAIT);
  if (n <= 0) return absl::UnavailableError("the process is gone");
  text.resize(static_cast<size_t>(n));
  return text;
}

absl::StatusOr<std::unique_ptr<Runner>> Runner::Start(Device& device, const RunnerOptions& options,
                                                      int64_t buffer_bytes, int cpu) {
  auto sockets = MakeSocketPair();
  if (!sockets.ok()) return sockets.status();
  SandboxSpec spec;
  spec.arguments = {"/kopt/kopt-runner"};
  spec.read_only = {{options.program, "/kopt/kopt-runner"}};
  spec.seccomp = SeccompProfile::kRunner;
  spec.limits.address_bytes = options.address_bytes + 2 * buffer_bytes;
  LetIn(device.reach(), spec);
  spec.socket_fd = sockets->theirs.get();
  spec.cpu = cpu;
  spec.log = options.log;
  auto sandbox = Sandbox::Spawn(spec);
  if (!sandbox.ok()) return sandbox.status();
  std::unique_ptr<Runner> runner(new Runner());
  runner->sandbox_ = *std::move(sandbox);
  runner->socket_ = std::move(sockets->ours);
  auto line = Line::Make(*runner->sandbox_);
  if (!line.ok()) return line.status();
  runner->line_ = *std::move(line);
  runner->line_->page().place = device.clock() == Clock::kEvents ? wire::Place::kGpu : wire::Place::kHost;
  runner->workspace_limit_ = options.workspace_bytes;
  runner->buffer_bytes_ = buffer_bytes;
  return runner;
}

absl::Status Runner::BeginWarm() {
  warming_ = true;
  return SendPacket(socket_.get(), wire::kWarm, {line_->fd()});
}

absl::Status Runner::AwaitWarm() {
  if (!warming_) return absl::OkStatus();
  warming_ = false;
  const absl::StatusOr<std::string> answer = ReceivePacket(socket_.get(), kLoadTimeout);
  if (!answer.ok()) return answer.status();
  return *answer == wire::kOk ? absl::OkStatus() : absl::UnavailableError(*answer);
}

absl::StatusOr<std::string> Runner::Ask(const std::string& message, std::initializer_list<int> fds) {
  if (absl::Status s = SendPacket(socket_.get(), message, fds); !s.ok()) return s;
  absl::StatusOr<std::string> answer = ReceivePacket(socket_.get(), kLoadTimeout);
  if (!answer.ok() || absl::StartsWith(*answer, wire::kOk)) return answer;
  const std::string_view prefix = wire::kErrorPrefix;
  return absl::FailedPreconditionError(
      absl::StartsWith(*answer, wire::kErrorPrefix) ? answer->substr(prefix.size()) : *answer);
}

absl::Status Runner::Exchange(const std::string& message, std::initializer_list<int> fds) {
  const absl::StatusOr<std::string> answer = Ask(message, fds);
  return answer.ok() ? line_->Hold() : answer.status();
}

absl::Status Runner::Load(Arena& arena, const SolveSignature& signature, int object_fd) {
  if (absl::Status s = DescribeCall(arena, signature, line_->page()); !s.ok()) return s;
  if (threads_ == 0) {
    const auto census = Heads();
    threads_ = census.ok() ? census->threads : 1;  // it may not even have begun
  }
  line_->page().workspace_limit = static_cast<uint64_t>(workspace_limit_);
  return Ask(wire::kLoad, {line_->fd(), arena.inputs().fd(), arena.outputs().fd(), object_fd}).status();
}

absl::StatusOr<Runner::Prepared> Runner::Prepare() {
  const double begin = support::MonotonicSeconds();
  const absl::StatusOr<std::string> answer = Ask(wire::kPrepare, {});
  if (!answer.ok()) {
    const bool workspace = absl::StartsWith(answer.status().message(), "workspace");
    return workspace ? absl::ResourceExhaustedError(answer.status().message()) : answer.status();
  }
  const double us = (support::MonotonicSeconds() - begin) * 1e6;
  const auto bytes = ReadPrepared(*answer, workspace_limit_);
  if (!bytes) return absl::FailedPreconditionError("nonsense after solve_prepare()");
  return Prepared{us, *bytes};
}

absl::Status Runner::TakeSets(Arena& arena) {
  line_->Leave();
  wire::ControlPage& page = line_->page();
  const auto set = arena.set_bytes();
  SharedMemory* const objects[] = {arena.sets(false), arena.sets(true)};
  for (size_t k = 0; k < 2; ++k) {
    page.set_bytes[k] = static_cast<uint64_t>(set[k]);
    page.sets_bytes[k] = static_cast<uint64_t>(objects[k]->size());
  }
  if (auto answer = Ask(wire::kSets, {objects[0]->fd(), objects[1]->fd()}); !answer.ok()) return answer.status();
  page.phase.store(static_cast<uint32_t>(wire::Phase::kIdle));  // it has seen kLeave now
  return Serve();
}

absl::StatusOr<Census> Runner::Heads() {
  const auto payload = sandbox_->payload();
  return payload.ok() ? (*payload)->Count() : payload.status();
}

absl::Status Runner::Rest() {
  line_->Leave();
  if (absl::Status s = Ask(wire::kUnload, {}).status(); !s.ok()) return s;
  line_->page().phase.store(static_cast<uint32_t>(wire::Phase::kIdle));
  line_->page().fault = {};
  const auto census = Heads();
  if (!census.ok()) return census.status();
  if (census->processes > 1 || census->threads > threads_) return absl::UnavailableError("it has more threads or processes than before");
  return sandbox_->Freeze();
}

absl::Status Runner::Wake() { return sandbox_->Thaw(); }

absl::Status Runner::LoadNull() { return Exchange(wire::kNull, {line_->fd()}); }

}  // namespace kernelopt::worker
