// Tells gRPC who is on the other end of a Unix socket.
//
// gRPC does not pass SO_PEERCRED on. So the daemon accepts connections itself,
// reads the uid, and hands each connection to one of N "seats": acceptors of
// the same grpc::Server, each with its own credentials whose metadata processor
// names the uid that the seat was given. All connections of a uid share a
// seat; a seat is free again when its last connection closed. A uid that finds
// no free seat is refused, with a log line.
//
// Order: Create, AddTo(builder), server start, Serve(listening fd), Stop before
// the server shuts down. Never run the daemon inside a user namespace (systemd
// PrivateUsers=yes): the kernel then reports uid 65534 for everyone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "auth/roles.h"
#include "support/files.h"

namespace grpc {
class AuthContext;
class ServerBuilder;
}  // namespace grpc

namespace kernelopt::server {

class Seats {
 public:
  // `role_of` is asked on the accept thread at each connection: a change of
  // groups takes effect with the next one.
  Seats(int count, std::function<Role(uint32_t uid)> role_of);
  ~Seats();

  // Registers the acceptors with a server that is being built.
  void AddTo(grpc::ServerBuilder& builder);
  // Creates the socket file (mode `mode`) and starts accepting.
  absl::Status Serve(const std::string& socket_path, int mode);
  // Accepts on a socket that listens already (a systemd socket unit's).
  absl::Status Serve(support::UniqueFd listener);
  // Stops accepting and removes the socket file, if it made it.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The uid of the caller, or none when the connection has no seat.
std::optional<uint32_t> PeerUid(const grpc::AuthContext& context);
// The caller's role when it connected; kNone without a seat.
Role PeerRole(const grpc::AuthContext& context);

}  // namespace kernelopt::server
