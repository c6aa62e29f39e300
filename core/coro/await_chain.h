// Where a thread is: the co_awaits from the innermost function that waits out to the body of the thread.
//
// Owner: the loop's thread. The texts are static.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <string>
#include <vector>

namespace yard::coro {

struct AwaitPlace {
    const char* file = "";
    std::uint32_t line = 0;
    const char* function = ""; ///< as the compiler writes it; see functionName()
};

/// Functions of a chain that are told; those further out are left out.
inline constexpr std::size_t kLongestChain = 32;

struct AwaitChain {
    std::array<AwaitPlace, kLongestChain> places{}; ///< innermost first
    std::size_t size = 0;
};

/// Of a suspended frame of a Task. A function that has not come to a co_await is told with its own begin.
std::vector<AwaitPlace> awaitChain(std::coroutine_handle<> innermost);
/// Of what runs on this OS thread now. Takes no lock and no memory: a handler of a signal may call it.
AwaitChain runningChain() noexcept;

/// The name within the compiler's text of a function: `yard::http::Server::serve` of `coro::Task<>
/// yard::http::Server::serve(Call &)`.
std::string functionName(const char* text);
/// The file from its folder in the tree on: `core/http/server.cpp`.
const char* fileInTree(const char* file) noexcept;

} // namespace yard::coro
