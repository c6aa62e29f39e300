// A worker on disk made ready for registration: its descriptor with what was left out filled in from the files, and
// the files by hash. Reads and hashes files, so every function here blocks; any thread.
#pragma once

#include "core/model/worker.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

struct FileHash {
    Hash256 hash;
    std::uint64_t size = 0;
};
/// Reads the whole file in constant memory. Only regular files; never waits for a fifo.
Result<FileHash> hashFile(const std::string& path);

struct PackedFile {
    std::string path; ///< on disk
    FileHash content;
};
struct WorkerPackage {
    ParsedWorker worker;
    std::vector<PackedFile> files; ///< in the order of the descriptor
};
inline constexpr std::string_view kDescriptorName = "worker.json";
inline constexpr std::size_t kMaxDescriptorBytes = 64u << 20;

/// `path`: a descriptor, or a directory with worker.json. Files are relative to the descriptor's directory.
Result<WorkerPackage> readWorkerPackage(const std::string& path);
/// The same for a descriptor at hand. Fills in "platform", "files" (all below `directory` whose name, or whose
/// directory's name, does not begin with a dot), hashes, sizes and modes. A hash or size that is given must be
/// right.
Result<WorkerPackage> packWorker(std::string_view descriptor, const std::string& directory);

} // namespace yard
