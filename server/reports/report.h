// Documents over a stored job and result: pure.
//
// To add a format: a value in ReportFormat (job_service.proto), a renderer in a
// file of its own, a line in report.cc, a golden file under tests/golden.
#pragma once

#include <string>

#include "kernelopt/v1/job.pb.h"
#include "kernelopt/v1/job_service.pb.h"
#include "kernelopt/v1/result.pb.h"

namespace kernelopt::server {

struct Report {
  std::string file_name, content;
};

Report RenderReport(const v1::Job& job, const v1::JobResult& result, v1::ReportFormat format);

// benchmark.md: fields, timing table, speedups; the first table has the layout
// that scripts of earlier tools read.
std::string RenderBenchmarkMd(const v1::Job& job, const v1::JobResult& result);
// correctness.md: errors and first values per output.
std::string RenderCorrectnessMd(const v1::Job& job, const v1::JobResult& result);
// result.json: {"schema_version", "job", "result"}.
std::string RenderResultJson(const v1::Job& job, const v1::JobResult& result);

// Python dict text of the dims, for example {'M': 1024, 'eps': 1e-05}.
std::string DimsText(const v1::JobSpec& spec);
// The candidate's subject.
const v1::SubjectResult& CandidateOf(const v1::JobResult& result);
// The job's, or that of its first workload whose contract is shown.
const v1::Contract& ContractOf(const v1::JobResult& result);

}  // namespace kernelopt::server
