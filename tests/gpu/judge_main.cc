// One benchmark job through the judge on a GPU, without daemon or queue:
//
//   gpu_judge SOLUTION REF.py [BASELINE] --N=VALUE... [--trials=N] [--nvcc=PATH] [--ccbin=PATH]
//
// Prints the result as JSON.
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "device/cuda/cuda_device.h"
#include "judge/benchmark.h"
#include "support/files.h"
#include "support/sha256.h"

namespace kernelopt::worker {
namespace {

class Screen final : public JobSink {
 public:
  void Progress(v1::Stage, int, int, const std::string&) override {}
  void Log(std::string_view text) override { std::fwrite(text.data(), 1, text.size(), stderr); }
  bool Stopped() const override { return false; }
};

struct Blobs {
  std::map<std::string, std::string> bytes;
  v1::SourceFile Add(const std::string& path) {
    const std::string content = support::ReadFile(path).value();
    v1::SourceFile file;
    file.set_path(path.substr(path.rfind('/') + 1));
    file.set_digest(support::Sha256Hex(content));
    bytes[file.digest()] = content;
    return file;
  }
};

int Main(int argc, char** argv) {
  std::vector<std::string> files;
  std::map<std::string, std::string> options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!absl::StartsWith(argument, "--")) {
      files.push_back(argument);
    } else {
      const std::vector<std::string> parts = absl::StrSplit(argument.substr(2), absl::MaxSplits('=', 1));
      options[parts[0]] = parts.at(1);
    }
  }
  const auto take = [&](const std::string& name, const std::string& usual) {
    const auto node = options.extract(name);
    return node.empty() ? usual : node.mapped();
  };
  const std::string nvcc = take("nvcc", "/usr/local/cuda/bin/nvcc"), ccbin = take("ccbin", "");
  const int trials = std::stoi(take("trials", "0"));
  const std::string python = take("python", "/usr/bin/python3");

  const auto gpus = ListGpus();
  if (!gpus.ok()) return std::fprintf(stderr, "%s\n", gpus.status().ToString().c_str()), 1;
  auto device = MakeCudaDevice(gpus->front().id);
  if (!device.ok()) return std::fprintf(stderr, "%s\n", device.status().ToString().c_str()), 1;
  const std::string here = support::ProgramDirectory(), state = std::filesystem::temp_directory_path() / "kopt-gpu-judge";
  CompilerOptions compile;
  compile.toolchain = CudaToolchain(nvcc, (*device)->arch(), ccbin);
  compile.cache_directory = state + "/cache";
  compile.work_directory = state + "/work";
  compile.address_bytes = int64_t{32} << 30;
  const auto compiler = Compiler::Find(compile);
  if (!compiler.ok()) return std::fprintf(stderr, "%s\n", compiler.status().ToString().c_str()), 1;
  Screen screen;
  Bench bench{**device, *compiler, {}, {}, {}};
  bench.runner.program = here + "/kopt-runner";
  bench.runner.log = bench.reference.log = [&](std::string_view text) { screen.Log(text); };
  bench.reference.python = python;
  bench.reference.scripts = here;
  bench.reference.wire_library = here + "/libkopt_wire.so";
  bench.compare.assumed = {0.01, 0.003, 0};
  const NoiseTable nothing_measured;
  bench.compare.table = &nothing_measured;
  bench.sandbox_level = "standard";

  Blobs blobs;
  v1::JobSpec spec;
  spec.set_kind(v1::JOB_KIND_BENCHMARK);
  spec.set_device((*device)->id());
  *spec.mutable_problem()->mutable_reference() = blobs.Add(files.at(1));
  spec.mutable_problem()->set_seed(42);
  for (const auto& [name, value] : options) {
    v1::Dim& dim = *spec.mutable_problem()->add_dims();
    dim.set_name(name);
    dim.set_int_value(std::stoll(value));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    if (i == 1) continue;
    v1::SubjectSpec& subject = *spec.add_subjects();
    subject.set_id(i == 0 ? "candidate" : absl::StrCat("baseline", i));
    subject.set_role(i == 0 ? v1::ROLE_CANDIDATE : v1::ROLE_BASELINE);
    subject.mutable_solution()->set_implementation(v1::IMPLEMENTATION_CUDA_CPP);
    *subject.mutable_solution()->add_files() = blobs.Add(files[i]);
  }
  spec.mutable_measure()->set_num_trials(trials);
  spec.mutable_measure()->set_num_warmup(5);
  spec.mutable_measure()->set_discard_first(1);
  spec.mutable_measure()->set_prewarm_calls(1);
  spec.mutable_limits()->mutable_call()->set_seconds(10);

  auto spare = Reference::Start(**device, bench.reference);
  if (!spare.ok()) return std::fprintf(stderr, "%s\n", spare.status().ToString().c_str()), 1;
  const Fetch fetch = [&](const std::string& digest) -> absl::StatusOr<std::string> { return blobs.bytes.at(digest); };
  const auto result = RunBenchmark(spec, bench, fetch, *std::move(spare), screen, [] {});
  if (!result.ok()) return std::fprintf(stderr, "%s\n", result.status().ToString().c_str()), 1;
  std::string json;
  google::protobuf::util::JsonPrintOptions print;
  print.add_whitespace = true;
  if (!google::protobuf::util::MessageToJsonString(*result, &json, print).ok()) return 1;
  std::printf("%s\n", json.c_str());
  return 0;
}

}  // namespace
}  // namespace kernelopt::worker

int main(int argc, char** argv) { return kernelopt::worker::Main(argc, argv); }
