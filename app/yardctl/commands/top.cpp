// yardctl top: queues and running actions, again and again, until q. Without a terminal it prints one picture.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/top_view.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr double kUsualInterval = 1;
constexpr double kMostInterval = 3600;
constexpr std::chrono::milliseconds kSilence{3000};

/// The terminal while it is ours: other screen, no cursor, keys at once and unseen. Put back at the end, and while
/// the program is stopped.
class Screen {
public:
    Screen() { enter(); }
    ~Screen() { leave(); }
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    void enter() {
        hasKeys_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
        if (hasKeys_) {
            termios keys = before_;
            keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
            ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
        }
        write("\x1b[?1049h\x1b[?25l");
    }
    void leave() {
        write("\x1b[?25h\x1b[?1049l");
        if (hasKeys_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    /// From the top, each line to its end, the rest of the screen empty.
    bool show(std::string_view text) {
        std::string out = "\x1b[H";
        for (const char c : text) {
            if (c == '\n') out += "\x1b[K\r";
            out += c;
        }
        // A line feed after the last row would scroll the first one away.
        if (out.ends_with("\r\n")) out.resize(out.size() - 2);
        return write(out + "\x1b[J");
    }
    bool hasKeys() const { return hasKeys_; }
    static TopSize size() {
        winsize known{};
        if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &known) != 0 || known.ws_col == 0) return {80, 24};
        return {known.ws_col, known.ws_row};
    }

private:
    bool write(std::string_view text) { return writeAll(STDOUT_FILENO, text).has_value(); }
    termios before_{};
    bool hasKeys_ = false;
};

/// Signals that end, stop or resize, as a descriptor.
class Signals {
public:
    Signals() {
        sigset_t set;
        ::sigemptyset(&set);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP}) ::sigaddset(&set, number);
        ::pthread_sigmask(SIG_BLOCK, &set, &old_);
        fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ~Signals() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    int fd() const { return fd_.get(); }
    /// 0: none.
    int take() const {
        signalfd_siginfo info{};
        return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
    }

private:
    sigset_t old_{};
    UniqueFd fd_;
};

/// Asks for what a picture needs; a question that fails leaves its part empty and says why.
TopPicture ask(Engine& engine) {
    TopPicture picture;
    picture.now = wallNow();
    const auto part = [&](const char* path, json::object& into) {
        if (!picture.trouble.empty()) return;
        auto answer = engine.call({.method = "GET", .path = path, .silence = kSilence});
        if (answer)
            into = std::move(answer->object);
        else
            picture.trouble = printable(answer.error().message);
    };
    part("session", picture.session);
    part("queues", picture.queues);
    part("jobs/running?limit=1000", picture.running);
    return picture;
}

Outcome<int> once(const Invocation& invocation) {
    const TopPicture picture = ask(invocation.engine);
    if (!picture.trouble.empty()) return std::unexpected(Failure(picture.trouble, kExitFailed, "failed"));
    if (invocation.json) {
        json::object all;
        all["session"] = picture.session;
        all["queues"] =
            picture.queues.contains("queues") ? picture.queues.at("queues") : json::value(json::array());
        all["running"] = picture.running.contains("jobs") ? picture.running.at("jobs") : json::value(json::array());
        fmt::print("{}\n", compactJson(all));
    } else {
        fmt::print("{}", topText(picture, {.columns = terminalWidth().value_or(0), .rows = 0}));
    }
    return 0;
}

/// Waits for a key or a signal, until `until`. False: the end.
bool attend(Screen& screen, const Signals& signals, const TopPicture& picture,
            std::chrono::steady_clock::time_point until) {
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return true;
        std::array<pollfd, 2> fds{{{signals.fd(), POLLIN, 0}, {screen.hasKeys() ? STDIN_FILENO : -1, POLLIN, 0}}};
        if (::poll(fds.data(), fds.size(), static_cast<int>(left.count()) + 1) < 0 && errno != EINTR) return false;
        if (fds[1].revents != 0) {
            char key = 0;
            if (::read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 'Q') return false;
            if (key == ' ') return true;
        }
        if (fds[0].revents == 0) continue;
        const int number = signals.take();
        if (number == SIGINT || number == SIGTERM || number == SIGHUP) return false;
        if (number == SIGTSTP) {
            screen.leave();
            ::raise(SIGSTOP);
            screen.enter();
        }
        if (number != 0 && !screen.show(topText(picture, Screen::size()))) return false;
    }
}

Outcome<int> topCommand(const Invocation& invocation) {
    double interval = kUsualInterval;
    if (const auto word = invocation.arguments.value("interval")) {
        auto seconds = parseDuration(*word);
        if (!seconds) return std::unexpected(seconds.error());
        if (*seconds < 0.1 || *seconds > kMostInterval) return usageError("--interval wants 0.1s to 1h");
        interval = *seconds;
    }
    if (invocation.json || invocation.arguments.has("once") || ::isatty(STDOUT_FILENO) == 0)
        return once(invocation);
    TopPicture picture = ask(invocation.engine);
    // Nobody there to begin with is an error; one that goes away later may come back.
    if (!picture.trouble.empty()) return std::unexpected(Failure(picture.trouble, kExitFailed, "failed"));
    const Signals signals;
    Screen screen;
    for (;;) {
        if (!screen.show(topText(picture, Screen::size()))) return 0;
        const auto step = std::chrono::duration<double>(interval);
        const auto until = std::chrono::steady_clock::now() +
                           std::chrono::duration_cast<std::chrono::steady_clock::duration>(step);
        if (!attend(screen, signals, picture, until)) return 0;
        TopPicture next = ask(invocation.engine);
        if (next.trouble.empty())
            picture = std::move(next);
        else
            picture.trouble = std::move(next.trouble);
    }
}

} // namespace

Command topRow() {
    return {.name = "top",
            .usage = "[options]",
            .summary = "queues and running actions, live",
            .details = "Updates every second; q ends it, the space bar asks at once. Without a terminal, or with "
                       "--json, it is printed once.",
            .examples = "yardctl top\n"
                        "yardctl top --interval 5s",
            .options = {{"interval", 'i', "TIME", "ask so often (1s); 0.1s to 1h"},
                        {"once", '1', "", "print it once and leave"}},
            .maxOperands = 0,
            .function = topCommand};
}

} // namespace yard::ctl
