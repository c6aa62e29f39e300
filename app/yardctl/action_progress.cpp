#include "app/yardctl/action_progress.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/display_width.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/own_terminal.h"
#include "core/base/clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr double kBarColumns = 20;

std::string barOf(double fraction) {
    const auto full = static_cast<std::size_t>(fraction * kBarColumns);
    return fmt::format("[{}{}] ", std::string(full, '#'),
                       std::string(static_cast<std::size_t>(kBarColumns) - full, ' '));
}

std::optional<double> secondsToFinish(const json::object& of, std::int64_t now) {
    const json::object* estimate = objectOf(of, "estimate");
    const auto finish = estimate ? integerOf(*estimate, "finish") : std::nullopt;
    if (!finish || *finish <= now) return {};
    return static_cast<double>(*finish - now) / 1e6;
}

} // namespace

std::optional<double> fractionOf(const json::object& action) {
    const json::object* progress = objectOf(action, "progress");
    const auto fraction = progress ? numberOf(*progress, "fraction") : std::nullopt;
    return fraction ? std::optional(std::clamp(*fraction, 0.0, 1.0)) : std::nullopt;
}

std::optional<double> secondsLeft(const json::object& queue, double jobs, std::int64_t now) {
    const auto left = secondsToFinish(queue, now);
    const auto active = static_cast<double>(integerOf(queue, "active").value_or(0));
    return left && active > 0 && jobs > active ? *left * jobs / active : left; // the others it does not have yet
}

std::string progressWords(const json::object& action) {
    const json::object* progress = objectOf(action, "progress");
    if (!progress) return {};
    const auto fraction = fractionOf(action);
    std::string words = fraction ? fmt::format("{:.0f} %", std::floor(100 * *fraction)) : std::string();
    const std::string message = printable(textOf(*progress, "message"));
    return words + (words.empty() || message.empty() ? "" : ", ") + message;
}

std::string actionProgressLine(const json::object& action, std::int64_t now, std::size_t columns) {
    std::string line = fmt::format("{}  ", integerOf(action, "lsn").value_or(0));
    if (const auto fraction = fractionOf(action)) line += barOf(*fraction);
    std::string words = progressWords(action);
    if (words.empty()) {
        words = printable(textOf(action, "state"));
        if (const std::string note = printable(textOf(action, "note")); !note.empty()) words += ", " + note;
    }
    line += words;
    if (const auto left = secondsToFinish(action, now)) line += fmt::format(", {} left", durationWords(*left));
    return fitted(line, columns);
}

ActionProgress::ActionProgress(bool isWanted)
    : isShown_(isWanted && ::isatty(STDERR_FILENO) == 1) {}

void ActionProgress::show(const json::object& action) {
    if (!isShown_) return;
    const std::size_t columns = std::max<std::size_t>(static_cast<std::size_t>(OwnTerminal::size().cols), 2) - 1;
    (void)writeOutput(STDERR_FILENO, "\r" + actionProgressLine(action, wallNow(), columns) + "\x1b[K");
    isDrawn_ = true;
}

void ActionProgress::clear() {
    if (!std::exchange(isDrawn_, false)) return;
    (void)writeOutput(STDERR_FILENO, "\r\x1b[K");
}

ProgressBeside::ProgressBeside(std::unique_ptr<Engine> engine, std::int64_t lsn)
    : lsn_(lsn)
    , query_(std::move(engine), [this] { watch(); }) {}

ProgressBeside::~ProgressBeside() {
    query_.stop();
    const ThreadLock lock(mutex_);
    line_.clear();
}

Result<void> ProgressBeside::around(std::string_view bytes, const std::function<Result<void>()>& write) {
    const ThreadLock lock(mutex_);
    line_.clear();
    if (!bytes.empty()) isLineOpen_ = !bytes.ends_with('\n');
    return write();
}

void ProgressBeside::watch() {
    constexpr std::chrono::milliseconds kEvery{500};
    while (query_.wait(kEvery)) look();
}

void ProgressBeside::look() {
    const auto action = query_.engine().get(fmt::format("jobs/{}", lsn_));
    const ThreadLock lock(mutex_);
    if (action && !query_.isStopping() && !isLineOpen_ && textOf(action->object, "state") == "running")
        line_.show(action->object);
}

} // namespace yard::ctl
