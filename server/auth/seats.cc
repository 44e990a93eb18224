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
constexpr uint32_t kNobody = UINT32_MAX;

// Names the seat's uid in the connection's context.
class SeatIdentity : public grpc::AuthMetadataProcessor {
 public:
  explicit SeatIdentity(const std::atomic<uint32_t>& uid) : uid_(uid) {}
  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata&, grpc::AuthContext* context, OutputMetadata*,
                       OutputMetadata*) override {
    if (context->FindPropertyValues(kUidProperty).empty()) {
      context->AddProperty(kUidProperty, absl::StrCat(uid_.load()));
      context->SetPeerIdentityPropertyName(kUidProperty);
    }
    return grpc::Status::OK;
  }

 private:
  const std::atomic<uint32_t>& uid_;
};

// A seat that was left is given to another uid only after this long: a request
// that its last user sent just before closing may still be in gRPC's hands, and
// must not be read as the next user's.
constexpr int64_t kSeatRestUs = 60'000'000;

// Each costs two descriptors of the daemon.
constexpr int kConnectionsPerUid = 128;

struct Seat {
  std::atomic<uint32_t> uid{kNobody};
  int connections = 0;     // accept thread only
  int64_t left_us = 0;     // when the last connection closed; accept thread only
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
};

}  // namespace

struct Seats::Impl {
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

Seats::Seats(int count) : impl_(std::make_unique<Impl>()) {
  for (int i = 0; i < count; ++i) impl_->seats.push_back(std::make_unique<Seat>());
}

Seats::~Seats() { Stop(); }

void Seats::AddTo(grpc::ServerBuilder& builder) {
  for (auto& seat : impl_->seats) {
    auto credentials = grpc::experimental::LocalServerCredentials(UDS);
    credentials->SetAuthMetadataProcessor(std::make_shared<SeatIdentity>(seat->uid));
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
  impl_->listener.Reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(socket_path.c_str());
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  if (bind(impl_->listener.get(), plain, sizeof address) != 0) {
    return support::ErrnoStatus("bind", socket_path);
  }
  if (chmod(socket_path.c_str(), static_cast<mode_t>(mode)) != 0) {
    return support::ErrnoStatus("chmod", socket_path);
  }
  if (listen(impl_->listener.get(), 512) != 0) return support::ErrnoStatus("listen", socket_path);
  impl_->socket_path = socket_path;
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
  unlink(impl_->socket_path.c_str());
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

std::optional<uint32_t> PeerUid(const grpc::AuthContext& context) {
  const std::vector<grpc::string_ref> values = context.FindPropertyValues(kUidProperty);
  uint32_t uid = 0;
  if (values.size() != 1) return std::nullopt;
  if (!absl::SimpleAtoi(absl::string_view(values[0].data(), values[0].size()), &uid)) {
    return std::nullopt;
  }
  return uid == kNobody ? std::nullopt : std::optional<uint32_t>(uid);
}

}  // namespace kernelopt::server
