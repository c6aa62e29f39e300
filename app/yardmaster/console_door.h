// From a console to the API: its requests are handled as if they came by a connection of the owner's, with the same checks,
// on the server's thread.
#pragma once

#include "core/console/request.h"
#include "core/http/message.h"
#include "core/http/server.h"

#include <string>

namespace yard::app {

struct ConsoleDoor {
    http::Server& server;
    http::Handler& handler;
    std::string prefix; ///< of its routes
    std::string token;  ///< the owner's
    bool secure = false;
};

/// The answer to one request of the program itself, on the server's thread. With `isChunk` its body is the bytes of a
/// chunk instead of JSON. Status 0: it could not be asked, and the body says why.
coro::Task<console::ApiAnswer> askAsOwner(const ConsoleDoor& door, console::ApiRequest request, bool isChunk);

/// What it refers to outlives the console that is given it.
console::Ask askBy(ConsoleDoor door);

} // namespace yard::app
