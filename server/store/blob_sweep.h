// Takes away the blob files that nobody needs.
//
// A file is removed on the writer thread, in a transaction that sees no row of
// it; whoever adds a row (BlobService) looks on the same thread that the file is
// still there. So no order of the two leaves a row without its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blobs/blob_files.h"
#include "store/database.h"

namespace kernelopt::server {

// Forgets blobs that no job names, untouched since `before_us`, and removes
// their files. Returns at once; `database` and `files` outlive the work.
void SweepStaleBlobs(Database& database, const BlobFiles& files, int64_t before_us);

// Removes files without a row that were written before `before_us` (wall clock):
// what a crash between a rename and its commit, or between a commit and a
// removal, leaves. Looks at every file: on the lane of long work.
void SweepOrphanFiles(Database& database, const BlobFiles& files, int64_t before_us);

}  // namespace kernelopt::server
