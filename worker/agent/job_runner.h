// Takes one lease from grant to report, on the job thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/session.h"
#include "judge/benchmark.h"
#include "judge/warm_references.h"

namespace kernelopt::worker {

class JobRunner {
 public:
  // `warm_references`: reference processes kept for later jobs. `reuse_runners`:
  // candidates of one run share a process.
  JobRunner(Session& session, Bench& bench, size_t warm_references, bool reuse_runners)
      : session_(session), bench_(bench), warm_(warm_references), reuse_runners_(reuse_runners) {}

  // Starts the spare processes that are missing; between jobs.
  void MakeSpares();
  // Does the job and reports it.
  void Run(const v1::LeaseGrant& grant);

 private:
  v1::ResultReport Work(const v1::LeaseGrant& grant);

  Session& session_;
  Bench& bench_;
  WarmReferences warm_;
  const bool reuse_runners_;
  std::unique_ptr<Reference> spare_;
  std::unique_ptr<Reference> used_;  // by the present job, when it can serve another
};

}  // namespace kernelopt::worker
