#include "device/cuda/cuda_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "support/files.h"

namespace kernelopt::worker::cuda {
namespace {

char* Address(CUdeviceptr at) { return reinterpret_cast<char*>(at); }

class Vmm final : public SharedMemory {
 public:
  explicit Vmm(const Driver& cu) : cu_(cu) {}
  ~Vmm() override {
    const auto size = static_cast<size_t>(size_);
    if (mapped_) {
      cu_.cuCtxSynchronize();  // a kernel of an abandoned job may still write to it
      cu_.cuMemUnmap(at_, size);
    }
    if (at_ != 0) cu_.cuMemAddressFree(at_, size);
    if (made_) cu_.cuMemRelease(handle_);
  }

  absl::Status Make(CUdevice device, int64_t bytes) {
    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    wanted.location.id = device;
    size_t grain = 0;
    if (absl::Status s = cu_.Check(cu_.cuMemGetAllocationGranularity(&grain, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                                   "granularity");
        !s.ok()) {
      return s;
    }
    const auto step = static_cast<int64_t>(grain);
    size_ = std::max<int64_t>(1, (bytes + step - 1) / step) * step;
    const auto size = static_cast<size_t>(size_);
    const std::string what = absl::StrCat("a buffer of ", size_ >> 20, " MiB");
    if (absl::Status s = cu_.Check(cu_.cuMemCreate(&handle_, size, &wanted, 0), what); !s.ok()) return s;
    made_ = true;
    if (absl::Status s = cu_.Check(cu_.cuMemAddressReserve(&at_, size, 0, 0, 0), what); !s.ok()) return s;
    if (absl::Status s = cu_.Check(cu_.cuMemMap(at_, size, 0, handle_, 0), what); !s.ok()) return s;
    mapped_ = true;
    CUmemAccessDesc access{};
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (absl::Status s = cu_.Check(cu_.cuMemSetAccess(at_, size, &access, 1), what); !s.ok()) return s;
    int fd = -1;
    absl::Status exported = cu_.Check(
        cu_.cuMemExportToShareableHandle(&fd, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), what);
    fd_.Reset(fd);
    return exported;
  }

  char* data() override { return Address(at_); }
  int64_t size() const override { return size_; }
  int fd() const override { return fd_.get(); }

 private:
  const Driver& cu_;
  CUmemGenericAllocationHandle handle_{};
  CUdeviceptr at_ = 0;
  int64_t size_ = 0;
  bool made_ = false, mapped_ = false;
  support::UniqueFd fd_;
};

class Own final : public Memory {
 public:
  Own(const Driver& cu, CUdeviceptr at, int64_t size) : cu_(cu), at_(at), size_(size) {}
  ~Own() override { cu_.cuMemFree(at_); }
  char* data() override { return Address(at_); }
  int64_t size() const override { return size_; }

 private:
  const Driver& cu_;
  const CUdeviceptr at_;
  const int64_t size_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SharedMemory>> MakeSharedMemory(const Driver& cu, CUdevice device, int64_t bytes,
                                                               Access) {
  auto memory = std::make_unique<Vmm>(cu);
  if (absl::Status s = memory->Make(device, bytes); !s.ok()) return s;
  return std::unique_ptr<SharedMemory>(std::move(memory));
}

absl::StatusOr<std::unique_ptr<Memory>> MakePrivateMemory(const Driver& cu, int64_t bytes) {
  const int64_t size = std::max<int64_t>(bytes, 1);
  CUdeviceptr at = 0;
  absl::Status made = cu.Check(cu.cuMemAlloc(&at, static_cast<size_t>(size)), absl::StrCat(size >> 20, " MiB"));
  if (!made.ok()) return made;
  return std::unique_ptr<Memory>(std::make_unique<Own>(cu, at, size));
}

Mailbox::Mailbox(const Driver& cu, int64_t bytes) : cu_(cu), bytes_(bytes) {
  cu_.Must(cu_.cuMemHostAlloc(&host_, static_cast<size_t>(bytes), CU_MEMHOSTALLOC_DEVICEMAP), "a mailbox");
  cu_.Must(cu_.cuMemHostGetDevicePointer(&device_, host_, 0), "a mailbox");
}

Mailbox::~Mailbox() { cu_.cuMemFreeHost(host_); }

}  // namespace kernelopt::worker::cuda
