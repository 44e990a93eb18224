#include "support/statement.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "support/sha256.h"

namespace kernelopt::support {
namespace {

std::string BytesOf(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string DigestOf(const google::protobuf::Message& message) { return "sha256:" + Sha256Hex(BytesOf(message)); }

// Names come from users: no line may look like two.
std::string OneLine(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return text;
}

void AddSubjects(const google::protobuf::RepeatedPtrField<v1::SubjectResult>& subjects, const std::string& workload, std::string& out) {
  for (const v1::SubjectResult& s : subjects) {
    absl::StrAppend(&out, "subject ", workload, s.role(), " ", OneLine(s.label()), " ", v1::Verdict_Name(s.verdict()).substr(8),
                    s.reason().empty() ? "" : " ", OneLine(s.reason()));
    if (s.has_build()) absl::StrAppend(&out, " source sha256:", s.build().solution_digest(), " binary sha256:", s.build().binary_digest());
    out += "\n";
  }
}

// Those of one result or workload, by themselves.
template <typename Result>
void KeepSamples(const Result& from, v1::WorkloadResult& to) {
  for (const v1::SubjectResult& s : from.subjects()) {
    v1::SubjectResult* const kept = to.add_subjects();
    kept->set_id(s.id());
    *kept->mutable_timing()->mutable_samples_us() = s.timing().samples_us();
    kept->mutable_timing()->set_median_us(s.timing().median_us());
  }
  *to.mutable_comparisons() = from.comparisons();
}

}  // namespace

std::string SpecDigest(const v1::JobSpec& spec) { return DigestOf(spec); }

std::string SpecIn(const std::string& statement) {
  const std::string begin = "\nspec ";
  const size_t at = statement.find(begin);
  return at == std::string::npos ? "" : statement.substr(at + begin.size(), statement.find('\n', at + 1) - at - begin.size());
}

std::string StatementOf(const v1::JobResult& result, const std::string& spec) {
  const v1::Conditions& c = result.conditions();
  std::string out = absl::StrCat(
      "kernelopt-result 1\njob ", result.job(), " attempt ", result.attempt(), "\ndevice ", OneLine(c.device()), " ", OneLine(c.device_model()),
      "\nprotocol ", OneLine(result.protocol()), "\njudge ", OneLine(c.judge_version()), " runner sha256:", c.runner_digest(), " sandbox ",
      OneLine(c.sandbox_level()), "\nproblem sha256:", result.problem_digest(), "\nspec ", spec, "\n");
  v1::JobResult nonces, samples;
  *nonces.mutable_draw_seeds() = result.draw_seeds();
  nonces.set_static_seed(result.static_seed());
  *nonces.add_workloads()->mutable_call_nonces() = result.call_nonces();
  KeepSamples(result, *samples.add_workloads());
  for (const v1::WorkloadResult& w : result.workloads()) {
    *nonces.add_workloads()->mutable_call_nonces() = w.call_nonces();
    KeepSamples(w, *samples.add_workloads());
  }
  absl::StrAppend(&out, "nonces ", DigestOf(nonces), "\n");
  AddSubjects(result.subjects(), "", out);
  for (const v1::WorkloadResult& w : result.workloads()) AddSubjects(w.subjects(), absl::StrCat(OneLine(w.name()), ": "), out);
  v1::JobResult all = result;
  all.clear_signature();
  absl::StrAppend(&out, "samples ", DigestOf(samples), "\nresult ", DigestOf(all), "\n");
  return out;
}

v1::ResultSummary SummaryOf(const v1::JobResult& result) {
  v1::ResultSummary summary;
  for (const v1::SubjectResult& subject : result.subjects()) {
    if (subject.role() != "candidate") continue;
    summary.set_verdict(subject.verdict());
    summary.set_reason(subject.reason());
    summary.set_median_us(subject.timing().median_us());
  }
  if (result.comparisons_size() > 0) {
    summary.set_outcome(result.comparisons(0).outcome());
    summary.set_speedup(result.comparisons(0).speedup());
  }
  return summary;
}

std::vector<std::string> ChangedLines(const std::string& signed_statement, const std::string& of_this) {
  const std::vector<std::string> a = absl::StrSplit(signed_statement, '\n'), b = absl::StrSplit(of_this, '\n');
  std::vector<std::string> changed;
  const auto add = [&](const std::vector<std::string>& lines, const std::vector<std::string>& others) {
    for (const std::string& line : lines) {
      if (std::find(others.begin(), others.end(), line) != others.end()) continue;
      const std::string name = line.substr(0, line.find(' '));
      if (std::find(changed.begin(), changed.end(), name) == changed.end()) changed.push_back(name);
    }
  };
  add(a, b);
  add(b, a);
  return changed;
}

}  // namespace kernelopt::support
