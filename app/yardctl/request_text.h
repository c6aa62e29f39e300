// What of a request is made of words that were typed, looked at before it is sent: the engine would speak of HTTP and
// JSON. Any thread.
#pragma once

#include "core/base/error.h"

#include <optional>
#include <string_view>

namespace yard::ctl {

/// Invalid, in words of the command line: a word that is not UTF-8, or too long for a request. `path` below the prefix,
/// with its query; `body` JSON, or empty.
std::optional<Error> refusedText(std::string_view method, std::string_view path, std::string_view body);

} // namespace yard::ctl
