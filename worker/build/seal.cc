#include "build/seal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace kernelopt::worker {

absl::StatusOr<support::UniqueFd> Seal(const std::string& bytes) {
  support::UniqueFd fd(memfd_create("kopt-sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return support::ErrnoStatus("memfd", "sealed bytes");
  if (absl::Status s = support::WriteAll(fd.get(), bytes); !s.ok()) return s;
  if (lseek(fd.get(), 0, SEEK_SET) != 0) return support::ErrnoStatus("lseek", "sealed bytes");
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return support::ErrnoStatus("seal", "sealed bytes");
  }
  return fd;
}

}  // namespace kernelopt::worker
