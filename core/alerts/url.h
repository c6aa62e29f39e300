// Where a webhook is, and where its answer may lead: addresses as people and servers write them. What a server writes is
// hostile. Values; any thread.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace yard::alerts {

struct Url {
    bool secure = false;
    std::string host; ///< in lower case, without brackets
    std::string port;
    std::string target; ///< path and query, begins with "/"
    /// The value of the Host header.
    std::string authority() const;
    /// "https://host:443"; of two of one origin the same.
    std::string origin() const;
    std::string text() const;
};

inline constexpr std::size_t kMostUrlBytes = 2'048;

/// "http://…" or "https://…", without a user and without a fragment. Invalid, field "webhook".
Result<Url> parseUrl(std::string_view text);
/// What `location` means in an answer of `from`: an address, or a path of the same origin. Invalid.
Result<Url> redirected(const Url& from, std::string_view location);
/// Of the same origin, or its host is one of `allowed`: names and addresses, or networks as "10.0.0.0/8", between spaces
/// or commas. A network is held against hosts that are written as an address.
bool mayFollow(const Url& from, const Url& to, std::string_view allowed);

} // namespace yard::alerts
