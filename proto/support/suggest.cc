#include "support/suggest.h"

#include <algorithm>
#include <vector>

namespace kernelopt::support {

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::string Suggest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > 64) return "";
  std::string best;
  int best_distance = static_cast<int>(std::max<size_t>(1, word.size() / 3)) + 1;
  for (const std::string& candidate : candidates) {
    std::string_view tail = candidate;
    if (const size_t dash = tail.rfind('-'); dash != std::string_view::npos) {
      tail.remove_prefix(dash + 1);
    }
    const int distance = std::min(EditDistance(word, candidate), EditDistance(word, tail));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace kernelopt::support
