#include "queue/spec_check.h"

#include <gtest/gtest.h>

#include "queue/explain.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

void SetFile(v1::SourceFile* file, const std::string& path) {
  file->set_path(path);
  file->set_digest(std::string(64, 'a'));
}

v1::JobSpec Good() {
  v1::JobSpec spec;
  SetFile(spec.mutable_problem()->mutable_reference(), "ref.py");
  v1::SubjectSpec* subject = spec.add_subjects();
  subject->set_id("k");
  subject->set_role(v1::ROLE_CANDIDATE);
  SetFile(subject->mutable_solution()->add_files(), "k.cpp");
  return spec;
}

// The first field that is complained about, or "".
std::string Wrong(const v1::JobSpec& spec) {
  const absl::Status status = CheckSpec(spec, {});
  return status.ok() ? "" : support::DetailOf(status).field_violations(0).field();
}

TEST(SpecCheck, AGoodSpecPasses) { EXPECT_EQ(Wrong(Good()), ""); }

TEST(SpecCheck, PathsThatLeaveTheFolderAreRefused) {
  for (const char* good : {"a", "a.cpp", "a/b/c.h", "A-1_b.cu", "1/2/3/4/5/6/7/8"}) EXPECT_TRUE(IsSafePath(good)) << good;
  for (const char* bad : {"", "/a", "../a", "a/../b", "a//b", "a/.", "a b", "a\nb", "ä", "1/2/3/4/5/6/7/8/9"}) {
    EXPECT_FALSE(IsSafePath(bad)) << bad;
  }
  EXPECT_FALSE(IsSafePath("-save-temps"));
  EXPECT_TRUE(IsSafePath(std::string(128, 'a')));
  EXPECT_FALSE(IsSafePath(std::string(129, 'a')));
}

TEST(SpecCheck, EachFieldIsNamed) {
  v1::JobSpec spec = Good();
  spec.mutable_problem()->mutable_reference()->set_digest("xyz");
  EXPECT_EQ(Wrong(spec), "spec.problem.reference.digest");
  spec = Good();
  spec.mutable_subjects(0)->set_role(v1::ROLE_BASELINE);
  EXPECT_EQ(Wrong(spec), "spec.subjects");
  spec = Good();
  *spec.add_subjects() = spec.subjects(0);
  EXPECT_FALSE(Wrong(spec).empty());
  spec = Good();
  spec.mutable_problem()->add_dims()->set_name("1N");
  EXPECT_EQ(Wrong(spec), "spec.problem.dims[0]");
  spec = Good();
  // Bug: making the folder failed, which was a fault of the worker.
  v1::SourceFile* below = spec.mutable_subjects(0)->mutable_solution()->add_files();
  *below = spec.subjects(0).solution().files(0);
  below->set_path(below->path() + "/x.h");
  EXPECT_EQ(Wrong(spec), "spec.subjects[0].solution.files");
  spec = Good();
  spec.mutable_subjects(0)->mutable_solution()->add_flags("@file");
  EXPECT_EQ(Wrong(spec), "spec.subjects[0].solution.flags");
  spec.mutable_subjects(0)->mutable_solution()->set_flags(0, "-fsanitize=address");
  EXPECT_EQ(Wrong(spec), "spec.subjects[0].solution.flags");
  SpecLimits lenient;
  lenient.flags = {"-fsanitize="};
  EXPECT_TRUE(CheckSpec(spec, lenient).ok());
  spec = Good();
  spec.set_device("gpu0");
  EXPECT_EQ(Wrong(spec), "spec.device");
  spec = Good();
  v1::SubjectSpec& compiled = *spec.add_subjects();
  compiled.set_id("compiled");
  compiled.set_role(v1::ROLE_BASELINE);
  compiled.set_builtin(v1::BUILTIN_BASELINE_TORCH_COMPILE);
  compiled.set_compile_mode("max-autotune");
  EXPECT_EQ(Wrong(spec), "");
  compiled.set_compile_mode("fast");
  EXPECT_EQ(Wrong(spec), "spec.subjects[1].compile_mode");
  compiled.set_compile_mode("default");
  compiled.set_builtin(v1::BUILTIN_BASELINE_EAGER);
  EXPECT_EQ(Wrong(spec), "spec.subjects[1].compile_mode");
  spec = Good();
  spec.mutable_limits()->mutable_run()->set_seconds(-1);
  EXPECT_EQ(Wrong(spec), "spec.limits.run");
}

TEST(SpecCheck, AProblemFileBringsItsOwnDimsAndItsFilesAreChecked) {
  v1::JobSpec spec = Good();
  v1::ProblemSpec& problem = *spec.mutable_problem();
  problem.add_workloads("small");
  EXPECT_EQ(Wrong(spec), "spec.problem.workloads");
  SetFile(problem.mutable_definition(), "problem.json");
  SetFile(problem.add_files(), "w.npy");
  EXPECT_EQ(Wrong(spec), "");
  SetFile(problem.add_files(), "w.npy");
  EXPECT_EQ(Wrong(spec), "spec.problem.files[1]");
  problem.mutable_files(1)->set_path("../w.npy");
  EXPECT_EQ(Wrong(spec), "spec.problem.files[1].path");
  problem.mutable_files()->RemoveLast();
  for (int i = 1; i < 64; ++i) problem.add_workloads("more");
  EXPECT_EQ(Wrong(spec), "");
  problem.add_workloads("one too many");
  EXPECT_EQ(Wrong(spec), "spec.problem.workloads");
  problem.clear_workloads();
  problem.add_dims()->set_name("N");
  problem.mutable_dims(0)->set_int_value(4);
  EXPECT_EQ(Wrong(spec), "spec.problem.dims");
}

TEST(SpecCheck, LimitsHoldAtTheirEdge) {
  v1::JobSpec spec = Good();
  spec.mutable_measure()->set_num_trials(100'000);
  EXPECT_EQ(Wrong(spec), "");
  spec.mutable_measure()->set_num_trials(100'001);
  EXPECT_EQ(Wrong(spec), "spec.measure.num_trials");
  spec = Good();
  spec.set_label(std::string(200, 'x'));
  EXPECT_EQ(Wrong(spec), "");
  spec.set_label(std::string(201, 'x'));
  EXPECT_EQ(Wrong(spec), "spec.label");
  spec = Good();
  for (int i = 1; i < 256; ++i) SetFile(spec.mutable_subjects(0)->mutable_solution()->add_files(), "f" + std::to_string(i));
  EXPECT_EQ(Wrong(spec), "");
  SetFile(spec.mutable_subjects(0)->mutable_solution()->add_files(), "f256");
  EXPECT_EQ(Wrong(spec), "spec.subjects[0].solution.files");
}

TEST(SpecCheck, ASharedObjectIsOfItsDevicesKind) {
  for (const auto& [device, kind] : {std::pair("host", v1::IMPLEMENTATION_CPP), std::pair("GPU-0", v1::IMPLEMENTATION_CUDA_CPP)}) {
    v1::JobSpec given = Good();
    given.set_device(device);
    given.mutable_subjects(0)->mutable_solution()->mutable_files(0)->set_path("kernel.so");
    EXPECT_EQ(WithDefaults(given, {}).subjects(0).solution().implementation(), kind) << device;
  }
}

TEST(SpecCheck, DefaultsAreThoseOfTheDocumentation) {
  const v1::JobSpec spec = WithDefaults(Good(), {});
  EXPECT_EQ(spec.device(), "host");
  EXPECT_EQ(spec.priority(), v1::PRIORITY_NORMAL);
  EXPECT_EQ(spec.measure().num_warmup(), 5);
  EXPECT_EQ(spec.measure().discard_first(), 1);
  EXPECT_EQ(spec.measure().prewarm_calls(), 1);
  EXPECT_EQ(spec.limits().run().seconds(), 600);
  EXPECT_EQ(spec.limits().call().seconds(), 10);
  EXPECT_EQ(spec.subjects(0).solution().implementation(), v1::IMPLEMENTATION_CPP);
}

}  // namespace
}  // namespace kernelopt::server
