// What a console asks of the engine, and the answer: a request of the API, without a socket. Values.
#pragma once

#include "core/coro/task.h"

#include <functional>
#include <string>

namespace yard::console {

struct ApiRequest {
    std::string method; ///< "GET", …
    std::string path;   ///< below the prefix, without a leading slash: "queues?limit=5"
    std::string body{}; ///< JSON; empty: none
};

struct ApiAnswer {
    int status = 0; ///< 0: nobody answered, `body` is a sentence
    std::string body{};
    bool isGood() const { return status >= 200 && status < 300; }
};

/// Called on the console's loop.
using Ask = std::function<coro::Task<ApiAnswer>(ApiRequest)>;

} // namespace yard::console
