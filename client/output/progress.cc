#include "client/output/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace kernelopt::client {
namespace {

bool IsTerminalOutput() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (term == nullptr || std::string(term) != "dumb");
}

std::string StageText(const v1::Job& job) {
  switch (job.progress().stage()) {
    case v1::STAGE_PREPARE: return "reading sources";
    case v1::STAGE_BUILD: return "building";
    case v1::STAGE_VERIFY: return "verifying";
    case v1::STAGE_TIME: return "timing";
    case v1::STAGE_AUDIT: return "auditing";
    default: return "starting";
  }
}

std::string TextOf(const v1::Job& job, bool detailed) {
  std::string text;
  switch (job.state()) {
    case v1::JOB_STATE_QUEUED: text = "waiting in the queue"; break;
    case v1::JOB_STATE_HELD: text = "held"; break;
    case v1::JOB_STATE_LEASED:
    case v1::JOB_STATE_RUNNING: text = StageText(job); break;
    default: return "";
  }
  if (detailed && !job.progress().message().empty()) absl::StrAppend(&text, ": ", job.progress().message());
  if (detailed && job.progress().total() > 0) {
    constexpr int kWidth = 20;
    const int full = std::clamp(job.progress().done() * kWidth / job.progress().total(), 0, kWidth);
    absl::StrAppend(&text, " [", std::string(static_cast<size_t>(full), '#'),
                    std::string(static_cast<size_t>(kWidth - full), '.'), "]");
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(IsTerminalOutput()) {}
ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Show(const v1::Job& job) {
  const std::string text = TextOf(job, terminal_);
  if (quiet_ || text.empty() || text == last_) return;
  last_ = text;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s  %s", job.name().c_str(), text.c_str());
    std::fflush(stderr);
    dirty_ = true;
  } else {
    std::fprintf(stderr, "%s  %s\n", job.name().c_str(), text.c_str());
  }
}

void ProgressLine::Clear() {
  if (!dirty_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  dirty_ = false;
}

}  // namespace kernelopt::client
