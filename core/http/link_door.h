// Who takes the links that machines open to this engine.
//
// Owner: the http thread calls it. Lifetime: outlives the Api.
#pragma once

#include "core/coro/task.h"
#include "core/linkio/byte_stream.h"

#include <cstdint>
#include <string>

namespace yard::http {

/// Who opened a link, as far as HTTP knows.
struct LinkOpener {
    std::string token;         ///< its name; empty: the owner's, or `key` says who it is
    std::string peer;          ///< address; empty: not known
    std::string key{};         ///< hash of the key that the machine comes back with; empty: it has none
    std::int64_t maxCores = 0; ///< of a machine that is new: what it is to get; 0: what it gives
};

class LinkDoor {
public:
    virtual ~LinkDoor() = default;
    /// As many links are open as may be. Asked before the answer goes out, so several that come at once are all let in:
    /// serve() has to look again.
    virtual bool isFull() const = 0;
    /// One link, from its Hello to its end; where it is full by now, none. Returns when the stream has ended, at the
    /// latest; that is closed when the server stops or the token is over.
    virtual coro::Task<void> serve(linkio::ByteStream& stream, LinkOpener opener) = 0;
};

} // namespace yard::http
