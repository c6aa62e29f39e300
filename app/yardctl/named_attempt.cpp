#include "app/yardctl/named_attempt.h"

#include "app/yardctl/named_actions.h"

#include <charconv>
#include <fmt/format.h>

namespace yard::ctl {

std::string NamedAttempt::words() const {
    return attempt == 0 ? fmt::format("{}", lsn) : fmt::format("{}.{}", lsn, attempt);
}

Outcome<NamedAttempt> namedAttempt(std::string_view command, const std::string& word) {
    NamedAttempt named;
    const std::size_t dot = word.find('.');
    const bool isRange = dot != std::string::npos && word.find('.', dot + 1) != std::string::npos;
    if (dot != std::string::npos && !isRange) {
        const char* const end = word.data() + word.size();
        const auto [at, problem] = std::from_chars(word.data() + dot + 1, end, named.attempt);
        if (problem != std::errc{} || at != end || named.attempt < 1)
            return usageError(fmt::format("'{}' names no attempt: 12.3 is the third one of action 12", word));
    }
    const auto lsn = theNamedAction(command, isRange ? word : word.substr(0, dot));
    if (!lsn) return std::unexpected(lsn.error());
    named.lsn = *lsn;
    return named;
}

} // namespace yard::ctl
