// What a program does to the files below a directory, as a log in the order in which it was done: power_cut.h reads
// it. The calls of libc that change files are replaced; in a test that links this, or in a program that is started
// with it in LD_PRELOAD, with YARD_RECORD=LOG:DIRECTORY in its environment (its children are not recorded).
//
// What others write into a file is taken over when the recorded program syncs or renames it; what is written
// through a mapping is seen at msync() alone. Thread-safe: calls below the directory are made one after the other.
#pragma once

#include <cstdint>
#include <string>

namespace yard::test {

enum class FileCall : std::uint32_t {
    Create = 1,    ///< path, inode
    MakeDirectory, ///< path
    Write,         ///< inode, at, data
    Resize,        ///< inode, at: the new size
    Extend,        ///< inode, at: the size at least
    Mode,          ///< path or inode, at: the mode
    Rename,        ///< path, other
    Remove,        ///< path: a file or an empty directory
    Link,          ///< path, other
    SyncFile,      ///< inode
    SyncDirectory, ///< path
};

/// The head of one record; path, other and data follow. Paths are relative to the directory.
struct FileCallHead {
    std::uint32_t call = 0;
    std::uint32_t path = 0;
    std::uint32_t other = 0;
    std::uint32_t unused = 0;
    std::uint64_t inode = 0;
    std::uint64_t at = 0;
    std::uint64_t data = 0;
};

/// Records what this process does below `directory` (absolute, there already and empty) to a new file `log`, which
/// lies elsewhere.
void startRecording(const std::string& log, const std::string& directory);
void stopRecording();

} // namespace yard::test
