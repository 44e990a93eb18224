#include "support/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace kernelopt::support {
namespace {

Disk& Real() {
  static Disk disk;
  return disk;
}

Disk* g_current = nullptr;

}  // namespace

int Disk::Open(const std::string& path, int flags, mode_t mode) {
  return open(path.c_str(), flags, mode);
}
int Disk::OpenTemporary(std::string& path) { return mkostemp(path.data(), O_CLOEXEC); }
ssize_t Disk::Write(int fd, const void* data, size_t size) { return write(fd, data, size); }
int Disk::Sync(int fd) { return fsync(fd); }
int Disk::Rename(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str());
}
int Disk::Unlink(const std::string& path) { return unlink(path.c_str()); }

Disk& Disk::Current() { return g_current != nullptr ? *g_current : Real(); }
void Disk::Use(Disk* disk) { g_current = disk; }

}  // namespace kernelopt::support
