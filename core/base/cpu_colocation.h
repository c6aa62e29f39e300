// Threads that hand work to each other one at a time, on one CPU while they have little to do: waking a thread of
// the same CPU takes a few microseconds, one of a CPU that sleeps ten times that.
//
// They are let go again as soon as they would get into each other's way, or into that of something else on their
// CPU. Nothing is timed: it is looked at when there is something to do. Owner: look() and part() belong to one
// thread; join() is thread-safe, and a member leaves by ending. Where the kernel does not count what threads wait,
// or allows one CPU only, nothing is ever done.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace yard {

class CpuColocation {
public:
    CpuColocation();
    ~CpuColocation();
    CpuColocation(const CpuColocation&) = delete;
    CpuColocation& operator=(const CpuColocation&) = delete;

    /// The calling thread belongs to it until it ends. Of one Together only.
    void join();

    /// Looks at most every 10 ms, else it costs nothing. `may`: nothing else is to be run here; false lets them go
    /// for a while.
    void look(MonoTime now, bool may);
    /// Lets them go: so are threads that the calling thread starts.
    void part();
    bool areTogether() const { return cpu_.has_value(); }

    /// What members did, as the kernel counts it. Microseconds.
    struct Use {
        std::int64_t ran = 0;
        std::int64_t waited = 0; ///< ready to run while the CPU was another's
        std::int64_t turns = 0;
        std::int64_t members = 1; ///< whose use it is
    };
    /// What follows from the use of the last `span`: for tests.
    static bool isCrowded(const Use& use);
    static bool shouldBeTogether(const Use& use, Duration span, bool areTogether);

private:
    struct Members;
    struct Membership;
    void move(std::optional<int> cpu);

    std::shared_ptr<Members> members_; ///< ends with the last member
    std::optional<int> cpu_;
    Use last_; ///< at usedAt_
    MonoTime usedAt_{};
    MonoTime lookedAt_{};
    MonoTime apartUntil_{};
    Duration backOff_;
};

} // namespace yard
