#include "device/host/memfd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kernelopt::worker {
namespace {

class Memfd final : public SharedMemory {
 public:
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Make(int64_t bytes, Access access) {
    std::unique_ptr<Memfd> memory(new Memfd());
    memory->size_ = std::max<int64_t>(bytes, 4096);
    memory->fd_.Reset(memfd_create("kopt-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory->fd_.valid() || ftruncate(memory->fd_.get(), memory->size_) != 0) {
      return absl::ResourceExhaustedError(absl::StrCat("no memory for a buffer of ", bytes, " bytes"));
    }
    void* at = mmap(nullptr, static_cast<size_t>(memory->size_), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_POPULATE, memory->fd_.get(), 0);
    if (at == MAP_FAILED) {
      return absl::ResourceExhaustedError(absl::StrCat("cannot map a buffer of ", bytes, " bytes"));
    }
    memory->data_ = static_cast<char*>(at);
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (access == Access::kRunnerReads) seals |= F_SEAL_FUTURE_WRITE;
    if (fcntl(memory->fd_.get(), F_ADD_SEALS, seals) != 0) {
      return support::ErrnoStatus("seal", "buffer");
    }
    return memory;
  }
  ~Memfd() override {
    if (data_ != nullptr) munmap(data_, static_cast<size_t>(size_));
  }
  char* data() override { return data_; }
  int64_t size() const override { return size_; }
  int fd() const override { return fd_.get(); }

 private:
  Memfd() = default;
  support::UniqueFd fd_;
  char* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SharedMemory>> MakeMemfd(int64_t bytes, Access access) {
  return Memfd::Make(bytes, access);
}

}  // namespace kernelopt::worker
