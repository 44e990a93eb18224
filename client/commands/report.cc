#include <cstdio>
#include <map>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/until_end.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

struct Options {
  std::string job, output_dir, format = "benchmark.md";
};

Exit Run(Context& context, const Options& options) {
  static const std::map<std::string, v1::ReportFormat> kFormats = {
      {"benchmark.md", v1::REPORT_FORMAT_BENCHMARK_MD},
      {"correctness.md", v1::REPORT_FORMAT_CORRECTNESS_MD},
      {"result.json", v1::REPORT_FORMAT_RESULT_JSON}};
  const auto name = JobName(options.job);
  if (!name.ok()) return Fail(context, name.status());
  if (!options.output_dir.empty()) {
    const absl::Status status = WriteReports(context, *name, options.output_dir);
    return status.ok() ? Exit::kOk : Fail(context, status);
  }
  const auto format = kFormats.find(options.format);
  if (format == kFormats.end()) {
    return UsageError(context, absl::StrCat("--format=", options.format,
                                            " is not benchmark.md, correctness.md or result.json"));
  }
  v1::RenderJobReportRequest request;
  request.set_name(*name);
  request.set_format(format->second);
  const auto report = context.client().Call(context.client().jobs(),
                                            &v1::JobService::Stub::RenderJobReport, request);
  if (!report.ok()) return Fail(context, report.status());
  if (context.json) {
    PrintJson("report", *report);
  } else {
    std::fwrite(report->content().data(), 1, report->content().size(), stdout);
  }
  return Exit::kOk;
}

}  // namespace

void AddReport(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "print or write the reports of an ended job");
  command->add_option("job", options->job, "jobs/ID, ID or @last")->required();
  command->add_option("--format", options->format, "benchmark.md, correctness.md or result.json");
  command->add_option("--output-dir", options->output_dir, "write all three there instead");
  command->callback([&context, options] { context.exit = Run(context, *options); });
}

}  // namespace kernelopt::client
