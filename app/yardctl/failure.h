// How a command ends when it does not succeed: a sentence for stderr and an exit code. Values.
#pragma once

#include "core/base/error.h"

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace yard::ctl {

inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitDeadline = 124; ///< of `run`, and of `wait --timeout`; as of timeout(1)
inline constexpr int kExitNotRun = 125;   ///< of `run`: it was not the program that failed

struct Failure {
    std::string message;
    int exitCode = kExitFailed;
    std::string_view code; ///< "error" of what --json prints: a word of the engine's, or one of ours

    Failure(std::string text, int exit, std::string_view word)
        : message(std::move(text))
        , exitCode(exit)
        , code(word) {}
    Failure(Error error) // NOLINT(google-explicit-constructor): every Error is a failure with exit code 1
        : message(std::move(error.message))
        , code(errorName(error.kind)) {}
};

template<class T>
using Outcome = std::expected<T, Failure>;

inline std::unexpected<Failure> failed(std::string message) {
    return std::unexpected(Failure(std::move(message), kExitFailed, "failed"));
}
/// The command line itself is wrong.
inline std::unexpected<Failure> usageError(std::string message) {
    return std::unexpected(Failure(std::move(message), kExitUsage, "usage"));
}
inline std::unexpected<Failure> failedWith(Error error) {
    return std::unexpected(Failure(std::move(error)));
}
/// Of a request that was made of words of the command line: what the engine finds wrong with it is wrong usage.
inline std::unexpected<Failure> failedByWords(Error error) {
    Failure failure(error);
    if (error.kind == ErrorKind::Malformed || error.kind == ErrorKind::Invalid) failure.exitCode = kExitUsage;
    return std::unexpected(std::move(failure));
}

} // namespace yard::ctl
