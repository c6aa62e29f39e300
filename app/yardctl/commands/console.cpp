// yardctl console: a prompt into the running engine, by the socket of its data directory. At a terminal it carries bytes
// both ways; for -c and a pipe it speaks as programs do, so that it knows where an answer ends and whether it is an error.
#include "app/yardctl/commands/functions.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::string_view kForPrograms = "#program\n";
constexpr char kAnswerEnd = '\x04';

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

bool sendAll(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// What the console says, in answers.
class Answers {
public:
    explicit Answers(int fd)
        : fd_(fd) {}

    /// Up to the end of an answer: printed as it comes if `shown`. Its last word, "ok" or "error"; empty: the console
    /// has gone, and said what is printed.
    std::string next(bool shown) {
        for (;;) {
            const std::size_t end = kept_.find(kAnswerEnd);
            const std::size_t line = end == std::string::npos ? end : kept_.find('\n', end);
            show(kept_.substr(0, end), shown);
            kept_.erase(0, std::min(end, kept_.size()));
            if (line != std::string::npos) {
                const std::size_t size = kept_.find('\n');
                std::string word = kept_.substr(1, size - 1);
                kept_.erase(0, size + 1);
                return word;
            }
            if (!read()) return {};
        }
    }

private:
    static void show(const std::string& text, bool shown) {
        if (!shown || text.empty()) return;
        (void)std::fwrite(text.data(), 1, text.size(), stdout);
        (void)std::fflush(stdout);
    }
    bool read() {
        std::array<char, 65536> bytes{};
        ssize_t size = 0;
        while ((size = ::recv(fd_, bytes.data(), bytes.size(), 0)) < 0 && errno == EINTR) {
        }
        if (size <= 0) return false;
        kept_.append(bytes.data(), static_cast<std::size_t>(size));
        return true;
    }

    int fd_;
    std::string kept_{};
};

/// Another answer of one who is not there any more.
std::unexpected<Failure> gone() {
    return failed("the console was closed: the engine ended, or eight others are open");
}

/// One line; whether it went well.
Outcome<bool> ask(int fd, Answers& answers, std::string line) {
    if (line.contains('\n')) return usageError("a line of the console is one line; give --command more than once");
    line += '\n';
    if (line.find_first_not_of(" \t\n") == std::string::npos) return true;
    if (!sendAll(fd, line)) return gone();
    const std::string word = answers.next(true);
    if (word.empty()) return gone();
    return word == "ok";
}

/// The console closes at such a line, without an answer.
bool isFarewell(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = line.find_first_not_of(kBlank);
    if (first == line.npos) return false;
    line = line.substr(first, line.find_last_not_of(kBlank) - first + 1);
    return line == "exit" || line == "quit";
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
    if (!sendAll(fd, kForPrograms) || answers.next(false) != "ok") return gone();
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

/// Both ways until the console closes.
Outcome<int> relay(int fd) {
    std::array<char, 65536> bytes{};
    std::array<pollfd, 2> ends{{{fd, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
    for (;;) {
        if (::poll(ends.data(), ends.size(), -1) < 0) continue; // EINTR
        if (ends[0].revents != 0) {
            const ssize_t size = ::recv(fd, bytes.data(), bytes.size(), 0);
            if (size <= 0) break;
            if (!writeAll(STDOUT_FILENO, {bytes.data(), static_cast<std::size_t>(size)})) break;
        }
        if (ends[1].revents != 0) {
            const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
            if (size > 0 && !sendAll(fd, {bytes.data(), static_cast<std::size_t>(size)})) break;
            if (size <= 0) {
                ::shutdown(fd, SHUT_WR);
                ends[1].fd = -1;
            }
        }
    }
    fmt::print("\n");
    return 0;
}

Outcome<int> consoleCommand(const Invocation& invocation) {
    const GlobalOptions& options = invocation.engine.options();
    if (options.url)
        return usageError("the console is a socket of the engine's own machine: run it there, without --url");
    const auto fd = connectIn(options.dataDir.value_or(defaultDataDirectory()));
    if (!fd) return std::unexpected(fd.error());
    const std::vector<std::string> lines = invocation.arguments.values("command");
    if (lines.empty() && ::isatty(STDIN_FILENO) == 1) return relay(fd->get());
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
