// JobService: translate, authorise, call. What each rpc means is in
// proto/kernelopt/v1/job_service.proto.
#pragma once

#include "api/context.h"
#include "kernelopt/v1/job_service.grpc.pb.h"

namespace kernelopt::server {

class JobService final : public v1::JobService::CallbackService {
 public:
  explicit JobService(ApiContext& api) : api_(api) {}

  grpc::ServerUnaryReactor* CreateJob(grpc::CallbackServerContext* context,
                                      const v1::CreateJobRequest* request,
                                      v1::CreateJobResponse* response) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context,
                                   const v1::GetJobRequest* request,
                                   v1::GetJobResponse* response) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const v1::ListJobsRequest* request,
                                     v1::ListJobsResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchJobResponse>* WatchJob(
      grpc::CallbackServerContext* context, const v1::WatchJobRequest* request) override;
  grpc::ServerWriteReactor<v1::ReadJobLogResponse>* ReadJobLog(
      grpc::CallbackServerContext* context, const v1::ReadJobLogRequest* request) override;
  grpc::ServerUnaryReactor* GetJobResult(grpc::CallbackServerContext* context,
                                         const v1::GetJobResultRequest* request,
                                         v1::GetJobResultResponse* response) override;
  grpc::ServerUnaryReactor* RenderJobReport(grpc::CallbackServerContext* context,
                                            const v1::RenderJobReportRequest* request,
                                            v1::RenderJobReportResponse* response) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context,
                                      const v1::CancelJobRequest* request,
                                      v1::CancelJobResponse* response) override;
  grpc::ServerUnaryReactor* RetryJob(grpc::CallbackServerContext* context,
                                     const v1::RetryJobRequest* request,
                                     v1::RetryJobResponse* response) override;
  grpc::ServerUnaryReactor* HoldJob(grpc::CallbackServerContext* context,
                                    const v1::HoldJobRequest* request,
                                    v1::HoldJobResponse* response) override;
  grpc::ServerUnaryReactor* ReleaseJob(grpc::CallbackServerContext* context,
                                       const v1::ReleaseJobRequest* request,
                                       v1::ReleaseJobResponse* response) override;
  grpc::ServerUnaryReactor* ExplainJob(grpc::CallbackServerContext* context,
                                       const v1::ExplainJobRequest* request,
                                       v1::ExplainJobResponse* response) override;
  grpc::ServerUnaryReactor* ListQueue(grpc::CallbackServerContext* context,
                                      const v1::ListQueueRequest* request,
                                      v1::ListQueueResponse* response) override;

 private:
  // Loads, checks the owner, decides, applies, fills `out`.
  template <class Decide>
  grpc::ServerUnaryReactor* ChangeJob(grpc::CallbackServerContext* context,
                                      const std::string& name, v1::Job* out, Decide decide,
                                      const char* audit_action);
  // What others may see of a job: not its sources and labels.
  void Finish(v1::Job& job, const Caller& caller) const;

  ApiContext& api_;
};

}  // namespace kernelopt::server
