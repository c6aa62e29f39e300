// Paths that did not answer: nobody else waits for them. A path on a mount that has somebody else answer for it (a
// network file system, one in user space) stands for that whole mount; any other for itself alone.
//
// Owner: any thread may call it.
#pragma once

#include "core/base/clock.h"
#include "core/base/thread_mutex.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

class SilentPaths {
public:
    /// `mounts` is read when something did not answer, and for each look while kMostStanding threads stand.
    explicit SilentPaths(std::string mounts = "/proc/self/mountinfo");

    static constexpr Duration kRemembered{30'000'000};
    /// So many threads may stand in paths that do not answer. Then nothing on a mount of that kind is tried.
    static constexpr std::size_t kMostStanding = 8;

    /// It is refused for a while, with `onlyForeign` where it lies on a mount of that kind.
    void add(const std::string& path, MonoTime now, bool onlyForeign);
    /// A thread stands in it and cannot be brought back: it is refused until leave(), whatever the time. False: as
    /// many stand as may, and this one is not noted, unless it is `forced`.
    bool stand(std::uint64_t thread, const std::string& path, bool forced);
    /// The thread has come back: what it stood in answers.
    void leave(std::uint64_t thread);

    enum class Refusal : unsigned char {
        None,
        Silent, ///< it did not answer a while ago, or a thread stands in it
        Full    ///< it may not answer, and as many threads stand as may
    };
    /// Never touches the path.
    Refusal refusalOf(std::string_view path, MonoTime now);

private:
    struct Known {
        std::string path;
        bool isMount = false; ///< stands for all below it
        MonoTime until;
        std::optional<std::uint64_t> thread; ///< stands in it; then `until` does not count
    };
    static constexpr std::size_t kMost = 64; ///< the oldest without a thread is forgotten
    void put(Known known) YARD_REQUIRES(mutex_);
    std::optional<std::string> foreignMount(std::string_view path) const;

    const std::string mounts_;
    std::atomic<bool> isEmpty_{true};
    ThreadMutex mutex_;
    std::vector<Known> known_ YARD_GUARDED_BY(mutex_);
    std::size_t standing_ YARD_GUARDED_BY(mutex_) = 0;
};

/// Where the mount begins that `path` seems to lie on, in the text of /proc/PID/mountinfo, when its file system has
/// somebody else answer. Symbolic links on the way are not followed: that would touch them.
std::optional<std::string> foreignMountOf(std::string_view mountinfo, std::string_view path);

} // namespace yard::runners
