#include "core/alerts/texts.h"

#include "core/base/duration_text.h"

#include <fmt/format.h>

namespace yard::alerts {

namespace {

/// "12 (make all)".
std::string actionText(Lsn lsn, std::string_view what) {
    return what.empty() ? fmt::format("{}", lsn.value) : fmt::format("{} ({})", lsn.value, what);
}

std::string because(Reason reason) {
    return reason == Reason::None ? std::string() : fmt::format(": {}", yard::name(reason));
}

} // namespace

std::string queueText(QueueId queue, std::string_view tag) {
    return tag.empty() ? fmt::format("queue {}", queue.value) : fmt::format("queue {} ({})", queue.value, tag);
}

std::string endText(Lsn lsn, std::string_view what, ActionState state, Reason reason) {
    return fmt::format("Action {} is {}{}.", actionText(lsn, what), yard::name(state), because(reason));
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
    return fmt::format("{:.0f} % of the memory are in use.", percent);
}

std::string diskText(double percentFree) {
    return fmt::format("{:.1f} % of the disk with the data are free.", percentFree);
}

std::string machineText(std::string_view name) {
    return fmt::format("Machine {} is lost.", name);
}

std::string withMore(std::string text, std::int64_t count, bool isAgain) {
    if (isAgain) text = "Still: " + text;
    if (count > 1) text += fmt::format(" There are {} more like this.", count - 1);
    return text;
}

std::string resolvedText(std::string_view text, std::int64_t count) {
    return withMore(fmt::format("Resolved: {}", text), count, false);
}

} // namespace yard::alerts
