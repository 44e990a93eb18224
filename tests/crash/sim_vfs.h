// SQLite's side of SimDisk: a VFS over the default one.
#pragma once

namespace kernelopt::test {

class SimDisk;

// Becomes the default VFS and tells `disk` of everything; null: as it was.
void InstallSimVfs(SimDisk* disk);

}  // namespace kernelopt::test
