#include "crash/sim_vfs.h"

#include <sqlite3.h>

#include <string>

#include "crash/sim_disk.h"

namespace kernelopt::test {
namespace {

SimDisk* g_disk = nullptr;
sqlite3_vfs* g_real = nullptr;

// In front of the default VFS's own file.
struct File {
  sqlite3_file base;
  std::string* path;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* Of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

int CodeOf(SimDisk::Fault fault, int io_error) {
  return fault == SimDisk::Fault::kEnospc ? SQLITE_FULL : io_error;
}

int Close(sqlite3_file* file) {
  File* own = Of(file);
  const int result = own->real()->pMethods->xClose(own->real());
  delete own->path;
  return result;
}
int Read(sqlite3_file* file, void* out, int size, sqlite3_int64 at) {
  return Of(file)->real()->pMethods->xRead(Of(file)->real(), out, size, at);
}
int Write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
  File* own = Of(file);
  const SimDisk::Fault fault = g_disk->Count();
  if (fault == SimDisk::Fault::kEio || fault == SimDisk::Fault::kEnospc) {
    return CodeOf(fault, SQLITE_IOERR_WRITE);
  }
  if (fault == SimDisk::Fault::kShort) {  // half of it lands, and the caller is told
    const int half = size / 2;
    own->real()->pMethods->xWrite(own->real(), data, half, at);
    g_disk->NoteWrite(*own->path, at, data, static_cast<size_t>(half));
    return SQLITE_FULL;
  }
  const int result = own->real()->pMethods->xWrite(own->real(), data, size, at);
  if (result == SQLITE_OK) g_disk->NoteWrite(*own->path, at, data, static_cast<size_t>(size));
  return result;
}
int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  const SimDisk::Fault fault = g_disk->Count();
  if (fault != SimDisk::Fault::kNone) return SQLITE_IOERR_TRUNCATE;
  g_disk->NoteTruncate(*Of(file)->path, size);
  return Of(file)->real()->pMethods->xTruncate(Of(file)->real(), size);
}
int Sync(sqlite3_file* file, int) {
  const SimDisk::Fault fault = g_disk->Count();
  if (fault != SimDisk::Fault::kNone) return SQLITE_IOERR_FSYNC;
  g_disk->NoteSync(*Of(file)->path);  // the real one would only cost time
  return SQLITE_OK;
}
int FileSize(sqlite3_file* file, sqlite3_int64* out) {
  return Of(file)->real()->pMethods->xFileSize(Of(file)->real(), out);
}
int LockFile(sqlite3_file* file, int level) {
  return Of(file)->real()->pMethods->xLock(Of(file)->real(), level);
}
int Unlock(sqlite3_file* file, int level) {
  return Of(file)->real()->pMethods->xUnlock(Of(file)->real(), level);
}
int CheckReserved(sqlite3_file* file, int* out) {
  return Of(file)->real()->pMethods->xCheckReservedLock(Of(file)->real(), out);
}
int Control(sqlite3_file* file, int op, void* argument) {
  return Of(file)->real()->pMethods->xFileControl(Of(file)->real(), op, argument);
}
int SectorSize(sqlite3_file* file) { return Of(file)->real()->pMethods->xSectorSize(Of(file)->real()); }
// No promise beyond what any disk keeps: not even that a power cut leaves the
// bytes around a write alone.
int Characteristics(sqlite3_file*) { return 0; }
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return Of(file)->real()->pMethods->xShmMap(Of(file)->real(), page, size, extend, out);
}
int ShmLock(sqlite3_file* file, int offset, int n, int flags) {
  return Of(file)->real()->pMethods->xShmLock(Of(file)->real(), offset, n, flags);
}
void ShmBarrier(sqlite3_file* file) { Of(file)->real()->pMethods->xShmBarrier(Of(file)->real()); }
int ShmUnmap(sqlite3_file* file, int remove) {
  return Of(file)->real()->pMethods->xShmUnmap(Of(file)->real(), remove);
}

const sqlite3_io_methods kMethods = {2,        Close,        Read,          Write,   Truncate,
                                     Sync,     FileSize,     LockFile,      Unlock,  CheckReserved,
                                     Control,  SectorSize,   Characteristics, ShmMap, ShmLock,
                                     ShmBarrier, ShmUnmap,   nullptr,       nullptr};

int OpenFile(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  File* own = Of(file);
  own->base.pMethods = nullptr;
  if (name == nullptr) return g_real->xOpen(g_real, name, file, flags, out_flags);  // temporary
  if (g_disk->Count() != SimDisk::Fault::kNone) return SQLITE_CANTOPEN;
  const int result = g_real->xOpen(g_real, name, own->real(), flags, out_flags);
  if (result != SQLITE_OK) return result;
  own->path = new std::string(name);
  own->base.pMethods = &kMethods;
  g_disk->NoteOpen(*own->path);
  return SQLITE_OK;
}

int Delete(sqlite3_vfs*, const char* name, int sync) {
  if (g_disk->Count() != SimDisk::Fault::kNone) return SQLITE_IOERR_DELETE;
  g_disk->NoteUnlink(name);
  return g_real->xDelete(g_real, name, sync);
}

sqlite3_vfs MakeVfs() {
  g_real = sqlite3_vfs_find(nullptr);
  sqlite3_vfs vfs = *g_real;
  vfs.zName = "sim";
  vfs.szOsFile = static_cast<int>(sizeof(File)) + g_real->szOsFile;
  vfs.pNext = nullptr;
  vfs.xOpen = OpenFile;
  vfs.xDelete = Delete;
  return vfs;
}

}  // namespace

void InstallSimVfs(SimDisk* disk) {
  static sqlite3_vfs vfs = MakeVfs();
  g_disk = disk;
  if (disk != nullptr) {
    sqlite3_vfs_register(&vfs, 1);
  } else {
    sqlite3_vfs_unregister(&vfs);
    sqlite3_vfs_register(g_real, 1);
  }
}

}  // namespace kernelopt::test
