// A mark that every process of an action without a sandbox inherits, whatever it makes of its environment, session,
// group and parent: the soft limit RLIMIT_LOCKS, which no kernel since 2.4.25 looks at (getrlimit(2)). By it a daemon
// is known to be of its action, by the launcher and by the next engine.
//
// A process can change the mark on purpose. It is then told from others as launcher_warden.h says.
//
// Value type; any thread. read() is a system call that does not block.
#pragma once

#include <cstdint>
#include <string_view>

namespace yard::runners {

class ProcessMarks {
public:
    /// Those of the actions of one data directory.
    explicit ProcessMarks(std::string_view ownerToken);

    /// Never 0, and never the limit that a process has which nobody marked. Attempts of one action share it. Actions
    /// whose LSNs are 2^30 apart share it, too, and never run at the same time.
    std::uint64_t of(std::int64_t lsn) const;
    /// Of an action of this data directory: by 32 bits of a hash.
    bool isOurs(std::uint64_t mark) const { return mark >> kLsnBits == owner_; }
    /// 0: the process is gone, or may not be looked at. Not a mark of ours where nobody marked it.
    static std::uint64_t read(int pid);

private:
    static constexpr unsigned kLsnBits = 31;
    std::uint64_t owner_ = 0;
};

} // namespace yard::runners
