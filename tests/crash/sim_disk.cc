#include "crash/sim_disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "crash/sim_vfs.h"

namespace kernelopt::test {
namespace {

using Lock = std::lock_guard<std::mutex>;
constexpr size_t kSector = 512;

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

SimDisk::SimDisk(std::string root) : root_(std::move(root)) {
  // What is there before counts as durable.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const int id = IdOf(entry.path());
    files_[id].durable.assign(std::istreambuf_iterator<char>(file), {});
  }
  durable_names_ = names_;
  Disk::Use(this);
  InstallSimVfs(this);
}

SimDisk::~SimDisk() {
  Disk::Use(nullptr);
  InstallSimVfs(nullptr);
}

void SimDisk::FailAt(int64_t at, Fault fault, int64_t times) {
  const Lock lock(mutex_);
  fail_at_ = calls_ + at;
  fail_times_ = times;
  fault_ = fault;
}

void SimDisk::CutAt(int64_t at) {
  const Lock lock(mutex_);
  cut_at_ = calls_ + at;
}

int64_t SimDisk::calls() const {
  const Lock lock(mutex_);
  return calls_;
}

SimDisk::Fault SimDisk::Count() {
  const Lock lock(mutex_);
  ++calls_;
  if (cut_at_ >= 0 && calls_ >= cut_at_) return Fault::kEio;
  if (fail_at_ >= 0 && calls_ >= fail_at_ && calls_ < fail_at_ + fail_times_) return fault_;
  return Fault::kNone;
}

int SimDisk::IdOf(const std::string& path) {
  const auto found = names_.find(path);
  if (found != names_.end()) return found->second;
  names_[path] = next_id_;
  files_[next_id_];
  return next_id_++;
}

void SimDisk::NoteOpen(const std::string& path) {
  const Lock lock(mutex_);
  IdOf(path);
}

void SimDisk::NoteWrite(const std::string& path, int64_t offset, const void* data, size_t size) {
  const Lock lock(mutex_);
  files_[IdOf(path)].since.push_back({offset, std::string(static_cast<const char*>(data), size)});
}

void SimDisk::NoteTruncate(const std::string& path, int64_t size) {
  const Lock lock(mutex_);
  files_[IdOf(path)].since.push_back({-1, "", size});
}

void SimDisk::NoteSync(const std::string& path) {
  const Lock lock(mutex_);
  File& file = files_[IdOf(path)];
  for (const Change& change : file.since) Apply(file.durable, change);
  file.since.clear();
  // SQLite's own VFS syncs the folder too at the first sync of a journal or WAL.
  const auto durable = durable_names_.find(path);
  const bool is_new = durable == durable_names_.end() || durable->second != IdOf(path);
  if (is_new && (path.ends_with("-wal") || path.ends_with("-journal"))) SyncNames(FolderOf(path));
}

void SimDisk::SyncNames(const std::string& folder) {
  std::erase_if(durable_names_, [&](const auto& name) {
    return FolderOf(name.first) == folder && names_.count(name.first) == 0;
  });
  for (const auto& [name, id] : names_) {
    if (FolderOf(name) == folder) durable_names_[name] = id;
  }
}

void SimDisk::NoteUnlink(const std::string& path) {
  const Lock lock(mutex_);
  names_.erase(path);
}

int SimDisk::Open(const std::string& path, int flags, mode_t mode) {
  const Fault fault = Count();
  if (fault != Fault::kNone) {
    errno = fault == Fault::kEnospc ? ENOSPC : EIO;
    return -1;
  }
  const int fd = Disk::Open(path, flags, mode);
  if (fd < 0) return fd;
  const Lock lock(mutex_);
  open_[fd] = path;
  if ((flags & O_DIRECTORY) == 0) IdOf(path);
  return fd;
}

int SimDisk::OpenTemporary(std::string& path) {
  const Fault fault = Count();
  if (fault != Fault::kNone) {
    errno = fault == Fault::kEnospc ? ENOSPC : EIO;
    return -1;
  }
  const int fd = Disk::OpenTemporary(path);
  const Lock lock(mutex_);
  if (fd >= 0) open_[fd] = path;
  if (fd >= 0) IdOf(path);
  return fd;
}

ssize_t SimDisk::Write(int fd, const void* data, size_t size) {
  const Fault fault = Count();
  if (fault == Fault::kEio || fault == Fault::kEnospc) {
    errno = fault == Fault::kEnospc ? ENOSPC : EIO;
    return -1;
  }
  if (fault == Fault::kShort) size = (size + 1) / 2;
  const off_t end = lseek(fd, 0, SEEK_END);
  const ssize_t written = Disk::Write(fd, data, size);
  std::string path;
  {
    const Lock lock(mutex_);
    path = open_.count(fd) > 0 ? open_[fd] : "";
  }
  if (written > 0 && !path.empty()) NoteWrite(path, end, data, static_cast<size_t>(written));
  return written;
}

int SimDisk::Sync(int fd) {
  if (Count() != Fault::kNone) {
    errno = EIO;
    return -1;
  }
  std::string path;
  {
    const Lock lock(mutex_);
    path = open_.count(fd) > 0 ? open_[fd] : "";
    if (names_.count(path) == 0) {  // a folder: its names are durable from now on
      SyncNames(path);
      return 0;
    }
  }
  NoteSync(path);
  return 0;
}

int SimDisk::Rename(const std::string& from, const std::string& to) {
  const Fault fault = Count();
  if (fault != Fault::kNone) {
    errno = fault == Fault::kEnospc ? ENOSPC : EIO;
    return -1;
  }
  const int result = Disk::Rename(from, to);
  if (result != 0) return result;
  const Lock lock(mutex_);
  names_[to] = IdOf(from);
  names_.erase(from);
  for (auto& [fd, path] : open_) {
    if (path == from) path = to;
  }
  return 0;
}

int SimDisk::Unlink(const std::string& path) {
  if (Count() != Fault::kNone) {
    errno = EIO;
    return -1;
  }
  NoteUnlink(path);
  return Disk::Unlink(path);
}

void SimDisk::Apply(std::string& content, const Change& change) {
  if (change.offset < 0) {
    content.resize(static_cast<size_t>(change.size), '\0');
    return;
  }
  const size_t end = static_cast<size_t>(change.offset) + change.bytes.size();
  if (content.size() < end) content.resize(end, '\0');
  content.replace(static_cast<size_t>(change.offset), change.bytes.size(), change.bytes);
}

void SimDisk::ApplyTorn(std::string& content, const Change& change, std::mt19937& random) {
  if (change.offset < 0) {
    if (random() % 2 == 0) Apply(content, change);
    return;
  }
  for (size_t at = 0; at < change.bytes.size(); at += kSector) {
    if (random() % 2 == 0) continue;
    Apply(content, {change.offset + static_cast<int64_t>(at), change.bytes.substr(at, kSector)});
  }
}

void SimDisk::WriteImage(const std::string& directory, std::mt19937& random) const {
  const Lock lock(mutex_);
  std::set<std::string> paths;
  for (const auto& [path, id] : names_) paths.insert(path);
  for (const auto& [path, id] : durable_names_) paths.insert(path);
  for (const std::string& path : paths) {
    const auto now = names_.find(path), then = durable_names_.find(path);
    const bool same = now != names_.end() && then != durable_names_.end() && now->second == then->second;
    const bool take_now = same || random() % 2 == 0;
    if (take_now ? now == names_.end() : then == durable_names_.end()) continue;
    if (path.ends_with("-shm")) continue;  // SQLite makes it anew
    const File& file = files_.at(take_now ? now->second : then->second);
    std::string content = file.durable;
    for (const Change& change : file.since) ApplyTorn(content, change, random);
    const std::string target = directory + path.substr(root_.size());
    std::filesystem::create_directories(FolderOf(target));
    std::ofstream(target, std::ios::binary) << content;
  }
}

}  // namespace kernelopt::test
