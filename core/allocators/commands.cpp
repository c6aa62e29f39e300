#include "core/allocators/commands.h"

#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::allocators {

namespace {

constexpr std::size_t kMostSentence = 500;
constexpr std::string_view kEndsOfLines = " \t\r\n";

bool isJob(std::string_view word) {
    return !word.empty() && word.size() <= kMostJobBytes &&
           std::ranges::all_of(word, [](unsigned char byte) { return byte > ' ' && byte < 0x7f; });
}

/// Takes the first word off.
std::string_view takeWord(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    return word;
}

} // namespace

std::vector<std::string> shellCommand(const std::string& line) {
    return {"/bin/sh", "-c", line};
}

Result<std::string> readStarted(std::string_view output) {
    const std::string_view line = trimmed(output.substr(0, output.find('\n')), kEndsOfLines);
    if (!isJob(line))
        return fail(
            ErrorKind::Malformed,
            "The start command printed no job: its first line has to be one word by which the others know the "
            "machine.");
    return std::string(line);
}

Result<std::vector<Listed>> readListedLines(std::string_view output) {
    std::vector<Listed> listed;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        std::string_view line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        const std::string_view job = takeWord(line);
        if (job.empty()) continue;
        if (!isJob(job)) return fail(ErrorKind::Malformed, "The list command printed what is no job.");
        if (listed.size() >= kMostListed)
            return fail(ErrorKind::TooLarge, fmt::format("The list command printed over {} jobs.", kMostListed));
        const std::string_view state = takeWord(line);
        if (!state.empty() && state != "running" && state != "waiting" && state != "failed")
            return fail(ErrorKind::Malformed,
                        "The list command printed a state that is none: running, waiting or failed.");
        Listed& one = listed.emplace_back();
        one.job = job;
        one.isRunning = state.empty() || state == "running";
        if (state != "failed") continue;
        const std::string_view why = trimmed(line, kEndsOfLines).substr(0, kMostSentence);
        one.never = why.empty() ? "The list command says that it failed." : std::string(why);
    }
    return listed;
}

std::string commandSentence(std::string_view what, std::string_view errors, int exitCode) {
    errors = trimmed(errors, kEndsOfLines);
    if (const auto at = errors.rfind('\n'); at != std::string_view::npos) errors.remove_prefix(at + 1);
    if (errors.empty())
        return fmt::format("The {} command ended with exit code {} and said nothing.", what, exitCode);
    return std::string(errors.substr(0, kMostSentence));
}

} // namespace yard::allocators
