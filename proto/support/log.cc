#include "support/log.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spdlog/formatter.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace kernelopt::support {
namespace {

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    const nlohmann::json line = {
        {"time", std::string(time.data(), time.size())},
        {"level", std::string(spdlog::level::to_string_view(message.level).data())},
        {"program", std::string(message.logger_name.data(), message.logger_name.size())},
        {"message", std::string(message.payload.data(), message.payload.size())}};
    // Bytes that are no UTF-8 must not cost the line.
    const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.append(text.data(), text.data() + text.size());
    out.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }

 private:
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%eZ", spdlog::pattern_time_type::utc, ""};
};

}  // namespace

void StartLog(const std::string& program) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt(program));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
}

absl::Status SetLogFormat(const std::string& format) {
  if (format == "text") return absl::OkStatus();
  if (format != "json") {
    return absl::InvalidArgumentError(absl::StrCat("log.format=", format, " is not text or json"));
  }
  spdlog::set_formatter(std::make_unique<JsonFormatter>());
  return absl::OkStatus();
}

}  // namespace kernelopt::support
