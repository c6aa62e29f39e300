#include "core/alerts/conditions.h"

#include "core/alerts/texts.h"
#include "core/json/lenient.h"
#include "core/json/utf8.h"

#include <algorithm>

namespace yard::alerts {

namespace {

Hours hoursOf(const Rule& rule) {
    return Hours::parse(rule.hours).value_or(Hours());
}

void writeThing(JsonWriter& writer, const Thing& thing) {
    writer.member("key", thing.key);
    writer.member("text", utf8Prefix(thing.text, RuleWatch::kMostKeptText));
    writer.member("since", thing.since);
    if (thing.lsn.value > 0) writer.member("lsn", thing.lsn.value);
    if (thing.queue) writer.member("queue", thing.queue->value);
}

/// Other members have no effect.
void readMemberOf(Thing& thing, JsonView member) {
    const std::string_view key = member.key();
    if (key == "key") thing.key = textOrEmpty(member);
    if (key == "text") thing.text = textOrEmpty(member);
    if (key == "since") thing.since = integerOrZero(member);
    if (key == "lsn") thing.lsn = Lsn(integerOrZero(member));
    if (key == "queue") thing.queue = QueueId(integerOrZero(member));
}

} // namespace

RuleWatch::RuleWatch(Rule rule)
    : rule_(std::move(rule))
    , hours_(hoursOf(rule_)) {}

bool RuleWatch::apply(Condition& condition, AlertEvent event, WallMicros now) const {
    const auto next = move(condition.state, event);
    if (!next) return false;
    condition.state = *next;
    condition.changedAt = now;
    return true;
}

void RuleWatch::setDue(Condition& condition, WallMicros at) {
    if (condition.due != 0) dues_.erase({condition.due, condition.thing.key});
    condition.due = at;
    if (at != 0) dues_.emplace(at, condition.thing.key);
}

/// For one that fires and was told: when it is told again.
void RuleWatch::setDueToRepeat(Condition& condition, WallMicros now) {
    const WallMicros at = std::max(now, condition.toldAt + secondsOf(rule_.repeatSeconds).count());
    setDue(condition, rule_.repeatSeconds > 0 ? at : 0);
}

/// For one that is resolved: when it is forgotten.
void RuleWatch::setDueToSettle(Condition& condition, WallMicros now) {
    const WallMicros pause = std::max<WallMicros>(secondsOf(rule_.quietSeconds).count(), 2 * kGather.count());
    setDue(condition, std::max(now, condition.changedAt + pause));
}

RuleWatch::Conditions::iterator RuleWatch::erase(Conditions::iterator at) {
    setDue(at->second, 0);
    return conditions_.erase(at);
}

// --- what comes

void RuleWatch::raise(Thing thing, Duration after, WallMicros now) {
    auto at = conditions_.find(thing.key);
    if (at == conditions_.end()) {
        if (conditions_.size() >= kMostConditions) {
            if (silencedUntil_ != 0) return;
            ++beyond_;
            return askToTell(now);
        }
        std::string key = thing.key;
        at = conditions_.emplace(std::move(key), Condition{.thing = {}}).first;
    } else if (at->second.holds) {
        return;
    }
    Condition& condition = at->second;
    setDue(condition, 0);
    condition.thing = std::move(thing);
    condition.holds = true;
    // Nobody had a message of its end yet: for them it never ended.
    condition.isTold = condition.isTold && condition.state == AlertState::Resolved && !condition.isEndTold;
    condition.isAgain = condition.isEndTold = false;
    if (condition.isTold) {
        apply(condition, AlertEvent::Raised, now);
        setDueToRepeat(condition, now);
        return;
    }
    apply(condition, AlertEvent::Settled, now); // its end was told: this is another time
    const WallMicros fires = condition.thing.since + after.count();
    if (fires <= now)
        fire(condition, now);
    else
        setDue(condition, fires);
}

void RuleWatch::fire(Condition& condition, WallMicros now) {
    setDue(condition, 0);
    if (silencedUntil_ != 0) {
        apply(condition, AlertEvent::Silenced, now);
        return;
    }
    apply(condition, AlertEvent::Raised, now);
    askToTell(now);
}

/// Things that were not told are forgotten: nobody has to hear of their end.
void RuleWatch::clear(Conditions::iterator at, WallMicros now) {
    Condition& condition = at->second;
    if (!condition.holds) return;
    condition.holds = false;
    if (condition.state == AlertState::Silenced) return;
    if (condition.state != AlertState::Firing || !condition.wasTold()) {
        erase(at);
        return;
    }
    apply(condition, AlertEvent::Cleared, now);
    setDueToSettle(condition, now);
    if (!tellEndsAt_) tellEndsAt_ = hours_.nextWithin(now + kGather.count());
}

void RuleWatch::clear(std::string_view key, WallMicros now) {
    if (const auto at = conditions_.find(key); at != conditions_.end()) clear(at, now);
}

bool RuleWatch::holds(std::string_view key) const {
    const auto at = conditions_.find(key);
    return at != conditions_.end() && at->second.holds;
}

std::vector<Thing> RuleWatch::held() const {
    std::vector<Thing> held;
    for (const auto& [key, condition] : conditions_)
        if (condition.holds) held.push_back(condition.thing);
    return held;
}

void RuleWatch::happened(Thing thing, WallMicros now) {
    if (silencedUntil_ != 0) return;
    ++gatheredCount_;
    if (!thing.state.empty()) ++gatheredStates_[thing.state];
    if (!gathered_) gathered_ = std::move(thing);
    askToTell(now);
}

// --- silence

void RuleWatch::silence(WallMicros until, WallMicros now) {
    if (until <= now) return endSilence(now);
    silencedUntil_ = until;
    gathered_.reset();
    gatheredStates_.clear();
    gatheredCount_ = beyond_ = 0;
    tellAt_.reset();
    tellEndsAt_.reset();
    for (auto& [key, condition] : conditions_) {
        if (condition.state == AlertState::Quiet) continue; // it has not held for long enough
        setDue(condition, 0);
        apply(condition, AlertEvent::Silenced, now);
    }
}

/// What was told before the silence is not told again.
void RuleWatch::endSilence(WallMicros now) {
    silencedUntil_ = 0;
    for (auto at = conditions_.begin(); at != conditions_.end();) {
        Condition& condition = at->second;
        if (condition.state != AlertState::Silenced) {
            ++at;
            continue;
        }
        apply(condition, condition.holds ? AlertEvent::SpokenHolds : AlertEvent::SpokenClear, now);
        if (!condition.holds) {
            at = erase(at);
            continue;
        }
        if (condition.isTold)
            setDueToRepeat(condition, now);
        else
            askToTell(now);
        ++at;
    }
}

// --- when

/// One message after the other is `quiet_s` apart. Of a clock that was set back the time before counts as now.
void RuleWatch::askToTell(WallMicros now) {
    if (tellAt_) return;
    WallMicros at = now + kGather.count();
    if (toldAt_ != 0) at = std::max(at, std::min(toldAt_, now) + secondsOf(rule_.quietSeconds).count());
    tellAt_ = hours_.nextWithin(at);
}

std::optional<WallMicros> RuleWatch::due() const {
    std::optional<WallMicros> first;
    const auto take = [&first](WallMicros at) { first = first ? std::min(*first, at) : at; };
    if (!dues_.empty()) take(dues_.begin()->first);
    if (tellAt_) take(*tellAt_);
    if (tellEndsAt_) take(*tellEndsAt_);
    if (silencedUntil_ != 0) take(silencedUntil_);
    return first;
}

void RuleWatch::conditionIsDue(const std::string& key, WallMicros now) {
    const auto at = conditions_.find(key);
    Condition& condition = at->second;
    setDue(condition, 0);
    switch (condition.state) {
    case AlertState::Quiet: fire(condition, now); break;
    case AlertState::Resolved:
        if (!condition.isEndTold && tellEndsAt_) { // out of its hours
            setDue(condition, std::max(*tellEndsAt_, now) + kGather.count());
            break;
        }
        apply(condition, AlertEvent::Settled, now);
        erase(at);
        break;
    case AlertState::Firing: // repeat_s is over
        condition.isTold = false;
        condition.isAgain = true;
        askToTell(now);
        break;
    case AlertState::Silenced: break;
    }
}

void RuleWatch::advance(WallMicros now, std::vector<Message>& messages) {
    if (silencedUntil_ != 0 && silencedUntil_ <= now) endSilence(now);
    if (tellEndsAt_ && *tellEndsAt_ <= now) {
        tellEndsAt_.reset();
        tellEnds(now, messages);
    }
    while (!dues_.empty() && dues_.begin()->first <= now) {
        const std::string key = dues_.begin()->second;
        conditionIsDue(key, now);
    }
    if (tellAt_ && *tellAt_ <= now) {
        tellAt_.reset();
        tell(now, messages);
    }
}

// --- what is told

Message RuleWatch::messageOf(const Thing& first, std::int64_t count, WallMicros now) const {
    return {.rule = rule_.name,
            .severity = rule_.severity,
            .t = now,
            .isResolved = false,
            .count = count,
            .text = first.text,
            .key = first.key,
            .lsn = first.lsn,
            .queue = first.queue};
}

void RuleWatch::tell(WallMicros now, std::vector<Message>& messages) {
    const Thing* first = gathered_ ? &*gathered_ : nullptr;
    std::int64_t count = gatheredCount_ + beyond_;
    bool isAgain = !gathered_;
    for (auto& [key, condition] : conditions_) {
        if (condition.state != AlertState::Firing || condition.isTold) continue;
        ++count;
        isAgain &= condition.isAgain;
        if (!first || condition.thing.since < first->since) first = &condition.thing;
        condition.isTold = true;
        condition.toldAt = now;
        setDueToRepeat(condition, now);
    }
    const Thing nothingKept{.key = {}, .text = "There is more than can be watched.", .since = now};
    if (!first && beyond_ > 0) first = &nothingKept;
    if (first) {
        Message message = messageOf(*first, count, now);
        message.text = withMore(std::move(message.text), count, isAgain, moreByState());
        messages.push_back(std::move(message));
        toldAt_ = now;
    }
    gathered_.reset();
    gatheredStates_.clear();
    gatheredCount_ = beyond_ = 0;
}

/// Of events that came with the first one; nothing where all ended alike.
std::map<std::string, std::int64_t> RuleWatch::moreByState() const {
    auto more = gatheredStates_;
    if (!gathered_ || more.size() < 2) return {};
    if (const auto own = more.find(gathered_->state); own != more.end() && --own->second == 0) more.erase(own);
    return more;
}

void RuleWatch::tellEnds(WallMicros now, std::vector<Message>& messages) {
    const Thing* first = nullptr;
    std::int64_t count = 0;
    for (auto& [key, condition] : conditions_) {
        if (condition.state != AlertState::Resolved || std::exchange(condition.isEndTold, true)) continue;
        ++count;
        if (!first || condition.thing.since < first->since) first = &condition.thing;
    }
    if (!first) return;
    Message message = messageOf(*first, count, now);
    message.isResolved = true;
    message.text = resolvedText(message.text, count);
    messages.push_back(std::move(message));
}

// --- as others see it

std::int64_t RuleWatch::firing() const {
    return std::ranges::count(conditions_, AlertState::Firing, [](const auto& each) { return each.second.state; });
}

AlertState RuleWatch::state() const {
    if (silencedUntil_ != 0) return AlertState::Silenced;
    AlertState state = gatheredCount_ > 0 ? AlertState::Firing : AlertState::Quiet;
    for (const auto& [key, condition] : conditions_) {
        if (condition.state == AlertState::Firing) return AlertState::Firing;
        if (condition.state == AlertState::Resolved && state == AlertState::Quiet) state = AlertState::Resolved;
    }
    return state;
}

WallMicros RuleWatch::since() const {
    const AlertState state = this->state();
    WallMicros since = 0;
    for (const auto& [key, condition] : conditions_)
        if (condition.state == state && (since == 0 || condition.changedAt < since)) since = condition.changedAt;
    return since;
}

RuleWatch RuleWatch::changedTo(Rule rule, WallMicros now) const {
    const bool isSame = rule.kind == rule_.kind && rule.filter == rule_.filter && rule.over == rule_.over &&
                        rule.forSeconds == rule_.forSeconds;
    RuleWatch next(std::move(rule));
    next.silencedUntil_ = silencedUntil_;
    if (!isSame) return next;
    next.conditions_ = conditions_;
    next.dues_ = dues_;
    next.gathered_ = gathered_;
    next.gatheredCount_ = gatheredCount_;
    next.gatheredStates_ = gatheredStates_;
    next.beyond_ = beyond_;
    next.toldAt_ = toldAt_;
    next.tellAt_ = tellAt_;
    next.tellEndsAt_ = tellEndsAt_;
    next.setDuesAgain(now);
    return next;
}

/// By quiet_s, hours and repeat_s as they are now. What has not fired waits for `for_s`, which is the same.
void RuleWatch::setDuesAgain(WallMicros now) {
    if (std::exchange(tellAt_, std::nullopt)) askToTell(now);
    if (tellEndsAt_) tellEndsAt_ = hours_.nextWithin(now + kGather.count());
    for (auto& [key, condition] : conditions_) {
        if (condition.state == AlertState::Firing && condition.isTold) setDueToRepeat(condition, now);
        if (condition.state == AlertState::Resolved) setDueToSettle(condition, now);
    }
}

void RuleWatch::writeKept(JsonWriter& writer) const {
    writer.member("silenced_until", silencedUntil_);
    writer.member("told_at", toldAt_);
    writer.key("conditions");
    writer.openArray();
    std::size_t count = 0;
    for (const auto& [key, condition] : conditions_) {
        if (!condition.holds || !condition.wasTold()) continue;
        if (++count > kMostKept) break;
        writer.openObject();
        writeThing(writer, condition.thing);
        writer.member("told_at", condition.toldAt);
        writer.closeObject();
    }
    writer.closeArray();
}

void RuleWatch::readKept(JsonView json) {
    for (const JsonView value : json) {
        if (value.key() == "silenced_until") silencedUntil_ = integerOrZero(value);
        if (value.key() == "told_at") toldAt_ = integerOrZero(value);
        if (value.key() != "conditions" || value.kind() != JsonKind::Array) continue;
        for (const JsonView one : value)
            if (one.isObject() && conditions_.size() < kMostConditions) readCondition(one);
    }
}

/// It was told, and held.
void RuleWatch::readCondition(JsonView json) {
    Condition condition{.thing = {}};
    for (const JsonView member : json) {
        readMemberOf(condition.thing, member);
        if (member.key() == "told_at") condition.toldAt = integerOrZero(member);
    }
    condition.state = silencedUntil_ != 0 ? AlertState::Silenced : AlertState::Firing;
    condition.isTold = true;
    condition.changedAt = condition.thing.since;
    std::string key = condition.thing.key;
    const auto [at, isNew] = conditions_.emplace(std::move(key), std::move(condition));
    // A time that is over is due at once.
    if (isNew && silencedUntil_ == 0) setDueToRepeat(at->second, 0);
}

} // namespace yard::alerts
