// Finding jobs by words: an FTS5 index over label, file names, subject ids and
// dims.
//
// It is filled behind the queue, in batches, so that CreateJob does not pay for
// it; a new job is found a second or two after its creation. Functions run
// inside Database::Write or Database::Read work; see store/jobs.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// Adds up to `most` jobs that are not in it yet; returns how many it added.
int IndexNewJobs(SQLite::Database& db, int most);

// Takes one job out again; its row is still there.
void ForgetJobText(SQLite::Database& db, int64_t id);

// What people type (`softmax N=4096 gem*`) as an FTS5 query; of `owner` only.
std::string SearchQuery(const std::string& words, std::optional<uint32_t> owner);

}  // namespace kernelopt::server
