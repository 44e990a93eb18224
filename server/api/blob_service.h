// BlobService; see proto/kernelopt/v1/blob_service.proto.
#pragma once

#include "api/context.h"
#include "kernelopt/v1/blob_service.grpc.pb.h"

namespace kernelopt::server {

class BlobService final : public v1::BlobService::CallbackService {
 public:
  explicit BlobService(ApiContext& api) : api_(api) {}

  grpc::ServerUnaryReactor* FindMissingBlobs(grpc::CallbackServerContext* context,
                                             const v1::FindMissingBlobsRequest* request,
                                             v1::FindMissingBlobsResponse* response) override;
  grpc::ServerReadReactor<v1::WriteBlobRequest>* WriteBlob(grpc::CallbackServerContext* context,
                                                           v1::WriteBlobResponse* response) override;
  grpc::ServerWriteReactor<v1::ReadBlobResponse>* ReadBlob(grpc::CallbackServerContext* context,
                                                           const v1::ReadBlobRequest* request) override;

 private:
  ApiContext& api_;
};

}  // namespace kernelopt::server
