// How a command of a service of the engine is asked for from another thread: Engine::ask(). Those that can be asked are
// listed in engine.cpp; their commands are their public member functions, each documented in its own header.
//
// Owner: none; what is declared here may be called on any coro::Loop but the engine's own.
#pragma once

#include "core/base/error.h"
#include "core/base/sentences.h"
#include "core/coro/one_shot.h"
#include "core/coro/task.h"

#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace yard::engine {

class Kernel;

/// On the engine thread. Of a service that may not be asked there is none: the program does not link.
template<class Service>
Service& serviceOf(Kernel& kernel);

bool isClosing(const Kernel& kernel);
/// `command` becomes a cooperative thread of the engine; it is dropped where the engine ends before its turn.
void startCommand(Kernel& kernel, std::move_only_function<coro::Task<void>()> command);

namespace ask_detail {

template<class T>
struct Unwrapped {
    using Type = T;
    static constexpr bool kIsTask = false;
};
template<class T>
struct Unwrapped<coro::Task<T>> {
    using Type = T;
    static constexpr bool kIsTask = true;
};

template<class Answer>
Answer closedAnswer() {
    if constexpr (requires { typename Answer::error_type; })
        return fail(ErrorKind::NotAccepting, kEngineIsStopping);
    else
        return Answer{};
}

/// The function, which owns what it uses, is called on the engine thread; it may return a task.
template<class Returned, class Answer = typename Unwrapped<Returned>::Type>
coro::Task<void> carryOut(std::move_only_function<Returned()> function, coro::Promise<Answer> promise) {
    if constexpr (Unwrapped<Returned>::kIsTask)
        promise.set(co_await function());
    else
        promise.set(function());
    co_return;
}

/// One for each type that commands return, not for each command: every file that asks compiles those it needs.
template<class Returned, class Answer = typename Unwrapped<Returned>::Type>
coro::Task<Answer> onEngine(Kernel& kernel, std::move_only_function<Returned()> function) {
    if (isClosing(kernel)) co_return closedAnswer<Answer>();
    coro::OneShot<Answer> answer("engine");
    startCommand(kernel, [function = std::move(function), promise = answer.promise()]() mutable {
        return carryOut<Returned>(std::move(function), std::move(promise));
    });
    std::optional<Answer> value;
    try {
        value.emplace(co_await answer.get());
    } catch (const coro::LostError&) {
        // The engine ended before the command's turn.
    }
    if (!value) co_return closedAnswer<Answer>();
    co_return std::move(*value);
}

/// What only refers to what the caller has must not be carried: who is interrupted goes, and the command goes on.
template<class Parameter>
inline constexpr bool kIsCarried =
    !std::is_pointer_v<std::decay_t<Parameter>> && !std::is_same_v<std::decay_t<Parameter>, std::string_view>;

/// An argument, in the type of its parameter; that type comes from the command alone.
template<class Parameter>
using Kept = std::type_identity_t<std::decay_t<Parameter>>;

template<class Service, class Returned, class... Parameters, class Command>
auto ask(Kernel& kernel, Command command, Kept<Parameters>... arguments) {
    static_assert((kIsCarried<Parameters> && ...), "give the command what it needs by value");
    return onEngine<Returned>(
        kernel, [&kernel, command, kept = std::tuple(std::move(arguments)...)]() mutable -> Returned {
            return std::apply(
                [&](auto&... each) {
                    return (serviceOf<Service>(kernel).*command)(static_cast<Parameters&&>(each)...);
                },
                kept);
        });
}

} // namespace ask_detail

} // namespace yard::engine
