// Where the elements of a tensor lie in its memory. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "problem/declared.h"

namespace kernelopt::worker {

struct Layout {
  std::vector<int64_t> shape;
  // Elements from one index to the next, by dimension; empty: contiguous, the
  // last index runs fastest.
  std::vector<int64_t> strides;
  int64_t elements = 0;  // of the shape
  int64_t span = 0;      // elements of memory from the first to the last, gaps included

  bool strided() const { return !strides.empty(); }
};

// Contiguous. DIM_OUT_OF_RANGE: more than 2^63 elements.
std::variant<Layout, InvalidProblem> LayOut(const std::vector<int64_t>& shape,
                                            const std::string& where);
// As declared: "strides" or "order". PROBLEM_FORMAT where elements overlap,
// MISSING_DIM (the message is the name) where a dim has no value.
std::variant<Layout, InvalidProblem> LayOut(const std::vector<int64_t>& shape,
                                            const DeclaredTensor& declared,
                                            const std::map<std::string, int64_t>& dims,
                                            const std::string& where);

// Every element becomes two neighbours, along a new last dim; and back.
// DIM_OUT_OF_RANGE as above.
std::variant<Layout, InvalidProblem> InParts(Layout whole, const std::string& where);
Layout Whole(Layout parts);

// The memory index of every element of a strided layout, in the order of the
// shape.
std::vector<int64_t> Places(const Layout& layout);

// Elements of `size` bytes out of memory laid out so into dense memory, and
// back; gaps are left alone.
void Gather(const Layout& layout, size_t size, const void* memory, void* dense);
void Scatter(const Layout& layout, size_t size, const void* dense, void* memory);
// A dense copy.
std::vector<char> Dense(const Layout& layout, size_t size, const void* memory);

}  // namespace kernelopt::worker
