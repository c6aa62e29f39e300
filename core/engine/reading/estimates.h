// When actions and queues are expected to start and to end, from what was seen here. Where something that has to
// end first has no end that is known, nothing is said but why: EstimateGap.
//
// How long one takes: the mean of its worker and function (of a command, of its label) in its queue, else anywhere.
// Of a command without a label: what the same command took; while it is not known which it is, the mean of its queue.
// What comes when: what there is to do, played by the scheduler itself in virtual time (core/session/outlook.h).
// What runs without a known end never gives its resources back in that play.
//
// Owner: engine thread. Lifetime: after the session and the dictionary.
#pragma once

#include "core/base/owner.h"
#include "core/engine/reading/pending_commands.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/estimator.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/views.h"
#include "core/session/outlook.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Estimates {
public:
    struct Parts {
        session::Session& session;
        InternTable& dictionary;
        Estimator& estimator;
        const WallScale& scale;
        std::function<const Attempt*(Lsn)> attempt; ///< null: none is under way
        std::function<bool()> nothingStarts;        ///< for the sake of memory or descriptors
        /// PendingCommands::Parts::read and spawn.
        std::function<coro::Task<Result<std::vector<std::string>>>(std::vector<Lsn>)> commands;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<MonoTime()> now;
    };
    explicit Estimates(Parts parts)
        : parts_(std::move(parts))
        , commands_(
              {.read = parts_.commands, .spawn = parts_.spawn, .found = [this] { outlook_.isStale = true; }}) {}
    Estimates(const Estimates&) = delete;
    Estimates& operator=(const Estimates&) = delete;
    ~Estimates() = default;

    /// From what finished last, the newest first: it counts most.
    void learn(std::span<const ActionResult> newestFirst);
    /// Start and end, or the gap, and the note if there is none, of one that runs.
    void ofRunning(ActionResult& result, const session::LiveView& live) const;
    void ofPending(ActionResult& result, const session::LiveView& live, const session::Waiting& waiting) const;
    /// How long one that lives still takes once it has begun, or why nobody knows.
    session::Outlook::Answer left(const session::LiveView& live) const;
    /// The usual time is that of the command alone: it has no label, and others of its queue may be anything.
    bool isOfItsCommand(session::ClassId cls, session::LabelId label) const;
    /// How long one of these usually takes, as far as it is known without its command.
    std::optional<Duration> usual(QueueId queue, session::ClassId cls, session::LabelId label) const;
    /// How long a command takes, by its short name.
    session::Outlook::Answer ofCommand(const std::string& command) const;
    void ofQueue(QueueView& view, const session::QueueStatus& status) const;

private:
    struct UsualTime {
        Duration time{};
        bool isOfItsKind = true; ///< false: of whatever else its queue did; nothing is late by that
    };
    /// `command`: gives the short name where it matters; empty: it is not known.
    std::optional<UsualTime> usualTime(QueueId queue, session::ClassId cls, session::LabelId label,
                                       const std::function<std::string()>& command) const;
    std::string commandOf(Lsn lsn, const Attempt* attempt) const;
    session::Outlook::Answer runTimeOf(const session::Outlook::Question& asked, MonoTime now) const;
    const session::Outlook& outlook() const;
    bool isOutlookOfNow() const;

    struct KeptOutlook {
        session::Outlook of;
        std::uint32_t revision = 0; ///< of the session then
        MonoTime soon{};            ///< from then on another one, if the session changed
        MonoTime until{};           ///< in any case
        bool isStale = false;       ///< more is known of what waits
    };
    Parts parts_;
    mutable KeptOutlook outlook_;
    mutable PendingCommands commands_;
    OwnerCheck owner_;
};

} // namespace yard::engine
