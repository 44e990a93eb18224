// Keys, signatures, and what a signature of a result says.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/ed25519.h"
#include "support/files.h"
#include "support/statement.h"

namespace kernelopt::support {
namespace {

class Signing : public testing::Test {
 protected:
  Signing() {
    std::string name = "/tmp/kopt-unit-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Signing() override { std::filesystem::remove_all(folder_); }
  std::string file() const { return folder_ + "/signing.key"; }

 private:
  std::string folder_;
};

// RFC 8032, 7.1, test 1.
TEST_F(Signing, IsThatOfTheStandard) {
  ASSERT_TRUE(WriteFileDurably(file(), "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n").ok());
  const auto key = KeepSigningKey(file());
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(ToHex(key->shown), "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  EXPECT_EQ(ToHex(*Sign(*key, "")), "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
}

TEST_F(Signing, AKeyIsMadeOnceAndIsNobodyElses) {
  const auto first = KeepSigningKey(file()), again = KeepSigningKey(file());
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->secret, again->secret);
  EXPECT_NE(first->secret, MakeSigningKey()->secret);
  struct stat about{};
  ASSERT_EQ(stat(file().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_EQ(*ReadFile(file() + ".pub"), ToHex(first->shown) + "\n");
}

TEST_F(Signing, ADamagedKeyIsNotReplaced) {
  ASSERT_TRUE(WriteFileDurably(file(), "9d61").ok());
  EXPECT_FALSE(KeepSigningKey(file()).ok());
  EXPECT_EQ(*ReadFile(file()), "9d61");
}

TEST_F(Signing, HoldsForThisTextAndKeyAlone) {
  const auto key = MakeSigningKey();
  const std::string signature = *Sign(*key, "text");
  EXPECT_TRUE(SignatureHolds(key->shown, "text", signature));
  EXPECT_FALSE(SignatureHolds(key->shown, "texts", signature));
  EXPECT_FALSE(SignatureHolds(MakeSigningKey()->shown, "text", signature));
  EXPECT_FALSE(SignatureHolds(key->shown, "text", signature.substr(1)));
  EXPECT_FALSE(SignatureHolds("", "text", signature));
}

v1::JobResult Result() {
  v1::JobResult result;
  result.set_job("jobs/01a");
  result.set_attempt(1);
  result.set_protocol("kopt-1");
  result.set_problem_digest("bb");
  result.mutable_conditions()->set_device("host");
  result.mutable_conditions()->set_device_model("a CPU\nsubject forged");
  result.mutable_conditions()->set_judge_version("0.1.0");
  result.mutable_conditions()->set_runner_digest("aa");
  result.mutable_conditions()->set_sandbox_level("standard");
  result.add_draw_seeds(42);
  result.add_call_nonces(7);
  v1::SubjectResult& subject = *result.add_subjects();
  subject.set_role("candidate");
  subject.set_label("kernel.cpp");
  subject.set_verdict(v1::VERDICT_CORRECT);
  subject.mutable_build()->set_solution_digest("cc");
  subject.mutable_build()->set_binary_digest("dd");
  for (const double us : {1.5, 0.1, 1e-300}) subject.mutable_timing()->add_samples_us(us);
  return result;
}

// Golden: whoever checks old results needs these very bytes.
TEST(Statement, IsThisText) {
  EXPECT_EQ(StatementOf(Result(), "S"),
            "kernelopt-result 1\n"
            "job jobs/01a attempt 1\n"
            "device host a CPU?subject forged\n"
            "protocol kopt-1\n"
            "judge 0.1.0 runner sha256:aa sandbox standard\n"
            "problem sha256:bb\n"
            "spec S\n"
            "nonces sha256:b213babe295b14bbb7a0c2a5ef2fa69e1d2216e6f7e8c5960f9efe974aea7835\n"
            "subject candidate kernel.cpp CORRECT source sha256:cc binary sha256:dd\n"
            "samples sha256:4d470562e900a6644af48351711e8c319b3b2c409a3724473b31d73cb555aac8\n"
            "result sha256:09d1fc2ab350cf4b481ad306c58ca48f94de3c451511ec0ac51c5563bb71b796\n");
}

TEST(Statement, IsTheSameAfterJson) {
  std::string text;
  v1::JobResult back;
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(Result(), &text, options).ok());
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(text, &back).ok());
  EXPECT_EQ(StatementOf(back, "S"), StatementOf(Result(), "S"));
}

TEST(Statement, DoesNotBindItsOwnSignature) {
  v1::JobResult signed_one = Result();
  signed_one.mutable_signature()->set_key_id("x");
  EXPECT_EQ(StatementOf(signed_one, "S"), StatementOf(Result(), "S"));
}

TEST(Statement, NamesItsSpec) {
  v1::JobSpec spec;
  spec.mutable_problem()->set_seed(42);
  const std::string digest = SpecDigest(spec);
  EXPECT_EQ(SpecIn(StatementOf(Result(), digest)), digest);
  spec.mutable_problem()->set_seed(43);
  EXPECT_NE(SpecDigest(spec), digest);
  EXPECT_EQ(SpecIn("kernelopt-result 1\n"), "");
}

TEST(Statement, NamesWhatWasChanged) {
  const auto changed = [](const v1::JobResult& now) { return ChangedLines(StatementOf(Result(), "S"), StatementOf(now, "S")); };
  v1::JobResult now = Result();
  EXPECT_TRUE(changed(now).empty());
  now.mutable_subjects(0)->mutable_build()->set_binary_digest("ee");
  EXPECT_EQ(changed(now), (std::vector<std::string>{"subject", "result"}));
  now = Result();
  now.add_workloads()->add_call_nonces(1);
  EXPECT_EQ(changed(now), (std::vector<std::string>{"nonces", "samples", "result"}));
  now = Result();
  now.add_subjects()->set_label("other");
  EXPECT_EQ(changed(now), (std::vector<std::string>{"samples", "result", "subject"}));
}

}  // namespace
}  // namespace kernelopt::support
