// How much memory parts of the program have, as their allocators count it.
//
// Any thread may charge; a sum is right once those that charge stand still. Each OS thread has counters of its own, which
// nobody else writes: a charge costs a load and a store. Bound: 256 OS threads at once have their own, others share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace yard {

enum class MemoryOwner : std::uint8_t {
    Functions, ///< frames of cooperative threads and of what they call
    Journal,   ///< SQLite: its page caches, statements
    Timelines, ///< levels of detail
    History,   ///< figures over a week
    Changes,   ///< for those who watch
    Http,      ///< what connections have received and not handled
    Outputs,   ///< pieces of outputs on their way to clients
    Pool,      ///< what goes to warm processes and comes from them
    Links      ///< what goes to other machines and comes from them
};
inline constexpr std::size_t kMemoryOwners = 9;

struct MemoryCharge {
    std::uint64_t bytes = 0;
    std::uint64_t items = 0; ///< allocations
};

void chargeMemory(MemoryOwner owner, std::size_t bytes) noexcept;
void releaseMemory(MemoryOwner owner, std::size_t bytes) noexcept;
MemoryCharge memoryOf(MemoryOwner owner) noexcept;

/// What an object has in buffers that do not count themselves: set() when that has changed. One item. Owner: the object's.
class ChargedBytes {
public:
    explicit ChargedBytes(MemoryOwner owner) noexcept
        : owner_(owner) {
        chargeMemory(owner_, 0);
    }
    ChargedBytes(ChargedBytes&& other) noexcept
        : ChargedBytes(other.owner_) {
        std::swap(bytes_, other.bytes_);
    }
    ChargedBytes& operator=(ChargedBytes&& other) noexcept {
        std::swap(owner_, other.owner_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~ChargedBytes() { releaseMemory(owner_, bytes_); }

    void set(std::size_t bytes) noexcept {
        if (bytes == bytes_) return;
        chargeMemory(owner_, bytes);
        releaseMemory(owner_, std::exchange(bytes_, bytes));
    }

private:
    MemoryOwner owner_;
    std::size_t bytes_ = 0;
};

/// As std::allocator, and counts.
template<class T, MemoryOwner kOwner>
class TaggedAllocator {
public:
    using value_type = T;
    template<class U>
    struct rebind {
        using other = TaggedAllocator<U, kOwner>;
    };

    TaggedAllocator() = default;
    template<class U>
    TaggedAllocator(const TaggedAllocator<U, kOwner>&) noexcept {} // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t count) {
        T* made = std::allocator<T>().allocate(count);
        chargeMemory(kOwner, count * sizeof(T));
        return made;
    }
    void deallocate(T* old, std::size_t count) noexcept {
        releaseMemory(kOwner, count * sizeof(T));
        std::allocator<T>().deallocate(old, count);
    }
    bool operator==(const TaggedAllocator&) const noexcept { return true; }
};

} // namespace yard
