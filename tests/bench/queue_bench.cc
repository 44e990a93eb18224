// Figures of the queue with a long history behind it.
//
//   queue_bench [--finished=1000000] [--restarts=20]
//
// Fills a database with finished jobs (a thousand real ones, and copies of their
// rows) and 1,000 queued ones, then prints: the claim, empty against full (p50);
// `koptctl status`; and how long a daemon that is killed with 100,000 finished and
// 1,000 queued jobs takes from its start to the first job claimed and finished.
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "client/lib/client.h"
#include "harness/daemon.h"
#include "harness/fake_worker.h"
#include "queue/admit.h"
#include "store/accounts.h"
#include "store/blob_rows.h"
#include "store/database.h"
#include "store/devices.h"
#include "store/leases.h"
#include "support/clock.h"
#include "support/sha256.h"

namespace kernelopt::test {
namespace {

using namespace server;
namespace fs = std::filesystem;

constexpr int kThousand = 1000;

double Now() { return support::MonotonicSeconds(); }

double At(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

Admission Ask(uint32_t uid, const std::string& digest) {
  Admission a;
  a.uid = uid;
  a.spec.mutable_problem()->mutable_reference()->set_digest(digest);
  a.spec.mutable_problem()->mutable_reference()->set_path("ref.py");
  v1::SubjectSpec& subject = *a.spec.add_subjects();
  subject.set_id("k");
  subject.set_role(v1::ROLE_CANDIDATE);
  subject.mutable_solution()->add_files()->set_digest(digest);
  subject.mutable_solution()->mutable_files(0)->set_path("k.cpp");
  a.spec.set_device("GPU-fake");
  a.spec.set_priority(v1::PRIORITY_NORMAL);
  a.spec.mutable_limits()->mutable_queue()->set_seconds(86400);
  a.spec.mutable_limits()->mutable_run()->set_seconds(600);
  a.spec.mutable_limits()->mutable_no_progress()->set_seconds(600);
  a.now_us = support::Clock::Real().WallUs();
  return a;
}

// A thousand jobs of 20 users that went the whole way; they are the first of the
// file.
absl::Status FinishThousand(SQLite::Database& db, const std::string& digest) {
  v1::JobResult result;
  v1::SubjectResult& subject = *result.add_subjects();
  subject.set_role("candidate");
  subject.set_verdict(v1::VERDICT_CORRECT);
  for (int i = 0; i < 100; ++i) subject.mutable_timing()->add_samples_us(i * 1.7);
  const QueuePolicy policy;
  for (int i = 0; i < kThousand; ++i) {
    const auto id = Admit(db, Ask(static_cast<uint32_t>(1 + i % 20), digest), policy);
    if (!id.ok()) return id.status();
    const support::Instant now = support::Clock::Real().Now();
    const auto row = ClaimNext(db, {"w", "boot", "GPU-fake", now}, policy);
    InsertResult(db, *row, DecideResult(row->facts, row->facts.epoch).value(), result, {now, 1'000'000, 0});
  }
  return absl::OkStatus();
}

// Columns of a table; those in `changed` as the expression there.
std::string Columns(SQLite::Database& db, const std::string& table, const std::map<std::string, std::string>& changed) {
  std::string columns;
  SQLite::Statement s(db, "SELECT name FROM pragma_table_info(?)");
  s.bind(1, table);
  while (s.executeStep()) {
    const std::string name = s.getColumn(0).getText();
    const auto found = changed.find(name);
    columns += (columns.empty() ? "" : ", ") + (found == changed.end() ? name : found->second);
  }
  return columns;
}

// Jobs 1 to `count` once more, behind those that are there.
void Clone(SQLite::Database& db, int64_t there, int64_t count) {
  const std::string by = std::to_string(there), where = " <= " + std::to_string(count);
  db.exec("INSERT INTO job SELECT " +
          Columns(db, "job", {{"id", "id + " + by}, {"public_id", "printf('clone%011d', id + " + by + ")"}}) +
          " FROM job WHERE id" + where);
  for (const char* table : {"attempt", "result", "job_blob"}) {
    db.exec(std::string("INSERT INTO ") + table + " SELECT " + Columns(db, table, {{"job_id", "job_id + " + by}}) +
            " FROM " + table + " WHERE job_id" + where);
  }
  db.exec("INSERT INTO event SELECT " + Columns(db, "event", {{"seq", "NULL"}, {"job_id", "job_id + " + by}}) +
          " FROM event WHERE job_id" + where + " ORDER BY seq");
}

// `n` finished jobs, a thousand at least.
void AddFinished(Database& database, int64_t n, const std::string& digest) {
  absl::Status status = database.WriteAndWait([&](SQLite::Database& db) { return FinishThousand(db, digest); });
  for (int64_t there = kThousand; status.ok() && there < n;) {
    const int64_t count = std::min({there, n - there, int64_t{20'000}});
    status = database.WriteAndWait([&](SQLite::Database& db) {
      Clone(db, there, count);
      return absl::OkStatus();
    });
    there += count;
  }
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::exit(1);
}

void AddQueued(Database& database, int n, const std::string& digest) {
  (void)database.WriteAndWait([&](SQLite::Database& db) -> absl::Status {
    for (int i = 0; i < n; ++i) {
      if (absl::Status s = Admit(db, Ask(static_cast<uint32_t>(1 + i % 20), digest), {}).status(); !s.ok()) return s;
    }
    return absl::OkStatus();
  });
}

void Prepare(Database& database, const std::string& digest) {
  (void)database.WriteAndWait([&](SQLite::Database& db) -> absl::Status {
    v1::Device device;
    device.set_name("devices/GPU-fake");
    PutDevice(db, device, 1);
    for (uint32_t uid = 1; uid <= 20; ++uid) {
      if (absl::Status s = AddBlob(db, digest, 3, uid, 0, 1); !s.ok()) return s;
    }
    return absl::OkStatus();
  });
}

// Milliseconds of claims with their commits, 200 of them with 1,000 queued.
std::vector<double> Claims(Database& database, const std::string& digest) {
  AddQueued(database, 1000, digest);
  std::vector<double> ms;
  for (int i = 0; i < 200; ++i) {
    const double begin = Now();
    (void)database.WriteAndWait([&](SQLite::Database& db) {
      ClaimNext(db, {"w", "boot", "GPU-fake", support::Clock::Real().Now()}, {});
      return absl::OkStatus();
    });
    ms.push_back((Now() - begin) * 1e3);
  }
  return ms;
}

void BenchClaims(int finished) {
  std::string directory = "/tmp/kopt-bench-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) std::exit(1);
  const std::string digest(64, 'a');
  std::vector<double> empty, full;
  {
    auto database = Database::Open({.path = directory + "/empty.db"}).value();
    Prepare(*database, digest);
    empty = Claims(*database, digest);
  }
  {
    auto database = Database::Open({.path = directory + "/kernelopt.db"}).value();
    Prepare(*database, digest);
    AddFinished(*database, finished, digest);
    full = Claims(*database, digest);
  }
  std::printf("claim with commit, 1,000 queued of 20 users: p50 %.2f ms empty, %.2f ms behind %d finished jobs (%.2fx); p99 %.2f and %.2f ms\n",
              At(empty, 0.5), At(full, 0.5), finished, At(full, 0.5) / At(empty, 0.5), At(empty, 0.99), At(full, 0.99));
  std::printf("database: %.2f GiB\n", static_cast<double>(fs::file_size(directory + "/kernelopt.db")) / (1 << 30));
  {
    TestDaemon daemon({"workers.devices=", "state.directory=" + directory});
    std::vector<double> status_ms, list_ms;
    for (int i = 0; i < 20; ++i) {
      double begin = Now();
      daemon.Koptctl({"status"});
      status_ms.push_back((Now() - begin) * 1e3);
      begin = Now();
      daemon.Koptctl({"queue"});
      list_ms.push_back((Now() - begin) * 1e3);
    }
    std::printf("koptctl status: p50 %.1f ms, max %.1f ms; koptctl queue: p50 %.1f ms\n", At(status_ms, 0.5), At(status_ms, 1), At(list_ms, 0.5));
  }
  fs::remove_all(directory);
}

void BenchRestart(int restarts) {
  TestDaemon daemon({"workers.devices="});
  daemon.Stop();
  const std::string digest(64, 'a');
  {
    auto database = Database::Open({.path = daemon.directory() + "/kernelopt.db"}).value();
    Prepare(*database, digest);
    AddFinished(*database, 100'000, digest);
    AddQueued(*database, 1000, digest);
  }
  std::vector<double> seconds;
  for (int i = 0; i < restarts; ++i) {
    daemon.Start(TestDaemon::Wait::kNo);
    const double begin = Now();
    // A worker that tries again and again, as real ones do.
    for (;;) {
      FakeWorker worker({.socket = daemon.socket(), .token_file = daemon.directory() + "/worker.token"});
      if (!worker.attached()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        continue;
      }
      while (worker.finished() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      break;
    }
    seconds.push_back(Now() - begin);
    daemon.Kill();
  }
  std::printf("SIGKILL, start, first job claimed and finished, behind 100,000 finished and 1,000 queued: p50 %.2f s, max of %d %.2f s\n",
              At(seconds, 0.5), restarts, At(seconds, 1));
}

}  // namespace
}  // namespace kernelopt::test

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  int finished = 1'000'000, restarts = 20;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--finished=", 0) == 0) finished = std::atoi(argument.c_str() + 11);
    if (argument.rfind("--restarts=", 0) == 0) restarts = std::atoi(argument.c_str() + 11);
  }
  kernelopt::test::BenchRestart(restarts);
  kernelopt::test::BenchClaims(finished);
  return 0;
}
