// A rule, as a value with its JSON: a kind of condition or event, a filter that says which of them count, and the targets of
// its messages. Any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/model/filter.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::alerts {

enum class Kind : unsigned char {
    QueueAge,       ///< an action of a queue has waited for `over` seconds
    Silence,        ///< an action that runs has had no output and no processor time for `over` seconds
    Failures,       ///< `over` actions of a queue failed in a row
    FailureRate,    ///< `over` per cent of those that ended within `for_s` failed, and ten did end
    Memory,         ///< `over` per cent of the machine's memory are in use
    Disk,           ///< `over` per cent of the disk with the data are in use
    Machine,        ///< a machine is lost
    QueueFinished,  ///< nothing of a queue waits or runs any more, after `over` ends at least
    ActionFinished, ///< an action has ended
    StuckObjects,   ///< an object does not get on
    Regression,     ///< a kind of work takes longer, or more, than before
    Orphan,         ///< an object that no actor looks at
    ScheduleMissed, ///< a time of a schedule was missed or refused
    GpuLost         ///< a GPU of this machine is lost
};
inline constexpr std::size_t kKinds = 14;
std::string_view kindWord(Kind kind);
std::optional<Kind> kindIn(std::string_view word);
/// Something that happens, and is never resolved; else a condition, that begins and ends.
bool isEvent(Kind kind);

enum class Channel : unsigned char { Desktop, Command, Webhook };
enum class Form : unsigned char { Json, Slack };
struct Target {
    Channel channel = Channel::Desktop;
    std::vector<std::string> command; ///< of Command
    std::string webhook;              ///< of Webhook: an address that parseUrl() takes
    Form form = Form::Json;           ///< of Webhook
    friend bool operator==(const Target&, const Target&) = default;
};

enum class Severity : unsigned char { Info, Warning, Critical };
std::string_view severityWord(Severity severity);

struct Rule {
    std::string name;
    Kind kind = Kind::ActionFinished;
    std::string filter; ///< in the filter language; empty: all
    double over = 0;
    double forSeconds = 0; ///< of a condition: it holds for so long; of FailureRate: the time that is looked at
    std::vector<Target> then;
    double quietSeconds = 600; ///< after a message; what comes meanwhile is one message at its end
    double repeatSeconds = 0;  ///< told again while it holds; 0: it is not
    std::string hours;         ///< see hours.h
    Severity severity = Severity::Warning;

    /// Of QueueAge and Silence: it fires when an action has waited, or was silent, for so long.
    double waitSeconds() const { return over + forSeconds; }
};
/// As the times of a rule are counted: to the nearest microsecond.
Duration secondsOf(double seconds);

inline constexpr std::size_t kMostRules = 1'000;
inline constexpr std::size_t kMostRuleBytes = 64u << 10;
inline constexpr std::size_t kMostTargets = 8;
inline constexpr std::size_t kMostCommandWords = 64;
inline constexpr double kMostSeconds = 31'622'400;

/// The members that JSON names, over those of `base`; "on" and "then" are replaced whole. Malformed, TooLarge, or Invalid
/// with the member's name. Filter, hours and addresses were read once when this returns.
Result<Rule> readRule(std::string_view json, Rule base);
/// The same from a value that was read; `json` may not be larger than a rule may be.
Result<Rule> readRule(JsonView json, Rule base);
/// Its members, without braces.
void writeRule(JsonWriter& writer, const Rule& rule);
/// "then" as an element.
void writeTarget(JsonWriter& writer, const Target& target);
Result<Target> readTarget(JsonView json);

/// Its filter in two: what the kind of an action decides (state, queue, worker, function, label, reason), and what only
/// the whole row does.
struct SplitFilter {
    Filter sure;
    Filter rest;
    /// Both parts.
    bool matches(const ActionResult& row, WallMicros now, std::span<const std::string> queueNames) const {
        return sure.matches(row, now, queueNames) && rest.matches(row, now, queueNames);
    }
};
Result<SplitFilter> splitFilter(const Rule& rule, WallMicros now);

} // namespace yard::alerts
