#include "app/yardctl/console_channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::string_view kForPrograms = "#program\n";
constexpr char kAnswerEnd = '\x04';

void print(const std::string& text) {
    if (text.empty()) return;
    (void)std::fwrite(text.data(), 1, text.size(), stdout);
    (void)std::fflush(stdout);
}

} // namespace

bool sendAll(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::unexpected<Failure> gone() {
    return failed("the console was closed: the engine ended, or eight others are open");
}

bool isFarewell(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = line.find_first_not_of(kBlank);
    if (first == line.npos) return false;
    line = line.substr(first, line.find_last_not_of(kBlank) - first + 1);
    return line == "exit" || line == "quit";
}

bool Answers::read() {
    std::array<char, 65536> bytes{};
    ssize_t size = 0;
    while ((size = ::recv(fd_, bytes.data(), bytes.size(), 0)) < 0 && errno == EINTR) {
    }
    if (size <= 0) return false;
    kept_.append(bytes.data(), static_cast<std::size_t>(size));
    return true;
}

void Answers::part(std::string& shown) {
    for (;;) {
        const std::size_t end = kept_.find(kAnswerEnd);
        shown += kept_.substr(0, end);
        kept_.erase(0, std::min(end, kept_.size()));
        const std::size_t line = kept_.find('\n');
        if (kept_.empty() || line == std::string::npos) return;
        ended_.push_back(kept_.substr(1, line - 1));
        kept_.erase(0, line + 1);
    }
}

std::string Answers::next() {
    for (;;) {
        std::string shown;
        part(shown);
        print(shown);
        if (!ended_.empty()) {
            std::string word = std::move(ended_.front());
            ended_.pop_front();
            return word;
        }
        if (!read()) return {};
    }
}

std::optional<std::string> Answers::text() {
    std::string shown;
    for (;;) {
        part(shown);
        if (!ended_.empty()) {
            ended_.pop_front();
            return shown;
        }
        if (!read()) return std::nullopt;
    }
}

std::optional<std::size_t> Answers::take() {
    if (!read()) return std::nullopt;
    std::string shown;
    part(shown);
    print(shown);
    return std::exchange(ended_, {}).size();
}

std::optional<std::string> speakForPrograms(int fd, Answers& answers) {
    if (!sendAll(fd, kForPrograms)) return std::nullopt;
    auto greeting = answers.text();
    // It had shown its prompt before it knew.
    if (greeting) greeting->resize(std::min(greeting->size(), greeting->rfind(kConsolePrompt)));
    return greeting;
}

} // namespace yard::ctl
