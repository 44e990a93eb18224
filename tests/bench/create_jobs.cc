// How many CreateJob calls a second are answered after their commit.
//
//   create_bench [--seconds=10] [--channels=32]
//
// A private kernelopt-d without workers, quotas lifted; this process is the
// load: one connection per channel, one call at a time on each. Prints rate,
// latencies and how many jobs shared a commit.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "client/lib/client.h"
#include "harness/daemon.h"
#include "harness/spec.h"
#include "kernelopt/v1/job_service.grpc.pb.h"
#include "support/ids.h"

namespace kernelopt::test {
namespace {

using SteadyClock = std::chrono::steady_clock;

// One connection that always has one call under way.
class Caller {
 public:
  Caller(const std::string& socket, const v1::JobSpec& spec, SteadyClock::time_point until)
      : until_(until) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel_ = grpc::CreateCustomChannel("unix:" + socket, grpc::experimental::LocalCredentials(UDS),
                                         arguments);
    stub_ = v1::JobService::NewStub(channel_);
    *request_.mutable_spec() = spec;
  }

  bool Connect() { return channel_->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20)); }

  void Next() {
    request_.set_request_id(support::NewUuid());
    context_ = std::make_unique<grpc::ClientContext>();
    began_ = SteadyClock::now();
    stub_->async()->CreateJob(context_.get(), &request_, &response_, [this](grpc::Status status) {
      const auto now = SteadyClock::now();
      if (status.ok()) {
        latencies_ms.push_back(std::chrono::duration<double, std::milli>(now - began_).count());
      } else {
        ++failed;
        last_error = status.error_message();
      }
      if (now < until_) {
        Next();
      } else {
        done = true;
      }
    });
  }

  std::vector<double> latencies_ms;
  int failed = 0;
  std::string last_error;
  std::atomic<bool> done{false};

 private:
  const SteadyClock::time_point until_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::JobService::Stub> stub_;
  v1::CreateJobRequest request_;
  v1::CreateJobResponse response_;
  std::unique_ptr<grpc::ClientContext> context_;
  SteadyClock::time_point began_;
};

int Run(double seconds, int channels) {
  TestDaemon daemon({"workers.devices=", "limits.queued_jobs=0", "limits.submissions_per_minute=0"});
  client::Client client(daemon.socket());
  const v1::JobSpec spec = SmallSpec(client, "host");
  const auto begin = SteadyClock::now();
  const auto until = begin + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < channels; ++i) {
    callers.push_back(std::make_unique<Caller>(daemon.socket(), spec, until));
    if (!callers.back()->Connect()) return 1;
  }
  for (auto& caller : callers) caller->Next();
  for (auto& caller : callers) {
    while (!caller->done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const double wall = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  std::vector<double> all;
  int failed = 0;
  for (auto& caller : callers) {
    all.insert(all.end(), caller->latencies_ms.begin(), caller->latencies_ms.end());
    failed += caller->failed;
    if (caller->failed > 0) std::printf("%s\n", caller->last_error.c_str());
  }
  std::sort(all.begin(), all.end());
  const auto at = [&](double q) { return all.empty() ? 0 : all[static_cast<size_t>(q * static_cast<double>(all.size() - 1))]; };
  std::printf("%zu jobs in %.1f s over %d channels: %.0f/s; p50 %.1f ms, p99 %.1f ms, max %.1f ms; %d failed\n",
              all.size(), wall, channels, static_cast<double>(all.size()) / wall, at(0.5), at(0.99), at(1), failed);
  const Ran doctor = daemon.Koptctl({"doctor"});
  const size_t line = doctor.out.find("store.sqlite");
  std::printf("%s\n", doctor.out.substr(line, doctor.out.find('\n', line) - line).c_str());
  return 0;
}

}  // namespace
}  // namespace kernelopt::test

int main(int argc, char** argv) {
  double seconds = 10;
  int channels = 32;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--seconds=", 0) == 0) seconds = std::atof(argument.c_str() + 10);
    if (argument.rfind("--channels=", 0) == 0) channels = std::atoi(argument.c_str() + 11);
  }
  return kernelopt::test::Run(seconds, channels);
}
