// What lets machines open a link (docs/machines.md, "Opening a link"): join tokens, each for some machines and some time,
// and a key for each machine that joined. Neither opens anything else of the API. The file `machine_tokens.json` of the
// data directory has their hashes alone.
//
// Owner: made by main before the server starts (reads the file, blocks), then used on the http thread; files are written
// by helpers. Lifetime: as its Api. Bounds: kMost tokens and kMostKeys keys; one that is used up or has expired makes room,
// and of keys whose machines never came more than kMostNew do: the oldest of them goes.
// Invariants: a use is counted in the file before the machine is let in, and once for each key; what was made or removed is
// so in the file before anybody is told. With a file that cannot be read nobody is known, and nothing is written.
#pragma once

#include "core/base/error.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/http/caller.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {
class PilotTickets;
}

namespace yard::http {

class JoinTokens {
public:
    /// In the data directory.
    static constexpr std::string_view kFile = "/machine_tokens.json";
    static constexpr std::size_t kMost = 100;
    static constexpr std::size_t kMostKeys = 4'000;
    static constexpr std::size_t kMostNew = 100;
    static constexpr std::int64_t kMostUses = 1'000;
    static constexpr std::int64_t kMostCores = 4'096;
    static constexpr std::int64_t kUsualSeconds = 24 * 3'600;
    static constexpr std::int64_t kMostSeconds = 366 * 24 * 3'600;

    /// `pilots`: those of allocators, who are let in as well; null: there are none.
    explicit JoinTokens(std::string file, engine::PilotTickets* pilots = nullptr);

    struct Token {
        std::int64_t id = 0; ///< never given again
        Hash256 hash;
        std::int64_t uses = 1;
        std::int64_t used = 0;
        WallMicros created = 0;
        WallMicros expires = 0;
        std::int64_t maxCores = 0; ///< of each machine that joins with it; 0: what it gives
        bool isOver() const { return used >= uses || wallNow() >= expires; }
    };
    /// In the order in which they were made. Io: the file cannot be read.
    Result<std::vector<Token>> all() const;

    struct Wanted {
        std::int64_t uses = 1;
        std::int64_t seconds = kUsualSeconds;
        std::int64_t maxCores = 0;
    };
    struct Made {
        Token token;
        std::string secret; ///< told once
    };
    /// AtLimit, Io, NoSpace.
    coro::Task<Result<Made>> make(Wanted wanted, coro::HelperPool& helpers);
    /// Hashes of the keys of all machines that the engine knows; nothing: it cannot tell, and no key has to go.
    using Known = std::function<coro::Task<std::optional<std::set<std::string>>>()>;
    /// Machines that joined with it stay; keys that it let in and whose machines never came go with it. NotFound, Io,
    /// NoSpace.
    coro::Task<Result<void>> remove(std::int64_t id, Known known, coro::HelperPool& helpers);

    /// Whether a link may be asked for with this. Unauthorized: no; Busy: its machine is being removed; Io.
    Result<void> check(std::string_view bearer) const;
    /// Who asks with a token that is one of these, until enter() says which machine it is.
    const std::shared_ptr<Caller>& joining() const { return joining_; }

    struct Entered {
        std::string key; ///< hash of the machine's key: who it is; empty: it has none
        std::int64_t maxCores = 0;
        std::shared_ptr<Caller> caller; ///< of the key, for as long as it is one; null: it has none
    };
    /// A machine comes in. `known` is asked where a key more may be one too many. `isAdmin`: with a token of the API, which takes no use. `ownKey`: what it wants to come back
    /// with; empty: none. Malformed: no key, or none of 48 digits; what check() has; AtLimit, Io, NoSpace.
    coro::Task<Result<Entered>> enter(std::string bearer, bool isAdmin, std::string ownKey, Known known,
                                      coro::HelperPool& helpers);

    /// While its machine is being removed a key opens nothing. No such key: nothing happens.
    void suspend(std::string_view key, bool isSuspended);
    /// The key opens nothing any more; a link that is open stays. Io, NoSpace.
    coro::Task<Result<void>> forget(std::string key, coro::HelperPool& helpers);

private:
    struct Key {
        WallMicros created = 0;
        std::int64_t maxCores = 0;
        std::int64_t token = 0; ///< that let it in; 0: one of the API, or a program before this member
        std::shared_ptr<Caller> caller;
    };
    struct Kept {
        std::int64_t last = 0; ///< number of the last token
        std::vector<Token> tokens;
        std::map<Hash256, Key> keys; ///< who has a hash cannot make the key of it: looking one up tells nothing
    };
    static Result<Kept> read(const std::string& file);
    static std::string jsonOf(const Kept& kept);
    static Key newKey(std::int64_t maxCores, std::int64_t token);
    static Entered enteredBy(const Hash256& hash, const Key& key);
    static void makeRoom(std::map<Hash256, Key>& keys, const std::set<std::string>& known);
    coro::Task<Result<void>> replace(Kept kept, coro::HelperPool& helpers);

    const std::string file_;
    engine::PilotTickets* const pilots_;
    const std::shared_ptr<Caller> joining_;
    Kept kept_;
    std::set<std::string> suspended_; ///< hashes of keys that there are
    std::optional<Error> unreadable_;
    coro::Mutex changing_;
};

} // namespace yard::http
