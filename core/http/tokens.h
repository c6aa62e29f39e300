// The tokens of the API: the owner's, and those that were made for others, each with a name and a right. The file
// `tokens.json` of the data directory has them; of a token it has the hash alone.
//
// Owner: made by main before the server starts (reads the file, blocks), then used on the http thread; files are
// written by helpers. Lifetime: as its Api. Bounds: kMost tokens. Invariant: a token that was made or removed is so in
// the file before anybody is told. With a file that cannot be read only the owner's token is valid, and no other is
// made or removed.
#pragma once

#include "core/base/error.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/http/caller.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

inline constexpr std::size_t kMostTokens = 100;
inline constexpr std::size_t kMostTokenName = 64;
inline constexpr std::size_t kMostTokenQueues = 100;
inline constexpr std::int64_t kLongestToken = 10LL * 366 * 24 * 3600; ///< seconds

class Tokens {
public:
    /// In the data directory.
    static constexpr std::string_view kFile = "/tokens.json";
    Tokens(std::string owner, std::string file);

    /// Whose token it is. Unauthorized: nobody's, or it has expired.
    Result<std::shared_ptr<Caller>> find(std::string_view token) const;
    /// All but the owner's, in the order in which they were made. Io: the file cannot be read.
    Result<std::vector<std::shared_ptr<Caller>>> all() const;

    struct Wanted {
        std::string name{}; ///< 1 to 64 letters, digits, ".", "_" and "-"; another one has it: WrongState
        Right right = Right::Read;
        std::vector<QueueId> queues{};
        std::int64_t seconds = 0; ///< 0: it never expires
    };
    struct Made {
        std::shared_ptr<Caller> caller;
        std::string token; ///< told once
    };
    /// Invalid (name), WrongState, AtLimit, Io, NoSpace.
    coro::Task<Result<Made>> make(Wanted wanted, coro::HelperPool& helpers);
    /// Its connections end at once, but that of `asks`. NotFound, Io, NoSpace.
    coro::Task<Result<void>> remove(std::string name, const Link* asks, coro::HelperPool& helpers);

private:
    using Callers = std::vector<std::shared_ptr<Caller>>;
    coro::Task<Result<void>> write(const Callers& callers, coro::HelperPool& helpers) const;

    const std::string ownerToken_;
    const std::string file_;
    const std::shared_ptr<Caller> owner_ = std::make_shared<Caller>();
    Callers callers_;
    std::optional<Error> unreadable_;
    coro::Mutex changing_;
};

} // namespace yard::http
