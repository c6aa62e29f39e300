// The sentences that alerts say, in plain words. Pure functions; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/states.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace yard::alerts {

/// "queue 7 (nightly)".
std::string queueText(QueueId queue, std::string_view tag);
std::string endText(Lsn lsn, std::string_view what, ActionState state, Reason reason);
/// Of the action that delivered a message.
std::string commandText(Lsn lsn, ActionState state, Reason reason);
std::string failuresText(std::int64_t count, std::string_view queue, Lsn last, std::string_view what,
                         Reason reason);
std::string rateText(std::int64_t failed, std::int64_t ended, double seconds);
std::string silenceText(Lsn lsn, std::string_view what, WallMicros since, WallMicros now);
std::string finishedText(std::string_view queue, std::int64_t ends, std::int64_t failed);
std::string ageText(std::string_view queue, double seconds);
std::string memoryText(double percent);
std::string diskText(double percentFree);
std::string machineText(std::string_view name);
/// How many of them ended how.
using MoreByState = std::map<std::string, std::int64_t>;
/// A sentence for all of them: that of the first, and how many more there are. `more`: empty where all are like the first.
std::string withMore(std::string text, std::int64_t count, bool isAgain, const MoreByState& more);
std::string resolvedText(std::string_view text, std::int64_t count);

} // namespace yard::alerts
