#include "core/sqlite/statement.h"

#include <algorithm>
#include <cstring>

namespace yard::sqlite {

std::string_view Statement::text(int column) const {
    const void* data = sqlite3_column_blob(stmt_, column); // no conversion: TEXT is UTF-8 here
    const int size = sqlite3_column_bytes(stmt_, column);
    return data ? std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size))
                : std::string_view();
}

std::optional<std::int64_t> Statement::optionalInteger(int column) const {
    if (isNull(column)) return std::nullopt;
    return integer(column);
}

std::optional<Hash256> Statement::hash(int column) const {
    const std::string_view bytes = text(column);
    Hash256 hash;
    if (bytes.size() != hash.bytes.size()) return std::nullopt;
    std::memcpy(hash.bytes.data(), bytes.data(), bytes.size());
    return hash;
}

std::string plainWords(std::string_view text) {
    constexpr std::size_t kMost = 300;
    std::string out(text.substr(0, kMost));
    std::ranges::replace_if(out, [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
}

} // namespace yard::sqlite
