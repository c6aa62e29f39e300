// yardctl console: lines to the running engine, by the socket of its data directory. At a terminal console_prompt.h asks
// for them; here they come from -c or a pipe. It speaks as programs do, so that it knows where an answer ends and whether
// it is an error.
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/console_channel.h"
#include "app/yardctl/console_prompt.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// By way of an open directory: a socket's address has 107 characters only.
Outcome<UniqueFd> connectIn(const std::string& dataDir) {
    const UniqueFd directory(::open(dataDir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string path = fmt::format("/proc/self/fd/{}/backdoor.sock", directory.get());
    std::strncpy(std::data(address.sun_path), path.c_str(), sizeof address.sun_path - 1);
    if (directory && fd && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return fd;
    const int error = errno;
    if (error == ENOENT || error == ECONNREFUSED || error == ENOTDIR)
        return failedWith(
            Error{.kind = ErrorKind::NotFound,
                  .message = fmt::format("no engine has a console in {}; is one running there?", dataDir),
                  .field = {},
                  .need = {}});
    return failed(fmt::format("cannot open the console in {}: {}", dataDir,
                              std::strerror(error))); // NOLINT(concurrency-mt-unsafe): one thread
}

/// One line; whether it went well.
Outcome<bool> ask(int fd, Answers& answers, std::string line) {
    if (line.contains('\n')) return usageError("a line of the console is one line; give --command more than once");
    line += '\n';
    if (line.find_first_not_of(" \t\n") == std::string::npos) return true;
    if (!sendAll(fd, line)) return gone();
    const std::string word = answers.next();
    if (word.empty()) return gone();
    return word == "ok";
}

std::optional<std::string> lineOfInput() {
    std::string line;
    int c = 0;
    while ((c = std::getc(stdin)) != EOF && c != '\n') line += static_cast<char>(c);
    if (c == EOF && line.empty()) return std::nullopt;
    return line;
}

Outcome<int> speakAsProgram(int fd, const std::vector<std::string>& lines) {
    Answers answers(fd);
    if (!speakForPrograms(fd, answers)) return gone();
    bool allGood = true;
    auto next = lines.begin();
    const auto following = [&]() -> std::optional<std::string> {
        if (lines.empty()) return lineOfInput();
        return next == lines.end() ? std::nullopt : std::optional(*next++);
    };
    for (auto line = following(); line && !isFarewell(*line); line = following()) {
        const auto good = ask(fd, answers, *line);
        if (!good) return std::unexpected(good.error());
        allGood = allGood && *good;
    }
    return allGood ? 0 : kExitFailed;
}

Outcome<int> consoleCommand(const Invocation& invocation) {
    const GlobalOptions& options = invocation.engine.options();
    if (options.url)
        return usageError("the console is a socket of the engine's own machine: run it there, without --url");
    const auto fd = connectIn(options.dataDir.value_or(defaultDataDirectory()));
    if (!fd) return std::unexpected(fd.error());
    const std::vector<std::string> lines = invocation.arguments.values("command");
    if (lines.empty() && ::isatty(STDIN_FILENO) == 1) return promptAt(fd->get());
    return speakAsProgram(fd->get(), lines);
}

} // namespace

Command consoleRow() {
    return {
        .name = "console",
        .usage = "[-c LINE]",
        .summary = "a prompt into the running engine",
        .details =
            "Lines of Lua, and commands: 'help' lists them. It asks what clients ask, and "
            "changes settings. It is a socket of the data directory, for its owner on that machine alone. Without "
            "--command it reads lines from the terminal or from a pipe.",
        .examples = "yardctl console\n"
                    "yardctl console -c queues\n"
                    "yardctl console -c 'for _, q in ipairs(queues()) do print(q.queue_id) end'",
        .exits = "0 when all lines went well, 1 when one did not",
        .options = {{"command", 'c', "LINE", "run this line and end; may be given more than once"}},
        .maxOperands = 0,
        .function = consoleCommand};
}

} // namespace yard::ctl
