#include "app/yardctl/crontab.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::string_view kBlanks = " \t";
/// What names of schedules may have at most, less a number that makes one unique.
constexpr std::size_t kLongestScheduleName = 56;

std::string_view withoutBlanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
    return text;
}

/// The first word; it and the blanks behind it leave `text`.
std::string_view takeCrontabWord(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return word;
}

bool isQuote(char c) {
    return c == '"' || c == '\'';
}

/// "NAME = value", either in quotes. Cron looks for one before it looks for a time.
std::optional<std::pair<std::string, std::string>> variableIn(std::string_view line) {
    std::string_view name;
    if (isQuote(line.front())) {
        const std::size_t end = line.find(line.front(), 1);
        if (end == std::string_view::npos) return std::nullopt;
        name = line.substr(1, end - 1);
        line.remove_prefix(end + 1);
    } else {
        name = line.substr(0, line.find_first_of(" \t="));
        line.remove_prefix(name.size());
    }
    line = withoutBlanks(line);
    if (name.empty() || !line.starts_with('=')) return std::nullopt;
    std::string_view value = withoutBlanks(line.substr(1));
    if (!value.empty() && isQuote(value.front())) {
        if (value.size() < 2 || value.find(value.front(), 1) != value.size() - 1) return std::nullopt;
        value = value.substr(1, value.size() - 2);
    }
    return std::pair(std::string(name), std::string(value));
}

/// The first "%" ends the command; each that follows is a line break of what it reads. "\%" is one that stays.
void resolvePercent(std::string_view text, CrontabEntry& entry) {
    std::string* into = &entry.command;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && i + 1 < text.size()) {
            if (text[i + 1] != '%') *into += c;
            *into += text[++i];
        } else if (c != '%') {
            *into += c;
        } else if (entry.input) {
            *into += '\n';
        } else {
            into = &entry.input.emplace();
        }
    }
    if (entry.input && entry.input->empty()) entry.input.reset();
    if (entry.input && !entry.input->ends_with('\n')) *entry.input += '\n';
}

/// Walks the lines once.
class CrontabParser {
public:
    Crontab parse(std::string_view text) {
        while (!text.empty()) {
            std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            ++line_;
            if (line.ends_with('\r')) line.remove_suffix(1);
            line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
            if (!line.empty() && !line.starts_with('#')) take(line);
        }
        return std::move(crontab_);
    }

private:
    void refuse(std::string sentence) { crontab_.refused.push_back({.line = line_, .text = std::move(sentence)}); }

    void take(std::string_view line) {
        if (auto variable = variableIn(line))
            set(std::move(variable->first), std::move(variable->second));
        else
            add(line);
    }

    void set(std::string name, std::string value) {
        if (name == "MAILTO" || name == "MAILFROM") {
            crontab_.notes.push_back(
                {.line = line_,
                 .text = fmt::format("{} is not used: output is kept, and 'yardctl logs' shows it.", name)});
        } else if (name == "CRON_TZ") {
            timezone_ = std::move(value);
        } else if (variables_->size() >= Crontab::kMostVariables && !variables_->contains(name)) {
            refuse(fmt::format("There are more than {} variables.", Crontab::kMostVariables));
        } else {
            // Entries before it keep what they have.
            CrontabVariables changed = *variables_;
            changed[std::move(name)] = std::move(value);
            variables_ = std::make_shared<const CrontabVariables>(std::move(changed));
        }
    }

    void add(std::string_view line) {
        CrontabEntry entry{.line = line_,
                           .when = {},
                           .command = {},
                           .input = std::nullopt,
                           .timezone = timezone_,
                           .variables = variables_};
        const int fields = line.starts_with('@') ? 1 : 5;
        for (int i = 0; i < fields && !line.empty(); ++i) {
            if (i > 0) entry.when += ' ';
            entry.when += takeCrontabWord(line);
        }
        if (line.empty())
            return refuse("A line has five fields of time, or a word as @daily, and a command behind them.");
        if (crontab_.entries.size() >= Crontab::kMostEntries)
            return refuse(fmt::format("There are more than {} lines that run something.", Crontab::kMostEntries));
        resolvePercent(line, entry);
        if (withoutBlanks(entry.command).empty()) return refuse("There is no command before the \"%\".");
        crontab_.entries.push_back(std::move(entry));
    }

    Crontab crontab_;
    std::size_t line_ = 0;
    std::string timezone_;
    std::shared_ptr<const CrontabVariables> variables_ = std::make_shared<const CrontabVariables>();
};

/// The program that is meant: behind "cd DIR &&", and behind variables that are set for it.
std::string_view programOf(std::string_view command) {
    command = withoutBlanks(command);
    if (command.starts_with("cd ")) {
        const std::size_t end = command.find_first_of("&;");
        if (end != std::string_view::npos) {
            command.remove_prefix(end);
            command.remove_prefix(std::min(command.find_first_not_of("&; \t"), command.size()));
        }
    }
    std::string_view word = takeCrontabWord(command);
    while (word.contains('=') && !command.empty()) word = takeCrontabWord(command);
    return word.substr(word.find_last_of('/') + 1);
}

} // namespace

Crontab parseCrontab(std::string_view text) {
    return CrontabParser().parse(text);
}

std::string scheduleNameFor(std::string_view command, const std::set<std::string, std::less<>>& taken) {
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::string name;
    for (const char c : programOf(command)) {
        const bool isMark = (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
        // What comes before the first letter cannot begin a name.
        if ((isLetter(c) || (isMark && !name.empty())) && name.size() < kLongestScheduleName) name += c;
    }
    if (name.empty()) name = "cron";
    std::string unique = name;
    // "next" is a word of the routes.
    for (int i = 2; taken.contains(unique) || unique == "next"; ++i) unique = fmt::format("{}-{}", name, i);
    return unique;
}

} // namespace yard::ctl
