#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "device/last_words.h"
#include "spdlog/spdlog.h"

namespace kernelopt::worker::cuda {
namespace {

// Through one more macro, so that cuda.h's own renamings (cuMemAlloc_v2) apply.
#define KOPT_CUDA_NAME_OF(name) #name
#define KOPT_CUDA_SYMBOL(name) KOPT_CUDA_NAME_OF(name)

absl::StatusOr<Driver> Open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::UnavailableError("no NVIDIA driver here (libcuda.so.1)");
  Driver driver;
#define KOPT_CUDA_LOAD(name)                                                                        \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, KOPT_CUDA_SYMBOL(name)));    \
  if (driver.name == nullptr) {                                                                     \
    return absl::UnavailableError(absl::StrCat("the NVIDIA driver is too old: it has no ",          \
                                               KOPT_CUDA_SYMBOL(name)));                            \
  }
  KOPT_CUDA_FUNCTIONS(KOPT_CUDA_LOAD)
#undef KOPT_CUDA_LOAD
  const CUresult result = driver.cuInit(0);
  if (result == CUDA_SUCCESS) return driver;
  return absl::UnavailableError(absl::StrCat("the NVIDIA driver does not start: ",
                                             std::string(driver.Check(result, "cuInit").message())));
}

}  // namespace

absl::StatusOr<const Driver*> Driver::Get() {
  static const absl::StatusOr<Driver> driver = Open();
  if (!driver.ok()) return driver.status();
  return &*driver;
}

absl::Status Driver::Check(CUresult result, const std::string& what) const {
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  const char* name = "unknown error";
  const char* words = "";
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &words);
  const std::string message = absl::StrCat(what, ": ", name, " (", words, ")");
  return result == CUDA_ERROR_OUT_OF_MEMORY ? absl::ResourceExhaustedError(message) : absl::InternalError(message);
}

void Driver::Must(CUresult result, const char* what) const {
  if (result == CUDA_SUCCESS) return;
  const std::string text = absl::StrCat("the GPU failed the judge: ", std::string(Check(result, what).message()));
  spdlog::critical("{}", text);
  LastWords(text);
  _exit(70);
}

}  // namespace kernelopt::worker::cuda
