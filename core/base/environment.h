// Variables of the environment, as values. Nobody in these programs sets one once threads run.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace yard {

/// Nothing when it is not set.
inline std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): see above
    return value ? std::optional<std::string>(value) : std::nullopt;
}

/// The same where not set and empty mean the same.
inline std::string environmentOrEmpty(const char* name) {
    return environment(name).value_or(std::string());
}

} // namespace yard
