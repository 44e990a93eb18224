// SIGKILL of daemon, worker and both at random moments with jobs flowing.
//
// Promised: no acknowledged job is lost, none has two results, all end, no
// process of the sandbox uid pool is left. TEST_KILLS sets the number (60).
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "client/lib/client.h"
#include "client/lib/submission.h"
#include "harness/daemon.h"
#include "support/sha256.h"

namespace kernelopt::test {
namespace {

void SleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// Submits small jobs one after the other and remembers which were
// acknowledged.
class Submitter {
 public:
  explicit Submitter(const std::string& socket) : client_(socket) {
    const std::string folder = ExamplesDirectory() + "/vector_add/";
    v1::SubjectSpec& subject = *spec_.add_subjects();
    *spec_.mutable_problem()->mutable_reference() = submission_.AddFile(folder + "ref.py").value();
    subject.set_id("k");
    subject.set_role(v1::ROLE_CANDIDATE);
    *subject.mutable_solution()->add_files() = submission_.AddFile(folder + "optimised.cpp").value();
    v1::Dim& dim = *spec_.mutable_problem()->add_dims();
    dim.set_name("N");
    dim.set_int_value(4096);
    spec_.mutable_measure()->set_num_trials(4);
  }

  void Run(const std::atomic<bool>& stop) {
    while (!stop) {
      const auto created = submission_.Create(client_, spec_, "");
      if (created.ok()) {
        acknowledged.push_back(created->job().name());
      } else {
        ++refused;
      }
      SleepMs(150);
    }
  }

  std::vector<std::string> acknowledged;
  int refused = 0;

 private:
  client::Client client_;
  client::Submission submission_;
  v1::JobSpec spec_;
};

v1::Job Get(client::Client& client, const std::string& name) {
  v1::GetJobRequest request;
  request.set_name(name);
  const auto response = client.Call(client.jobs(), &v1::JobService::Stub::GetJob, request);
  EXPECT_TRUE(response.ok()) << "acknowledged, but lost: " << name << " " << response.status();
  return response.ok() ? response->job() : v1::Job();
}

TEST(Kill, AtSixtyRandomMomentsNothingIsLostDoubledStuckOrLeftBehind) {
  const char* wanted = std::getenv("TEST_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 60;
  TestDaemon daemon({"queue.lease_seconds=3", "queue.heartbeat_seconds=0.5"});
  daemon.WaitForWorker();
  std::atomic<bool> stop{false};
  std::vector<Submitter> submitters;
  for (int i = 0; i < 2; ++i) submitters.emplace_back(daemon.socket());
  std::vector<std::thread> threads;
  for (Submitter& submitter : submitters) threads.emplace_back([&] { submitter.Run(stop); });

  std::mt19937 random(std::random_device{}());
  for (int i = 0; i < kills; ++i) {
    SleepMs(static_cast<int>(random() % 1200));
    if (i % 3 != 1) daemon.Kill();
    if (i % 3 != 0) daemon.KillWorker();
    if (i % 3 != 1) daemon.Start();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();

  // All end within the time that the queue needs, plus a lease.
  client::Client client(daemon.socket());
  std::vector<std::string> names;
  int refused = 0;
  for (const Submitter& submitter : submitters) {
    names.insert(names.end(), submitter.acknowledged.begin(), submitter.acknowledged.end());
    refused += submitter.refused;
  }
  ASSERT_GE(names.size(), static_cast<size_t>(kills)) << "jobs must flow for this to mean anything";
  std::map<std::string, int> ends;
  int attempts = 0, retried = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  for (const std::string& name : names) {
    v1::Job job = Get(client, name);
    while (!client::IsTerminal(job.state()) && std::chrono::steady_clock::now() < deadline) {
      SleepMs(100);
      job = Get(client, name);
    }
    ++ends[v1::JobState_Name(job.state())];
    attempts += job.attempts_size();
    retried += job.attempts_size() > 1 ? 1 : 0;
    int results = 0;
    for (const v1::Attempt& attempt : job.attempts()) results += attempt.end_reason() == "RESULT" ? 1 : 0;
    EXPECT_EQ(results, job.state() == v1::JOB_STATE_SUCCEEDED ? 1 : 0) << name;
    EXPECT_TRUE(client::IsTerminal(job.state())) << "stuck: " << job.ShortDebugString();
  }
  daemon.Stop();
  for (int i = 0; i < 100 && (daemon.WorkerPid() != 0 || PoolProcesses() != 0); ++i) SleepMs(100);
  EXPECT_EQ(PoolProcesses(), 0);
  std::printf("%d kills, %zu jobs acknowledged, %d not acknowledged, %d attempts, %d jobs retried\n", kills,
              names.size(), refused, attempts, retried);
  for (const auto& [state, count] : ends) std::printf("  %s %d\n", state.c_str(), count);
  const Ran check = RunProgram({"/usr/bin/python3", "-c",
                                "import sqlite3, sys\n"
                                "print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])\n",
                                daemon.directory() + "/kernelopt.db"});
  EXPECT_EQ(check.out, "ok\n") << check.err;
}

}  // namespace
}  // namespace kernelopt::test
