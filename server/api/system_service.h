// SystemService; see proto/kernelopt/v1/system_service.proto.
#pragma once

#include "api/context.h"
#include "kernelopt/v1/system_service.grpc.pb.h"

namespace kernelopt::server {

class SystemService final : public v1::SystemService::CallbackService {
 public:
  explicit SystemService(ApiContext& api) : api_(api) {}

  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context,
                                      const v1::GetStatusRequest* request,
                                      v1::GetStatusResponse* response) override;
  grpc::ServerUnaryReactor* GetCapabilities(grpc::CallbackServerContext* context,
                                            const v1::GetCapabilitiesRequest* request,
                                            v1::GetCapabilitiesResponse* response) override;
  grpc::ServerUnaryReactor* Backup(grpc::CallbackServerContext* context,
                                   const v1::BackupRequest* request,
                                   v1::BackupResponse* response) override;
  grpc::ServerUnaryReactor* ArchiveJobs(grpc::CallbackServerContext* context,
                                        const v1::ArchiveJobsRequest* request,
                                        v1::ArchiveJobsResponse* response) override;
  grpc::ServerUnaryReactor* PauseQueue(grpc::CallbackServerContext* context,
                                       const v1::PauseQueueRequest* request,
                                       v1::PauseQueueResponse* response) override;
  grpc::ServerUnaryReactor* ResumeQueue(grpc::CallbackServerContext* context,
                                        const v1::ResumeQueueRequest* request,
                                        v1::ResumeQueueResponse* response) override;
  grpc::ServerUnaryReactor* GetQuota(grpc::CallbackServerContext* context,
                                     const v1::GetQuotaRequest* request,
                                     v1::GetQuotaResponse* response) override;
  grpc::ServerUnaryReactor* SetQuota(grpc::CallbackServerContext* context,
                                     const v1::SetQuotaRequest* request,
                                     v1::SetQuotaResponse* response) override;
  grpc::ServerUnaryReactor* ListQuotas(grpc::CallbackServerContext* context,
                                       const v1::ListQuotasRequest* request,
                                       v1::ListQuotasResponse* response) override;
  grpc::ServerUnaryReactor* GetSigningKey(grpc::CallbackServerContext* context,
                                          const v1::GetSigningKeyRequest* request,
                                          v1::GetSigningKeyResponse* response) override;
  grpc::ServerUnaryReactor* GetMetrics(grpc::CallbackServerContext* context,
                                       const v1::GetMetricsRequest* request,
                                       v1::GetMetricsResponse* response) override;
  grpc::ServerUnaryReactor* ListAuditEvents(grpc::CallbackServerContext* context,
                                            const v1::ListAuditEventsRequest* request,
                                            v1::ListAuditEventsResponse* response) override;

 private:
  ApiContext& api_;
};

}  // namespace kernelopt::server
