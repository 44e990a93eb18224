// Devices that do not work: what people see, and that nothing is lost.
#include <gtest/gtest.h>

#include "harness/daemon.h"
#include "harness/fake_worker.h"
#include "harness/soon.h"
#include "harness/spec.h"

namespace kernelopt::test {
namespace {

constexpr double kSeconds = 60;  // a worker starts within, even on a busy machine

// A GPU that vanished, or a name that was never one.
TEST(FaultyDevices, AWorkerThatCannotOpenItsDeviceSaysWhyAndTriesAgain) {
  const std::string gpu = "GPU-00000000-0000-0000-0000-000000000000";
  TestDaemon daemon({"workers.devices=" + gpu}, "retry_seconds = 3\n");
  const auto list = [&] { return daemon.Koptctl({"device", "list"}).out; };
  ASSERT_TRUE(Soon([&] { return list().find("faulty") != std::string::npos; }, kSeconds)) << list();
  const std::string doctor = daemon.Koptctl({"doctor"}).out;
  EXPECT_NE(doctor.find("no   device "), std::string::npos) << doctor;
  // As often as a process began, so often it says what is wrong.
  const auto looked = [&] {
    const std::string log = ReadText(daemon.directory() + "/logs/worker-" + gpu + ".log");
    return log.find(gpu + ": ") != log.rfind(gpu + ": ");
  };
  EXPECT_TRUE(Soon(looked, kSeconds)) << "a new process looks again";

  client::Client client(daemon.socket());
  v1::JobSpec spec = SmallSpec(client);
  spec.set_device(gpu);
  const auto created = Create(client, spec);
  ASSERT_TRUE(created.ok()) << created.status();
  const std::string job = created->job().name();
  EXPECT_TRUE(Soon([&] {
    return daemon.Koptctl({"why", job, "--json"}).json()["why"]["reason"] == "DEVICE_FAULT";
  }, kSeconds)) << daemon.Koptctl({"why", job, "--json"}).out;
  EXPECT_EQ(daemon.Koptctl({"cancel", job}).exit, 0);
}

// The driver ended the process before; at each start it would again.
TEST(FaultyDevices, WhatEndedTheProcessBeforeIsToldFirst) {
  TestDaemon daemon({}, "retry_seconds = 5\n");
  daemon.WaitForWorker();
  daemon.Stop();
  daemon.KillWorker();
  WriteText(daemon.directory() + "/worker/last_words", "the GPU failed the judge: uncorrectable ECC error");
  daemon.Start();
  const auto list = [&] { return daemon.Koptctl({"device", "list"}).out; };
  EXPECT_TRUE(Soon([&] { return list().find("uncorrectable ECC error") != std::string::npos; }, kSeconds)) << list();
  client::Client client(daemon.socket());
  const auto metrics = [&] {
    return client.Call(client.system(), &v1::SystemService::Stub::GetMetrics, v1::GetMetricsRequest())->text();
  };
  const std::string series = "kernelopt_gpu_faulty{device=\"host\",model=\"\"}";
  EXPECT_NE(metrics().find(series + " 1"), std::string::npos);
  EXPECT_TRUE(Soon([&] { return list().find("faulty") == std::string::npos && list().find("online") != std::string::npos; }, kSeconds)) << list();
  EXPECT_EQ(metrics().find(series), std::string::npos) << "an alert that would never end";
}

TEST(FaultyDevices, ThreeFaultsInARowAreAQuarantineThatAnOperatorEnds) {
  TestDaemon daemon({"workers.devices=", "queue.quarantine_seconds=300"});
  client::Client client(daemon.socket());
  FakeWorker::Options options{.socket = daemon.socket(), .token_file = daemon.directory() + "/worker.token"};
  std::vector<std::string> jobs;
  for (int i = 0; i < 3; ++i) {
    v1::JobSpec spec = SmallSpec(client);
    const auto created = Create(client, spec);
    ASSERT_TRUE(created.ok()) << created.status();
    jobs.push_back(created->job().name());
  }
  {
    options.fails = true;
    FakeWorker broken(options);
    ASSERT_TRUE(Soon([&] { return daemon.Koptctl({"device", "list"}).out.find("not for ") != std::string::npos; }, kSeconds));
    EXPECT_NE(daemon.Koptctl({"device", "list"}).out.find("fell off the bus"), std::string::npos);
    EXPECT_EQ(daemon.Koptctl({"why", jobs[2], "--json"}).json()["why"]["reason"], "DEVICE_QUARANTINED");
    EXPECT_EQ(GetJob(client, jobs[2]).attempts_size(), 0) << "not tried on a device like that";
  }
  options.fails = false;
  std::optional<FakeWorker> mended;  // refused until the server has seen the first one go
  ASSERT_TRUE(Soon([&] { return mended.emplace(options).attached(); }, kSeconds));
  EXPECT_EQ(GetJob(client, jobs[2]).state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(daemon.Koptctl({"device", "resume", options.device}).exit, 0);
  EXPECT_TRUE(Soon([&] { return GetJob(client, jobs[2]).state() == v1::JOB_STATE_SUCCEEDED; }, kSeconds));
}

}  // namespace
}  // namespace kernelopt::test
