// The API over the real socket, as a client library sees it: identity, privacy,
// idempotency, error details, streams.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "client/lib/client.h"
#include "client/lib/submission.h"
#include "harness/daemon.h"
#include "harness/spec.h"
#include "kernelopt/v1/worker_service.grpc.pb.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::test {
namespace {

TestDaemon& Daemon() {
  static TestDaemon daemon({"workers.devices=", "limits.blob_bytes=1000", "limits.queued_jobs=500"});
  return daemon;
}

v1::JobSpec HeldSpec(client::Client& client) {
  v1::JobSpec spec = SmallSpec(client, "");
  spec.set_hold(true);
  return spec;
}

std::string ReasonOf(const absl::Status& status) { return support::DetailOf(status).reason(); }

// koptctl as another user (gRPC does not survive a fork, an exec does).
Ran KoptctlAs(uid_t uid, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"/usr/bin/setpriv", "--reuid", std::to_string(uid), "--regid", std::to_string(uid),
                                      "--clear-groups", BinDirectory() + "/koptctl", "--socket", Daemon().socket()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command);
}

class Api : public testing::Test {
 protected:
  client::Client client_{Daemon().socket()};
};

TEST_F(Api, SameRequestIdFromManyClientsIsOneJob) {
  const v1::JobSpec spec = HeldSpec(client_);
  for (int round = 0; round < 20; ++round) {
    const std::string request_id = support::NewUuid();
    std::vector<std::thread> threads;
    std::vector<std::string> names(16);
    for (size_t i = 0; i < names.size(); ++i) {
      threads.emplace_back([&, i] {
        client::Client own(Daemon().socket());
        const auto created = Create(own, spec, request_id);
        names[i] = created.ok() ? created->job().name() : std::string(created.status().message());
      });
    }
    for (std::thread& thread : threads) thread.join();
    const std::set<std::string> distinct(names.begin(), names.end());
    EXPECT_EQ(distinct.size(), 1u) << *distinct.begin() << "\n" << *distinct.rbegin();
  }
}

TEST_F(Api, TheSameRequestIdWithAnotherSpecIsRefused) {
  v1::JobSpec spec = HeldSpec(client_);
  const std::string request_id = support::NewUuid();
  ASSERT_TRUE(Create(client_, spec, request_id).ok());
  spec.set_label("other");
  EXPECT_EQ(ReasonOf(Create(client_, spec, request_id).status()), "REQUEST_ID_REUSED");
}

TEST_F(Api, EveryErrorCarriesADetail) {
  v1::GetJobRequest get;
  get.set_name("jobs/nope");
  v1::GetJobResponse response;
  grpc::ClientContext context;
  const grpc::Status status = client_.jobs().GetJob(&context, get, &response);
  v1::RpcStatus rpc;
  v1::ErrorDetail detail;
  ASSERT_TRUE(rpc.ParseFromString(status.error_details()));
  ASSERT_TRUE(rpc.details_size() == 1 && rpc.details(0).UnpackTo(&detail));
  EXPECT_EQ(detail.reason(), "JOB_NOT_FOUND");

  v1::JobSpec bad = HeldSpec(client_);
  bad.mutable_problem()->mutable_reference()->set_path("../etc/passwd");
  const absl::Status refused = Create(client_, bad, "").status();
  EXPECT_EQ(support::DetailOf(refused).field_violations(0).field(), "spec.problem.reference.path");
}

TEST_F(Api, BlobsAreCheckedCappedAndPrivate) {
  const std::string bytes = "private bytes " + support::NewUuid();
  const std::string digest = support::Sha256Hex(bytes);
  EXPECT_EQ(ReasonOf(client_.UploadBlob(std::string(64, '0'), bytes)), "DIGEST_MISMATCH");
  EXPECT_EQ(ReasonOf(client_.UploadBlob(support::Sha256Hex(std::string(1001, 'x')), std::string(1001, 'x'))), "BLOB_TOO_LARGE");
  EXPECT_TRUE(client_.UploadBlob(support::Sha256Hex(std::string(1000, 'x')), std::string(1000, 'x')).ok());
  EXPECT_TRUE(client_.UploadBlob(digest, bytes).ok());
  EXPECT_TRUE(client_.UploadBlob(digest, bytes).ok());

  v1::FindMissingBlobsRequest find;
  find.add_digests(digest);
  find.add_digests(std::string(64, 'f'));
  const auto missing = client_.Call(client_.blobs(), &v1::BlobService::Stub::FindMissingBlobs, find);
  ASSERT_TRUE(missing.ok());
  EXPECT_EQ(missing->missing_size(), 1);

  grpc::ClientContext context;
  v1::ReadBlobRequest read;
  read.set_digest(digest);
  const auto reader = client_.blobs().ReadBlob(&context, read);
  v1::ReadBlobResponse piece;
  ASSERT_TRUE(reader->Read(&piece));
  EXPECT_EQ(piece.data(), bytes);
  reader->Finish();
}

TEST_F(Api, JobsOfOthersAreVisibleWithoutTheirSourcesAndCannotBeTouched) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  std::filesystem::permissions(Daemon().directory(), std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
  const auto created = Create(client_, HeldSpec(client_), "");
  ASSERT_TRUE(created.ok());
  const std::string job = created->job().name();
  const nlohmann::json seen = KoptctlAs(1234, {"status", job, "--json"}).json();
  EXPECT_EQ(seen["job"]["state"], "JOB_STATE_HELD");
  EXPECT_EQ(seen["job"]["owner_uid"], 0);
  EXPECT_EQ(seen["job"]["spec"]["subjects"].size(), 0u);
  EXPECT_EQ(KoptctlAs(1234, {"cancel", job}).exit, 5);
  EXPECT_EQ(KoptctlAs(1234, {"logs", job}).exit, 5);
  EXPECT_EQ(KoptctlAs(1234, {"device", "drain", "host", "--reason=x"}).exit, 5);
  EXPECT_NE(KoptctlAs(1234, {"status"}).out.find("you are uid 1234 (user)"), std::string::npos);
}

TEST_F(Api, WithoutTheTokenNobodyAttachesAsAWorker) {
  const auto channel = grpc::CreateChannel("unix:" + Daemon().socket(), grpc::experimental::LocalCredentials(UDS));
  const auto stub = v1::WorkerService::NewStub(channel);
  const auto attach = [&](const std::string& token) {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("x-kopt-worker-token", token);
    const auto stream = stub->Attach(&context);
    v1::AttachRequest hello;
    hello.mutable_hello()->set_protocol_version(1);
    hello.mutable_hello()->mutable_device()->set_name("devices/other");
    hello.mutable_hello()->set_instance(support::NewUuid());
    stream->Write(hello);
    v1::AttachResponse response;
    const bool welcomed = stream->Read(&response);
    if (welcomed) context.TryCancel();
    const absl::Status status = support::FromGrpc(stream->Finish());
    return welcomed ? std::string("welcome") : ReasonOf(status);
  };
  EXPECT_EQ(attach(""), "BAD_WORKER_TOKEN");
  EXPECT_EQ(attach("guess"), "BAD_WORKER_TOKEN");
  EXPECT_EQ(attach(ReadText(Daemon().directory() + "/worker.token")), "welcome");
}

TEST_F(Api, WatchStartsWithTheStateNowAndEndsWithTheJob) {
  const auto created = Create(client_, HeldSpec(client_), "");
  ASSERT_TRUE(created.ok());
  std::atomic<int> seen{0};
  std::thread canceller([&] {
    while (seen == 0) usleep(1000);
    v1::CancelJobRequest cancel;
    cancel.set_name(created->job().name());
    client::Client(Daemon().socket()).Call(client_.jobs(), &v1::JobService::Stub::CancelJob, cancel).status().IgnoreError();
  });
  std::vector<int64_t> revisions;
  const auto last = client_.Watch(created->job().name(), 5, [&](const v1::Job& job) {
    revisions.push_back(job.revision());
    ++seen;
    return true;
  });
  canceller.join();
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_EQ(last->state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(revisions, (std::vector<int64_t>{1, 2}));
}

TEST_F(Api, TheQueuedJobsLimitHolds) {
  v1::SetQuotaRequest quota;
  quota.set_uid(geteuid());
  v1::GetQuotaRequest get;
  const int64_t used = client_.Call(client_.system(), &v1::SystemService::Stub::GetQuota, get)->used().queued_jobs();
  (*quota.mutable_limits())["queued_jobs"] = used + 1;
  ASSERT_TRUE(client_.Call(client_.system(), &v1::SystemService::Stub::SetQuota, quota).ok());
  const v1::JobSpec spec = HeldSpec(client_);
  EXPECT_TRUE(Create(client_, spec, "").ok());
  EXPECT_EQ(ReasonOf(Create(client_, spec, "").status()), "QUEUED_JOBS_LIMIT");
  (*quota.mutable_limits())["queued_jobs"] = 0;
  ASSERT_TRUE(client_.Call(client_.system(), &v1::SystemService::Stub::SetQuota, quota).ok());
  EXPECT_TRUE(Create(client_, spec, "").ok());
}

TEST_F(Api, PauseIsDurableAuditedAndExplained) {
  v1::PauseQueueRequest pause;
  pause.set_reason("lunch");
  ASSERT_TRUE(client_.Call(client_.system(), &v1::SystemService::Stub::PauseQueue, pause).ok());
  Daemon().Stop();
  Daemon().Start();
  const auto status = client_.Call(client_.system(), &v1::SystemService::Stub::GetStatus, v1::GetStatusRequest());
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(status->paused());
  ASSERT_TRUE(client_.Call(client_.system(), &v1::SystemService::Stub::ResumeQueue, v1::ResumeQueueRequest()).ok());
  const auto audit = client_.Call(client_.system(), &v1::SystemService::Stub::ListAuditEvents, v1::ListAuditEventsRequest());
  ASSERT_TRUE(audit.ok());
  EXPECT_EQ(audit->events(0).action(), "RESUME_QUEUE");
  EXPECT_EQ(audit->events(1).detail(), "lunch");
}

TEST_F(Api, ASecondDaemonOnTheSameStateIsRefusedWithAReason) {
  const Ran second = RunProgram({BinDirectory() + "/kernelopt-d", "--state", Daemon().directory(), "--socket", "/tmp/kopt-second.sock"}, 10);
  EXPECT_EQ(second.exit, 1);
  EXPECT_NE(second.err.find("held by kernelopt-d pid"), std::string::npos) << second.err;
}

// Bug: whoever came after it was told that there is no daemon, as a handshake might
// last 50 ms only.
TEST_F(Api, GarbageOnTheSocketHarmsNobody) {
  for (int i = 0; i < 50; ++i) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    Daemon().socket().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const std::string garbage(1000, static_cast<char>(i * 5));
    (void)!write(fd, garbage.data(), garbage.size());
    close(fd);
  }
  const Ran after = Daemon().Koptctl({"status"});
  EXPECT_EQ(after.exit, 0) << after.err;
}

TEST_F(Api, HealthAndReflectionAnswer) {
  const Ran ran = RunProgram({"/usr/bin/python3", "-c",
                       "import grpc, sys\n"
                       "channel = grpc.insecure_channel('unix:' + sys.argv[1])\n"
                       "call = channel.unary_unary('/grpc.health.v1.Health/Check')\n"
                       "print(call(b'', timeout=5).hex())\n"
                       "call = channel.stream_stream('/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo')\n"
                       "print(b'kernelopt.v1.JobService' in next(call(iter([b'\\x3a\\x00']), timeout=5)))\n",
                       Daemon().socket()}, 20);
  EXPECT_EQ(ran.out, "0801\nTrue\n") << ran.err;
}

}  // namespace
}  // namespace kernelopt::test
