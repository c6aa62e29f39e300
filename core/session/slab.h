// Numbered places for equal things, in pages: a number is good until release(), nothing ever moves, empty pages are
// given back (one is kept). T is trivial and offers `std::uint32_t& freeLink()`. Private to session.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

namespace yard::session {

inline constexpr std::uint32_t kNone = 0xFFFF'FFFF;

template<class T, std::uint32_t kPageSize>
class Slab {
public:
    T& operator[](std::uint32_t i) { return pages_[i / kPageSize].items[i % kPageSize]; }
    const T& operator[](std::uint32_t i) const { return pages_[i / kPageSize].items[i % kPageSize]; }
    std::uint32_t used() const { return used_; }

    /// A place with undefined content.
    std::uint32_t allocate() {
        const std::uint32_t number = openPage();
        Page& page = pages_[number];
        if (page.used == 0) --emptyPages_;
        ++page.used;
        ++used_;
        if (page.free != kNone) {
            const std::uint32_t at = page.free;
            page.free = page.items[at].freeLink();
            return number * kPageSize + at;
        }
        return number * kPageSize + page.fresh++;
    }
    void release(std::uint32_t i) {
        const std::uint32_t number = i / kPageSize;
        Page& page = pages_[number];
        assert(page.used > 0);
        page.items[i % kPageSize].freeLink() = page.free;
        page.free = i % kPageSize;
        --page.used;
        --used_;
        if (page.used > 0) {
            open(number);
        } else if (++emptyPages_ > 1) {
            --emptyPages_;
            page.items.reset();
            page.free = kNone;
            page.fresh = 0;
            vacant_.push_back(number);
        } else {
            open(number);
        }
    }

    /// For walks: places below end() that were ever in use are present(); the caller tells free ones apart.
    std::uint32_t end() const { return static_cast<std::uint32_t>(pages_.size()) * kPageSize; }
    bool present(std::uint32_t i) const {
        const Page& page = pages_[i / kPageSize];
        return page.items && i % kPageSize < page.fresh;
    }
    /// The first place after `i` that may be present: skips pages that are not there.
    std::uint32_t next(std::uint32_t i) const {
        const Page& page = pages_[i / kPageSize];
        return !page.items || i % kPageSize + 1 >= page.fresh ? (i / kPageSize + 1) * kPageSize : i + 1;
    }
    std::size_t memoryBytes() const {
        std::size_t bytes = pages_.capacity() * sizeof(Page) + (open_.capacity() + vacant_.capacity()) * 4;
        for (const Page& page : pages_)
            if (page.items) bytes += sizeof(T) * kPageSize;
        return bytes;
    }

private:
    struct Page {
        std::unique_ptr<T[]> items;
        std::uint32_t used = 0;
        std::uint32_t fresh = 0;    ///< places from here on were never used
        std::uint32_t free = kNone; ///< list of released places
        bool listed = false;        ///< in open_
    };

    bool hasRoom(const Page& page) const { return page.items && page.used < kPageSize; }
    void open(std::uint32_t number) {
        if (pages_[number].listed) return;
        pages_[number].listed = true;
        open_.push_back(number);
    }
    std::uint32_t openPage() {
        while (!open_.empty()) {
            if (hasRoom(pages_[open_.back()])) return open_.back();
            pages_[open_.back()].listed = false;
            open_.pop_back();
        }
        std::uint32_t number = static_cast<std::uint32_t>(pages_.size());
        if (vacant_.empty()) {
            pages_.emplace_back();
        } else {
            number = vacant_.back();
            vacant_.pop_back();
        }
        pages_[number].items = std::make_unique_for_overwrite<T[]>(kPageSize);
        ++emptyPages_;
        open(number);
        return number;
    }

    std::vector<Page> pages_;
    std::vector<std::uint32_t> open_;   ///< pages that may have room
    std::vector<std::uint32_t> vacant_; ///< page numbers without memory
    std::uint32_t emptyPages_ = 0;
    std::uint32_t used_ = 0;
};

} // namespace yard::session
