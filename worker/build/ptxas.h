// What `nvcc -Xptxas -v` says of each kernel. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

// Lines it does not know are left out.
std::vector<v1::KernelResources> ReadPtxas(std::string_view output);

}  // namespace kernelopt::worker
