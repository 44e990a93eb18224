#include "device/cuda/fatbin.h"

// KOPT_FATBIN is the path that nvcc wrote to.
asm(".section .rodata\n"
    ".balign 16\n"
    ".hidden kopt_judge_fatbin\n"
    ".globl kopt_judge_fatbin\n"
    "kopt_judge_fatbin:\n"
    ".incbin \"" KOPT_FATBIN "\"\n"
    ".previous\n");

extern "C" __attribute__((visibility("hidden"))) const char kopt_judge_fatbin[];

namespace kernelopt::worker::cuda {

const void* JudgeFatbin() { return kopt_judge_fatbin; }

}  // namespace kernelopt::worker::cuda
