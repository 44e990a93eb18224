// The calls that change files, behind an interface so that tests can cut the
// power or fill the disk.
//
// Everything that must survive a power cut goes through here (or through SQLite,
// which tests reach by a VFS of their own). All return what the system call of
// the same name returns, with errno set. Thread-safe.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace kernelopt::support {

class Disk {
 public:
  virtual ~Disk() = default;
  virtual int Open(const std::string& path, int flags, mode_t mode);
  // mkostemp: the XXXXXX of `path` become the name made.
  virtual int OpenTemporary(std::string& path);
  virtual ssize_t Write(int fd, const void* data, size_t size);
  // Of a file or of a directory.
  virtual int Sync(int fd);
  virtual int Rename(const std::string& from, const std::string& to);
  virtual int Unlink(const std::string& path);

  // The one in use: the machine's own, unless a test has put another there.
  static Disk& Current();
  // Null: the machine's own again. Not while anybody writes.
  static void Use(Disk* disk);
};

}  // namespace kernelopt::support
