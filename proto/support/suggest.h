// Did-you-mean.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kernelopt::support {

// Edits (insert, delete, replace, swap of neighbours) that turn a into b.
int EditDistance(std::string_view a, std::string_view b);

// The candidate closest to `word`, or empty when none is close. Close: at most
// a third of the word in edits, counted also against the candidate's last
// dash-separated part, so that "trails" finds "num-trials".
std::string Suggest(std::string_view word, std::span<const std::string> candidates);

}  // namespace kernelopt::support
