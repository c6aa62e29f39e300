#include "app/yardctl/engine_start.h"

#include "app/yardctl/engine_words.h"
#include "core/base/files.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::ctl {

std::string engineProgram() {
    std::array<char, 4096> path{};
    const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
    const std::string_view self(path.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    const std::string beside = std::string(self.substr(0, self.rfind('/') + 1)) + "yardmaster";
    return !self.empty() && ::access(beside.c_str(), X_OK) == 0 ? beside : "yardmaster";
}

namespace {

constexpr int kCannotListen = 4; ///< the engine's exit code

class Background {
public:
    Background(const GlobalOptions& options, std::string dataDir)
        : dataDir_(std::move(dataDir))
        , log_(dataDir_ + "/engine.log") {
        words_ = {engineProgram(), "--headless", "--data-dir", dataDir_};
        if (options.tokenFile) words_.insert(words_.end(), {"--token-file", *options.tokenFile});
    }

    /// Until it serves. Its usual port may be somebody else's: then any.
    Outcome<std::string> start() {
        if (auto made = makeDirectories(dataDir_); !made) return failedWith(made.error());
        auto said = startOnce();
        if (!said && exitCode_ == kCannotListen) {
            words_.insert(words_.end(), {"--listen", "127.0.0.1:0"});
            said = startOnce();
        }
        return said;
    }
    int pid() const { return pid_; }

private:
    Outcome<std::string> startOnce() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failedWith(failErrno("cannot make a pipe", errno).error());
        const UniqueFd said(ends[0]);
        {
            const UniqueFd write(ends[1]);
            if (const int err = spawn(write.get()); err != 0)
                return failed(
                    fmt::format("cannot start an engine with '{}': {}", words_.front(), ::strerrordesc_np(err)));
        }
        const auto line = awaitServing(said.get());
        if (line) return *line;
        if (line.error() == NotServing::Ended) return hasEnded();
        return failed(
            fmt::format("the engine that was started (process {}) does not serve yet; {} says why", pid_, log_));
    }

    /// 0, or errno. A session of its own: what ends this terminal does not end the engine.
    int spawn(int out) {
        SpawnPlan plan(SpawnPlan::Apart::Session);
        plan.open("/dev/null", O_RDONLY, STDIN_FILENO);
        plan.give(out, STDOUT_FILENO);
        plan.open(log_, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDERR_FILENO);
        plan.changeTo("/");
        return plan.run(pid_, words_);
    }

    std::unexpected<Failure> hasEnded() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        exitCode_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return failed(fmt::format("an engine was started and ended at once: {}", lastLineOf(log_)));
    }

    const std::string dataDir_;
    const std::string log_;
    std::vector<std::string> words_;
    pid_t pid_ = -1;
    int exitCode_ = -1;
};

/// Where a person may answer: stdin, or the terminal where stdin is a pipe of a line that was typed there.
struct Asked {
    UniqueFd terminal;
    int fd = -1;
};

std::optional<Asked> whomToAsk() {
    if (::isatty(STDERR_FILENO) == 0) return std::nullopt;
    if (::isatty(STDIN_FILENO) != 0) return Asked{.terminal = {}, .fd = STDIN_FILENO};
    UniqueFd terminal(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC));
    // In the background a read from it would stop the whole line.
    if (!terminal || ::tcgetpgrp(terminal.get()) != ::getpgrp()) return std::nullopt;
    const int fd = terminal.get();
    return Asked{.terminal = std::move(terminal), .fd = fd};
}

bool isWanted(const Asked& asked, const std::string& dataDir) {
    fmt::print(stderr, "yardctl: no engine serves {}. Start one in the background? [Y/n] ", dataDir);
    // A terminal gives a line at once, and no more: what is typed behind it is for the program.
    std::array<char, 256> line{};
    ssize_t n = 0;
    while ((n = ::read(asked.fd, line.data(), line.size())) < 0 && errno == EINTR) {
    }
    return n > 0 && (line.front() == '\n' || line.front() == 'y' || line.front() == 'Y');
}

} // namespace

Outcome<void> ensureEngine(Engine& engine) {
    const auto reached = engine.reach();
    if (reached) return {};
    const GlobalOptions& options = engine.options();
    const bool isNone = reached.error().kind == ErrorKind::NotFound;
    const std::string dataDir = options.dataDir.value_or(defaultDataDirectory());
    if (!isNone || options.url || options.json) return failedWith(reached.error());
    const auto asked = whomToAsk();
    if (!asked || !isWanted(*asked, dataDir)) return failedWith(reached.error());
    const auto full = std::filesystem::absolute(dataDir).string();
    Background background(options, full);
    auto said = background.start();
    // Somebody else may have been quicker.
    if (!said && !engine.reach()) return std::unexpected(said.error());
    if (said)
        fmt::print(stderr, "yardctl: started an engine, process {}, {}; {} ends it\n", background.pid(), *said,
                   typedFor(options, {"yardctl"}, {"session", "sunset"}));
    if (auto there = engine.reach(); !there) return failedWith(there.error());
    return {};
}

} // namespace yard::ctl
