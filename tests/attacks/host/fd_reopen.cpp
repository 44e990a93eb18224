// H6: opens every descriptor and map file again, for writing.
// expect: neutralised
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "honest.h"
namespace {
void Try(const char* folder) {
  DIR* d = opendir(folder);
  if (d == nullptr) return;
  while (const dirent* e = readdir(d)) {
    char path[600];
    std::snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    const int fd = open(path, O_RDWR);
    if (fd < 0) continue;
    void* at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) munmap(at, 4096);
    close(fd);
  }
  closedir(d);
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  static const bool tried = (Try("/proc/self/fd"), Try("/proc/self/map_files"), true);
  (void)tried;
  Honest(x, y, 0, N);
}
