// What a signature of a result says: one line for each thing it binds, made from
// the result and its job's spec, so that whoever has them can make it again and name
// the line that was changed.
//
//   kernelopt-result 1
//   job jobs/01m8... attempt 1
//   device GPU-2f... NVIDIA H200
//   protocol kopt-1
//   judge 0.1.0 runner sha256:... sandbox standard
//   problem sha256:...                    its files, by role, path and digest
//   spec sha256:...                       what was asked for: dims, flags, trials...
//   nonces sha256:...                     seeds of draws, of static inputs, of every timed call
//   subject candidate optimised.cu CORRECT source sha256:... binary sha256:...
//   ...
//   samples sha256:...                    every kept sample of every subject, every comparison
//   result sha256:...                     all of the JobResult but its signature
//
// Digests are of protobuf's deterministic serialisation. A new version of this
// program that adds a field leaves old results as they are: what is not set is not
// serialised.
#pragma once

#include <string>
#include <vector>

#include "kernelopt/v1/job.pb.h"
#include "kernelopt/v1/result.pb.h"

namespace kernelopt::support {

// `spec`: of SpecDigest.
std::string StatementOf(const v1::JobResult& result, const std::string& spec);
std::string SpecDigest(const v1::JobSpec& spec);
// The one that a statement names; empty: none.
std::string SpecIn(const std::string& statement);

// What a job says of its result, in short: its candidate and first comparison.
v1::ResultSummary SummaryOf(const v1::JobResult& result);

// Names (first words) of the lines in which the two differ; empty: the same.
std::vector<std::string> ChangedLines(const std::string& signed_statement, const std::string& of_this);

}  // namespace kernelopt::support
