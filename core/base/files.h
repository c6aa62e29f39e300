// Small whole-file operations with errors as values. Every call blocks: not for the engine thread.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard {

/// The file's bytes; TooLarge over `limit`, NotFound when it is not there, else Io.
Result<std::string> readFile(const std::string& path, std::size_t limit = 16u << 20);
/// What there is at `offset`, up to `atMost` bytes; empty at the end.
Result<std::string> readFileAt(int fd, std::uint64_t offset, std::size_t atMost);
/// How temporary names of the next one begin; a process that was killed may leave some.
inline constexpr std::string_view kTemporaryPrefix = ".yard-new-";
/// Writes a temporary name beside `path`, then renames. `sync` also fsyncs file and directory: after a power cut
/// there is the old content or the new one, and the new one once this has returned.
Result<void> writeFileAtomically(const std::string& path, std::string_view content, int mode, bool sync = false);
/// A file whose name a person gave: where a link leads to, and into what is there and is no regular file, a fifo or a
/// device (then it waits for a reader as a shell does). A regular file is replaced as writeFileAtomically() does it.
Result<void> writeNamedFile(const std::string& path, std::string_view content, int mode);
/// mkdir -p; directories made get `mode`. An existing directory is fine, anything else in its place is an error.
/// `sync` fsyncs the directories that got a new entry.
Result<void> makeDirectories(const std::string& path, int mode = 0700, bool sync = false);
/// All bytes to the descriptor, over EINTR and short writes; waits up to 30 s when a non-blocking one takes
/// nothing.
Result<void> writeAll(int fd, std::string_view data);
/// fsync of the directory itself, after a rename in it.
Result<void> syncDirectory(const std::string& path);
/// Removes a tree that hostile programs may have made: never follows links, chmods what forbids it, bounded depth
/// by descriptors rather than by path length. Missing is success.
Result<void> removeTree(const std::string& path);
/// $HOME, else what the system knows of this user.
std::string homeDirectory();
/// $XDG_DATA_HOME/yardmaster, else ~/.local/share/yardmaster.
std::string defaultDataDirectory();

} // namespace yard
