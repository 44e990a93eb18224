#include "support/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace kernelopt::support {
namespace {

Config Make() {
  using Type = Setting::Type;
  return Config({{"queue.lease_seconds", Type::kReal, "30", "a"},
                 {"server.socket", Type::kText, "/x", "b"},
                 {"server.seats", Type::kInteger, "256", "c"},
                 {"server.reflection", Type::kBool, "true", "d"}});
}

std::string File(const std::string& text) {
  std::string name = "/tmp/kopt-config-XXXXXX";
  close(mkstemp(name.data()));
  std::ofstream(name) << text;
  return name;
}

TEST(Config, FlagsBeatEnvironmentBeatsFileBeatsDefault) {
  Config config = Make();
  ASSERT_TRUE(config.LoadFile(File("[queue]\nlease_seconds = 1.5\n[server]\nseats = 7\nsocket = \"/file\"\n")).ok());
  char one[] = "KOPT_SERVER_SEATS=8", two[] = "KOPT_SERVER_SOCKET=/env", three[] = "PATH=/bin";
  char* environment[] = {one, two, three, nullptr};
  ASSERT_TRUE(config.LoadEnvironment(environment, {}).ok());
  ASSERT_TRUE(config.SetFlag("server.socket=/flag").ok());
  EXPECT_EQ(config.Real("queue.lease_seconds"), 1.5);
  EXPECT_EQ(config.Integer("server.seats"), 8);
  EXPECT_EQ(config.Text("server.socket"), "/flag");
  EXPECT_TRUE(config.Bool("server.reflection"));
}

TEST(Config, OriginsAreShown) {
  Config config = Make();
  const std::string file = File("[server]\n\nseats = 7\n");
  ASSERT_TRUE(config.LoadFile(file).ok());
  for (const Config::Shown& shown : config.Show()) {
    if (shown.key == "server.seats") {
      EXPECT_EQ(shown.origin, file + ":3");
    } else {
      EXPECT_EQ(shown.origin, "default");
    }
  }
}

TEST(Config, UnknownKeysAreErrorsWithASuggestion) {
  Config config = Make();
  const absl::Status file = config.LoadFile(File("[server]\nseat = 7\n"));
  EXPECT_NE(std::string(file.message()).find("did you mean \"server.seats\""), std::string::npos) << file;
  const absl::Status flag = config.SetFlag("queue.leas_seconds=1");
  EXPECT_NE(std::string(flag.message()).find("queue.lease_seconds"), std::string::npos) << flag;
  char unknown[] = "KOPT_SERVER_SEETS=8";
  char* environment[] = {unknown, nullptr};
  EXPECT_FALSE(config.LoadEnvironment(environment, {}).ok());
  const std::vector<std::string> others = {"KOPT_SERVER_SEE"};
  EXPECT_TRUE(config.LoadEnvironment(environment, others).ok());
}

TEST(Config, WrongTypesAndSyntaxNameTheLine) {
  Config config = Make();
  EXPECT_NE(std::string(config.LoadFile(File("[server]\nseats = \"many\"\n")).message()).find("must be an integer"), std::string::npos);
  EXPECT_NE(std::string(config.LoadFile(File("[server\n")).message()).find(":1"), std::string::npos);
  EXPECT_FALSE(config.SetFlag("server.reflection=perhaps").ok());
  EXPECT_FALSE(config.SetFlag("no-equals").ok());
}

}  // namespace
}  // namespace kernelopt::support
