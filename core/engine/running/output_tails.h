// The last output lines of running actions, and how far they say that they are, for those who look at them: lists, single actions and watches.
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
#include "core/model/progress_words.h"

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
    std::string line{}; ///< what readLines() found; empty: nothing to show
    std::vector<ProgressMark> marks{};
};
/// Reads the ends of files. Blocks. `progress`: lines of known programs say how far they are.
std::vector<LineToRead> readLines(std::vector<LineToRead> lines, bool progress);

/// The status file of a running attempt.
struct StatusToRead {
    Lsn lsn;
    std::string path;
    ReportedProgress said{};
};
/// Reads the ends of files, whatever is there in their place. Blocks.
std::vector<StatusToRead> readStatuses(std::vector<StatusToRead> statuses);

class OutputTails {
public:
    static constexpr std::size_t kMost = 1'000;
    /// Forgotten when nobody asked for so long.
    static constexpr Duration kKeep{600'000'000};
    /// A status file is read as often at most, whoever asks.
    static constexpr Duration kStatusEvery{250'000};
    /// How far an action is.
    struct Progress {
        ReportedProgress said;
        MonoTime at{}; ///< when it was first seen to be so far
    };

    /// Somebody looks at this running action. What has grown since its line was read is added to `grown`.
    void ask(Lsn lsn, std::shared_ptr<LiveStreams> streams, MonoTime now, std::vector<LineToRead>& grown);
    /// Somebody looks at one that is too young for a line: grown() names it once, from `at` on.
    void askLater(Lsn lsn, MonoTime at);
    void took(const std::vector<LineToRead>& read, MonoTime now);
    /// The action, which is looked at, may have a status file: it is added to `due` where it was not read lately.
    void askStatus(Lsn lsn, const std::string& path, MonoTime now, std::vector<StatusToRead>& due);
    /// Those of all who are looked at, likewise.
    std::vector<StatusToRead> dueStatuses(MonoTime now);
    /// Who is further than before, or says something else.
    std::vector<Lsn> took(const std::vector<StatusToRead>& read, MonoTime now);
    /// What an action that is looked at says without a file. True: that is something else than before.
    bool took(Lsn lsn, const ReportedProgress& said, MonoTime now);
    /// Those that are looked at.
    std::vector<Lsn> shown() const;
    /// Null: nothing is known.
    const Progress* progress(Lsn lsn) const;
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
        std::string statusPath{}; ///< empty: it has none
        MonoTime statusAt{};      ///< when that was read
        ReportedProgress status{};
        std::array<OutputProgress, 2> ofStreams{};
        Progress progress{}; ///< what of all these counts
    };
    static bool settle(Shown& shown, MonoTime now);

    std::map<Lsn, Shown> shown_;
    std::map<Lsn, MonoTime> young_;
};

} // namespace yard::engine
