#include "app/yardctl/named_actions.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/pages.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace yard::ctl {

namespace {

using Lsns = std::vector<std::int64_t>;

constexpr std::size_t kMaxLsns = 1'000'000;

/// Those of a range that exist and match, behind the ones that are there.
Outcome<void> addExisting(Engine& engine, const LsnRange& range, std::string_view filter, Lsns& out) {
    const std::size_t before = out.size();
    const std::string which =
        fmt::format("lsn:{}..{}{}{}", range.first, range.last, filter.empty() ? "" : " ", filter);
    const std::string path = "jobs/lsns?limit=100000&sort=lsn&q=" + percentEncode(which);
    for (Pages pages(engine, Pages::Asking::Patiently); !pages.atEnd();) {
        const auto page = pages.next(path);
        if (!page) return std::unexpected(page.error());
        std::ranges::copy(listedLsns(textOf(page->object, "lsns")), std::back_inserter(out));
        if (out.size() > kMaxLsns)
            return usageError("more than a million actions at once are too many; use a filter");
    }
    if (out.size() > before) return {};
    return std::unexpected(
        Failure(fmt::format("there are no actions from {} to {}{}; 'yardctl ls' lists those there are", range.first,
                            range.last, filter.empty() ? std::string() : fmt::format(" with {}", filter)),
                kExitFailed, errorName(ErrorKind::NotFound)));
}

/// "12..20:any" of --after, in its two parts.
std::pair<std::string, std::string> predecessorParts(const std::string& word) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    return {word.substr(0, colon), word.substr(colon)};
}

} // namespace

Lsns listedLsns(std::string_view text) {
    Lsns out;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        const std::size_t dots = part.find("..");
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::from_chars(part.data(), part.data() + std::min(dots, part.size()), first);
        if (dots == part.npos)
            last = first;
        else
            std::from_chars(part.data() + dots + 2, part.data() + part.size(), last);
        for (std::int64_t lsn = first;; lsn += last < first ? -1 : 1) {
            out.push_back(lsn);
            if (lsn == last) break;
        }
    }
    return out;
}

Outcome<Lsns> namedActions(Engine& engine, const std::vector<std::string>& words, std::string_view ofRanges) {
    const auto ranges = parseLsnRanges(words); // all of them before the engine is asked
    if (!ranges) return std::unexpected(ranges.error());
    Lsns out;
    for (const LsnRange& range : *ranges)
        if (range.isOne())
            out.push_back(range.first);
        else if (auto added = addExisting(engine, range, ofRanges, out); !added)
            return std::unexpected(added.error());
    return out;
}

Outcome<bool> findsAny(Engine& engine, const std::string& filter, const std::optional<std::string>& queue) {
    std::string path = "jobs/lsns?limit=1&q=" + percentEncode(filter);
    if (queue) path += "&queue=" + percentEncode(*queue);
    for (Pages pages(engine, Pages::Asking::Patiently); !pages.atEnd();) {
        const auto page = pages.next(path);
        if (!page) return std::unexpected(page.error());
        if (!textOf(page->object, "lsns").empty()) return true;
    }
    return false;
}

Outcome<std::int64_t> theNamedAction(std::string_view command, const std::string& word) {
    const auto ranges = parseLsnRanges({word});
    if (!ranges) return std::unexpected(ranges.error());
    if (!ranges->front().isOne()) return usageError(fmt::format("'{}' takes no range of actions", command));
    return ranges->front().first;
}

bool hasAfterRange(const Arguments& arguments) {
    return std::ranges::any_of(arguments.values("after"),
                               [](const std::string& word) { return word.find("..") != std::string::npos; });
}

Outcome<void> resolveAfterOption(Engine& engine, Arguments& arguments) {
    if (!hasAfterRange(arguments)) return {};
    std::vector<std::string> resolved;
    for (const std::string& word : arguments.values("after")) {
        const auto [name, on] = predecessorParts(word);
        if (name.find("..") == std::string::npos) {
            resolved.push_back(word);
            continue;
        }
        const auto lsns = namedActions(engine, {name});
        if (!lsns) return std::unexpected(lsns.error());
        for (const std::int64_t lsn : *lsns) resolved.push_back(fmt::format("{}{}", lsn, on));
    }
    arguments.replace("after", std::move(resolved));
    return {};
}

} // namespace yard::ctl
