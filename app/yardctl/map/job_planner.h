// Records become jobs: their number, and the values that each gets (-n, -X); or blocks of stdin (--pipe). One thread. Bounds:
// a job has kMaxJobValues values; a list that is shuffled or counted is held in memory within the bounds of values.h; a block has
// kMaxStdinBytes.
#pragma once

#include "app/yardctl/map/command_template.h"
#include "app/yardctl/map/values.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::ctl {

inline constexpr std::size_t kMaxJobValues = 99'000; ///< the engine takes 100,000 words

/// What is to be run, not expanded yet.
struct PlannedJob {
    std::int64_t seq = 0;               ///< from 1
    std::vector<std::string> values{};  ///< of all its records, one after the other
    std::optional<std::string> block{}; ///< what it reads as its stdin
    std::int64_t total = 0;             ///< jobs in all, where the command wants to know
    std::int64_t atOnce = 1;            ///< places that there are

    JobWords words(int slot) const {
        return {.values = values, .seq = seq, .slot = slot, .total = total, .atOnce = atOnce};
    }
};

/// Lines of stdin in pieces of at most `size` bytes, each ending with a line. A line that is longer makes a longer piece. The
/// first `headLines` stand before each piece; their bytes do not count.
class BlockReader {
public:
    BlockReader(std::size_t size, int stop, std::size_t headLines = 0)
        : size_(size)
        , stop_(stop)
        , headLines_(headLines) {}
    Outcome<std::optional<std::string>> next();
    bool isReady() const;

private:
    Outcome<void> fill(std::size_t wanted);
    Outcome<void> readHead();
    Outcome<std::optional<std::string>> nextPiece();

    const std::size_t size_;
    const int stop_;
    std::size_t headLines_; ///< that are still to be read
    std::string head_;
    std::string rest_;
    bool isAtEnd_ = false;
};

class JobPlanner {
public:
    struct How {
        std::size_t records = 1; ///< per job
        bool leavesOut = false;  ///< their values are not the job's
        bool isContext = false;  ///< as many as fit into a line
        bool shuffles = false;
        bool counts = false;        ///< all values are read before the first job, which says how many there are
        std::size_t maxLine = 0;    ///< bytes that the values of one job may grow the line by, of isContext
        std::size_t jobsAtOnce = 1; ///< the last values are shared out among so many, of isContext
    };
    JobPlanner(RecordSource source, How how, const CommandTemplate& command)
        : source_(std::move(source))
        , how_(how)
        , command_(command) {}
    /// Of --pipe.
    JobPlanner(BlockReader blocks, How how, const CommandTemplate& command)
        : blocks_(std::move(blocks))
        , how_(how)
        , command_(command) {}

    /// Nothing: all are planned.
    Outcome<std::optional<PlannedJob>> next();
    /// Whether next() has a record or a block without waiting for stdin: what is planned is not kept back for it.
    bool isReady();
    /// How many jobs there are in all, once that is known.
    std::optional<std::int64_t> total() const;

private:
    Outcome<std::optional<Record>> nextRecord();
    Outcome<void> readAll();
    Outcome<std::optional<PlannedJob>> nextOfRecords();
    Outcome<std::optional<PlannedJob>> nextOfContext();
    Outcome<void> gatherContext();

    std::optional<RecordSource> source_;
    std::optional<BlockReader> blocks_;
    How how_;
    const CommandTemplate& command_;
    std::optional<std::deque<Record>> held_; ///< all of them, where they are shuffled or counted
    std::int64_t total_ = 0;                 ///< jobs that those make
    std::optional<Record> pushedBack_;
    std::deque<std::vector<std::string>> ready_; ///< of isContext
    std::int64_t planned_ = 0;
    bool isAtEnd_ = false;
};

} // namespace yard::ctl
