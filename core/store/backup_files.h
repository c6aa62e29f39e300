// Private to core/store: files of a backup: copied, looked at, listed in its manifest. Functions without state that block.
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::store {

/// One file of a generation, by its path in it.
struct BackupFile {
    std::string path;
    Hash256 hash;
    std::uint64_t size = 0;
    unsigned mode = 0600;
};

struct BackupManifest {
    static constexpr int kFormat = 1;
    std::string engineId;
    std::string version;    ///< of the program that took it
    int schema = 0;         ///< of the journal
    std::int64_t taken = 0; ///< microseconds
    std::string generation; ///< name of its directory
    std::vector<BackupFile> files;
};

/// Lines of words; the last one says that all are there.
std::string manifestText(const BackupManifest& manifest);
/// WrongState: it is of a newer format. Io: it is damaged.
Result<BackupManifest> parseManifest(std::string_view text);
/// Relative, without ".", ".." and empty parts: what may be written below a directory.
bool isPlainPath(std::string_view path);
/// Whether `path` is `directory` or lies below it, whatever links lead there. Neither has to exist.
bool isInOrSame(const std::string& path, const std::string& directory);

struct CopiedFile {
    Hash256 hash; ///< of the bytes of the file
    std::uint64_t size = 0;
};
/// A new file at `to`, whose directory is there; one that has the name is replaced by the whole copy. On error nothing is
/// left of the new one. NotFound: `from` has gone. Links are not followed.
Result<CopiedFile> copyFile(const std::string& from, const std::string& to, unsigned mode);
/// SHA-256 of what a file of the content store holds. Io: it cannot be unpacked.
Result<Hash256> contentHash(const std::string& path, bool compressed);

/// A database of SQLite as it is at one moment, beside whoever writes into it: one file without a log.
Result<void> copyDatabase(const std::string& from, const std::string& to);
/// Everything of a file system is on the disk once this returns.
Result<void> syncFileSystem(const std::string& directory);
/// The mark of a backup, or of a data directory, locked. AtLimit, with `inUse`, where somebody has it.
Result<UniqueFd> lockedFile(const std::string& path, std::string_view inUse);

} // namespace yard::store
