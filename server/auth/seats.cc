#include "auth/seats.h"

#include <fcntl.h>
#include <grpcpp/security/auth_metadata_processor.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "support/clock.h"
#include "support/files.h"

namespace kernelopt::server {
namespace {

constexpr char kUidProperty[] = "x-kopt-uid";
constexpr char kRoleProperty[] = "x-kopt-role";
constexpr uint32_t kNobody = UINT32_MAX;

// Names the seat's uid and role in the connection's context.
class SeatIdentity : public grpc::AuthMetadataProcessor {
 public:
  SeatIdentity(const std::atomic<uint32_t>& uid, const std::atomic<Role>& role)
      : uid_(uid), role_(role) {}
  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata&, grpc::AuthContext* context, OutputMetadata*,
                       OutputMetadata*) override {
    if (context->FindPropertyValues(kUidProperty).empty()) {
      context->AddProperty(kUidProperty, absl::StrCat(uid_.load()));
      context->AddProperty(kRoleProperty, absl::StrCat(static_cast<int>(role_.load())));
      context->SetPeerIdentityPropertyName(kUidProperty);
    }
    return grpc::Status::OK;
  }

 private:
  const std::atomic<uint32_t>& uid_;
  const std::atomic<Role>& role_;
};

// A seat that was left is given to another uid only after this long: a request
// that its last user sent just before closing may still be in gRPC's hands, and
// must not be read as the next user's.
constexpr int64_t kSeatRestUs = 60'000'000;

// Each costs two descriptors of the daemon.
constexpr int kConnectionsPerUid = 128;

struct Seat {
  std::atomic<uint32_t> uid{kNobody};
  std::atomic<Role> role{Role::kNone};
  int connections = 0;     // accept thread only
  int64_t left_us = 0;     // when the last connection closed; accept thread only
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
};

}  // namespace

struct Seats::Impl {
  std::function<Role(uint32_t)> role_of;
  std::vector<std::unique_ptr<Seat>> seats;
  std::string socket_path;
  support::UniqueFd listener, epoll, stop_event;
  std::map<int, Seat*> open;  // watched duplicate -> seat; accept thread only
  std::thread thread;

  Seat* SeatFor(uint32_t uid);
  void Accept();
  void CloseWatched(int watched);
  void Run();
};

Seats::Seats(int count, std::function<Role(uint32_t uid)> role_of)
    : impl_(std::make_unique<Impl>()) {
  impl_->role_of = std::move(role_of);
  for (int i = 0; i < count; ++i) impl_->seats.push_back(std::make_unique<Seat>());
}

Seats::~Seats() { Stop(); }

void Seats::AddTo(grpc::ServerBuilder& builder) {
  for (auto& seat : impl_->seats) {
    auto credentials = grpc::experimental::LocalServerCredentials(UDS);
    credentials->SetAuthMetadataProcessor(std::make_shared<SeatIdentity>(seat->uid, seat->role));
    seat->acceptor = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
  }
}

absl::Status Seats::Serve(const std::string& socket_path, int mode) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(
        absl::StrCat("server.socket: ", socket_path, " is longer than 107 bytes"));
  }
  socket_path.copy(address.sun_path, socket_path.size());
  support::UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(socket_path.c_str());
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  if (bind(listener.get(), plain, sizeof address) != 0) {
    return support::ErrnoStatus("bind", socket_path);
  }
  if (chmod(socket_path.c_str(), static_cast<mode_t>(mode)) != 0) {
    return support::ErrnoStatus("chmod", socket_path);
  }
  if (listen(listener.get(), 512) != 0) return support::ErrnoStatus("listen", socket_path);
  impl_->socket_path = socket_path;
  return Serve(std::move(listener));
}

absl::Status Seats::Serve(support::UniqueFd listener) {
  fcntl(listener.get(), F_SETFL, fcntl(listener.get(), F_GETFL) | O_NONBLOCK);
  impl_->listener = std::move(listener);
  impl_->epoll.Reset(epoll_create1(EPOLL_CLOEXEC));
  impl_->stop_event.Reset(eventfd(0, EFD_CLOEXEC));
  for (const int fd : {impl_->listener.get(), impl_->stop_event.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(impl_->epoll.get(), EPOLL_CTL_ADD, fd, &event);
  }
  impl_->thread = std::thread([this] { impl_->Run(); });
  return absl::OkStatus();
}

void Seats::Stop() {
  if (!impl_->thread.joinable()) return;
  eventfd_write(impl_->stop_event.get(), 1);
  impl_->thread.join();
  if (!impl_->socket_path.empty()) unlink(impl_->socket_path.c_str());
  while (!impl_->open.empty()) impl_->CloseWatched(impl_->open.begin()->first);
}

void Seats::Impl::Run() {
  std::array<epoll_event, 64> events{};
  for (;;) {
    const int n = epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < n; ++i) {
      const int fd = events[static_cast<size_t>(i)].data.fd;
      if (fd == stop_event.get()) return;
      if (fd == listener.get()) {
        Accept();
      } else {
        CloseWatched(fd);
      }
    }
  }
}

Seat* Seats::Impl::SeatFor(uint32_t uid) {
  Seat* empty = nullptr;
  const int64_t rested_us = support::Clock::Real().BootUs() - kSeatRestUs;
  for (auto& seat : seats) {
    if (seat->uid == uid) return seat.get();
    const bool free = seat->uid == kNobody || (seat->connections == 0 && seat->left_us < rested_us);
    if (empty == nullptr && free) empty = seat.get();
  }
  if (empty != nullptr) empty->uid = uid;
  return empty;
}

void Seats::Impl::Accept() {
  for (;;) {
    support::UniqueFd fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) continue;
    Seat* seat = SeatFor(peer.uid);
    if (seat != nullptr && seat->connections >= kConnectionsPerUid) {
      spdlog::warn("refused uid {}: it has {} connections open", peer.uid, seat->connections);
      continue;
    }
    if (seat == nullptr) {
      spdlog::warn("refused uid {}: all {} seats are taken (server.seats)", peer.uid, seats.size());
      continue;
    }
    seat->role = role_of(peer.uid);
    // A duplicate of our own tells when the peer closes; gRPC owns the first.
    const int watched = fcntl(fd.get(), F_DUPFD_CLOEXEC, 0);
    epoll_event event{};
    event.events = EPOLLRDHUP | EPOLLHUP;
    event.data.fd = watched;
    if (watched < 0 || epoll_ctl(epoll.get(), EPOLL_CTL_ADD, watched, &event) != 0) {
      if (watched >= 0) close(watched);
      continue;
    }
    open[watched] = seat;
    ++seat->connections;
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.listener_fd = listener.get();
    parameters.fd = fd.Release();
    seat->acceptor->HandleNewConnection(&parameters);
  }
}

void Seats::Impl::CloseWatched(int watched) {
  const auto found = open.find(watched);
  if (found == open.end()) return;
  Seat* seat = found->second;
  open.erase(found);
  epoll_ctl(epoll.get(), EPOLL_CTL_DEL, watched, nullptr);
  close(watched);
  if (--seat->connections == 0) seat->left_us = support::Clock::Real().BootUs();
}

namespace {

std::optional<uint32_t> NumberOf(const grpc::AuthContext& context, const char* property) {
  const std::vector<grpc::string_ref> values = context.FindPropertyValues(property);
  uint32_t number = 0;
  if (values.size() != 1) return std::nullopt;
  const absl::string_view text(values[0].data(), values[0].size());
  return absl::SimpleAtoi(text, &number) ? std::optional<uint32_t>(number) : std::nullopt;
}

}  // namespace

std::optional<uint32_t> PeerUid(const grpc::AuthContext& context) {
  const std::optional<uint32_t> uid = NumberOf(context, kUidProperty);
  return uid == kNobody ? std::nullopt : uid;
}

Role PeerRole(const grpc::AuthContext& context) {
  return static_cast<Role>(NumberOf(context, kRoleProperty).value_or(0));
}

}  // namespace kernelopt::server
