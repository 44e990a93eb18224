// SIGKILL of daemon, worker and both, at random moments and at every fail point,
// with jobs flowing.
//
// Promised: no acknowledged job is lost, none has two results, all end, no
// process of the sandbox uid pool is left. TEST_KILLS=60 is the number of daemon
// kills and of worker kills (a third of it for both at once), with at least
// TEST_JOBS=1000 jobs in the first; TEST_SEED gives other moments. Each test
// prints its figures.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

#include "client/lib/client.h"
#include "client/lib/submission.h"
#include "harness/daemon.h"
#include "harness/spec.h"
#include "harness/wanted.h"
#include "support/fail_point.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::test {
namespace {

void SleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// Workers die here all the time, and their devices are well.
const std::vector<std::string> kSettings = {"queue.quarantine_faults=0", "queue.lease_seconds=3", "queue.heartbeat_seconds=0.5",
                                            "limits.queued_jobs=0", "limits.submissions_per_minute=0",
                                            "workers.max_backoff_seconds=0.1"};

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
    dim.set_int_value(256);
    spec_.mutable_measure()->set_num_trials(2);
  }

  void Run(const std::atomic<bool>& stop) {
    while (!stop) {
      const std::string bytes = support::NewUuid();  // every upload is a new file
      (void)client_.UploadBlob(support::Sha256Hex(bytes), bytes);
      const auto created = submission_.Create(client_, spec_, "");
      if (created.ok()) {
        acknowledged.push_back(created->job().name());
        ++total;
      } else {
        ++refused;
      }
      SleepMs(120);
    }
  }

  std::vector<std::string> acknowledged;
  int refused = 0;
  static inline std::atomic<int> total{0};

 private:
  client::Client client_;
  client::Submission submission_;
  v1::JobSpec spec_;
};

// Jobs flowing from several clients while `trouble` goes on.
class Flow {
 public:
  explicit Flow(TestDaemon& daemon, int clients = 2) : daemon_(daemon) {
    Submitter::total = 0;
    for (int i = 0; i < clients; ++i) submitters_.emplace_back(daemon.socket());
    for (Submitter& submitter : submitters_) threads_.emplace_back([&] { submitter.Run(stop_); });
  }

  ~Flow() { Stop(); }

  // Ends the flow, waits for every job and judges them.
  void ExpectAllEnded(const std::string& title) {
    Stop();
    client::Client client(daemon_.socket());
    std::map<std::string, int> ends;
    int acknowledged = 0, refused = 0, attempts = 0, retried = 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3600);
    for (const Submitter& submitter : submitters_) {
      refused += submitter.refused;
      for (const std::string& name : submitter.acknowledged) {
        ++acknowledged;
        v1::Job job = GetJob(client, name);
        // Stuck is: nothing ends for a minute while the queue is worked on.
        while (!client::IsTerminal(job.state()) && std::chrono::steady_clock::now() < deadline) {
          SleepMs(50);
          job = GetJob(client, name);
        }
        ++ends[v1::JobState_Name(job.state())];
        attempts += job.attempts_size();
        retried += job.attempts_size() > 1 ? 1 : 0;
        int results = 0;
        for (const v1::Attempt& attempt : job.attempts()) results += attempt.end_reason() == "RESULT" ? 1 : 0;
        EXPECT_EQ(results, job.state() == v1::JOB_STATE_SUCCEEDED ? 1 : 0) << name;
        EXPECT_TRUE(client::IsTerminal(job.state())) << "stuck: " << job.ShortDebugString();
      }
    }
    std::printf("%s: %d jobs acknowledged, %d not; %d attempts, %d jobs retried;", title.c_str(), acknowledged,
                refused, attempts, retried);
    for (const auto& [state, count] : ends) std::printf(" %s %d", state.c_str(), count);
    std::printf("\n");
    ExpectSound();
  }

 private:
  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  void ExpectSound() {
    daemon_.Stop();
    for (int i = 0; i < 100 && (daemon_.WorkerPid() != 0 || PoolProcesses() != 0); ++i) SleepMs(100);
    EXPECT_EQ(PoolProcesses(), 0);
    const Ran check = RunProgram({"/usr/bin/python3", "-c",
                                  "import sqlite3, sys\n"
                                  "print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])\n",
                                  daemon_.directory() + "/kernelopt.db"});
    EXPECT_EQ(check.out, "ok\n") << check.err;
    std::istringstream turns(RunProgram({"/usr/bin/python3", TestsDirectory() + "/harness/turns.py",
                                         daemon_.directory() + "/kernelopt.db"}).out);
    int seen = 0, overlapping = -1;
    turns >> seen >> overlapping;
    EXPECT_GT(seen, 0);
    EXPECT_EQ(overlapping, 0) << "of " << seen << " turns on one device";
  }

  TestDaemon& daemon_;
  std::atomic<bool> stop_{false};
  std::vector<Submitter> submitters_;
  std::vector<std::thread> threads_;
};

std::mt19937& Random() {
  static std::mt19937 random(static_cast<unsigned>(Wanted("TEST_SEED", 1)));
  return random;
}

// What ExpectSound relies on: an overlap in the log is seen.
TEST(Turns, OneThatBeginsBeforeAnotherEndedIsCounted) {
  const Ran ran = RunProgram({"/usr/bin/python3", "-c",
                              "import sqlite3, subprocess, sys, tempfile\n"
                              "with tempfile.NamedTemporaryFile() as file:\n"
                              "    with sqlite3.connect(file.name) as db:\n"
                              "        db.execute('CREATE TABLE job (id, device)')\n"
                              "        db.execute('CREATE TABLE event (seq INTEGER PRIMARY KEY, job_id, state)')\n"
                              "        db.executemany('INSERT INTO job VALUES (?, ?)', [(1, 'a'), (2, 'a'), (3, 'b')])\n"
                              "        for job, state in [(1, 'RUNNING'), (3, 'RUNNING'), (1, 'RUNNING'), (1, 'SUCCEEDED'),\n"
                              "                           (2, 'RUNNING'), (1, 'RUNNING'), (3, 'FAILED')]:\n"
                              "            db.execute('INSERT INTO event (job_id, state) VALUES (?, ?)', (job, state))\n"
                              "    subprocess.run([sys.executable, sys.argv[1], file.name], check=True)\n",
                              TestsDirectory() + "/harness/turns.py"});
  EXPECT_EQ(ran.out, "4 1\n") << ran.err;
}

TEST(Kill, OfTheDaemonAtRandomMoments) {
  const int kills = Wanted("TEST_KILLS", 60), jobs = Wanted("TEST_JOBS", 1000);
  TestDaemon daemon(kSettings);
  daemon.WaitForWorker();
  Flow flow(daemon, 3);
  for (int i = 0; i < kills; ++i) {
    // As many jobs as belong to this kill, then some moment.
    while (Submitter::total < static_cast<int64_t>(jobs) * i / kills) SleepMs(20);
    SleepMs(static_cast<int>(Random()() % 700));
    daemon.Kill();
    daemon.Start();
  }
  while (Submitter::total < jobs) SleepMs(20);
  flow.ExpectAllEnded(std::to_string(kills) + " daemon kills");
}

TEST(Kill, OfTheWorkerAtRandomMoments) {
  const int kills = Wanted("TEST_KILLS", 60);
  TestDaemon daemon(kSettings);
  daemon.WaitForWorker();
  Flow flow(daemon, 1);
  for (int i = 0; i < kills; ++i) {
    while (daemon.WorkerPid() == 0) SleepMs(10);
    SleepMs(static_cast<int>(Random()() % 900));
    ASSERT_TRUE(daemon.KillWorker());
    while (daemon.WorkerPid() != 0) SleepMs(10);
  }
  flow.ExpectAllEnded(std::to_string(kills) + " worker kills");
}

TEST(Kill, OfBothAtOnce) {
  const int kills = Wanted("TEST_KILLS", 60) / 3;
  TestDaemon daemon(kSettings);
  daemon.WaitForWorker();
  Flow flow(daemon, 1);
  for (int i = 0; i < kills; ++i) {
    SleepMs(300 + static_cast<int>(Random()() % 1500));
    daemon.Kill();
    daemon.KillWorker();
    daemon.Start();
  }
  flow.ExpectAllEnded(std::to_string(kills) + " kills of both");
}

// Dies at each named place, the first and a later time it comes by.
TEST(Kill, AtEveryFailPoint) {
  TestDaemon daemon(kSettings);
  daemon.WaitForWorker();
  Flow flow(daemon, 1);
  int died = 0;
  for (const std::string point : support::FailPoints()) {
    for (const char* nth : {":1", ":7"}) {
      // Workers are children of the daemon and inherit what is armed.
      daemon.Kill();
      daemon.KillWorker();
      setenv("FAIL_POINT", (point + nth).c_str(), 1);
      daemon.Start(TestDaemon::Wait::kNo);
      unsetenv("FAIL_POINT");
      for (int i = 0; i < 6000 && daemon.Alive() && daemon.SawWorkerDie() == 0; ++i) SleepMs(20);
      died += !daemon.Alive() || daemon.SawWorkerDie() > 0 ? 1 : 0;
      EXPECT_TRUE(!daemon.Alive() || daemon.SawWorkerDie() > 0) << point << nth << " was never passed";
      daemon.Kill();
      daemon.KillWorker();
      daemon.Start();
    }
  }
  flow.ExpectAllEnded(std::to_string(died) + " deaths at fail points");
}

}  // namespace
}  // namespace kernelopt::test
