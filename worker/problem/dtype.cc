#include "problem/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace kernelopt::worker {
namespace {

struct Entry {
  DType type;
  std::string_view name;
  size_t size;
  Tolerance tolerance;
};

constexpr std::array<Entry, 15> kTable = {{
    {DType::kFloat64, "float64", 8, {1e-9, 1e-7}},
    {DType::kFloat32, "float32", 4, {1e-4, 1e-3}},
    {DType::kFloat16, "float16", 2, {1e-2, 1e-2}},
    {DType::kBfloat16, "bfloat16", 2, {1e-2, 1.6e-2}},
    {DType::kFloat8E4M3, "float8_e4m3fn", 1, {0.125, 0.125}},
    {DType::kFloat8E5M2, "float8_e5m2", 1, {0.25, 0.25}},
    {DType::kInt64, "int64", 8, {}},
    {DType::kInt32, "int32", 4, {}},
    {DType::kInt16, "int16", 2, {}},
    {DType::kInt8, "int8", 1, {}},
    {DType::kUint64, "uint64", 8, {}},
    {DType::kUint32, "uint32", 4, {}},
    {DType::kUint16, "uint16", 2, {}},
    {DType::kUint8, "uint8", 1, {}},
    {DType::kBool, "bool", 1, {}},
}};

const Entry& Of(DType type) { return kTable[static_cast<size_t>(type)]; }

// A binary floating-point format with fewer bits than float32.
struct Small {
  int exponent_bits, mantissa_bits;
  bool has_inf;  // e4m3fn has none: its largest exponent is used by numbers
};

Small FormatOf(DType type) {
  switch (type) {
    case DType::kFloat16:
      return {5, 10, true};
    case DType::kBfloat16:
      return {8, 7, true};
    case DType::kFloat8E4M3:
      return {4, 3, false};
    default:
      return {5, 2, true};
  }
}

double DecodeSmall(uint32_t bits, const Small& f) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const uint32_t mantissa_mask = (1U << f.mantissa_bits) - 1;
  const uint32_t exponent_mask = (1U << f.exponent_bits) - 1;
  const uint32_t mantissa = bits & mantissa_mask;
  const uint32_t exponent = (bits >> f.mantissa_bits) & exponent_mask;
  const double sign = (bits >> (f.exponent_bits + f.mantissa_bits)) & 1U ? -1.0 : 1.0;
  if (exponent == exponent_mask) {
    if (f.has_inf) {
      return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
    }
    if (mantissa == mantissa_mask) return std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - f.mantissa_bits);
  return sign * std::ldexp(mantissa + (1U << f.mantissa_bits),
                           static_cast<int>(exponent) - bias - f.mantissa_bits);
}

uint32_t EncodeSmall(double value, const Small& f) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const uint32_t exponent_mask = (1U << f.exponent_bits) - 1;
  const uint32_t sign = std::signbit(value) ? 1U << (f.exponent_bits + f.mantissa_bits) : 0U;
  const uint32_t nan = (exponent_mask << f.mantissa_bits) |
                       (f.has_inf ? 1U << (f.mantissa_bits - 1) : (1U << f.mantissa_bits) - 1);
  if (std::isnan(value)) return sign | nan;
  const double magnitude = std::fabs(value);
  const uint32_t overflow = f.has_inf ? exponent_mask << f.mantissa_bits : nan;
  if (std::isinf(value)) return sign | overflow;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double steps = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
  auto mantissa = static_cast<uint32_t>(steps);
  if (mantissa >> (f.mantissa_bits + 1)) {
    mantissa >>= 1;
    ++exponent;
  }
  const bool normal = mantissa >> f.mantissa_bits;
  const auto field = static_cast<uint32_t>(normal ? exponent + bias : 0);
  const uint32_t bits =
      (field << f.mantissa_bits) | (mantissa & ((1U << f.mantissa_bits) - 1));
  const uint32_t largest = f.has_inf ? (exponent_mask << f.mantissa_bits) - 1 : nan - 1;
  return sign | (bits > largest ? overflow : bits);
}

template <typename T>
double Load(const void* base, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + index * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return static_cast<double>(value);
}

template <typename T>
void Store(void* base, int64_t index, double value) {
  T out{};
  if constexpr (std::is_integral_v<T>) {
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    out = value <= low ? std::numeric_limits<T>::min()
          : value >= high ? std::numeric_limits<T>::max() : static_cast<T>(std::nearbyint(value));
  } else {
    out = static_cast<T>(value);
  }
  std::memcpy(static_cast<char*>(base) + index * static_cast<int64_t>(sizeof(T)), &out, sizeof(T));
}

}  // namespace

std::string_view DTypeName(DType type) { return Of(type).name; }
size_t SizeOf(DType type) { return Of(type).size; }
Tolerance DefaultTolerance(DType type) { return Of(type).tolerance; }
bool IsFloating(DType type) { return type <= DType::kFloat8E5M2; }

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const Entry& entry : kTable) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

std::optional<DType> DTypeFromC(std::string_view c_type) {
  static const std::map<std::string_view, DType> kTypes = {
      {"double", DType::kFloat64},
      {"float", DType::kFloat32},
      {"half", DType::kFloat16}, {"__half", DType::kFloat16}, {"_Float16", DType::kFloat16},
      {"__nv_bfloat16", DType::kBfloat16}, {"nv_bfloat16", DType::kBfloat16}, {"__bf16", DType::kBfloat16},
      {"__nv_fp8_e4m3", DType::kFloat8E4M3}, {"__nv_fp8_e5m2", DType::kFloat8E5M2},
      {"long", DType::kInt64}, {"long int", DType::kInt64}, {"long long", DType::kInt64},
      {"long long int", DType::kInt64}, {"int64_t", DType::kInt64}, {"ptrdiff_t", DType::kInt64},
      {"int", DType::kInt32}, {"signed", DType::kInt32}, {"signed int", DType::kInt32}, {"int32_t", DType::kInt32},
      {"short", DType::kInt16}, {"short int", DType::kInt16}, {"int16_t", DType::kInt16},
      {"char", DType::kInt8}, {"signed char", DType::kInt8}, {"int8_t", DType::kInt8},
      {"unsigned long", DType::kUint64}, {"unsigned long int", DType::kUint64},
      {"unsigned long long", DType::kUint64}, {"unsigned long long int", DType::kUint64},
      {"uint64_t", DType::kUint64}, {"size_t", DType::kUint64},
      {"unsigned", DType::kUint32}, {"unsigned int", DType::kUint32}, {"uint32_t", DType::kUint32},
      {"unsigned short", DType::kUint16}, {"unsigned short int", DType::kUint16}, {"uint16_t", DType::kUint16},
      {"unsigned char", DType::kUint8}, {"uint8_t", DType::kUint8},
      {"bool", DType::kBool}, {"_Bool", DType::kBool},
  };
  const auto found = kTypes.find(c_type);
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

std::optional<DType> PartOfComplex(std::string_view name) {
  if (name == ComplexName(DType::kFloat32)) return DType::kFloat32;
  if (name == ComplexName(DType::kFloat64)) return DType::kFloat64;
  return std::nullopt;
}

std::optional<DType> PartOfComplexFromC(std::string_view c_type) {
  static const std::map<std::string_view, DType> kTypes = {
      {"complex<float>", DType::kFloat32},   {"cuFloatComplex", DType::kFloat32},   {"cuComplex", DType::kFloat32},
      {"float2", DType::kFloat32},           {"complex<double>", DType::kFloat64},  {"cuDoubleComplex", DType::kFloat64},
      {"double2", DType::kFloat64},
  };
  const auto found = kTypes.find(c_type);
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

std::string_view ComplexName(DType part) { return part == DType::kFloat64 ? "complex128" : "complex64"; }

double LoadElement(DType type, const void* base, int64_t index) {
  switch (type) {
    case DType::kFloat64: return Load<double>(base, index);
    case DType::kFloat32: return Load<float>(base, index);
    case DType::kInt64: return Load<int64_t>(base, index);
    case DType::kInt32: return Load<int32_t>(base, index);
    case DType::kInt16: return Load<int16_t>(base, index);
    case DType::kInt8: return Load<int8_t>(base, index);
    case DType::kUint64: return Load<uint64_t>(base, index);
    case DType::kUint32: return Load<uint32_t>(base, index);
    case DType::kUint16: return Load<uint16_t>(base, index);
    case DType::kUint8:
    case DType::kBool: return Load<uint8_t>(base, index);
    case DType::kFloat16:
    case DType::kBfloat16:
      return DecodeSmall(static_cast<uint32_t>(Load<uint16_t>(base, index)), FormatOf(type));
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
      return DecodeSmall(static_cast<uint32_t>(Load<uint8_t>(base, index)), FormatOf(type));
  }
  return 0;
}

void StoreElement(DType type, void* base, int64_t index, double value) {
  switch (type) {
    case DType::kFloat64: return Store<double>(base, index, value);
    case DType::kFloat32: return Store<float>(base, index, value);
    case DType::kInt64: return Store<int64_t>(base, index, value);
    case DType::kInt32: return Store<int32_t>(base, index, value);
    case DType::kInt16: return Store<int16_t>(base, index, value);
    case DType::kInt8: return Store<int8_t>(base, index, value);
    case DType::kUint64: return Store<uint64_t>(base, index, value);
    case DType::kUint32: return Store<uint32_t>(base, index, value);
    case DType::kUint16: return Store<uint16_t>(base, index, value);
    case DType::kUint8: return Store<uint8_t>(base, index, value);
    case DType::kBool: return Store<uint8_t>(base, index, value != 0 ? 1 : 0);
    case DType::kFloat16:
    case DType::kBfloat16:
      return Store<uint16_t>(base, index, EncodeSmall(value, FormatOf(type)));
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
      return Store<uint8_t>(base, index, EncodeSmall(value, FormatOf(type)));
  }
}

}  // namespace kernelopt::worker
