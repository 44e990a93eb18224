#include "client/commands/until_end.h"

#include <signal.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "absl/strings/str_cat.h"
#include "client/output/print.h"
#include "client/output/progress.h"
#include "support/clock.h"
#include "support/files.h"

namespace kernelopt::client {
namespace {

constexpr double kDaemonPatienceS = 60;
volatile sig_atomic_t g_interrupted = 0;

void OnInterrupt(int) { g_interrupted = 1; }

// The watch blocks in gRPC, so an interrupt ends the program from here.
void ExitOnInterrupt(const std::string& job) {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  std::thread([job] {
    while (g_interrupted == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::fprintf(stderr, "\nkoptctl: detached; %s goes on. See it with `koptctl follow %s`, end it "
                         "with `koptctl cancel %s`\n",
                 job.c_str(), job.c_str(), job.c_str());
    std::_Exit(static_cast<int>(Exit::kInterrupted));
  }).detach();
}

Exit ShowEnd(Context& context, const v1::Job& job, const UntilEnd& options) {
  if (job.state() != v1::JOB_STATE_SUCCEEDED) {
    if (context.json && options.print_result) {
      PrintJson("job", job);
    } else {
      std::fprintf(stderr, "%s\n", JobLine(job).c_str());
    }
    return ExitOf(job);
  }
  if (options.print_result) {
    v1::GetJobResultRequest request;
    request.set_name(job.name());
    const auto response =
        context.client().Call(context.client().jobs(), &v1::JobService::Stub::GetJobResult, request);
    if (!response.ok()) return Fail(context, response.status());
    if (context.json) {
      PrintJson("result", response->result());
    } else {
      PrintResult(context, response->result());
    }
  }
  if (!options.output_dir.empty()) {
    if (absl::Status s = WriteReports(context, job.name(), options.output_dir); !s.ok()) {
      return Fail(context, s);
    }
  }
  return ExitOf(job);
}

}  // namespace

absl::Status WriteReports(Context& context, const std::string& job, const std::string& directory) {
  if (absl::Status s = support::MakeDirectories(directory, 0755); !s.ok()) return s;
  for (const v1::ReportFormat format :
       {v1::REPORT_FORMAT_BENCHMARK_MD, v1::REPORT_FORMAT_CORRECTNESS_MD,
        v1::REPORT_FORMAT_RESULT_JSON}) {
    v1::RenderJobReportRequest request;
    request.set_name(job);
    request.set_format(format);
    const auto report = context.client().Call(context.client().jobs(),
                                              &v1::JobService::Stub::RenderJobReport, request);
    if (!report.ok()) return report.status();
    const std::string path = absl::StrCat(directory, "/", report->file_name());
    if (absl::Status s = support::WriteFileDurably(path, report->content(), 0644); !s.ok()) return s;
    if (!context.quiet) std::fprintf(stderr, "wrote %s\n", path.c_str());
  }
  return absl::OkStatus();
}

Exit WaitUntilEnd(Context& context, const std::string& job, const UntilEnd& options) {
  ExitOnInterrupt(job);
  ProgressLine progress(!options.progress || context.quiet || context.json);
  const double begin = support::MonotonicSeconds();
  const auto last = context.client().Watch(job, kDaemonPatienceS, [&](const v1::Job& now) {
    progress.Show(now);
    return options.timeout_s <= 0 || support::MonotonicSeconds() - begin < options.timeout_s;
  });
  progress.Clear();
  if (!last.ok()) return Fail(context, last.status());
  if (!IsTerminal(last->state())) {
    return Fail(context, absl::DeadlineExceededError(absl::StrCat(
                             job, " is still ", Short(last->state()), " after ", options.timeout_s,
                             " s; it goes on, wait again with `koptctl wait ", job, "`")));
  }
  return ShowEnd(context, *last, options);
}

}  // namespace kernelopt::client
