// yardctl comment: what people write about actions and queues; and how it is shown.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/work_options.h"
#include "core/base/clock.h"
#include "core/base/user_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace yard::ctl {

namespace {

/// Of "12,20..22" the parts; empty: it names no actions.
std::vector<std::string> lsnWords(std::string_view word) {
    std::vector<std::string> words;
    if (word.empty() || word.find_first_not_of("0123456789.,") != word.npos) return words;
    for (const auto part : std::views::split(word, ',')) words.emplace_back(part.begin(), part.end());
    return words;
}

std::string joinedWords(std::span<const std::string> words) {
    return fmt::format("{}", fmt::join(words, " "));
}

Outcome<int> sendComment(const Invocation& invocation, const std::string& path, const std::string& what,
                         const std::string& text) {
    const json::object body{{"text", text}, {"by", invocation.arguments.value("by").value_or(userName())}};
    const auto answer = invocation.engine.post(path + "/comments", compactJson(body));
    if (!answer) return failedByWords(answer.error());
    fmt::print("{}\n", invocation.json ? answer->text : what + " has a comment more");
    return 0;
}

} // namespace

void showComments(Engine& engine, const std::string& path) {
    const auto answer = engine.get(path + "/comments");
    const json::array* comments = answer ? arrayOf(answer->object, "comments") : nullptr;
    if (!comments || comments->empty()) return;
    fmt::print("comments\n");
    for (const json::value& value : *comments) {
        const json::object* comment = value.if_object();
        if (!comment) continue;
        std::string_view text = textOf(*comment, "text");
        fmt::print("  {}  {}\n", timeWords(integerOf(*comment, "t").value_or(0), wallNow()),
                   printable(textOf(*comment, "by")));
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            fmt::print("    {}\n", printable(text.substr(0, end)));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
}

namespace {

Outcome<int> commentCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    if (const auto queue = invocation.arguments.value("queue"))
        return sendComment(invocation, fmt::format("queues/{}", *queue), fmt::format("queue {}", printable(*queue)),
                           joinedWords(words));
    // The first word alone: the text may begin with a number, and a comment is not taken back.
    const std::vector<std::string> which = lsnWords(words.front());
    if (which.empty() || words.size() < 2)
        return usageError("say which actions, then what: yardctl comment LSN[,LSN] TEXT");
    const auto lsns = namedActions(invocation.engine, which);
    if (!lsns) return std::unexpected(lsns.error());
    Outcome<int> code = 0;
    for (const std::int64_t lsn : *lsns) {
        code = sendComment(invocation, fmt::format("jobs/{}", lsn), fmt::format("{}", lsn),
                           joinedWords(std::span(words).subspan(1)));
        if (!code) break;
    }
    return code;
}

} // namespace

Command commentRow() {
    return {.name = "comment",
            .usage = "[--by NAME] LSN[,LSN]|--queue REF TEXT",
            .summary = "write something about actions or a queue",
            .details = "The first word names the actions: 12, 12..20 or 12,15; TEXT is what follows, at most 1,000 "
                       "characters; an action or a queue has at most 100 "
                       "comments, and they stay as long as it is kept. 'show' prints them, and "
                       "'ls comment:WORD' finds them.",
            .examples = "yardctl comment 12 ask Anna before you run this again\n"
                        "yardctl comment --queue nightly 'held until Monday'",
            .options = {queueOption(), {"by", 0, "NAME", "who writes it; else the user that runs yardctl"}},
            .minOperands = 1,
            .function = commentCommand};
}

} // namespace yard::ctl
