// The queue of many users through the real daemon: quotas, reservations,
// dependencies, recalls, stale epochs, archives, metrics, bad input.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "harness/daemon.h"
#include "harness/fake_worker.h"
#include "harness/soon.h"
#include "harness/spec.h"
#include "harness/wanted.h"
#include "support/ids.h"

namespace kernelopt::test {
namespace {

namespace fs = std::filesystem;

std::string ReasonOf(const absl::Status& status) { return support::DetailOf(status).reason(); }

class Queue : public testing::Test {
 protected:
  explicit Queue(std::vector<std::string> settings = {})
      : daemon_([&] {
          settings.insert(settings.end(), {"workers.devices=", "queue.lease_seconds=60", "queue.heartbeat_seconds=30"});
          return settings;
        }()),
        client_(daemon_.socket()) {}

  FakeWorker::Options Worker() const {
    return {.socket = daemon_.socket(), .token_file = daemon_.directory() + "/worker.token"};
  }
  // Takes so long to build this job, the first time.
  FakeWorker::Options BuildsFirst(const std::string& job, double seconds) const {
    FakeWorker::Options options = Worker();
    options.build_seconds = [=](const v1::LeaseGrant& grant) {
      return grant.lease().job() == job && grant.lease().attempt() == 1 ? seconds : 0;
    };
    return options;
  }
  std::string Submit(v1::Priority priority = v1::PRIORITY_NORMAL) {
    v1::JobSpec spec = SmallSpec(client_);
    spec.set_priority(priority);
    const auto created = Create(client_, spec);
    EXPECT_TRUE(created.ok()) << created.status();
    return created.ok() ? created->job().name() : "";
  }
  bool Ends(const std::string& job, v1::JobState state = v1::JOB_STATE_SUCCEEDED) {
    return Soon([&] { return GetJob(client_, job).state() == state; });
  }

  TestDaemon daemon_;
  client::Client client_;
};

TEST_F(Queue, ALeaseWhoseTurnHasNotBegunIsRecalledForAHigherClass) {
  const std::string batch = Submit(v1::PRIORITY_BATCH);
  FakeWorker::Options slow = BuildsFirst(batch, 60);
  slow.seconds = [](const v1::LeaseGrant&) { return 3; };
  FakeWorker worker(slow);
  ASSERT_TRUE(Soon([&] { return GetJob(client_, batch).state() == v1::JOB_STATE_LEASED; }));
  const std::string urgent = Submit(v1::PRIORITY_INTERACTIVE);
  ASSERT_TRUE(Soon([&] { return GetJob(client_, urgent).attempts_size() > 0; }));
  EXPECT_EQ(worker.recalled(), 1);
  const v1::Job waiting = GetJob(client_, batch);
  EXPECT_EQ(waiting.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(waiting.attempts(0).end_reason(), "RECALLED");
  EXPECT_TRUE(Ends(urgent));
  EXPECT_TRUE(Ends(batch));
}

// Review finding: the worker noticed the recall only after it had begun its turn.
TEST_F(Queue, ARecallThatCrossesTheBeginOfTheTurnDoesNotCancelTheJob) {
  const std::string batch = Submit(v1::PRIORITY_BATCH);
  FakeWorker::Options crossing = BuildsFirst(batch, 60);
  crossing.begins_turn_when_stopped = true;
  FakeWorker worker(crossing);
  ASSERT_TRUE(Soon([&] { return GetJob(client_, batch).state() == v1::JOB_STATE_LEASED; }));
  const std::string urgent = Submit(v1::PRIORITY_INTERACTIVE);
  EXPECT_TRUE(Ends(urgent));
  EXPECT_EQ(worker.recalled(), 1);
  EXPECT_TRUE(Ends(batch)) << GetJob(client_, batch).ShortDebugString();
}

TEST_F(Queue, OnlyAJobThatCouldStartRecallsOthers) {
  const std::string batch = Submit(v1::PRIORITY_BATCH);
  FakeWorker worker(BuildsFirst(batch, 1));
  ASSERT_TRUE(Soon([&] { return GetJob(client_, batch).state() == v1::JOB_STATE_LEASED; }));
  v1::JobSpec later = SmallSpec(client_);
  later.set_priority(v1::PRIORITY_INTERACTIVE);
  later.mutable_not_before()->set_seconds(4'000'000'000);
  ASSERT_TRUE(Create(client_, later).ok());
  EXPECT_TRUE(Ends(batch));
  EXPECT_EQ(worker.recalled(), 0);
}

TEST_F(Queue, GpusAreChosenByNumberAndByArchitecture) {
  FakeWorker::Options older = Worker(), newer = Worker();
  older.device = "GPU-1", older.arch = "sm_80";
  newer.device = "GPU-2", newer.arch = "sm_90a";
  FakeWorker first(older), second(newer);
  ASSERT_TRUE(first.attached() && second.attached());
  const std::string example = ExamplesDirectory() + "/vector_add/";
  const auto submit = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"submit", example + "optimised.cu", "--ref=" + example + "ref.py", "--N=64", "--json"});
    return daemon_.Koptctl(options);
  };
  const auto chosen = [&](const std::vector<std::string>& options) { return submit(options).json()["job"]["spec"]["device"]; };
  EXPECT_EQ(chosen({"--gpu=1"}), "GPU-2");
  EXPECT_EQ(chosen({"--arch=sm_90"}), "GPU-2");
  EXPECT_EQ(chosen({"--arch=sm_90a", "--gpu=1"}), "GPU-2");
  EXPECT_EQ(chosen({"--arch=sm_80", "--device=GPU-1"}), "GPU-1");
  const auto refused = [&](const std::vector<std::string>& options, const std::string& why) {
    const Ran ran = submit(options);
    EXPECT_EQ(ran.exit, 2);
    EXPECT_NE((ran.out + ran.err).find(why), std::string::npos) << ran.out << ran.err;
  };
  refused({"--arch=sm_100"}, "GPU-1 is sm_80, GPU-2 is sm_90");
  refused({"--arch=sm_80", "--gpu=1"}, "GPU-2 is sm_90");
  refused({"--arch=sm_80", "--device=host"}, "host is no GPU");
  refused({"--gpu=2"}, "numbered from 0");
}

TEST_F(Queue, AStateThatIsNoneIsABadRequestAndNotTheEndOfTheDaemon) {
  v1::ListJobsRequest request;
  request.add_states(static_cast<v1::JobState>(99));
  EXPECT_EQ(ReasonOf(client_.Call(client_.jobs(), &v1::JobService::Stub::ListJobs, request).status()), "BAD_REQUEST");
  EXPECT_NE(Submit(), "");
}

TEST_F(Queue, AnUploadOverTheQuotaLeavesNothingOnTheDisk) {
  ASSERT_EQ(daemon_.Koptctl({"quota", "set", "root", "blob_bytes=100"}).exit, 0);
  const std::string bytes(200, 'x'), digest = support::Sha256Hex(bytes);
  EXPECT_EQ(ReasonOf(client_.UploadBlob(digest, bytes)), "BLOB_BYTES_LIMIT");
  EXPECT_FALSE(fs::exists(daemon_.directory() + "/blobs/" + digest.substr(0, 2) + "/" + digest));
}

TEST_F(Queue, WhatUsersTypeIsNoLabelOfAMetric) {
  v1::JobSpec spec = SmallSpec(client_, "GPU-alice-was-here");
  const std::string job = Create(client_, spec)->job().name();
  daemon_.Koptctl({"cancel", job});
  RunProgram({"/usr/bin/python3", "-c",
              "import grpc, sys\n"
              "channel = grpc.insecure_channel('unix:' + sys.argv[1])\n"
              "try: channel.unary_unary('/kernelopt.v1.JobService/AliceWasHere')(b'', timeout=5)\n"
              "except grpc.RpcError: pass\n",
              daemon_.socket()});
  const auto text = client_.Call(client_.system(), &v1::SystemService::Stub::GetMetrics, v1::GetMetricsRequest())->text();
  EXPECT_EQ(text.find("lice"), std::string::npos);
}

TEST_F(Queue, ATurnThatHasBegunIsNotRecalled) {
  FakeWorker::Options busy = Worker();
  busy.seconds = [](const v1::LeaseGrant&) { return 3; };
  const std::string batch = Submit(v1::PRIORITY_BATCH);
  FakeWorker worker(busy);
  ASSERT_TRUE(Soon([&] { return GetJob(client_, batch).state() == v1::JOB_STATE_RUNNING; }));
  const std::string urgent = Submit(v1::PRIORITY_INTERACTIVE);
  EXPECT_TRUE(Ends(batch));
  EXPECT_EQ(worker.recalled(), 0);
  EXPECT_TRUE(Ends(urgent));
}

TEST_F(Queue, ResultsOfStaleEpochsAreAllRefused) {
  FakeWorker worker(Worker());
  const std::string job = Submit();
  ASSERT_TRUE(Ends(job));
  const std::string running = Submit();
  int refused = 0;
  constexpr int kReports = 500;
  for (int i = 0; i < kReports; ++i) {
    v1::LeaseId lease;
    lease.set_job(i % 2 == 0 ? job : running);
    lease.set_attempt(1);
    lease.set_epoch(i % 5 == 0 ? 1 : i - 100);
    if (!worker.Report(GoodReport(lease)).accepted()) ++refused;
  }
  // The one job's own result may have come in by its true epoch.
  EXPECT_TRUE(Ends(running));
  EXPECT_GE(refused, kReports - 1);
  EXPECT_EQ(GetJob(client_, job).attempts_size(), 1);
  int results = 0;
  const v1::Job judged = GetJob(client_, running);
  for (const v1::Attempt& a : judged.attempts()) results += a.end_reason() == "RESULT" ? 1 : 0;
  EXPECT_EQ(results, 1);
}

TEST_F(Queue, TheSameRequestIdFromThirtyTwoClientsIsOneJobEachTime) {
  const v1::JobSpec spec = SmallSpec(client_);
  constexpr int kClients = 32;
  const int ids = Wanted("TEST_REQUEST_IDS", 2000);
  ASSERT_EQ(daemon_.Koptctl({"quota", "set", "root", "submissions_per_minute=0", "queued_jobs=0"}).exit, 0);
  std::vector<std::string> request_ids(static_cast<size_t>(ids));
  for (std::string& id : request_ids) id = support::NewUuid();
  std::vector<std::vector<std::string>> names(kClients, std::vector<std::string>(request_ids.size()));
  std::vector<std::thread> threads;
  for (size_t c = 0; c < kClients; ++c) {
    threads.emplace_back([&, c] {
      client::Client own(daemon_.socket());
      for (size_t i = 0; i < request_ids.size(); ++i) {
        const auto created = Create(own, spec, request_ids[i]);
        names[c][i] = created.ok() ? created->job().name() : std::string(created.status().message());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> distinct;
  for (size_t i = 0; i < request_ids.size(); ++i) {
    for (size_t c = 0; c < kClients; ++c) ASSERT_EQ(names[c][i], names[0][i]);
    distinct.insert(names[0][i]);
  }
  EXPECT_EQ(distinct.size(), request_ids.size());
  std::printf("%d request ids, each from %d clients: one job each\n", ids, kClients);
}

TEST_F(Queue, ADependentJobGoesOnOrIsCancelledAndItsWatcherIsTold) {
  // By the commit, not by the heartbeat that comes every 5 s: most of them at once.
  constexpr int kTries = 5;
  int at_once = 0;
  for (int i = 0; i < kTries; ++i) {
    const std::string first = Submit();
    v1::JobSpec spec = SmallSpec(client_);
    spec.add_after()->set_job(first);
    const std::string second = Create(client_, spec)->job().name();
    EXPECT_NE(daemon_.Koptctl({"why", second}).out.find("waits for " + first), std::string::npos);
    std::atomic<std::chrono::steady_clock::time_point> begin;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      begin = std::chrono::steady_clock::now();
      EXPECT_EQ(daemon_.Koptctl({"cancel", first}).exit, 0);
    });
    const auto last = client_.Watch(second, 30, [](const v1::Job&) { return true; });
    at_once += std::chrono::steady_clock::now() - begin.load() < std::chrono::seconds(1) ? 1 : 0;
    canceller.join();
    ASSERT_TRUE(last.ok());
    EXPECT_EQ(last->state_reason(), "DEPENDENCY_FAILED");
  }
  EXPECT_GE(at_once, 3) << "of " << kTries;
}

TEST_F(Queue, AnArchivedJobIsStillShownWithResultReportAndLog) {
  FakeWorker worker(Worker());
  const std::string job = Submit();
  ASSERT_TRUE(Ends(job));
  ASSERT_TRUE(Ends(Submit()));  // the newest job always stays
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const Ran moved = daemon_.Koptctl({"admin", "archive", "--before=0s"});
  EXPECT_NE(moved.out.find("moved 1 jobs"), std::string::npos) << moved.out << moved.err;
  EXPECT_EQ(daemon_.Koptctl({"list", "--json"}).json()["list"]["jobs"].size(), 1u);
  EXPECT_EQ(daemon_.Koptctl({"result", job}).exit, 0);
  EXPECT_EQ(daemon_.Koptctl({"report", job}).exit, 0);
  EXPECT_EQ(daemon_.Koptctl({"logs", job}).exit, 0);
  EXPECT_EQ(daemon_.Koptctl({"status", job}).exit, 0);
  fs::remove_all(daemon_.directory() + "/archive");
  const Ran gone = daemon_.Koptctl({"result", job});
  EXPECT_EQ(gone.exit, 3);
  EXPECT_NE(gone.err.find("not there any more"), std::string::npos) << gone.err;
}

TEST_F(Queue, MetricsCountWhatHappenedWithoutNamingAnybody) {
  FakeWorker worker(Worker());
  ASSERT_TRUE(Ends(Submit()));
  ASSERT_TRUE(Ends(Submit(v1::PRIORITY_BATCH)));
  std::string text;
  // A reader sees what is committed before it is counted.
  EXPECT_TRUE(Soon([&] {
    text = client_.Call(client_.system(), &v1::SystemService::Stub::GetMetrics, v1::GetMetricsRequest())->text();
    return text.find("outcome=\"correct\"} 2") != std::string::npos;
  }));
  for (const char* line : {"kernelopt_jobs{state=\"succeeded\"} 2", "kernelopt_jobs_finished_total{device=\"GPU-fake\",outcome=\"correct\"} 2",
                           "kernelopt_job_queue_seconds_count{class=\"batch\"} 1", "kernelopt_gpu_online{device=\"GPU-fake\",model=\"Fake\"} 1",
                           "kernelopt_rpc_seconds_count{code=\"OK\",method=\"JobService/CreateJob\"} 2", "kernelopt_build_info"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
  EXPECT_EQ(text.find("jobs/"), std::string::npos);
  // Every name that dashboard and alerts use is one of these.
  const Ran used = RunProgram({"/usr/bin/python3", "-c",
                               "import re, sys\n"
                               "names = set()\n"
                               "for path in sys.argv[1:]: names |= set(re.findall(r'\\b(kernelopt_[a-z_]+)', open(path).read()))\n"
                               "print(' '.join(sorted(names)))\n",
                               TestsDirectory() + "/../deploy/grafana/kernelopt.json", TestsDirectory() + "/../deploy/prometheus/alerts.yml"});
  std::stringstream names(used.out);
  for (std::string name; names >> name;) {
    if (name == "kernelopt_up" || name == "kernelopt_results_refused_total" || name == "kernelopt_leases_expired_total") continue;
    for (const char* part : {"_bucket", "_sum", "_count"}) {  // of a histogram
      if (name.ends_with(part)) name.resize(name.size() - std::string(part).size());
    }
    EXPECT_NE(text.find("# TYPE " + name + " "), std::string::npos) << name;
  }
}

TEST_F(Queue, TheMetricsProcessServesThemAndSaysWhenTheDaemonIsGone) {
  const std::string log = daemon_.directory() + "/metrics.log", pid = daemon_.directory() + "/metrics.pid";
  std::thread server([&] {
    RunProgram({"/bin/sh", "-c", "echo $$ >" + pid + "; exec \"$@\" >" + log + " 2>&1", "sh", BinDirectory() + "/kernelopt-metrics",
                "--socket", daemon_.socket(), "--port", "0"}, 120);
  });
  const auto scrape = [&] {
    return RunProgram({"/usr/bin/python3", "-c",
                       "import re, sys, urllib.request\n"
                       "url = re.search(r'http://\\S+/metrics', open(sys.argv[1]).read()).group()\n"
                       "print(urllib.request.urlopen(url).read().decode())\n",
                       log}).out;
  };
  EXPECT_TRUE(Soon([&] { return scrape().find("kernelopt_up 1") != std::string::npos; }, 40)) << ReadText(log);
  daemon_.Stop();
  EXPECT_TRUE(Soon([&] { return scrape().find("kernelopt_up 0") != std::string::npos; }, 40)) << ReadText(log);
  kill(std::atoi(ReadText(pid).c_str()), SIGTERM);
  server.join();
}

// --- bad input ---

int Connect(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

TEST_F(Queue, AThousandIdleConnectionsKeepNobodyElseOut) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be another user";
  fs::permissions(daemon_.directory(), fs::perms::others_exec, fs::perm_options::add);
  std::vector<int> idle;
  for (int i = 0; i < 1000; ++i) idle.push_back(Connect(daemon_.socket()));
  const Ran other = RunProgram({"/usr/bin/setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups",
                                BinDirectory() + "/koptctl", "--socket", daemon_.socket(), "status"}, 20);
  EXPECT_EQ(other.exit, 0) << other.err;
  for (const int fd : idle) close(fd);
  EXPECT_TRUE(Soon([&] { return daemon_.Koptctl({"status"}).exit == 0; }));
}

TEST_F(Queue, AMessageOfFiveMebibytesIsRefusedAndTheNextIsAnswered) {
  v1::JobSpec spec = SmallSpec(client_);
  spec.set_label(std::string(5 << 20, 'x'));
  EXPECT_EQ(Create(client_, spec).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Submit(), "");
}

TEST_F(Queue, AReaderThatDoesNotReadHoldsNobodyUp) {
  FakeWorker worker(Worker());
  const std::string watched = Submit();
  grpc::ClientContext context;
  v1::WatchJobRequest request;
  request.set_name(watched);
  const auto stuck = client_.jobs().WatchJob(&context, request);  // never read
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Ends(Submit()));
  context.TryCancel();
  (void)stuck->Finish();
}

TEST_F(Queue, AnOrdinaryUserCannotAttachAsAWorkerEvenWithTheToken) {
  FakeWorker::Options wrong = Worker();
  wrong.token_file = "/dev/null";
  FakeWorker without(wrong);
  EXPECT_FALSE(without.attached());
  EXPECT_EQ(ReasonOf(support::FromGrpc(without.status())), "BAD_WORKER_TOKEN");
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be another user";
  fs::permissions(daemon_.directory(), fs::perms::others_exec, fs::perm_options::add);
  const Ran other = RunProgram({"/usr/bin/setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups", "/usr/bin/python3", "-c",
                                "import grpc, sys\n"
                                "channel = grpc.insecure_channel('unix:' + sys.argv[1])\n"
                                "call = channel.stream_stream('/kernelopt.v1.WorkerService/Attach')\n"
                                "try: next(call(iter([b'\\x0a\\x02\\x08\\x01']), metadata=(('x-kopt-worker-token', sys.argv[2]),), timeout=5))\n"
                                "except grpc.RpcError as e: print(e.code().name)\n",
                                daemon_.socket(), ReadText(daemon_.directory() + "/worker.token")}, 20);
  EXPECT_EQ(other.out, "PERMISSION_DENIED\n") << other.err;
}

TEST_F(Queue, PathTricksInNamesAreRefused) {
  for (const char* name : {"../../etc/passwd", "/etc/passwd", "a/../b", "a//b", "con\nfig", ""}) {
    v1::JobSpec spec = SmallSpec(client_);
    spec.mutable_subjects(0)->mutable_solution()->mutable_files(0)->set_path(name);
    EXPECT_EQ(ReasonOf(Create(client_, spec).status()), "BAD_REQUEST") << name;
  }
  for (const char* name : {"jobs/../x", "jobs/", "devices/x", "jobs/a'b", "jobs/%00"}) {
    v1::GetJobRequest request;
    request.set_name(name);
    EXPECT_FALSE(client_.Call(client_.jobs(), &v1::JobService::Stub::GetJob, request).ok()) << name;
  }
}

TEST_F(Queue, WithoutTheGroupNobodyButRootGetsIn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be another user";
  TestDaemon closed({"workers.devices=", "auth.user_groups=no-such-group"});
  fs::permissions(closed.directory(), fs::perms::others_exec, fs::perm_options::add);
  const Ran other = RunProgram({"/usr/bin/setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups",
                                BinDirectory() + "/koptctl", "--socket", closed.socket(), "status"}, 20);
  EXPECT_EQ(other.exit, 5);
  EXPECT_NE(other.err.find("auth.user_groups"), std::string::npos) << other.err;
  EXPECT_EQ(closed.Koptctl({"status"}).exit, 0);
}

TEST_F(Queue, ADamagedDatabaseIsRefusedWithTheRestoreCommandWhichWorks) {
  const std::string job = Submit();
  const Ran backup = daemon_.Koptctl({"admin", "backup", "--json"});
  ASSERT_EQ(backup.exit, 0) << backup.err;
  const std::string later = Submit();
  daemon_.Stop();
  std::fstream file(daemon_.directory() + "/kernelopt.db", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(0);
  file << "this is no database";
  file.close();
  const Ran refused = RunProgram({BinDirectory() + "/kernelopt-d", "--state", daemon_.directory(), "--socket", daemon_.socket()}, 10);
  EXPECT_EQ(refused.exit, 1);
  const size_t at = refused.err.find("--restore ");
  ASSERT_NE(at, std::string::npos) << refused.err;
  const std::string from = refused.err.substr(at + 10, refused.err.find_first_of("\n;", at) - at - 10);
  const Ran restored = RunProgram({BinDirectory() + "/kernelopt-d", "--state", daemon_.directory(), "--restore", from}, 20);
  EXPECT_EQ(restored.exit, 0) << restored.err;
  daemon_.Start();
  EXPECT_EQ(GetJob(client_, job).state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(daemon_.Koptctl({"status", later}).exit, 3);
}

TEST(QueueDisk, ANearlyFullDiskTakesNoJobsFinishesTheRunningAndHealsByItself) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to mount a small disk";
  std::string mount = "/tmp/kopt-small-XXXXXX";
  ASSERT_NE(mkdtemp(mount.data()), nullptr);
  if (RunProgram({"/usr/bin/mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", mount}).exit != 0) {
    GTEST_SKIP() << "may not mount";
  }
  {
    TestDaemon daemon({"workers.devices=", "limits.min_free_bytes=16777216", "state.directory=" + mount + "/state"});
    client::Client client(daemon.socket());
    v1::JobSpec spec = SmallSpec(client);
    const std::string job = Create(client, spec)->job().name();
    std::ofstream(mount + "/ballast") << std::string(50 << 20, 'x');
    EXPECT_TRUE(Soon([&] { return ReasonOf(Create(client, spec).status()) == "DISK_FULL"; }));
    EXPECT_NE(daemon.Koptctl({"status"}).out.find("no new jobs are taken"), std::string::npos);
    EXPECT_EQ(ReasonOf(client.UploadBlob(support::Sha256Hex("new"), "new")), "DISK_FULL");
    FakeWorker worker({.socket = daemon.socket(), .token_file = mount + "/state/worker.token"});
    EXPECT_TRUE(Soon([&] { return GetJob(client, job).state() == v1::JOB_STATE_SUCCEEDED; })) << "what waits is finished";
    fs::remove(mount + "/ballast");
    EXPECT_TRUE(Soon([&] { return Create(client, spec).ok(); }));
  }
  RunProgram({"/usr/bin/umount", mount});
  fs::remove_all(mount);
}

TEST(QueueDisk, AReadOnlyStateIsRefusedWithASentence) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to mount";
  std::string mount = "/tmp/kopt-ro-XXXXXX";
  ASSERT_NE(mkdtemp(mount.data()), nullptr);
  if (RunProgram({"/usr/bin/mount", "-t", "tmpfs", "-o", "ro", "tmpfs", mount}).exit != 0) GTEST_SKIP() << "may not mount";
  const Ran ran = RunProgram({BinDirectory() + "/kernelopt-d", "--state", mount + "/state", "--socket", "/tmp/kopt-ro.sock"}, 10);
  EXPECT_EQ(ran.exit, 1);
  EXPECT_NE(ran.err.find("Read-only file system"), std::string::npos) << ran.err;
  RunProgram({"/usr/bin/umount", mount});
  fs::remove_all(mount);
}

}  // namespace
}  // namespace kernelopt::test
