// From absl::Status inside to gRPC status with ErrorDetail outside, and back.
//
// Inside, an error that has a reason is made with ReasonError; the reason and
// its metadata ride in a payload of the absl::Status. ToGrpc puts them into
// `grpc-status-details-bin`; FromGrpc takes them out again on the client.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"
#include "kernelopt/v1/error.pb.h"

namespace kernelopt::support {

// Reasons of ErrorDetail. The one table; tests check that each is used and
// UPPER_SNAKE. To add one: a line here, and the code where it is answered.
#define KOPT_REASONS(X)                                                                   \
  X(BAD_REQUEST) X(JOB_NOT_FOUND) X(JOB_ENDED) X(JOB_NOT_ENDED) X(WRONG_STATE)            \
  X(NO_RESULT) X(NOT_OWNER) X(NEEDS_OPERATOR) X(NEEDS_ADMIN) X(NO_IDENTITY)               \
  X(BAD_WORKER_TOKEN) X(NOT_A_WORKER) X(VERSION_MISMATCH) X(DEVICE_ATTACHED)              \
  X(DEVICE_NOT_FOUND) X(BLOB_MISSING) X(BLOB_NOT_FOUND) X(BLOB_TOO_LARGE)                 \
  X(DIGEST_MISMATCH) X(REQUEST_ID_REUSED) X(QUEUED_JOBS_LIMIT) X(SUBMISSIONS_LIMIT)       \
  X(BLOB_BYTES_LIMIT) X(DEPENDENCY_FAILED) X(LEASE_LOST) X(NOT_A_USER)                    \
  X(DATABASE_DAMAGED) X(SHUTTING_DOWN) X(DISK_FULL) X(INTERNAL)

enum class Reason {
#define KOPT_REASON_ENUM(name) name,
  KOPT_REASONS(KOPT_REASON_ENUM)
#undef KOPT_REASON_ENUM
};

std::string_view ReasonName(Reason reason);

// An error with a reason. `metadata` holds facts for programs.
absl::Status ReasonError(absl::StatusCode code, Reason reason, std::string_view message,
                         const std::map<std::string, std::string>& metadata = {});
// RESOURCE_EXHAUSTED that passes by itself after so many seconds.
absl::Status TryAgainIn(double seconds, Reason reason, std::string_view message,
                        const std::map<std::string, std::string>& metadata = {});

// INVALID_ARGUMENT BAD_REQUEST with one violation per wrong field.
absl::Status BadRequest(const std::map<std::string, std::string>& violations);

// The detail of an error, made up (reason INTERNAL or the code's name) where
// the status carries none, so that every error on the wire has one.
v1::ErrorDetail DetailOf(const absl::Status& status);

grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace kernelopt::support
