// 50 users, 200 jobs each, jobs of very different length: does everybody get
// what is theirs, and does nobody wait past the bound of their class?
//
//   fair_share_simulation
//
// The store's own claims on a clock that jumps from turn to turn; one device.
// Compared with an ideal server that shares its time evenly among all who have
// work (max-min fair, by simulation of the fluid limit). Fails when a user who
// wants more than their share is more than 5 % of entitlement (and one own job)
// away from it at any tenth of the run, or when a class waits past its bound.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "queue/admit.h"
#include "store/blob_rows.h"
#include "store/database.h"
#include "store/devices.h"
#include "store/leases.h"

namespace {

using namespace kernelopt::server;
namespace v1 = kernelopt::v1;

constexpr int kUsers = 50, kJobs = 200;

// Users ask for between 0.2 s and 5 s a job.
double SecondsOf(int user) { return 0.2 * std::pow(25.0, static_cast<double>(user) / (kUsers - 1)); }

// What each user would have received by `time` from an ideal server.
std::vector<double> Entitled(double time) {
  std::vector<double> want(kUsers), got(kUsers, 0);
  for (int u = 0; u < kUsers; ++u) want[static_cast<size_t>(u)] = SecondsOf(u) * kJobs;
  while (time > 1e-9) {
    int active = 0;
    double least = 1e300;
    for (size_t u = 0; u < kUsers; ++u) {
      if (want[u] - got[u] < 1e-9) continue;
      ++active;
      least = std::min(least, want[u] - got[u]);
    }
    if (active == 0) break;
    const double step = std::min(least, time / active);
    for (size_t u = 0; u < kUsers; ++u) got[u] += want[u] - got[u] < 1e-9 ? 0 : step;
    time -= step * active;
  }
  return got;
}

struct World {
  std::string directory;
  std::unique_ptr<Database> database;
  QueuePolicy policy;
  kernelopt::support::Instant now{1'000'000'000, 1'000'000'000};
  int64_t submitted = 0, submitted_at = 0;  // how many at this instant

  World() {
    directory = "/dev/shm/kopt-fair-XXXXXX";
    if (mkdtemp(directory.data()) == nullptr) std::exit(1);
    database = Database::Open({.path = directory + "/k.db"}).value();
    policy.half_life_us = int64_t{1'000'000} * 1'000'000;  // nothing is forgotten within the run
    Do([&](SQLite::Database& db) {
      v1::Device device;
      device.set_name("devices/GPU-1");
      PutDevice(db, device, 1);
      for (uint32_t uid = 0; uid <= kUsers + 1; ++uid) (void)AddBlob(db, std::string(64, 'a'), 1, uid, 0, 1);
      return absl::OkStatus();
    });
  }
  ~World() {
    database.reset();
    std::filesystem::remove_all(directory);
  }
  void Do(const Database::Work& work) {
    if (absl::Status s = database->WriteAndWait(work); !s.ok()) {
      std::fprintf(stderr, "%s\n", std::string(s.message()).c_str());
      std::exit(1);
    }
  }
  absl::Status Submit(SQLite::Database& db, uint32_t uid, v1::Priority priority) {
    Admission a;
    a.uid = uid;
    a.spec.mutable_problem()->mutable_reference()->set_digest(std::string(64, 'a'));
    a.spec.set_device("GPU-1");
    a.spec.set_priority(priority);
    a.spec.mutable_limits()->mutable_queue()->set_seconds(1'000'000'000);
    // A job's name is its millisecond and 30 random bits: ten thousand of one millisecond would now and then have two alike.
    submitted = now.wall_us == submitted_at ? submitted + 1 : 0;
    submitted_at = now.wall_us;
    a.now_us = now.wall_us + 1000 * submitted;
    return Admit(db, a, policy).status();
  }
  // One turn: who had it, and how long the job had waited. False: nobody waits.
  bool Turn(const std::function<double(const JobRow&)>& seconds, JobRow& out, double& waited_s) {
    std::optional<JobRow> row;
    Do([&](SQLite::Database& db) {
      row = ClaimNext(db, {"w", "boot", "GPU-1", now}, policy);
      if (!row) return absl::OkStatus();
      waited_s = static_cast<double>(now.wall_us) * 1e-6 - static_cast<double>(row->job.create_time().seconds()) -
                 row->job.create_time().nanos() * 1e-9;
      ApplyChange(db, *row, DecideTurn(row->facts, row->facts.epoch).value(), now);
      const JobRow running = LoadJobById(db, row->id);
      const auto length = static_cast<int64_t>(seconds(running) * 1e6);
      now.wall_us += length;
      now.boot_us += length;
      InsertResult(db, running, DecideResult(running.facts, running.facts.epoch).value(), {}, {now, policy.half_life_us, 0});
      return absl::OkStatus();
    });
    if (row) out = *row;
    return row.has_value();
  }
};

bool Shares() {
  World world;
  world.policy.bound_us = {0, int64_t{1} << 50, int64_t{1} << 50, int64_t{1} << 50};
  world.Do([&](SQLite::Database& db) {
    for (int j = 0; j < kJobs; ++j) {
      for (uint32_t u = 0; u < kUsers; ++u) {
        if (absl::Status s = world.Submit(db, u, v1::PRIORITY_NORMAL); !s.ok()) return s;
      }
    }
    return absl::OkStatus();
  });
  double total = 0;
  for (int u = 0; u < kUsers; ++u) total += SecondsOf(u) * kJobs;
  std::vector<double> got(kUsers, 0);
  double worst = 0, elapsed = 0;
  int tenth = 1;
  JobRow row;
  double waited = 0;
  while (world.Turn([](const JobRow& r) { return SecondsOf(static_cast<int>(r.job.owner_uid())); }, row, waited)) {
    const auto u = static_cast<size_t>(row.job.owner_uid());
    got[u] += SecondsOf(static_cast<int>(u));
    elapsed += SecondsOf(static_cast<int>(u));
    if (elapsed < total * tenth / 10) continue;
    const std::vector<double> ideal = Entitled(elapsed);
    for (size_t v = 0; v < kUsers; ++v) {
      const double off = std::max(0.0, std::fabs(got[v] - ideal[v]) - SecondsOf(static_cast<int>(v)));
      worst = std::max(worst, off / ideal[v]);
    }
    ++tenth;
  }
  std::printf("%d users x %d jobs of 0.2 to 5 s: shares at each tenth of the run within %.2f %% of entitlement (one own job apart)\n",
              kUsers, kJobs, worst * 100);
  return worst <= 0.05;
}

// Batch fills the device; normal and interactive jobs come at random: 70 % load
// without batch.
bool Bounds() {
  World world;
  world.policy.bound_us = {0, 30'000'000, 600'000'000, int64_t{10'000} * 1'000'000};
  std::mt19937 random(7);
  world.Do([&](SQLite::Database& db) {
    for (int i = 0; i < 2000; ++i) {
      if (absl::Status s = world.Submit(db, static_cast<uint32_t>(i % 10), v1::PRIORITY_BATCH); !s.ok()) return s;
    }
    return absl::OkStatus();
  });
  std::map<int, double> longest;
  std::exponential_distribution<double> pause(0.7);
  double next_s = 0, first_interactive = -1;
  JobRow row;
  double waited = 0;
  for (int batch = 0; batch < 2000;) {
    const double now_s = static_cast<double>(world.now.wall_us) * 1e-6 - 1000;
    world.Do([&](SQLite::Database& db) {
      for (; next_s < now_s; next_s += pause(random)) {
        const auto priority = random() % 4 == 0 ? v1::PRIORITY_INTERACTIVE : v1::PRIORITY_NORMAL;
        if (absl::Status s = world.Submit(db, static_cast<uint32_t>(random() % kUsers), priority); !s.ok()) return s;
      }
      return absl::OkStatus();
    });
    if (!world.Turn([](const JobRow&) { return 1.0; }, row, waited)) break;
    const int priority = static_cast<int>(row.job.spec().priority());
    batch += priority == 3 ? 1 : 0;
    longest[priority] = std::max(longest[priority], waited);
    if (priority == 1 && first_interactive < 0) first_interactive = waited;
  }
  std::printf("2,000 batch jobs, and 70 %% load of others, turns of 1 s: longest wait interactive %.1f s (bound 30), normal %.0f s "
              "(bound 600), batch %.0f s (bound 10,000); the first interactive job after %.1f s\n",
              longest[1], longest[2], longest[3], first_interactive);
  return longest[1] <= 30 && longest[2] <= 600 && longest[3] <= 10'000 && first_interactive <= 1.0;
}

}  // namespace

int main() {
  const bool shares = Shares(), bounds = Bounds();
  return shares && bounds ? 0 : 1;
}
