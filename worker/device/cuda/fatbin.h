// kernels.cu, compiled when the worker was built.
#pragma once

namespace kernelopt::worker::cuda {

// For cuModuleLoadData.
const void* JudgeFatbin();

}  // namespace kernelopt::worker::cuda
