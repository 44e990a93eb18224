// A job that any worker can be given, with its files uploaded.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "client/lib/client.h"
#include "support/sha256.h"

namespace kernelopt::test {

inline v1::JobSpec SmallSpec(client::Client& client, const std::string& device = "GPU-fake") {
  const std::string bytes = "def reference(): pass";
  EXPECT_TRUE(client.UploadBlob(support::Sha256Hex(bytes), bytes).ok());
  v1::JobSpec spec;
  v1::SourceFile* reference = spec.mutable_problem()->mutable_reference();
  reference->set_path("ref.py");
  reference->set_digest(support::Sha256Hex(bytes));
  v1::SubjectSpec* subject = spec.add_subjects();
  subject->set_id("k");
  subject->set_role(v1::ROLE_CANDIDATE);
  *subject->mutable_solution()->add_files() = *reference;
  subject->mutable_solution()->mutable_files(0)->set_path("k.cpp");
  spec.set_device(device);
  return spec;
}

inline absl::StatusOr<v1::CreateJobResponse> Create(client::Client& client, const v1::JobSpec& spec,
                                                    const std::string& request_id = "") {
  v1::CreateJobRequest request;
  *request.mutable_spec() = spec;
  request.set_request_id(request_id);
  return client.Call(client.jobs(), &v1::JobService::Stub::CreateJob, request);
}

inline v1::Job GetJob(client::Client& client, const std::string& name) {
  v1::GetJobRequest request;
  request.set_name(name);
  const auto response = client.Call(client.jobs(), &v1::JobService::Stub::GetJob, request);
  EXPECT_TRUE(response.ok()) << name << " " << response.status();
  return response.ok() ? response->job() : v1::Job();
}

}  // namespace kernelopt::test
