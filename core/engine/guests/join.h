// How a machine opens its link to a yard (docs/machines.md, "Opening a link"): an address and a token as people give
// them, a connection, over TLS where the address says so, and the request that turns it into a link. The yard's answer
// is hostile: what of it is read has a limit, in bytes and in time.
//
// Owner: values; join() runs on the loop it is given, and looks names up on a helper.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/coro/helper_pool.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"
#include "core/linkio/byte_stream.h"

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace yard::engine {

/// Bytes of a join token's secret and of a machine's key, both written in lower-case hex.
inline constexpr std::size_t kKeyBytes = 24;
bool isMachineKey(std::string_view text);

/// Where a yard is.
struct YardAddress {
    std::string host; ///< without brackets
    std::string port;
    std::string prefix;
    bool secure = false;
    std::string fingerprint{}; ///< that it has to show; empty: the system's authorities decide
    /// The value of the Host header.
    std::string authority() const;
    /// As people write it: "https://host:8640".
    std::string url() const;
};
/// "https://host[:port][/prefix]"; http:// for this machine alone, unless `insecure`. Invalid, with a sentence, which says
/// to use `instead` of http://.
Result<YardAddress> parseYardAddress(std::string_view url, bool insecure = false,
                                     std::string_view instead = "https://, or --insecure");

/// What `POST machines/tokens` gives: a secret, and the fingerprint of a yard that serves TLS.
struct JoinToken {
    std::string secret;
    std::string fingerprint; ///< empty: none came along
};
/// "SECRET" or "SECRET.FINGERPRINT". Invalid, with a sentence that does not repeat it.
Result<JoinToken> parseJoinToken(std::string_view text);

struct JoinRequest {
    YardAddress yard;
    std::string bearer;             ///< the token's secret, or the machine's own key
    std::string ownKey{};           ///< given along with a token: from then on it is the bearer; empty: none
    std::string_view path = "link"; ///< "guests/link": of a machine, which is to work for who asks
    Duration limit = std::chrono::seconds(20);
};

/// Why there is no link.
struct JoinFailure {
    bool isFinal = false; ///< the yard, or who it is, refuses: trying again changes nothing
    std::string sentence;
    std::string fingerprint{}; ///< that was shown, where that is why
};
using Joined = std::expected<std::unique_ptr<linkio::ByteStream>, JoinFailure>;

coro::Task<Joined> join(coro::Loop& loop, coro::HelperPool& helpers, JoinRequest request);

/// Before the next one, after so many that came to nothing: link::reconnectDelay(), at random. `unit`: what it has in seconds.
Duration waitBeforeNext(unsigned failures, Duration unit);

/// What the head of an answer, without its empty line, and what came of its body mean; nothing: it is a link.
/// Private to join(), and its test.
std::expected<void, JoinFailure> readJoinAnswer(std::string_view head, std::string_view body);

} // namespace yard::engine
