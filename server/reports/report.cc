#include "reports/report.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelopt::server {

Report RenderReport(const v1::Job& job, const v1::JobResult& result, v1::ReportFormat format) {
  switch (format) {
    case v1::REPORT_FORMAT_CORRECTNESS_MD:
      return {"correctness.md", RenderCorrectnessMd(job, result)};
    case v1::REPORT_FORMAT_RESULT_JSON:
      return {"result.json", RenderResultJson(job, result)};
    default:
      return {"benchmark.md", RenderBenchmarkMd(job, result)};
  }
}

std::string DimsText(const v1::JobSpec& spec) {
  std::string text = "{";
  for (const v1::Dim& dim : spec.problem().dims()) {
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", "'", dim.name(), "': ");
    if (dim.has_int_value()) {
      absl::StrAppend(&text, dim.int_value());
    } else {
      absl::StrAppendFormat(&text, "%g", dim.real_value());
    }
  }
  return text + "}";
}

const v1::SubjectResult& CandidateOf(const v1::JobResult& result) {
  for (const v1::SubjectResult& subject : result.subjects()) {
    if (subject.role() == "candidate") return subject;
  }
  return v1::SubjectResult::default_instance();
}

const v1::Contract& ContractOf(const v1::JobResult& result) {
  for (const v1::WorkloadResult& workload : result.workloads()) {
    if (workload.has_contract()) return workload.contract();
  }
  return result.contract();
}

std::string RenderResultJson(const v1::Job& job, const v1::JobResult& result) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string job_json, result_json;
  (void)google::protobuf::util::MessageToJsonString(job, &job_json, options);
  (void)google::protobuf::util::MessageToJsonString(result, &result_json, options);
  return absl::StrCat("{\"schema_version\":1,\"job\":", job_json, ",\"result\":", result_json, "}\n");
}

}  // namespace kernelopt::server
