// Network namespaces with nothing in them but a loopback that is up. Making one and clearing it away costs the
// kernel more than all the rest of a sandbox, and most actions never use it: one that was not used serves the next
// sandbox.
//
// Not used means that nothing inside ever made a socket of the internet or of netlink, which init sees (filter.h):
// counters, flow labels and whatever else a namespace remembers need one. A program inside has no other right over
// it. Sockets of Unix are made freely, and one can live on without its process, queued in another socket: a
// namespace is taken back only when the kernel counts none in it. Only where the process is root: else each
// namespace belongs to the user namespace of its sandbox. Thread-safe.
#pragma once

#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <vector>

namespace yard::sandbox {

struct Network {
    UniqueFd space;   ///< to enter it; invalid: none
    UniqueFd sockets; ///< the kernel's count of those in it
    static constexpr unsigned kDescriptors = 2;
    explicit operator bool() const { return static_cast<bool>(space); }
};

class Networks {
public:
    /// At most so many wait for a sandbox.
    static constexpr std::size_t kMostKept = 16;

    Networks();
    /// One that nobody is in and nobody ever used. Invalid: the sandbox is to make its own. Blocks for a
    /// millisecond when it has to be made, else hardly.
    Network take();
    /// One that was not used and that nobody is in any more; an invalid one is fine. Closed when there are enough,
    /// or when there is a socket in it.
    void giveBack(Network network);
    /// How many were made so far.
    unsigned made() const;

private:
    mutable ThreadMutex mutex_;
    std::vector<Network> kept_ YARD_GUARDED_BY(mutex_);
    bool isPossible_ YARD_GUARDED_BY(mutex_);
    unsigned made_ YARD_GUARDED_BY(mutex_) = 0;
};

} // namespace yard::sandbox
