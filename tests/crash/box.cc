#include "crash/box.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "queue/admit.h"
#include "store/accounts.h"
#include "store/blob_rows.h"
#include "store/health.h"
#include "store/jobs.h"
#include "store/leases.h"
#include "support/clock.h"
#include "support/files.h"
#include "support/sha256.h"

namespace kernelopt::test {
namespace {

using server::JobRow;

support::Instant Now() { return support::Clock::Real().Now(); }

}  // namespace

absl::Status Box::Open() {
  if (absl::Status s = support::MakeDirectories(directory_ + "/blobs"); !s.ok()) return s;
  auto files = server::BlobFiles::Open(directory_ + "/blobs");
  if (!files.ok()) return files.status();
  files_ = std::make_unique<server::BlobFiles>(*std::move(files));
  auto database = server::Database::Open({.path = directory_ + "/k.db", .readers = 1});
  if (!database.ok()) return database.status();
  database_ = *std::move(database);
  return absl::OkStatus();
}

void Box::Close() {
  database_.reset();
  files_.reset();
}

absl::Status Box::Upload(std::mt19937& random) {
  const std::string bytes = absl::StrCat("blob ", made_++, " ", std::string(random() % 3000, 'x'));
  const std::string digest = support::Sha256Hex(bytes);
  auto upload = files_->Begin(1 << 20);
  if (!upload.ok()) return upload.status();
  if (absl::Status s = (*upload)->Append(bytes); !s.ok()) return s;
  if (absl::Status s = (*upload)->Commit(digest); !s.ok()) return s;
  absl::Status s = database_->WriteAndWait([&](SQLite::Database& db) {
    return server::AddBlob(db, digest, static_cast<int64_t>(bytes.size()), 7, 0, Now().wall_us);
  });
  if (s.ok()) blobs_.push_back(digest);
  return s;
}

void Box::Submit(std::mt19937& random, server::Database::Done done) {
  server::Admission admission;
  admission.uid = 7;
  admission.spec.set_device("host");
  admission.spec.set_priority(static_cast<v1::Priority>(1 + random() % 3));
  admission.spec.mutable_limits()->mutable_queue()->set_seconds(1000);
  admission.spec.mutable_problem()->mutable_reference()->set_digest(blobs_[random() % blobs_.size()]);
  admission.now_us = Now().wall_us;
  auto id = std::make_shared<std::string>();
  database_->Write(
      [=](SQLite::Database& db) {
        const auto made = server::Admit(db, admission, {});
        if (made.ok()) *id = *made;
        return made.status();
      },
      [this, id, done](const absl::Status& status) {
        if (status.ok()) jobs_.push_back(*id);  // the writer thread's, until the caller waits
        done(status);
      });
}

absl::Status Box::ClaimAndFinish(std::mt19937& random) {
  std::optional<JobRow> row;
  absl::Status s = database_->WriteAndWait([&](SQLite::Database& db) {
    row = server::ClaimNext(db, {"w", "boot", "host", Now()}, {});
    return absl::OkStatus();
  });
  if (!s.ok() || !row) return s;
  const bool lost = random() % 5 == 0;
  s = database_->WriteAndWait([&](SQLite::Database& db) -> absl::Status {
    const server::LeaseBill bill{Now(), 1'000'000, 0};
    if (lost) {
      const auto change = DecideLeaseEnd(row->facts, row->facts.epoch, server::LeaseEnd::kExpired, "");
      if (change.ok()) server::EndLease(db, *row, *change, bill);
      return change.status();
    }
    v1::JobResult result;
    result.set_protocol("kopt-1");
    const auto change = DecideResult(row->facts, row->facts.epoch);
    if (change.ok()) server::InsertResult(db, *row, *change, result, bill);
    return change.status();
  });
  if (s.ok() && !lost) results_.insert(row->job.name().substr(5));
  return s;
}

absl::Status Box::Cancel(std::mt19937& random) {
  const std::string id = jobs_[random() % jobs_.size()];
  bool ended = false;
  absl::Status s = database_->WriteAndWait([&](SQLite::Database& db) -> absl::Status {
    const auto row = server::LoadJob(db, id);
    if (!row.ok()) return row.status();
    const auto change = server::DecideCancel(row->facts);
    if (!change.ok()) return absl::OkStatus();  // ended already
    server::ApplyChange(db, *row, *change, Now());
    ended = change->to == v1::JOB_STATE_CANCELLED;
    return absl::OkStatus();
  });
  if (s.ok() && ended) cancelled_.insert(id);
  return s;
}

absl::Status Box::Step(std::mt19937& random) {
  const auto dice = random() % 10;
  if (blobs_.empty() || dice < 3) return Upload(random);
  if (jobs_.empty() || dice < 6) {
    std::atomic<bool> ready{false};
    absl::Status outcome;
    Submit(random, [&](const absl::Status& status) {
      outcome = status;
      ready = true;
      ready.notify_one();
    });
    ready.wait(false);
    return outcome;
  }
  return dice < 9 ? ClaimAndFinish(random) : Cancel(random);
}

void Box::Burst(int n, std::mt19937& random) {
  if (blobs_.empty()) return;
  std::atomic<int> left{n};
  for (int i = 0; i < n; ++i) {
    Submit(random, [&](const absl::Status&) {
      if (--left == 0) left.notify_one();
    });
  }
  for (int now = left; now > 0; now = left) left.wait(now);
}

std::string Box::Check() {
  std::string wrong;
  const absl::Status looked = database_->ReadAndWait([&](SQLite::Database& db) -> absl::Status {
    for (const std::string& id : jobs_) {
      const auto row = server::LoadJob(db, id, server::With::kAttempts);
      if (!row.ok()) {
        absl::StrAppend(&wrong, "acknowledged, but lost: job ", id, "\n");
        continue;
      }
      int accepted = 0;
      for (const v1::Attempt& a : row->job.attempts()) accepted += a.end_reason() == "RESULT" ? 1 : 0;
      const bool succeeded = row->facts.state == v1::JOB_STATE_SUCCEEDED;
      if (accepted != (succeeded ? 1 : 0)) absl::StrAppend(&wrong, "results of ", id, ": ", accepted, "\n");
      if (succeeded && !server::LoadResult(db, *row).ok()) absl::StrAppend(&wrong, "no result: ", id, "\n");
      if (results_.count(id) > 0 && !succeeded) absl::StrAppend(&wrong, "result lost: ", id, "\n");
      if (cancelled_.count(id) > 0 && row->facts.state != v1::JOB_STATE_CANCELLED) {
        absl::StrAppend(&wrong, "cancel lost: ", id, "\n");
      }
    }
    for (const std::string& digest : blobs_) {
      if (!server::OwnsBlob(db, digest, 7)) absl::StrAppend(&wrong, "blob row lost: ", digest, "\n");
    }
    // Whatever the rows name is there in full, acknowledged or not.
    SQLite::Statement rows(db, "SELECT digest FROM blob");
    while (rows.executeStep()) {
      const std::string digest = rows.getColumn(0).getText();
      const auto bytes = files_->Read(digest, 0, 1 << 20);
      if (!bytes.ok() || support::Sha256Hex(*bytes) != digest) {
        absl::StrAppend(&wrong, "blob damaged: ", digest, "\n");
      }
    }
    return server::FullCheck(db);
  });
  if (!looked.ok()) absl::StrAppend(&wrong, std::string(looked.message()), "\n");
  return wrong;
}

}  // namespace kernelopt::test
