// From positive 64-bit numbers that mostly come in order to places in a slab: pages of 4,096 entries in directories
// of 4,096 pages, both made and given back as numbers come and go. Never rehashes. Private to session.
#pragma once

#include "core/session/slab.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace yard::session {

class IdMap {
public:
    /// kNone when it is not there.
    std::uint32_t find(std::int64_t id) const;
    /// The lowest number from `id` on that is there, with its place; {-1, kNone}: none.
    std::pair<std::int64_t, std::uint32_t> next(std::int64_t id) const;
    void insert(std::int64_t id, std::uint32_t place);
    void erase(std::int64_t id);
    std::size_t memoryBytes() const;

private:
    struct Leaf {
        std::array<std::uint32_t, 4096> at;
        std::uint32_t used = 0;
    };
    struct Directory {
        std::int64_t number = 0; ///< id >> 24
        std::uint32_t used = 0;
        std::array<std::unique_ptr<Leaf>, 4096> leaves;
    };
    std::size_t lowerBound(std::int64_t number) const;

    std::vector<std::unique_ptr<Directory>> directories_; ///< sorted by number
    mutable Directory* recent_ = nullptr;                 ///< found last
};

} // namespace yard::session
