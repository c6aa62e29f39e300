#include "core/console/command_files.h"

#include "core/base/directory_entries.h"
#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::console {

namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kFileBytes = 64u << 10;
constexpr std::string_view kBlanks = " \t\r";

/// Why it is not run; empty: it may be.
std::string distrust(const struct stat& what, bool directory) {
    if (directory ? !S_ISDIR(what.st_mode) : !S_ISREG(what.st_mode))
        return directory ? "is no directory" : "is no regular file";
    if (what.st_uid != ::geteuid() && what.st_uid != 0) return "belongs to another user";
    if ((what.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "may be written by others (chmod go-w)";
    return {};
}

std::vector<std::string> namesIn(int directory) {
    std::vector<std::string> names;
    auto entries = DirectoryEntries::of(UniqueFd(::fcntl(directory, F_DUPFD_CLOEXEC, 3)));
    if (!entries) return names;
    while (const auto name = entries->next())
        if (name->ends_with(".lua") && !name->starts_with('.')) names.emplace_back(*name);
    std::ranges::sort(names);
    if (names.size() > kMostFiles) names.resize(kMostFiles);
    return names;
}

CommandFile readOne(int directory, const std::string& name) {
    CommandFile file{.name = "console.d/" + name, .text = {}, .problem = {}};
    const UniqueFd fd(::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat what{};
    if (!fd || ::fstat(fd.get(), &what) != 0) {
        file.problem = "cannot be read";
        return file;
    }
    file.problem = distrust(what, false);
    if (!file.problem.empty()) return file;
    std::string text(kFileBytes + 1, '\0');
    const ssize_t size = ::read(fd.get(), text.data(), text.size());
    if (size < 0) file.problem = "cannot be read";
    if (size > static_cast<ssize_t>(kFileBytes)) file.problem = "is larger than 64 KiB";
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (file.problem.empty()) file.text = std::move(text);
    return file;
}

/// What follows the dashes; empty where it is no comment.
std::string_view commentIn(std::string_view line) {
    if (!line.starts_with("--")) return {};
    return trimmed(line.substr(std::min(line.find_first_not_of('-'), line.size())), kBlanks);
}

/// The name of the function that a line begins; empty where it begins none.
std::string_view functionIn(std::string_view line) {
    constexpr std::string_view kWord = "function ";
    if (!line.starts_with(kWord)) return {};
    line.remove_prefix(kWord.size());
    return trimmed(line.substr(0, line.find('(')), kBlanks);
}

} // namespace

std::vector<CommandFile> commandFiles(const std::string& directory) {
    std::vector<CommandFile> files;
    const UniqueFd fd(directory.empty() ? -1 : ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat what{};
    if (!fd || ::fstat(fd.get(), &what) != 0) return files;
    if (std::string problem = distrust(what, true); !problem.empty()) {
        files.push_back({.name = "console.d", .text = {}, .problem = std::move(problem)});
        return files;
    }
    for (const std::string& name : namesIn(fd.get())) files.push_back(readOne(fd.get(), name));
    return files;
}

std::string commandDirectory() {
    std::string config = environmentOrEmpty("XDG_CONFIG_HOME");
    if (!config.starts_with('/')) {
        const std::string home = environmentOrEmpty("HOME");
        if (!home.starts_with('/')) return {};
        config = home + "/.config";
    }
    return config + "/yardmaster/console.d";
}

Helps commandHelps(std::string_view text) {
    Helps helps;
    std::string_view before; // the first line of the comment right above
    std::string_view open;   // a function whose first line has not come
    while (!text.empty()) {
        const std::string_view line = trimmed(text.substr(0, text.find('\n')), kBlanks);
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
        const std::string_view comment = commentIn(line);
        if (!open.empty() && !comment.empty()) helps.emplace_back(open, comment);
        open = {};
        if (const std::string_view name = functionIn(line); !name.empty()) {
            if (before.empty())
                open = name;
            else
                helps.emplace_back(name, before);
        }
        if (comment.empty())
            before = {};
        else if (before.empty())
            before = comment;
    }
    return helps;
}

} // namespace yard::console
