// What the table device knows of faults (queue/quarantine.h says when they are
// too many).
//
// Every function runs inside Database::Write work; see store/jobs.h.
#pragma once

#include <string>

#include "queue/quarantine.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// `device` is an id without `devices/`.
void RecordFault(SQLite::Database& db, const std::string& device, const Fault& fault, const QuarantineTerms& terms,
                 int64_t now_us);
// A result came: what happened before does not count any more.
void ForgetFaults(SQLite::Database& db, const std::string& device);

}  // namespace kernelopt::server
