// Where an engine's API is, as text: addresses that people write, and the file `address` of a data directory.
// Values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard {

/// Where an engine serves unless it is told otherwise.
inline constexpr std::uint16_t kUsualPort = 8640;
/// Path of the API unless an engine is told otherwise.
inline constexpr std::string_view kUsualPrefix = "/compute";

struct ApiAddress {
    std::string server; ///< "http://127.0.0.1:8640"; as it was written, not checked
    std::string prefix; ///< empty: none; else a slash first and none last
    std::string url() const { return server + prefix; }
};

namespace detail {

/// `prefix`: the path as it is written, slashes at its end included.
inline ApiAddress splitAddress(std::string_view text) {
    const std::size_t scheme = text.find("://");
    const std::size_t path = std::min(text.find('/', scheme == text.npos ? 0 : scheme + 3), text.size());
    return {std::string(text.substr(0, path)), std::string(text.substr(path))};
}

inline void dropSlashesAtEnd(std::string& path) {
    while (path.ends_with('/')) path.pop_back();
}

} // namespace detail

/// What an engine writes into the file `address`: the server alone where the prefix is the usual one, else with the
/// prefix, "/" for none.
inline std::string publishedAddress(std::string_view server, std::string_view prefix) {
    std::string text(server);
    if (prefix != kUsualPrefix) text += prefix.empty() ? "/" : prefix;
    return text;
}

/// The other way round.
inline ApiAddress apiOfPublished(std::string_view text) {
    ApiAddress api = detail::splitAddress(text);
    if (api.prefix.empty()) api.prefix = kUsualPrefix;
    detail::dropSlashesAtEnd(api.prefix);
    return api;
}

/// Of an address as people write it: without a path, be it with a slash, they mean `usual`.
inline ApiAddress apiOfWritten(std::string_view text, std::string_view usual = kUsualPrefix) {
    ApiAddress api = detail::splitAddress(text);
    detail::dropSlashesAtEnd(api.prefix);
    if (api.prefix.empty()) api.prefix = usual;
    return api;
}

} // namespace yard
