// Element types of tensors and scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernelopt::worker {

enum class DType {
  kFloat64, kFloat32, kFloat16, kBfloat16, kFloat8E4M3, kFloat8E5M2,
  kInt64, kInt32, kInt16, kInt8, kUint64, kUint32, kUint16, kUint8, kBool,
};

// float32, bfloat16, float8_e4m3fn...: names as torch and NumPy spell them.
std::string_view DTypeName(DType type);
std::optional<DType> DTypeFromName(std::string_view name);

// From a C type without qualifiers and `std::`: "float", "unsigned int",
// "int64_t", "__half", "__nv_bfloat16", "__nv_fp8_e4m3"... On LP64 `long` has
// 64 bits. Plain `char` counts as int8.
std::optional<DType> DTypeFromC(std::string_view c_type);

// Complex numbers are two neighbours of a floating type, the real part first;
// complex64 has parts of float32. The type of the parts, or none.
std::optional<DType> PartOfComplex(std::string_view name);       // complex64, complex128
std::optional<DType> PartOfComplexFromC(std::string_view c_type);  // cuFloatComplex, float2, complex<float>...
// complex64 of float32, complex128 of float64.
std::string_view ComplexName(DType part);

size_t SizeOf(DType type);
bool IsFloating(DType type);

// Reads and writes one element. Stores round to nearest even and saturate
// integers.
double LoadElement(DType type, const void* base, int64_t index);
void StoreElement(DType type, void* base, int64_t index, double value);

// Tolerances where neither the submitter nor the reference gave any.
struct Tolerance {
  double atol = 0, rtol = 0;
};
Tolerance DefaultTolerance(DType type);

}  // namespace kernelopt::worker
