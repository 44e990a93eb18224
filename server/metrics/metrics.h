// What the daemon counts, as Prometheus text.
//
// Names follow Prometheus' rules: one prefix, base units, `_total` on counters,
// no user and no job as a label. Counters begin at 0 with the daemon; gauges are
// read from the store when asked. Thread-safe.
//
// To add a metric: a member and its family in metrics.cc, a line in
// deploy/README.md, and a panel or an alert that uses it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernelopt/v1/device_service.pb.h"
#include "store/jobs.h"

namespace kernelopt::server {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // One call has ended. `method` is the full name, `code` the gRPC one.
  void Rpc(const std::string& method, const std::string& code, double seconds);
  void Commit(double seconds, int64_t items);
  // What has just been committed; looks ended jobs up.
  void Jobs(SQLite::Database& db, const std::vector<JobEvent>& events);
  void ResultRefused(const std::string& reason);

  // What is read off at the moment of asking.
  struct Levels {
    std::vector<v1::Device> devices;  // with online
    int64_t disk_free_bytes = 0;
    int64_t now_us = 0;
    bool paused = false, refusing = false;
  };
  std::string Text(SQLite::Database& db, const Levels& levels);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace kernelopt::server
