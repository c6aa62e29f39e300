#include "app/yardctl/command_words.h"

#include <algorithm>
#include <array>

namespace yard::ctl {

namespace {

struct Words {
    std::string_view api;
    std::string_view command;
    std::string_view afterNumber{}; ///< a number follows `api`, and stands in front of this
};

/// The first that fits counts.
constexpr std::array<Words, 15> kWords{{
    {"GET jobs/{lsn}?wait=S", "'yardctl wait'"},
    {"GET jobs/", "'yardctl show ", "'"},
    {"GET jobs ", "'yardctl ls' "},
    {"GET queues ", "'yardctl queues' "},
    {"GET workers/all ", "'yardctl workers' "},
    {"GET workers ", "'yardctl workers' "},
    {"GET pool ", "'yardctl pool' "},
    {"with POST workers/<id> or `yardctl workers add`", "with 'yardctl workers add'"},
    {"use force", "use --force"},
    {R"(give {"force":true})", "use --force"},
    {R"("force")", "--force"},
    {R"("at_most")", "--at-most"},
    {"PUT it first", "send it first"},
    {"PUT it,", "send it,"},
    {"PUT them,", "send them,"},
}};

std::string_view numberAt(std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

/// Takes what `words` say off the front of `rest`.
bool replace(const Words& words, std::string_view& rest, std::string& out) {
    if (!rest.starts_with(words.api)) return false;
    const bool hasNumber = !words.afterNumber.empty();
    const std::string_view number = hasNumber ? numberAt(rest.substr(words.api.size())) : std::string_view();
    if (hasNumber && number.empty()) return false;
    out.append(words.command).append(number).append(words.afterNumber);
    rest.remove_prefix(words.api.size() + number.size());
    return true;
}

} // namespace

std::string inCommandWords(std::string_view sentence) {
    std::string out;
    while (!sentence.empty()) {
        if (std::ranges::any_of(kWords, [&](const Words& words) { return replace(words, sentence, out); }))
            continue;
        out += sentence.front();
        sentence.remove_prefix(1);
    }
    return out;
}

} // namespace yard::ctl
