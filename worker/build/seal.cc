#include "build/seal.h"

#include <fcntl.h>
#include <sys/mman.h>

namespace kernelopt::worker {

absl::StatusOr<support::UniqueFd> Seal(const std::string& object) {
  support::UniqueFd fd(memfd_create("kopt-solution", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return support::ErrnoStatus("memfd", "solution");
  if (absl::Status s = support::WriteAll(fd.get(), object); !s.ok()) return s;
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return support::ErrnoStatus("seal", "solution");
  }
  return fd;
}

}  // namespace kernelopt::worker
