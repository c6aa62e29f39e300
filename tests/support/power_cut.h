// What a power cut leaves of a directory whose changes were recorded (file_recorder.h): a model of a disk that
// keeps what was synced, and of the rest as much or as little as it likes.
//
// Strictly by POSIX: a file's bytes are safe once the file was synced, its name once its directory was, up to the
// top. What was not synced may be there or not, each write and each name by itself. Values; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace yard::test {

/// What happens to what was not synced.
enum class Unsynced : unsigned char {
    Lost,      ///< nothing of it is there
    NamesOnly, ///< every name, no bytes
    BytesOnly, ///< all bytes, no name
    Some       ///< any part of it, by a seed
};

class DiskHistory {
public:
    /// Reads a log up to its end; what comes after is not seen.
    static DiskHistory read(const std::string& log);
    /// Calls in it; one may cut before the first up to after the last.
    std::size_t size() const { return ends_.size(); }
    /// Calls that were over when the log had this many bytes.
    std::size_t callsUpTo(std::uint64_t bytes) const;
    /// "1234 write inode 77 at 4096, 100 bytes": for messages.
    std::string describe(std::size_t call) const;
    /// Makes `directory`, which is not there, as it is after the first `calls` of them and a cut.
    void cut(std::size_t calls, Unsynced unsynced, unsigned seed, const std::string& directory) const;
    /// Makes it as it was with the power on.
    void replay(std::size_t calls, const std::string& directory) const;

private:
    std::string bytes_;
    std::vector<std::uint64_t> begins_;
    std::vector<std::uint64_t> ends_;
};

} // namespace yard::test
