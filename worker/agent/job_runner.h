// Takes one lease from grant to report, on the job thread.
#pragma once

#include <functional>
#include <memory>

#include "agent/session.h"
#include "judge/benchmark.h"

namespace kernelopt::worker {

class JobRunner {
 public:
  JobRunner(Session& session, Bench& bench) : session_(session), bench_(bench) {}

  // Starts the spare reference process, unless there is one.
  void MakeSpare();
  // Does the job and reports it.
  void Run(const v1::LeaseGrant& grant);

 private:
  v1::ResultReport Work(const v1::LeaseGrant& grant);

  Session& session_;
  Bench& bench_;
  std::unique_ptr<Reference> spare_;
};

}  // namespace kernelopt::worker
