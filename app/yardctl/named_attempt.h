// One attempt as a word of a command line: 12 is action 12, by its last attempt, 12.3 its third. Values.
#pragma once

#include "app/yardctl/failure.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace yard::ctl {

struct NamedAttempt {
    std::int64_t lsn = 0;
    std::int64_t attempt = 0; ///< 0: the last one
    /// As it was typed.
    std::string words() const;
};
/// A range, or what is no number, is wrong usage. `command` is for the message.
Outcome<NamedAttempt> namedAttempt(std::string_view command, const std::string& word);

} // namespace yard::ctl
