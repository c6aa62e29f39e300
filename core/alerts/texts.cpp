#include "core/alerts/texts.h"

#include "core/base/duration_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::alerts {

namespace {

/// "12 (make all)".
std::string actionText(Lsn lsn, std::string_view what) {
    return what.empty() ? fmt::format("{}", lsn.value) : fmt::format("{} ({})", lsn.value, what);
}

/// Where it says more than the state.
std::string because(Reason reason) {
    switch (reason) {
    case Reason::None:
    case Reason::Cancelled:
    case Reason::Abandoned: return {};
    case Reason::ExitCode: return ": its exit code was not 0";
    case Reason::Signal: return ": a signal ended it";
    case Reason::SpawnError: return ": it could not be started";
    default: break;
    }
    std::string words(yard::name(reason));
    std::ranges::replace(words, '_', ' ');
    return ": " + words;
}

std::string_view verbOf(ActionState state) {
    switch (state) {
    case ActionState::Completed: return "completed";
    case ActionState::Failed: return "failed";
    case ActionState::Cancelled: return "was cancelled";
    default: return "was abandoned";
    }
}

} // namespace

std::string queueText(QueueId queue, std::string_view tag) {
    return tag.empty() ? fmt::format("queue {}", queue.value) : fmt::format("queue {} ({})", queue.value, tag);
}

std::string endText(Lsn lsn, std::string_view what, ActionState state, Reason reason) {
    return fmt::format("Action {} {}{}.", actionText(lsn, what), verbOf(state), because(reason));
}

std::string commandText(Lsn lsn, ActionState state, Reason reason) {
    if (state == ActionState::Completed) return fmt::format("Action {} ran the command.", lsn.value);
    return fmt::format("Action {} ran the command, and {}{}.", lsn.value, verbOf(state), because(reason));
}

std::string failuresText(std::int64_t count, std::string_view queue, Lsn last, std::string_view what,
                         Reason reason) {
    return fmt::format("{} {} of {} failed in a row, the last one is {}{}.", count,
                       count == 1 ? "action" : "actions", queue, actionText(last, what), because(reason));
}

std::string rateText(std::int64_t failed, std::int64_t ended, double seconds) {
    return fmt::format("{} of {} actions that ended within {} failed.", failed, ended, durationText(seconds));
}

std::string silenceText(Lsn lsn, std::string_view what, WallMicros since, WallMicros now) {
    return fmt::format("Action {} runs and has shown no sign of life for {}.", actionText(lsn, what),
                       durationText(inSeconds(Duration(now - since))));
}

std::string finishedText(std::string_view queue, std::int64_t ends, std::int64_t failed) {
    return fmt::format("Nothing is left to do in {}: {} ended, {} of them failed.", queue, ends, failed);
}

std::string ageText(std::string_view queue, double seconds) {
    return fmt::format("An action of {} has waited for {}.", queue, durationText(seconds));
}

std::string memoryText(double percent) {
    return fmt::format("{:.0f} % of the memory is in use.", percent);
}

std::string diskText(double percentFree) {
    return fmt::format("{:.1f} % of the disk with the data is free.", percentFree);
}

std::string machineText(std::string_view name) {
    return fmt::format("Machine {} is lost.", name);
}

std::string withMore(std::string text, std::int64_t count, bool isAgain, const MoreByState& more) {
    if (isAgain) text = "Still: " + text;
    if (count < 2) return text;
    text += count == 2 ? " There is 1 more" : fmt::format(" There are {} more", count - 1);
    if (more.empty()) return text + " like this.";
    for (std::string_view before = ": "; const auto& [state, number] : more) {
        text += fmt::format("{}{} {}", before, number, state);
        before = ", ";
    }
    return text + '.';
}

std::string resolvedText(std::string_view text, std::int64_t count) {
    return withMore(fmt::format("Resolved: {}", text), count, false, {});
}

} // namespace yard::alerts
