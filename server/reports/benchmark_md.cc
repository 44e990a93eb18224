#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/report.h"

namespace kernelopt::server {
namespace {

using Subjects = std::vector<const v1::SubjectResult*>;

// Candidate first, then the baselines in the order asked for.
Subjects Columns(const v1::JobResult& result) {
  Subjects columns{&CandidateOf(result)};
  for (const v1::SubjectResult& subject : result.subjects()) {
    if (subject.role() == "baseline") columns.push_back(&subject);
  }
  return columns;
}

void Field(std::string& out, const std::string& name, const std::string& value) {
  absl::StrAppend(&out, "| **", name, "** | ", value, " |\n");
}

void TimingRow(std::string& out, const std::string& name, const Subjects& columns,
               const std::function<std::string(const v1::Timing&)>& cell) {
  absl::StrAppend(&out, "| ", name, " |");
  for (const v1::SubjectResult* subject : columns) {
    absl::StrAppend(&out, " ", subject->has_timing() ? cell(subject->timing()) : "N/A", " |");
  }
  absl::StrAppend(&out, "\n");
}

void SpeedupRow(std::string& out, const std::string& name, double candidate, double baseline,
                size_t columns) {
  const bool known = candidate > 0 && baseline > 0;
  absl::StrAppend(&out, "| ", name, " | ",
                  known ? absl::StrFormat("%.2fx", baseline / candidate) : "N/A", " |");
  for (size_t i = 1; i < columns; ++i) absl::StrAppend(&out, " - |");
  absl::StrAppend(&out, "\n");
}

void TimingTable(std::string& out, const Subjects& columns) {
  absl::StrAppend(&out, "\n## Timing\n\n| Metric | Solution |");
  for (size_t i = 1; i < columns.size(); ++i) {
    absl::StrAppend(&out, " ", columns[i]->label(), " |");
  }
  absl::StrAppend(&out, "\n|");
  for (size_t i = 0; i <= columns.size(); ++i) absl::StrAppend(&out, "---|");
  absl::StrAppend(&out, "\n");
  const auto ms = [&](const std::string& name, double (v1::Timing::*get)() const) {
    TimingRow(out, name, columns,
              [get](const v1::Timing& t) { return absl::StrFormat("%.4f", (t.*get)() / 1000); });
  };
  ms("Mean Time (ms)", &v1::Timing::mean_us);
  ms("Median Time (ms)", &v1::Timing::median_us);
  ms("P20 Time (ms)", &v1::Timing::p20_us);
  ms("P80 Time (ms)", &v1::Timing::p80_us);
  ms("Min Time (ms)", &v1::Timing::min_us);
  ms("Max Time (ms)", &v1::Timing::max_us);
  ms("Std dev (ms)", &v1::Timing::std_us);
  TimingRow(out, "Samples", columns,
            [](const v1::Timing& t) { return absl::StrCat(t.samples_us_size()); });
  for (size_t i = 1; i < columns.size(); ++i) {
    const v1::Timing& candidate = columns[0]->timing();
    const v1::Timing& baseline = columns[i]->timing();
    SpeedupRow(out, absl::StrCat("Speedup (vs ", columns[i]->label(), ", mean)"),
               candidate.mean_us(), baseline.mean_us(), columns.size());
    SpeedupRow(out, absl::StrCat("Speedup (vs ", columns[i]->label(), ", median)"),
               candidate.median_us(), baseline.median_us(), columns.size());
  }
}

void ComparisonTable(std::string& out, const v1::JobResult& result) {
  if (result.comparisons_size() == 0) return;
  absl::StrAppend(&out,
                  "\n## Comparison\n\n| Baseline | Outcome | Speedup | Interval | Confidence | "
                  "Blocks | Noise floor |\n|---|---|---|---|---|---|---|\n");
  for (const v1::Comparison& c : result.comparisons()) {
    absl::StrAppendFormat(&out, "| %s | **%s** | %.3fx | %.3fx to %.3fx | %.1f %% | %d | %.1f %% |\n",
                          c.baseline(), v1::Outcome_Name(c.outcome()).substr(8), c.speedup(),
                          c.speedup_low(), c.speedup_high(), 100 * (1 - c.alpha()), c.blocks(),
                          100 * c.noise_floor());
  }
  for (const v1::Comparison& c : result.comparisons()) {
    absl::StrAppend(&out, "\n", c.baseline(), ": ", c.message(), "\n");
  }
}

// One line per workload: times of all subjects, outcomes of all pairs.
void WorkloadTable(std::string& out, const v1::JobResult& result) {
  if (result.workloads_size() == 0) return;
  absl::StrAppend(&out, "\n## Workloads\n\nThe numbers above are weighted geometric means over these.\n\n| Workload | Weight |");
  std::string rule = "|---|---|";
  for (const v1::SubjectResult& s : result.subjects()) {
    absl::StrAppend(&out, " ", s.label(), " (us) |");
    rule += "---|";
  }
  for (const v1::Comparison& c : result.comparisons()) {
    absl::StrAppend(&out, " vs ", c.baseline(), " |");
    rule += "---|";
  }
  absl::StrAppend(&out, "\n", rule, "\n");
  for (const v1::WorkloadResult& w : result.workloads()) {
    absl::StrAppendFormat(&out, "| %s | %g |", w.name(), w.weight());
    for (const v1::SubjectResult& s : w.subjects()) {
      const bool good = s.verdict() == v1::VERDICT_CORRECT && s.has_timing();
      absl::StrAppend(&out, " ", good ? absl::StrFormat("%.3f", s.timing().median_us()) : v1::Verdict_Name(s.verdict()).substr(8), " |");
    }
    for (const v1::Comparison& c : w.comparisons()) {
      absl::StrAppendFormat(&out, " %s %.3fx |", v1::Outcome_Name(c.outcome()).substr(8), c.speedup());
    }
    out += "\n";
  }
}

// Worthless outputs that this problem would accept.
void LintLines(std::string& out, const v1::JobResult& result) {
  for (const v1::Lint& lint : result.lint()) absl::StrAppend(&out, "\n**Problem:** ", lint.message(), "\n");
  for (const v1::WorkloadResult& w : result.workloads()) {
    for (const v1::Lint& lint : w.lint()) {
      absl::StrAppend(&out, "\n**Problem:** workload ", w.name(), ": ", lint.message(), "\n");
    }
  }
}

void SubjectTable(std::string& out, const v1::JobResult& result) {
  absl::StrAppend(&out,
                  "\n## Subjects\n\n| Subject | Role | Verdict | Stability | Witness | Dropped | "
                  "Draws | Audited calls |\n|---|---|---|---|---|---|---|---|\n");
  for (const v1::SubjectResult& s : result.subjects()) {
    const v1::Timing& t = s.timing();
    absl::StrAppend(&out, "| ", s.label(), " | ", s.role(), " | ",
                    v1::Verdict_Name(s.verdict()).substr(8), s.reason().empty() ? "" : " ",
                    s.reason(), " | ",
                    s.has_timing() ? v1::Stability_Name(t.stability()).substr(10) : "N/A", " | ",
                    s.has_timing() ? v1::Witness_Name(t.witness()).substr(8) : "N/A", " | ",
                    t.dropped(), " | ", s.draws(), " | ", s.audited_calls(), " |\n");
  }
  for (const v1::SubjectResult& s : result.subjects()) {
    if (!s.message().empty()) absl::StrAppend(&out, "\n", s.label(), ": ", s.message(), "\n");
    for (const std::string& note : s.notes()) absl::StrAppend(&out, "\n", s.label(), ": ", note, "\n");
  }
}

void ConditionsTable(std::string& out, const v1::Job& job, const v1::JobResult& result) {
  const v1::Conditions& c = result.conditions();
  const v1::Contract& contract = ContractOf(result);
  absl::StrAppend(&out, "\n## Conditions\n\n| Field | Value |\n|---|---|\n");
  Field(out, "Job", job.name());
  Field(out, "Protocol", result.protocol());
  Field(out, "Platform", c.platform());
  Field(out, "CPUs", absl::StrCat("runner ", c.runner_cpu(), ", judge ", c.judge_cpu()));
  Field(out, "Load average", absl::StrFormat("%.2f", c.load_average()));
  Field(out, "Hand-over", absl::StrFormat("%.3f us, witness band +-%.3f us", c.handover_us(),
                                          c.witness_band_us()));
  Field(out, "Sandbox", c.sandbox_level());
  Field(out, "Tolerance",
        absl::StrFormat("atol=%g rtol=%g (from %s)%s", contract.atol(), contract.rtol(), contract.tolerance_from(),
                        contract.tf32() ? ", TF32 allowed" : ""));
  Field(out, "Warmup / discard / seed",
        absl::StrCat(job.spec().measure().num_warmup(), " / ", job.spec().measure().discard_first(),
                     " / ", job.spec().problem().seed()));
  Field(out, "Runner", absl::StrCat("sha256:", c.runner_digest().substr(0, 16)));
}

}  // namespace

std::string RenderBenchmarkMd(const v1::Job& job, const v1::JobResult& result) {
  const v1::SubjectResult& candidate = CandidateOf(result);
  const bool pass = candidate.verdict() == v1::VERDICT_CORRECT ||
                    candidate.verdict() == v1::VERDICT_DISTURBED;
  const v1::Conditions& conditions = result.conditions();
  std::string out = "# Benchmark Report\n\n| Field | Value |\n|---|---|\n";
  Field(out, "Solution", absl::StrCat("`", candidate.label(), "`"));
  Field(out, "Reference", absl::StrCat("`", job.spec().problem().reference().path(), "`"));
  Field(out, "GPU", conditions.device_model());
  Field(out, "Arch", conditions.device() == "host" ? "host" : conditions.platform());
  Field(out, "Dims", DimsText(job.spec()));
  Field(out, "Correctness", pass ? "PASS" : "FAIL");
  Field(out, "Timing Method", candidate.has_timing() ? candidate.timing().method() : "N/A");
  Field(out, "Prewarm Calls", absl::StrCat(job.spec().measure().prewarm_calls()));
  Field(out, "Cache Mode", conditions.cache_eviction());
  Field(out, "Timing Scope",
        "Buffers of the judge, fresh content for every call; filling and eviction are not timed.");
  TimingTable(out, Columns(result));
  ComparisonTable(out, result);
  WorkloadTable(out, result);
  LintLines(out, result);
  SubjectTable(out, result);
  ConditionsTable(out, job, result);
  return out;
}

}  // namespace kernelopt::server
