// Checks in debug builds that an object is used by one thread only: the one that first touched it, or that adopted
// it.
#pragma once

#include <cassert>
#include <thread>

namespace yard {

class OwnerCheck {
public:
#ifndef NDEBUG
    /// True on the owning thread; the first call makes the caller the owner.
    bool isOwner() const {
        if (owner_ == std::thread::id{}) owner_ = std::this_thread::get_id();
        return owner_ == std::this_thread::get_id();
    }
    /// The next thread that calls isOwner() becomes the owner. For objects built on one thread and run on another.
    void release() const { owner_ = {}; }

private:
    mutable std::thread::id owner_;
#else
    bool isOwner() const { return true; }
    void release() const {}
#endif
};

} // namespace yard

#ifndef NDEBUG
#define YARD_ASSERT_OWNER(check) assert((check).isOwner() && "used by a thread that does not own it")
#else
#define YARD_ASSERT_OWNER(check) static_cast<void>(check)
#endif
