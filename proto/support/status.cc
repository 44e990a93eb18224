#include "support/status.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace kernelopt::support {
namespace {

constexpr char kPayload[] = "kernelopt.v1.ErrorDetail";

absl::Status WithDetail(absl::Status status, const v1::ErrorDetail& detail) {
  status.SetPayload(kPayload, absl::Cord(detail.SerializeAsString()));
  return status;
}

}  // namespace

std::string_view ReasonName(Reason reason) {
  switch (reason) {
#define KOPT_REASON_NAME(name) \
  case Reason::name:           \
    return #name;
    KOPT_REASONS(KOPT_REASON_NAME)
#undef KOPT_REASON_NAME
  }
  return "INTERNAL";
}

absl::Status ReasonError(absl::StatusCode code, Reason reason, std::string_view message,
                         const std::map<std::string, std::string>& metadata) {
  v1::ErrorDetail detail;
  detail.set_reason(std::string(ReasonName(reason)));
  for (const auto& [key, value] : metadata) (*detail.mutable_metadata())[key] = value;
  const bool retry_helps =
      code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kResourceExhausted;
  if (retry_helps && reason != Reason::BLOB_TOO_LARGE && reason != Reason::BLOB_BYTES_LIMIT) {
    detail.mutable_retry_after()->set_seconds(1);
  }
  return WithDetail(absl::Status(code, absl::string_view(message.data(), message.size())), detail);
}

absl::Status TryAgainIn(double seconds, Reason reason, std::string_view message,
                        const std::map<std::string, std::string>& metadata) {
  const absl::Status status =
      ReasonError(absl::StatusCode::kResourceExhausted, reason, message, metadata);
  v1::ErrorDetail detail = DetailOf(status);
  detail.mutable_retry_after()->set_seconds(static_cast<int64_t>(seconds));
  detail.mutable_retry_after()->set_nanos(
      static_cast<int32_t>((seconds - static_cast<double>(static_cast<int64_t>(seconds))) * 1e9));
  return WithDetail(status, detail);
}

absl::Status BadRequest(const std::map<std::string, std::string>& violations) {
  v1::ErrorDetail detail;
  detail.set_reason(std::string(ReasonName(Reason::BAD_REQUEST)));
  std::string message;
  for (const auto& [field, description] : violations) {
    v1::FieldViolation* violation = detail.add_field_violations();
    violation->set_field(field);
    violation->set_description(description);
    absl::StrAppend(&message, message.empty() ? "" : "; ", field, ": ", description);
  }
  return WithDetail(absl::InvalidArgumentError(message), detail);
}

v1::ErrorDetail DetailOf(const absl::Status& status) {
  v1::ErrorDetail detail;
  if (const auto payload = status.GetPayload(kPayload)) {
    if (detail.ParseFromString(std::string(*payload))) return detail;
  }
  const bool bad_argument = status.code() == absl::StatusCode::kInvalidArgument;
  detail.set_reason(std::string(ReasonName(bad_argument ? Reason::BAD_REQUEST : Reason::INTERNAL)));
  return detail;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::string message(status.message());
  v1::RpcStatus details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  details.add_details()->PackFrom(DetailOf(status));
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), message,
                      details.SerializeAsString());
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status out(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  v1::RpcStatus details;
  v1::ErrorDetail detail;
  if (details.ParseFromString(status.error_details()) && details.details_size() > 0 &&
      details.details(0).UnpackTo(&detail)) {
    return WithDetail(std::move(out), detail);
  }
  return out;
}

}  // namespace kernelopt::support
