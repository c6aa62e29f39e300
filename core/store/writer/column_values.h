// Private to core/store: values as the columns of the journal have them, NULL where there is nothing to say. Pure.
#pragma once

#include "core/base/clock.h"
#include "core/store/database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::store {

inline std::optional<std::int64_t> present(std::int64_t value) {
    if (value == 0) return std::nullopt;
    return value;
}

/// Times of a row are differences to its t_new.
inline std::optional<std::int64_t> since(WallMicros tNew, WallMicros t) {
    if (t == 0) return std::nullopt;
    return t - tNew;
}

inline std::optional<std::string_view> unlessNone(const std::string& text) {
    return text.empty() ? std::optional<std::string_view>() : std::string_view(text);
}

/// Of what is packed (packing.h). `bytes` lives until the statement has run.
inline std::optional<Bytes> unlessEmpty(const std::string& bytes) {
    return bytes.empty() ? std::optional<Bytes>() : Bytes{bytes};
}

} // namespace yard::store
