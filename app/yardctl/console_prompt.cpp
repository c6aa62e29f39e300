#include "app/yardctl/console_prompt.h"

#include "app/yardctl/console_channel.h"
#include "app/yardctl/line_editor.h"
#include "app/yardctl/signal_watch.h"
#include "core/base/environment.h"
#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::array kPromptSignals = {SIGQUIT, SIGTSTP};
constexpr int kEndedBySignal = 128;

std::string historyPath() {
    std::string state = environmentOrEmpty("XDG_STATE_HOME");
    if (!state.starts_with('/')) {
        const std::string home = homeDirectory();
        if (home.empty()) return {};
        state = home + "/.local/state";
    }
    return state + "/yardmaster/console_history";
}

/// The first word of each line of its help.
std::vector<std::string> commandNames(std::string_view help) {
    std::vector<std::string> names;
    while (!help.empty()) {
        const std::size_t line = std::min(help.find('\n'), help.size());
        const std::size_t word = std::min(help.substr(0, line).find_first_of(" ({"), line);
        if (word > 0) names.emplace_back(help.substr(0, word));
        help.remove_prefix(std::min(help.size(), line + 1));
    }
    return names;
}

class Prompt {
public:
    Prompt(int fd, Answers& answers, std::unique_ptr<LineEditor> editor)
        : fd_(fd)
        , answers_(answers)
        , editor_(std::move(editor)) {}

    Outcome<int> run();

private:
    /// Asks for the next line once all answers are there.
    void ask();
    void typed(std::optional<std::string> line);
    void keysCame();
    void signalCame(int signal);
    void interrupted();
    void suspended();

    int fd_;
    Answers& answers_;
    SignalWatch signals_{kPromptSignals}; ///< before the editor changes the terminal
    std::unique_ptr<LineEditor> editor_;  ///< null: the terminal's own line is all there is
    std::string partial_{};               ///< of a line that is typed without an editor
    std::size_t pending_ = 0;             ///< lines without an answer
    int interrupts_ = 0;                  ///< since all answers were there
    int code_ = 0;
    bool isOver_ = false;
    bool isGone_ = false;
};

void Prompt::ask() {
    if (editor_) {
        editor_->begin(std::string(kConsolePrompt),
                       [this](std::optional<std::string> line) { typed(std::move(line)); });
    } else {
        fmt::print("{}", kConsolePrompt);
        (void)std::fflush(stdout);
    }
}

void Prompt::typed(std::optional<std::string> line) {
    if (!line || isFarewell(*line)) {
        if (!line) fmt::print("\n");
        isOver_ = true;
        return;
    }
    *line += '\n';
    isGone_ = !sendAll(fd_, *line);
    ++pending_;
}

void Prompt::keysCame() {
    if (editor_ && editor_->isActive()) {
        editor_->keysCame();
        return;
    }
    std::array<char, 4096> bytes{};
    const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) {
        typed(std::nullopt);
        return;
    }
    partial_.append(bytes.data(), static_cast<std::size_t>(size));
    for (std::size_t end = partial_.find('\n'); end != std::string::npos && !isOver_; end = partial_.find('\n')) {
        typed(partial_.substr(0, end));
        partial_.erase(0, end + 1);
    }
}

void Prompt::signalCame(int signal) {
    if (signal == SIGINT) {
        interrupted();
    } else if (signal == SIGTSTP) {
        suspended();
    } else {
        code_ = kEndedBySignal + signal;
        isOver_ = true;
    }
}

/// While it stands still the terminal is as it was before.
void Prompt::suspended() {
    if (editor_) editor_->stop();
    stopLikeCtrlZ();
    if (pending_ == 0) ask();
}

void Prompt::interrupted() {
    fmt::print("\n");
    if (pending_ > 0 && ++interrupts_ > 1) {
        isOver_ = true;
    } else if (pending_ > 0) {
        typed(std::string()); // what is shown again and again ends with the next line
    } else {
        if (editor_) editor_->stop();
        partial_.clear();
        ask();
    }
}

Outcome<int> Prompt::run() {
    ask();
    std::array<pollfd, 3> ends{{{fd_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {signals_.fd(), POLLIN, 0}}};
    while (!isOver_ && !isGone_) {
        if (::poll(ends.data(), ends.size(), -1) < 0) continue; // EINTR
        if (ends[2].revents != 0) {
            if (const auto signal = signals_.next()) signalCame(*signal);
            continue;
        }
        if (ends[0].revents != 0) {
            const auto ended = answers_.take();
            isGone_ = !ended;
            const bool waited = pending_ > 0;
            pending_ -= std::min(pending_, ended.value_or(0));
            if (waited && pending_ == 0 && !isGone_) {
                interrupts_ = 0;
                ask();
            }
        }
        if (!isGone_ && ends[1].revents != 0) keysCame();
    }
    if (editor_) editor_->stop();
    if (isGone_) return gone();
    return code_;
}

} // namespace

Outcome<int> promptAt(int fd) {
    Answers answers(fd);
    const auto greeting = speakForPrograms(fd, answers);
    if (!greeting || !sendAll(fd, "help\n")) return gone();
    const auto help = answers.text();
    if (!help) return gone();
    fmt::print("{}", *greeting);
    Prompt prompt(fd, answers, LineEditor::open(historyPath(), commandNames(*help)));
    return prompt.run();
}

} // namespace yard::ctl
