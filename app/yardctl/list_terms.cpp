#include "app/yardctl/list_terms.h"

#include "app/yardctl/format.h"
#include "app/yardctl/queue_ref.h"

#include <utility>

namespace yard::ctl {

bool isLsns(std::string_view word) {
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const bool fits = word.find_first_not_of("0123456789.,") == std::string_view::npos;
    return fits && !word.empty() && isDigit(word.front()) && isDigit(word.back());
}

Outcome<std::vector<std::string>> listTerms(const std::vector<std::string>& words) {
    std::vector<std::string> terms;
    std::string lsns;
    for (const std::string& word : words) {
        if (!isLsns(word)) {
            terms.push_back(word);
            continue;
        }
        if (word.contains("..") && !word.contains(','))
            if (const auto range = parseLsnRanges({word}); !range) return std::unexpected(range.error());
        lsns += (lsns.empty() ? "lsn:" : ",") + word;
    }
    if (!lsns.empty()) terms.push_back(std::move(lsns));
    return terms;
}

Outcome<void> checkQueues(Engine& engine, const std::vector<std::string>& words) {
    constexpr std::string_view kKey = "queue:";
    for (const std::string& word : words) {
        if (!word.starts_with(kKey) || word.find_first_of("*,\"'") != std::string::npos) continue;
        const auto ref = resolveQueue(engine, word.substr(kKey.size()));
        if (!ref) return std::unexpected(ref.error());
        if (const auto queue = engine.get("queues/" + percentEncode(*ref)); !queue)
            return failedWith(queue.error());
    }
    return {};
}

} // namespace yard::ctl
