#include "app/yardctl/list_terms.h"

#include "app/yardctl/format.h"
#include "app/yardctl/queue_ref.h"
#include "core/model/queue.h"

#include <ranges>
#include <utility>

namespace yard::ctl {

namespace {

/// Of one term; nothing is wrong with what names no queue, or may name several.
Outcome<void> checkQueue(Engine& engine, std::string_view term) {
    constexpr std::string_view kKey = "queue:";
    if (!term.starts_with(kKey) || term.size() == kKey.size() || term.find_first_of("*,") != term.npos) return {};
    const std::string name(term.substr(kKey.size()));
    if (!parseQueueRef(name)) {
        const auto tagged = queuesTagged(engine, name);
        if (!tagged) return std::unexpected(tagged.error());
        return tagged->empty() ? std::unexpected(noQueueTagged(name)) : Outcome<void>();
    }
    if (const auto queue = engine.get("queues/" + percentEncode(name)); !queue) return failedWith(queue.error());
    return {};
}

} // namespace

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

Failure wrongInFilter(const Engine& engine, Failure failure) {
    const bool isUnknown = failure.code == errorName(ErrorKind::NotFound);
    if (isUnknown && engine.wasReached()) failure.exitCode = kExitUsage; // else it is the engine that is not there
    return failure;
}

Outcome<void> checkQueues(Engine& engine, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (word.find_first_of("\"'") != std::string::npos) continue;
        for (const auto term : std::views::split(word, ' '))
            if (auto known = checkQueue(engine, std::string_view(term)); !known)
                return std::unexpected(wrongInFilter(engine, known.error()));
    }
    return {};
}

} // namespace yard::ctl
