// How many files this process may open: the kernel's soft limit, raised at the start to the hard one; and what is left of it.
//
// Programs that are started get the limit back that this process began with (spawn_plan.h, the launcher's argument): many
// use select(), or close every number up to the limit.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <sys/types.h>
#include <utility>

namespace yard {

/// Once, before other threads are there. Nothing happens where the hard limit is no higher.
void raiseOpenFiles() noexcept;
/// The soft limit that this process began with; nothing: it was not raised. Any thread.
std::optional<std::uint64_t> openFilesAtStart() noexcept;
/// For a module that is loaded with a copy of this of its own: what the program tells it. Any thread.
void setOpenFilesAtStart(std::uint64_t soft) noexcept;
/// Gives a program that has just been started the limit that this process began with. 0: this process; may be called
/// between fork() and exec().
void restoreOpenFiles(pid_t pid) noexcept;

struct OpenFiles {
    std::uint64_t limit = 0;
    std::uint64_t used = 0;
};
/// Nothing: there is no limit, or it is not known how many are open. Some microseconds; on kernels before 6.2 one for each
/// open file.
std::optional<OpenFiles> openFiles() noexcept;

/// Whether a part of the engine that can wait may open more: the last `kept` are left to those that cannot. Owner: one
/// thread at a time.
///
/// Each that is let in may open several, so a look counts for an eighth of what was left, and for 100 ms, or 200 times as long
/// as it took.
class OpenFilesRoom {
public:
    using Look = std::function<std::optional<OpenFiles>()>;
    static constexpr std::uint64_t kForConnections = 64;
    static constexpr std::uint64_t kForStarts = 32;

    /// Of a limit below 256 the same part of it is kept: with 128, half as many.
    explicit OpenFilesRoom(std::uint64_t kept, Look look = &openFiles)
        : kept_(kept)
        , look_(std::move(look)) {}

    /// One that can wait may come now.
    bool admits(MonoTime now);
    /// As of the last look; for words.
    const OpenFiles& lastLook() const { return last_; }

private:
    std::uint64_t kept_;
    Look look_;
    OpenFiles last_{};
    std::optional<MonoTime> looked_{};
    Duration fresh_{};           ///< the last look counts for so long
    std::uint64_t admitted_ = 0; ///< since the last look
    std::uint64_t most_ = 0;     ///< of those
};

} // namespace yard
