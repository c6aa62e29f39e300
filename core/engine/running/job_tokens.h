// Service: tokens for what an action does at once, as make's jobserver hands them out (docs/builds.md). Each action that
// has a jobserver has a pipe of its own. A token in it is a core of this machine that the session has free: it is held in
// the session from before it is put into the pipe until it is taken out again, whoever has it meanwhile. What a client kept
// comes back when the action's processes are gone.
//
// Owner: engine thread; run() is a cooperative thread of it. Lifetime: after the session, outlives the attempts' ends.
// Bounds: a pipe per attempt that runs; of what clients write at most kMostRead bytes are read at once, and bytes beyond
// the tokens that a pipe was given are thrown away.
// Invariant: tokens of a pipe = those of the action's own cores beyond its first, and one per hold.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/base/unique_fd.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/lease/runner.h"
#include "core/model/jobserver.h"
#include "core/session/session.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class JobTokens {
public:
    static constexpr std::size_t kMostRead = 64u << 10;
    /// How often pipes are looked at while there are some: what nobody takes goes to who has none left.
    static constexpr Duration kLook{50'000};
    /// After work that lacked cores nothing is dealt for so many looks: where short actions follow each other, each would else
    /// wait until what was dealt behind the one before it is taken back, one more turn of the engine every time.
    static constexpr int kRestingLooks = 2;
    /// That an action has others than before is told twice a second at most: a build takes and gives all the time.
    static constexpr int kLooksPerTelling = 10;

    struct Parts {
        session::Session& session;
        std::string directory;            ///< of named pipes; made when the first one is
        std::function<bool()> mayGive;    ///< nothing else keeps work from this machine
        std::function<void()> wake;       ///< cores became free
        std::function<void(Lsn)> changed; ///< heldBy() has
    };
    explicit JobTokens(Parts parts)
        : parts_(std::move(parts)) {}
    ~JobTokens();
    JobTokens(const JobTokens&) = delete;
    JobTokens& operator=(const JobTokens&) = delete;

    /// Looks at the pipes while there are some.
    coro::Task<void> run();

    /// A pipe for what is about to be handed to a runner of this machine, in its lease and environment. `own`: tokens for
    /// cores that it holds itself. A named pipe where the lease says no sandbox and the path can be said in MAKEFLAGS, else
    /// descriptors. Io: there is no room for one.
    Result<void> give(runners::AttemptId id, Jobserver kind, int own, runners::Lease& lease);
    /// Its process runs: from now on it is dealt tokens.
    void started(runners::AttemptId id);
    /// Its processes are gone, or it never ran.
    void ended(runners::AttemptId id);
    /// The session has decided what starts: what is free now is dealt out, or taken back for what waits for cores. Costs no
    /// turn, and no more than a read of each pipe that was lent some, while no token moves.
    void afterTurn();

    /// Tokens that its processes have now. Nothing: it has no jobserver.
    std::optional<int> heldBy(runners::AttemptId id) const;
    /// A token is held in the session under a key of this kind.
    static bool isKey(session::HoldKey key) { return (key & kKindMask) == kFirstKey; }

private:
    static constexpr session::HoldKey kFirstKey = session::HoldKey{1} << 62;
    static constexpr session::HoldKey kKindMask = session::HoldKey{3} << 62;

    struct Pipe {
        UniqueFd end;     ///< ours, for both: never that of a client, who may change how it behaves
        std::string path; ///< of a named one
        int own = 0;
        std::vector<session::HoldKey> lent{};
        bool isRunning = false;
        int told = 0;                     ///< how many its processes had when that was told last
        int sinceTold = kLooksPerTelling; ///< looks
        int lastUnread = 0;
        int spare = 0; ///< unread ones, the fewer of the last two looks
        int tokens() const { return own + static_cast<int>(lent.size()); }
    };
    using Pipes = std::map<runners::AttemptId, Pipe>;

    enum class Lent : unsigned char { Yes, NoCore, NoRoom };

    bool isWanted() const;
    Lent lend(Pipe& pipe);
    int takeOut(Pipe& pipe, int most);
    void takeBackAll();
    void deal();
    void moveSpare();
    void look();

    Parts parts_;
    Pipes pipes_;
    session::HoldKey nextKey_ = kFirstKey;
    int restingLooks_ = 0;           ///< until then nothing is dealt
    runners::AttemptId lastDealt_{}; ///< who comes behind it is next
    coro::Event work_;               ///< there are pipes
    OwnerCheck owner_;
};

} // namespace yard::engine
