#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/report.h"

namespace kernelopt::server {
namespace {

void Field(std::string& out, const std::string& name, const std::string& value) {
  absl::StrAppend(&out, "| **", name, "** | ", value, " |\n");
}

int64_t LargestBuffer(const v1::Contract& contract) {
  int64_t largest = contract.ptr_size();
  for (const v1::ContractParameter& parameter : contract.parameters()) {
    int64_t elements = parameter.shape_size() > 0 ? 1 : 0;
    for (const int64_t extent : parameter.shape()) elements *= extent;
    largest = std::max(largest, elements);
  }
  return largest;
}

std::string Mismatches(const v1::OutputCheck& check) {
  if (check.mismatches() == 0) return "—";
  return absl::StrFormat("%d/%d (first @ %d: kernel=%.6g ref=%.6g)", check.mismatches(),
                         check.elements(), check.first_mismatch(), check.first_got(),
                         check.first_expected());
}

void Preview(std::string& out, const char* who,
             const google::protobuf::RepeatedField<double>& values) {
  absl::StrAppend(&out, who, ":");
  for (const double value : values) absl::StrAppendFormat(&out, " %.4f", value);
  absl::StrAppend(&out, "\n");
}

// The bare pipes of |Δ| would end the cell, so they are escaped.
void SubjectSection(std::string& out, const v1::SubjectResult& subject) {
  absl::StrAppend(&out,
                  "\n## Output Tensors\n\n| Tensor | Type | Pass | Max \\|Δ\\| | Mean \\|Δ\\| | "
                  "Mean Rel | Mismatches |\n|---|---|---|---|---|---|---|\n");
  for (const v1::OutputCheck& check : subject.outputs()) {
    absl::StrAppendFormat(&out, "| %s | %s | %s | %.4e | %.4e | %.4e | %s |\n", check.name(),
                          check.c_type(), check.passed() ? "✅" : "❌",
                          check.max_abs_error(), check.mean_abs_error(), check.mean_rel_error(),
                          Mismatches(check));
  }
  absl::StrAppend(&out, "\n## Value Previews\n");
  for (const v1::OutputCheck& check : subject.outputs()) {
    absl::StrAppend(&out, "\n### ", check.name(), "\n\n```\n");
    Preview(out, "kernel", check.preview_got());
    Preview(out, "ref   ", check.preview_expected());
    absl::StrAppend(&out, "```\n");
  }
}

}  // namespace

std::string RenderCorrectnessMd(const v1::Job& job, const v1::JobResult& result) {
  const v1::SubjectResult& candidate = CandidateOf(result);
  const v1::Conditions& conditions = result.conditions();
  const bool pass = candidate.verdict() == v1::VERDICT_CORRECT ||
                    candidate.verdict() == v1::VERDICT_DISTURBED;
  std::string implementation = "cpp";
  for (const v1::SubjectSpec& subject : job.spec().subjects()) {
    if (subject.id() == candidate.id() &&
        subject.solution().implementation() == v1::IMPLEMENTATION_CUDA_CPP) {
      implementation = "cuda-cpp";
    }
  }
  std::string out = "# Correctness Check\n\n| Field | Value |\n|---|---|\n";
  Field(out, "Kernel", absl::StrCat("`", candidate.label(), "`"));
  Field(out, "Implementation", implementation);
  Field(out, "Reference", absl::StrCat("`", job.spec().problem().reference().path(), "`, ",
                                       conditions.reference_framework()));
  Field(out, "GPU", conditions.device_model());
  Field(out, "Arch", conditions.device() == "host" ? "host" : conditions.platform());
  Field(out, "Dims", DimsText(job.spec()));
  Field(out, "Buf/ptr", absl::StrCat(LargestBuffer(ContractOf(result)), " elems"));
  Field(out, "Tolerance", absl::StrFormat("atol=%g  rtol=%g", ContractOf(result).atol(), ContractOf(result).rtol()));
  Field(out, "Draws", absl::StrCat(candidate.draws(), " verified, ", candidate.audited_calls(),
                                   " timed calls audited"));
  Field(out, "Result", pass ? "**ALL PASS**" : "**FAILED**");
  if (!candidate.message().empty()) {
    absl::StrAppend(&out, "\n", v1::Verdict_Name(candidate.verdict()).substr(8), " ",
                    candidate.reason(), ": ", candidate.message(), "\n");
  }
  for (const std::string& evidence : candidate.evidence()) absl::StrAppend(&out, "\n- ", evidence);
  if (candidate.outputs_size() > 0) SubjectSection(out, candidate);
  return out;
}

}  // namespace kernelopt::server
