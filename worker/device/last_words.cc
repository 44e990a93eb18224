#include "device/last_words.h"

#include <unistd.h>

#include <fstream>

#include "support/files.h"

namespace kernelopt::worker {
namespace {

std::string& Path() {
  static std::string path;
  return path;
}

}  // namespace

void KeepLastWords(const std::string& path) { Path() = path; }

void LastWords(const std::string& text) {
  if (!Path().empty()) std::ofstream(Path()) << text;
}

std::string TakeLastWords(const std::string& path) {
  const auto text = support::ReadFile(path);
  unlink(path.c_str());
  return text.value_or("");
}

}  // namespace kernelopt::worker
