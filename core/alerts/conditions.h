// One rule at work: the things that it watches, since when each holds, which of them had a message, and when the next
// message is due. It asks no clock.
//
// Things that come within kGather, or within `quiet_s` after a message, become one message with a count. A thing that is over
// before its message was due gets none. Outside of its hours a rule sends nothing; what holds when they begin is sent then.
// Owner: one thread. Bounds: kMostConditions things; more are counted, and never resolved.
#pragma once

#include "core/alerts/hours.h"
#include "core/alerts/rule.h"
#include "core/alerts/states.h"
#include "core/base/clock.h"
#include "core/base/ids.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::alerts {

/// What a rule is about: an action, a queue, the disk.
struct Thing {
    std::string key;  ///< the same for the same thing
    std::string text; ///< a sentence
    WallMicros since = 0;
    Lsn lsn{};                      ///< 0: it is no action
    std::optional<QueueId> queue{}; ///< where it is, or what it is
    std::string state{};            ///< of an action that ended, else empty
};

struct Message {
    std::string rule;
    Severity severity = Severity::Warning;
    WallMicros t = 0;
    bool isResolved = false;
    std::int64_t count = 1; ///< things that it stands for
    std::string text;
    std::string key; ///< of the first of them, as below
    Lsn lsn{};
    std::optional<QueueId> queue{};
};

class RuleWatch {
public:
    static constexpr Duration kGather{1'000'000};
    static constexpr std::size_t kMostConditions = 10'000;
    /// What is kept of them: a document of the journal has its limit.
    static constexpr std::size_t kMostKept = 500;
    static constexpr std::size_t kMostKeptText = 256; ///< bytes

    /// The rule's hours were checked.
    explicit RuleWatch(Rule rule);
    const Rule& rule() const { return rule_; }

    // --- conditions
    /// It holds, and fires once it has for `after` since `thing.since`. Of one that holds already: no effect.
    void raise(Thing thing, Duration after, WallMicros now);
    void clear(std::string_view key, WallMicros now);
    bool holds(std::string_view key) const;
    bool isEmpty() const { return conditions_.empty(); }
    std::vector<Thing> held() const; ///< things that hold, told or not
    // --- events
    void happened(Thing thing, WallMicros now);

    /// Nothing is told until then; a time that is over ends a silence.
    void silence(WallMicros until, WallMicros now);
    WallMicros silencedUntil() const { return silencedUntil_; }

    /// When advance() has something to do.
    std::optional<WallMicros> due() const;
    void advance(WallMicros now, std::vector<Message>& messages);

    AlertState state() const;
    WallMicros since() const; ///< in this state; 0: not known, or quiet
    std::int64_t firing() const;

    /// The same for another version of the rule of this name: with the same condition what was told stays told, and what is
    /// due is due by the new one.
    RuleWatch changedTo(Rule rule, WallMicros now) const;
    /// What was told and holds, at most kMostKept things, and the silence: members of a JSON object.
    void writeKept(JsonWriter& writer) const;
    void readKept(JsonView json);

private:
    struct Condition {
        Thing thing;
        AlertState state = AlertState::Quiet;
        bool holds = true;
        bool isTold = false;      ///< that it fires
        bool isAgain = false;     ///< it was told before
        bool isEndTold = false;   ///< that it is resolved
        WallMicros toldAt = 0;    ///< the last time
        WallMicros changedAt = 0; ///< came into this state
        WallMicros due = 0;       ///< 0: nothing is due
        bool wasTold() const { return isTold || isAgain; }
    };
    using Conditions = std::map<std::string, Condition, std::less<>>;

    bool apply(Condition& condition, AlertEvent event, WallMicros now) const;
    void fire(Condition& condition, WallMicros now);
    void setDue(Condition& condition, WallMicros at);
    void setDueToRepeat(Condition& condition, WallMicros now);
    void setDueToSettle(Condition& condition, WallMicros now);
    void readCondition(JsonView json);
    void conditionIsDue(const std::string& key, WallMicros now);
    void clear(Conditions::iterator at, WallMicros now);
    Conditions::iterator erase(Conditions::iterator at);
    void askToTell(WallMicros now);
    void endSilence(WallMicros now);
    void setDuesAgain(WallMicros now);
    void tell(WallMicros now, std::vector<Message>& messages);
    std::map<std::string, std::int64_t> moreByState() const;
    void tellEnds(WallMicros now, std::vector<Message>& messages);
    Message messageOf(const Thing& first, std::int64_t count, WallMicros now) const;

    Rule rule_;
    Hours hours_;
    Conditions conditions_;
    std::set<std::pair<WallMicros, std::string>> dues_; ///< of conditions
    std::optional<Thing> gathered_;                     ///< of events: the first one
    std::int64_t gatheredCount_ = 0;
    std::map<std::string, std::int64_t> gatheredStates_; ///< how many of them ended how
    std::int64_t beyond_ = 0;                            ///< conditions for which there was no room
    WallMicros toldAt_ = 0;
    std::optional<WallMicros> tellAt_;
    std::optional<WallMicros> tellEndsAt_;
    WallMicros silencedUntil_ = 0;
};

} // namespace yard::alerts
