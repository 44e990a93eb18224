#include "device/tensor_rate.h"

#include <algorithm>
#include <array>

namespace kernelopt::worker {
namespace {

struct Kind {
  std::string_view arch;
  double half, fp8, packed;  // operations per multiprocessor and clock; packed: of 8 bits of integers, or twice 4
};

// NVIDIA's white papers of Volta, Turing, Ampere, Ada, Hopper and Blackwell:
// dense peak / (multiprocessors x boost clock), accumulating in fp16 where that
// is faster. To add a kind: a line here.
constexpr std::array kKinds = {
    Kind{"70", 1024, 1024, 1024},    Kind{"75", 1024, 1024, 4096},     Kind{"80", 2048, 2048, 8192},
    Kind{"86", 1024, 1024, 4096},    Kind{"87", 2048, 2048, 8192},     Kind{"89", 1024, 2048, 4096},
    Kind{"90a", 4096, 8192, 8192},   Kind{"100a", 8192, 16384, 32768}, Kind{"103a", 8192, 16384, 49152},
    Kind{"120a", 1024, 2048, 4096},
};

}  // namespace

double TensorRate(std::string_view arch, DType operand) {
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.arch == arch; });
  if (kind == kKinds.end()) return 0;
  switch (operand) {
    case DType::kFloat32:
    case DType::kFloat16:
    case DType::kBfloat16:
      return kind->half;
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
      return kind->fp8;
    case DType::kInt8:
    case DType::kUint8:
      return kind->packed;
    default:
      return 0;
  }
}

}  // namespace kernelopt::worker
