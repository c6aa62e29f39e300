// How much the journal's log held when its engine last committed, in a mapped file beside it, journal.sqlite-wal.state:
// it survives a kill, and a start sees by it that a log was cut, emptied, removed or replaced, which the log itself
// cannot tell. One store to memory for each commit.
//
// Owner: the thread that writes the journal. Lifetime: from the store's start to its end; a clean end removes the file.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace yard::store {

class LogState {
public:
    struct Seen {
        std::uint64_t salts = 0;        ///< of the log's round: its first salt in the upper half counts rounds
        std::uint32_t frames = 0;       ///< that the log held
        std::uint32_t checkpointed = 0; ///< of those, in the journal as well
        std::int64_t journalTime = 0;   ///< nanoseconds: when the journal itself was last written, by this engine
        bool isAllKept() const { return checkpointed >= frames; }
        /// Nobody has written to the journal since its engine did: its log belongs to it.
        bool isUntouched(const std::string& journal) const;
    };

    /// What an engine left that did not end by itself. Nothing: there is no such file, or it is damaged.
    static std::optional<Seen> read(const std::string& journal);
    static void remove(const std::string& journal);

    /// Of the open journal, whose log is there. Io, NoSpace.
    static Result<std::unique_ptr<LogState>> open(const std::string& journal);
    ~LogState();
    LogState(const LogState&) = delete;
    LogState& operator=(const LogState&) = delete;

    /// The log holds so many frames after a commit.
    void committed(std::uint32_t frames);
    /// So many of them are in the journal.
    void checkpointed(std::uint32_t frames);

private:
    struct Slot;
    LogState(std::string journal, UniqueFd log, void* memory);
    void write();

    const std::string journal_;
    UniqueFd log_;
    Slot* slots_ = nullptr; ///< two, written in turn: one of them is whole at any time
    std::uint64_t number_ = 0;
    Seen seen_;
};

/// Salts of a log, as Seen has them. Nothing: it has no whole header.
std::optional<std::uint64_t> saltsOf(int log);
/// A round of the log that began later than another one: all of that one was checkpointed before.
bool isLaterRound(std::uint64_t salts, std::uint64_t than);

} // namespace yard::store
