#include "core/alerts/book.h"

#include "core/alerts/texts.h"
#include "core/model/action_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::alerts {

namespace {

std::string keyOf(Lsn lsn) {
    return fmt::format("action {}", lsn.value);
}

std::string keyOf(QueueId queue) {
    return fmt::format("queue {}", queue.value);
}

bool isOfEnds(Kind kind) {
    return kind == Kind::Failures || kind == Kind::FailureRate || kind == Kind::ActionFinished;
}

/// Of the one condition of a rule by rate.
constexpr std::string_view kRateKey = "rate";
constexpr std::string_view kMachineKey = "machine ";

/// For filters by name: of a schedule, an object, a kind of work.
ActionResult named(std::string_view name) {
    ActionResult row;
    row.label = name;
    return row;
}

WallMicros stepOf(const Rule& rule) {
    return std::max<WallMicros>(secondsOf(rule.forSeconds).count() / 60, 1);
}

} // namespace

std::size_t Book::ShapeHash::operator()(const Shape& shape) const {
    const auto ends = static_cast<std::uint64_t>(std::to_underlying(shape.state)) << 8 |
                      static_cast<std::uint64_t>(std::to_underlying(shape.reason));
    std::uint64_t hash = static_cast<std::uint64_t>(shape.queue.value) * 0x9e37'79b9'7f4a'7c15ULL;
    hash = (hash ^ shape.cls ^ (static_cast<std::uint64_t>(shape.label) << 32)) * 0xff51'afd7'ed55'8ccdULL;
    hash = (hash ^ (hash >> 32) ^ ends) * 0xc4ce'b9fe'1a85'ec53ULL;
    return hash ^ (hash >> 29);
}

// --- rules

Result<void> Book::put(Rule rule, WallMicros now) {
    auto filter = splitFilter(rule, now);
    if (!filter) return std::unexpected(filter.error());
    const std::string name = rule.name;
    const auto at = entries_.find(name);
    if (at == entries_.end()) {
        auto entry =
            std::make_unique<Entry>(Entry{.watch = RuleWatch(std::move(rule)), .filter = *std::move(filter)});
        entries_.emplace(name, std::move(entry));
    } else {
        Entry& entry = *at->second;
        const bool isSame = entry.watch.rule().kind == rule.kind && entry.watch.rule().filter == rule.filter;
        entry.watch = entry.watch.changedTo(std::move(rule), now);
        entry.filter = *std::move(filter);
        if (!isSame) entry.series.clear();
        entry.rate = {};
        entry.rateDue = 0;
        touch(entry);
    }
    sortByKind();
    return {};
}

void Book::sortByKind() {
    interests_.clear();
    for (auto& entries : byKind_) entries.clear();
    for (const auto& [name, entry] : entries_)
        byKind_[std::to_underlying(entry->watch.rule().kind)].push_back(entry.get());
}

void Book::remove(std::string_view name) {
    const auto at = entries_.find(name);
    if (at == entries_.end()) return;
    if (at->second->due != 0) dues_.erase({at->second->due, at->first});
    touched_.erase(at->first);
    entries_.erase(at);
    sortByKind();
}

const RuleWatch* Book::find(std::string_view name) const {
    const auto at = entries_.find(name);
    return at == entries_.end() ? nullptr : &at->second->watch;
}

void Book::readKept(std::string_view name, JsonView json, WallMicros now) {
    const auto at = entries_.find(name);
    if (at == entries_.end() || !json.isObject()) return;
    Entry& entry = *at->second;
    entry.watch.readKept(json);
    // Of what ended before nothing is known: the next end decides, or the time that the rule looks back to.
    if (entry.watch.holds(kRateKey)) entry.rateDue = now + secondsOf(entry.watch.rule().forSeconds).count();
    touch(entry);
}

void Book::silence(std::string_view name, WallMicros until, WallMicros now) {
    const auto at = entries_.find(name);
    if (at == entries_.end()) return;
    at->second->watch.silence(until, now);
    touch(*at->second);
}

std::vector<Thing> Book::held(Kind kind) const {
    std::vector<Thing> held;
    for (const Entry* entry : byKind_[std::to_underlying(kind)])
        for (Thing& thing : entry->watch.held()) held.push_back(std::move(thing));
    return held;
}

std::optional<double> Book::leastWait(Kind kind) const {
    std::optional<double> least;
    for (const Entry* entry : byKind_[std::to_underlying(kind)]) {
        const double wait = entry->watch.rule().waitSeconds();
        least = std::min(least.value_or(wait), wait);
    }
    return least;
}

/// After each change of an entry: the time when it is due may be another one.
void Book::touch(Entry& entry) {
    const std::string& name = entry.watch.rule().name;
    WallMicros due = entry.watch.due().value_or(0);
    if (entry.rateDue != 0) due = due == 0 ? entry.rateDue : std::min(due, entry.rateDue);
    if (due == entry.due) return;
    if (entry.due != 0) dues_.erase({entry.due, name});
    if (due != 0) dues_.emplace(due, name);
    entry.due = due;
}

// --- ends of actions

const Book::Interest& Book::interestIn(const Shape& shape) {
    if (const auto known = interests_.find(shape); known != interests_.end()) return known->second;
    if (interests_.size() >= kMostShapes) interests_.clear();
    Interest& interest = interests_[shape];
    const ActionResult row = facts_.rowOf(shape);
    const auto names = facts_.queueNames(shape.queue);
    interest.what = actionName(row);
    for (const auto& [name, entry] : entries_) {
        if (!isOfEnds(entry->watch.rule().kind) || !entry->filter.sure.matches(row, 0, names)) continue;
        (entry->filter.rest.empty() ? interest.sure : interest.unsure).push_back(entry.get());
    }
    return interest;
}

Book::Wants Book::wants(const Shape& shape) {
    const Interest& interest = interestIn(shape);
    if (!interest.unsure.empty()) return Wants::Row;
    return interest.sure.empty() ? Wants::Nothing : Wants::End;
}

void Book::ended(Lsn lsn, const Shape& shape, const ActionResult* row, WallMicros now) {
    const Interest& interest = interestIn(shape);
    const std::string what = row ? actionName(*row) : interest.what;
    for (Entry* const entry : interest.sure) take(*entry, lsn, shape, what, now);
    if (!row) return;
    for (Entry* const entry : interest.unsure)
        if (entry->filter.rest.matches(*row, now)) take(*entry, lsn, shape, what, now);
}

void Book::take(Entry& entry, Lsn lsn, const Shape& shape, const std::string& what, WallMicros now) {
    switch (entry.watch.rule().kind) {
    case Kind::ActionFinished:
        entry.watch.happened({.key = keyOf(lsn),
                              .text = endText(lsn, what, shape.state, shape.reason),
                              .since = now,
                              .lsn = lsn,
                              .queue = shape.queue,
                              .state = std::string(yard::name(shape.state))},
                             now);
        break;
    case Kind::Failures: takeOfSeries(entry, lsn, shape, what, now); break;
    case Kind::FailureRate: takeOfRate(entry, isFailure(shape.state), now); break;
    default: return;
    }
    touch(entry);
}

/// What was cancelled says nothing.
void Book::takeOfSeries(Entry& entry, Lsn lsn, const Shape& shape, const std::string& what, WallMicros now) {
    if (shape.state == ActionState::Completed) {
        if (const auto at = entry.series.find(shape.queue.value); at != entry.series.end()) entry.series.erase(at);
        if (!entry.watch.isEmpty()) entry.watch.clear(keyOf(shape.queue), now);
        return;
    }
    if (!isFailure(shape.state)) return;
    if (entry.series.size() >= kMostQueues) entry.series.clear();
    const std::int64_t count = ++entry.series[shape.queue.value].failed;
    if (static_cast<double>(count) < entry.watch.rule().over) return;
    std::string key = keyOf(shape.queue);
    if (entry.watch.holds(key)) return;
    entry.watch.raise({.key = std::move(key),
                       .text = failuresText(count, queueWords(shape.queue), lsn, what, shape.reason),
                       .since = now,
                       .lsn = lsn,
                       .queue = shape.queue},
                      secondsOf(entry.watch.rule().forSeconds), now);
}

void Book::takeOfRate(Entry& entry, bool isFailed, WallMicros now) {
    const std::int64_t number = now / stepOf(entry.watch.rule());
    Rate::Step& step = entry.rate.steps[static_cast<std::size_t>(number) % Rate::kSteps];
    if (step.number != number) step = {.number = number};
    ++step.ended;
    if (isFailed) ++step.failed;
    judgeRate(entry, now);
}

/// While it fires it is looked at with each step, as what failed may be too long ago.
void Book::judgeRate(Entry& entry, WallMicros now) {
    const Rule& rule = entry.watch.rule();
    const WallMicros width = stepOf(rule);
    std::int64_t ended = 0;
    std::int64_t failed = 0;
    for (const Rate::Step& step : entry.rate.steps) {
        if (step.number <= now / width - static_cast<std::int64_t>(Rate::kSteps) || step.number > now / width)
            continue;
        ended += step.ended;
        failed += step.failed;
    }
    const bool isOver =
        ended >= kLeastEnds && static_cast<double>(failed) * 100 >= rule.over * static_cast<double>(ended);
    if (isOver)
        entry.watch.raise(
            {.key = std::string(kRateKey), .text = rateText(failed, ended, rule.forSeconds), .since = now}, {},
            now);
    else
        entry.watch.clear(kRateKey, now);
    entry.rateDue = isOver ? (now / width + 1) * width : 0;
}

// --- what else there is

std::string Book::queueWords(QueueId queue) const {
    const auto names = facts_.queueNames(queue);
    return queueText(queue, names.empty() ? std::string_view() : names.front());
}

void Book::each(Kind kind, const std::function<void(Entry&)>& act) {
    for (Entry* const entry : byKind_[std::to_underlying(kind)]) {
        act(*entry);
        touch(*entry);
    }
}

void Book::each(Kind kind, const ActionResult& row, WallMicros now, const std::function<void(Entry&)>& act) {
    if (!watches(kind)) return;
    const auto names = facts_.queueNames(row.queue);
    each(kind, [&](Entry& entry) {
        if (entry.filter.matches(row, now, names)) act(entry);
    });
}

void Book::silent(const ActionResult& row, WallMicros since, WallMicros now) {
    each(Kind::Silence, row, now, [&](Entry& entry) {
        const Duration wait = secondsOf(entry.watch.rule().waitSeconds());
        // The sentence is as old as the message that has it: it says how long the rule waited.
        const WallMicros told = std::max(now, since + wait.count());
        entry.watch.raise({.key = keyOf(row.lsn),
                           .text = silenceText(row.lsn, actionName(row), since, told),
                           .since = since,
                           .lsn = row.lsn,
                           .queue = row.queue},
                          wait, now);
    });
}

void Book::getsOn(Lsn lsn, WallMicros now) {
    if (!watches(Kind::Silence)) return;
    each(Kind::Silence, [&](Entry& entry) {
        if (!entry.watch.isEmpty()) entry.watch.clear(keyOf(lsn), now);
    });
}

void Book::queueFinished(QueueId queue, std::int64_t ends, std::int64_t failed, WallMicros now) {
    ActionResult row;
    row.queue = queue;
    each(Kind::QueueFinished, row, now, [&](Entry& entry) {
        if (static_cast<double>(ends) < entry.watch.rule().over) return;
        entry.watch.happened({.key = keyOf(queue),
                              .text = finishedText(queueWords(queue), ends, failed),
                              .since = now,
                              .lsn = {},
                              .queue = queue},
                             now);
    });
}

void Book::queueWaits(QueueId queue, std::optional<WallMicros> since, WallMicros now) {
    ActionResult row;
    row.queue = queue;
    each(Kind::QueueAge, row, now, [&](Entry& entry) {
        const Duration wait = secondsOf(entry.watch.rule().waitSeconds());
        if (!since || now - *since < wait.count()) return entry.watch.clear(keyOf(queue), now);
        entry.watch.raise({.key = keyOf(queue),
                           .text = ageText(queueWords(queue), inSeconds(Duration(now - *since))),
                           .since = *since,
                           .lsn = {},
                           .queue = queue},
                          wait, now);
    });
}

void Book::queueGone(QueueId queue, WallMicros now) {
    each(Kind::Failures, [&](Entry& entry) {
        entry.series.erase(queue.value);
        entry.watch.clear(keyOf(queue), now);
    });
    clear(Kind::QueueAge, keyOf(queue), now);
}

void Book::sample(Kind kind, double percent, WallMicros now) {
    const std::string_view key = kindWord(kind);
    each(kind, [&](Entry& entry) {
        if (percent < entry.watch.rule().over) return entry.watch.clear(key, now);
        entry.watch.raise({.key = std::string(key),
                           .text = kind == Kind::Disk ? diskText(100 - percent) : memoryText(percent),
                           .since = now},
                          secondsOf(entry.watch.rule().forSeconds), now);
    });
}

void Book::machine(std::string_view name, bool isLost, WallMicros now) {
    ActionResult row;
    row.machine = name;
    const std::string key = fmt::format("{}{}", kMachineKey, name);
    each(Kind::Machine, row, now, [&](Entry& entry) {
        if (!isLost) return entry.watch.clear(key, now);
        entry.watch.raise({.key = key, .text = machineText(name), .since = now},
                          secondsOf(entry.watch.rule().forSeconds), now);
    });
}

void Book::machines(const std::set<std::string>& lost, WallMicros now) {
    for (const Thing& thing : held(Kind::Machine)) {
        const std::string name = thing.key.substr(kMachineKey.size());
        if (!lost.contains(name)) machine(name, false, now);
    }
    for (const std::string& name : lost) machine(name, true, now);
}

void Book::raise(Kind kind, Thing thing, WallMicros now) {
    each(kind, named(thing.key), now,
         [&](Entry& entry) { entry.watch.raise(thing, secondsOf(entry.watch.rule().forSeconds), now); });
}

void Book::clear(Kind kind, std::string_view key, WallMicros now) {
    each(kind, [&](Entry& entry) { entry.watch.clear(key, now); });
}

void Book::happened(Kind kind, const Thing& thing, WallMicros now) {
    each(kind, named(thing.key), now, [&](Entry& entry) { entry.watch.happened(thing, now); });
}

// --- messages

std::optional<WallMicros> Book::wakeAt() const {
    if (dues_.empty()) return std::nullopt;
    return dues_.begin()->first;
}

std::vector<Message> Book::advance(WallMicros now) {
    std::vector<Message> messages;
    while (!dues_.empty() && dues_.begin()->first <= now) {
        Entry& entry = *entries_.find(dues_.begin()->second)->second;
        if (entry.rateDue != 0 && entry.rateDue <= now) judgeRate(entry, now);
        const std::size_t told = messages.size();
        const WallMicros silenced = entry.watch.silencedUntil();
        entry.watch.advance(now, messages);
        if (messages.size() > told || entry.watch.silencedUntil() != silenced)
            touched_.insert(entry.watch.rule().name);
        touch(entry);
    }
    return messages;
}

} // namespace yard::alerts
