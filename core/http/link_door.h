// Who takes the links that machines open to this engine.
//
// Owner: the http thread calls it. Lifetime: outlives the Api.
#pragma once

#include "core/coro/task.h"
#include "core/linkio/byte_stream.h"

#include <string>

namespace yard::http {

/// Who opened a link, as far as HTTP knows.
struct LinkOpener {
    std::string token; ///< its name; empty: the owner's
    std::string peer;  ///< address; empty: not known
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
