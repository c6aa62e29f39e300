// A little of the disk, kept back as the file `reserve` of the data directory. When the disk is full it is given up, so
// that an engine can start and clear up what is old; once there is room again it is kept again.
//
// Value type; no owner. Each call blocks on the file system. Only the owner of the data directory calls it.
#pragma once

#include <cstdint>
#include <string>

namespace yard::store {

class DiskReserve {
public:
    static constexpr std::int64_t kBytes = std::int64_t{16} << 20;
    /// Bytes that must be free for it to be kept: on a small disk there is none.
    static constexpr std::int64_t kLeastFree = 8 * kBytes;

    explicit DiskReserve(std::string dataDirectory);

    /// Removes it where less than its size is free. True: there was one.
    bool giveUpIfFull() const;
    /// Makes it where it is missing and there is room. What fails leaves none.
    void keep() const;

private:
    std::int64_t freeBytes() const; ///< -1: not known

    std::string directory_;
    std::string path_;
};

} // namespace yard::store
