#include "app/yardctl/command_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

struct Words {
    std::string_view api;
    std::string_view command;
    std::string_view afterNumber{}; ///< a number follows `api`, and stands in front of this
    std::string_view behind{};      ///< of `api`, what follows the number
};

/// The first that fits counts.
constexpr std::array<Words, 29> kWords{{
    {"GET jobs/{lsn}?wait=S", "'yardctl wait'"},
    {"GET jobs/", "'yardctl attempts ", "'", "/attempts"},
    {"GET jobs/", "'yardctl why ", "'", "/why"},
    {"GET jobs/", "'yardctl show ", "'"},
    {"follow=1 waits", "'yardctl logs -f' waits"},
    {"' and GET failures have", "' has"},
    {"GET jobs ", "'yardctl ls' "},
    {"GET kinds ", "'yardctl kinds' "},
    {"GET queues ", "'yardctl queues' "},
    {"GET workers/all ", "'yardctl workers' "},
    {"GET workers ", "'yardctl workers' "},
    {"GET machines/tokens ", "'yardctl machines tokens' "},
    {"GET machines ", "'yardctl machines' "},
    {"GET recordings ", "'yardctl record ls' "},
    {"GET session ", "'yardctl --json session' "},
    {"with PUT recordings/{name}/file, and replay it there", "as a file, and run 'yardctl replay FILE.yrec' there"},
    {"GET tokens ", "'yardctl tokens' "},
    {"GET allocators ", "'yardctl allocators' "},
    {"GET pool ", "'yardctl pool' "},
    {"with POST workers/<id> or `yardctl workers add`", "with 'yardctl workers add'"},
    {R"(name one with "with")", "name one behind it"},
    {"use force", "use --force"},
    {R"(give {"force":true})", "use --force"},
    {R"("force")", "--force"},
    {R"("at_most")", "--at-most"},
    {R"("lines" as)", "--limit as"},
    {"PUT it first", "send it first"},
    {"PUT it,", "send it,"},
    {"PUT them,", "send them,"},
}};

/// Members of an action that are options, and how those are called.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kOptions{{
    {"resources.cores", "--cores"},
    {"resources.memory_mb", "--memory (in MiB)"},
    {"resources.gpus", "--gpus"},
    {"resources.gpu_memory_mb", "--gpu-memory (in MiB)"},
    {"deadline_s", "--deadline"},
    {"not_before", "--at"},
    {"max_retries", "--retries"},
    {"max_interruptions", "--interruptions"},
    {"priority", "--priority"},
    {"label", "--label"},
    {"array", "--array"},
    {"machine", "--machine"},
    {"jobserver", "--jobserver"},
    {"platform", "--platform"},
}};
constexpr std::string_view kResource = "resources.";

/// Empty: none is.
std::string optionFor(std::string_view member) {
    const auto* known = std::ranges::find(kOptions, member, &std::pair<std::string_view, std::string_view>::first);
    if (known != kOptions.end()) return std::string(known->second);
    return member.starts_with(kResource) ? "--resource " + std::string(member.substr(kResource.size())) : "";
}

std::string_view numberAt(std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

/// Takes what `words` say off the front of `rest`.
bool replace(const Words& words, std::string_view& rest, std::string& out) {
    if (!rest.starts_with(words.api)) return false;
    const bool hasNumber = !words.afterNumber.empty();
    const std::string_view number = hasNumber ? numberAt(rest.substr(words.api.size())) : std::string_view();
    if (hasNumber && number.empty()) return false;
    if (!rest.substr(words.api.size() + number.size()).starts_with(words.behind)) return false;
    out.append(words.command).append(number).append(words.afterNumber);
    rest.remove_prefix(words.api.size() + number.size() + words.behind.size());
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

std::string inOptionWords(std::string_view sentence) {
    std::string out;
    for (std::size_t at = 0; at < sentence.size();) {
        const std::size_t end = sentence[at] == '"' ? sentence.find('"', at + 1) : sentence.npos;
        const std::string option =
            end == sentence.npos ? std::string() : optionFor(sentence.substr(at + 1, end - at - 1));
        out += option.empty() ? std::string(1, sentence[at]) : option;
        at = option.empty() ? at + 1 : end + 1;
    }
    return out;
}

std::string withMore(std::string_view sentence, std::string_view more) {
    if (more.empty()) return std::string(sentence);
    if (sentence.ends_with('.')) sentence.remove_suffix(1);
    return fmt::format("{}; {}", sentence, more);
}

} // namespace yard::ctl
