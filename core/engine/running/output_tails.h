// The last output lines of running actions, for those who look at them: lists, single actions and watches.
//
// Who is looked at has its output reported as it grows (runners::Runner::watch); its last line is read when it is
// asked for and there is more of it, on a helper. An action that runs for less than a second has no line: its
// output stays where it costs nothing.
//
// Engine thread. Invariant: at most kMost actions, and as many that are too young yet; who comes when there are as
// many has no line.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/engine/running/live_streams.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace yard::engine {

/// What is to be read: a file of a running attempt that has grown.
struct LineToRead {
    Lsn lsn;
    unsigned stream = 0;
    std::string path;
    std::uint64_t size = 0;
    std::string line; ///< what readLines() found; empty: nothing to show
};
/// Reads the ends of files. Blocks.
std::vector<LineToRead> readLines(std::vector<LineToRead> lines);

class OutputTails {
public:
    static constexpr std::size_t kMost = 1'000;
    /// Forgotten when nobody asked for so long.
    static constexpr Duration kKeep{600'000'000};

    /// Somebody looks at this running action. What has grown since its line was read is added to `grown`.
    void ask(Lsn lsn, std::shared_ptr<LiveStreams> streams, MonoTime now, std::vector<LineToRead>& grown);
    /// Somebody looks at one that is too young for a line: grown() names it once, from `at` on.
    void askLater(Lsn lsn, MonoTime at);
    void took(const std::vector<LineToRead>& read);
    /// Empty when none is known.
    const std::string& line(Lsn lsn) const;
    /// Those with more output than was read, after those that ended or are not looked at any more went.
    std::vector<Lsn> grown(MonoTime now);
    bool empty() const { return shown_.empty() && young_.empty(); }

private:
    struct Shown {
        std::shared_ptr<LiveStreams> streams;
        MonoTime asked{};
        std::array<std::uint64_t, 2> read{};
        std::string line;
    };
    std::map<Lsn, Shown> shown_;
    std::map<Lsn, MonoTime> young_;
};

} // namespace yard::engine
