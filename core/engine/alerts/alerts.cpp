// Rules as documents, and what people ask of them.
#include "core/engine/alerts/alerts.h"

#include "core/base/log.h"
#include "core/json/document.h"
#include "core/json/lenient.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace yard::engine {

namespace {

std::unexpected<Error> noAlert(std::string_view name) {
    return fail(ErrorKind::NotFound, fmt::format("There is no alert \"{}\".", name));
}

std::string ruleText(const alerts::Rule& rule) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    alerts::writeRule(writer, rule);
    writer.closeObject();
    return text;
}

/// Of digits that this program wrote; 0 where they are none.
std::int64_t numberIn(std::string_view digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

/// Made where nobody ever made one. A queue of single actions finishes with each of them: once a minute is enough.
constexpr std::array<std::string_view, 6> kFirstRules = {
    R"({"name":"queue-finished","on":{"kind":"queue_finished"},"then":[{"desktop":true}],"quiet_s":60,"severity":"info"})",
    R"({"name":"failures","on":{"kind":"failures","over":3},"then":[{"desktop":true}]})",
    R"({"name":"disk","on":{"kind":"disk","over":95},"then":[{"desktop":true}],"severity":"critical"})",
    R"({"name":"silent-action","on":{"kind":"silence"},"then":[{"desktop":true}]})",
    R"({"name":"machine-lost","on":{"kind":"machine"},"then":[{"desktop":true}],"severity":"critical"})",
    R"({"name":"gpu-lost","on":{"kind":"gpu_lost"},"then":[{"desktop":true}],"severity":"critical"})"};

} // namespace

Alerts::Alerts(Parts parts)
    : parts_(std::move(parts))
    , book_({.rowOf = parts_.rowOf, .queueNames = parts_.queueNames})
    , rehearsal_(parts_.history) {}

// --- what is there

void Alerts::restore(std::span<const store::DocumentRow> documents) {
    isFirst_ = true;
    for (const store::DocumentRow& row : documents) {
        if (row.kind == kMadeKind) isFirst_ = false;
        if (row.kind != kKind) continue;
        auto rule = alerts::readRule(row.body, {});
        if (rule && book_.put(*std::move(rule), parts_.now()))
            kept_.try_emplace(row.name);
        else
            logWarning("engine", "alert {} cannot be read, and is left out", row.name);
    }
    for (const store::DocumentRow& row : documents) {
        if (row.kind == kStateKind) readState(row.name, row.body);
        if (row.kind == kQueueKind) ownQueue_ = QueueId(numberIn(row.body));
        if (row.kind == kOutboxKind) readOutbox(row.name, row.body);
        // What has ended just before the engine did may have been its last.
        if (row.kind == QueueTallies::kKind)
            if (const auto queue = tallies_.restore(row.name, row.body)) queuesToLook_.insert(*queue);
    }
    forgetTallies();
    std::ranges::sort(fired_, {}, &alerts::Message::t);
    while (fired_.size() > kMostFired) fired_.pop_front();
    lookAtHeld();
    work_.set();
}

void Alerts::readOutbox(const std::string& id, std::string_view json) {
    lastId_ = std::max(lastId_, numberIn(id));
    auto delivery = readDelivery(id, json);
    if (!delivery) return;
    delivery->next = std::max<WallMicros>(delivery->next, 1); // 0: the journal has it not
    outbox_.emplace(id, *std::move(delivery));
}

void Alerts::readState(const std::string& name, std::string_view json) {
    const auto at = kept_.find(name);
    const auto tape = readDocument(json);
    if (at == kept_.end() || !tape) return;
    Kept& kept = at->second;
    book_.readKept(name, tape->root(), parts_.now());
    for (const JsonView value : tape->root()) {
        if (value.key() == "last") kept.last = readDeliveryResult(value);
        if (value.key() == "command") kept.lastCommand = textOrEmpty(value);
        if (value.key() != "messages" || value.kind() != JsonKind::Array) continue;
        for (const JsonView one : value) kept.messages.push_back(readMessage(one));
        while (kept.messages.size() > kMostKept) kept.messages.pop_front();
    }
    for (const alerts::Message& message : kept.messages) fired_.push_back(message);
    if (kept.last && !kept.lastCommand.empty()) commands_[kept.last->lsn] = {.rule = name, .id = kept.lastCommand};
}

store::DocumentChange Alerts::stateChange(const std::string& name) const {
    const Kept& kept = kept_.find(name)->second;
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    book_.find(name)->writeKept(writer);
    if (kept.last) {
        writer.key("last");
        writeDeliveryResult(writer, *kept.last);
    }
    if (!kept.lastCommand.empty()) writer.member("command", kept.lastCommand);
    writer.key("messages");
    writer.openArray();
    for (const alerts::Message& message : kept.messages) writeMessage(writer, message);
    writer.closeArray();
    writer.closeObject();
    return {.kind = std::string(kStateKind), .name = name, .body = std::move(text)};
}

AlertView Alerts::viewOf(const std::string& name, std::size_t messages) const {
    const alerts::RuleWatch& watch = *book_.find(name);
    const Kept& kept = kept_.find(name)->second;
    AlertView view{.rule = watch.rule(),
                   .state = watch.state(),
                   .since = watch.since(),
                   .silencedUntil = watch.silencedUntil(),
                   .firing = watch.firing()};
    view.last = kept.last;
    for (const auto& [id, delivery] : outbox_) {
        if (delivery.message.rule != name) continue;
        ++view.waiting;
        if (!delivery.error.empty()) view.waitingError = delivery.error;
    }
    const std::size_t count = std::min(messages, kept.messages.size());
    view.messages.assign(kept.messages.rbegin(), kept.messages.rbegin() + static_cast<std::ptrdiff_t>(count));
    return view;
}

Result<AlertView> Alerts::get(std::string name) const {
    YARD_ASSERT_OWNER(owner_);
    if (!kept_.contains(name)) return noAlert(name);
    return viewOf(name, kMostKept);
}

AlertList Alerts::list() const {
    YARD_ASSERT_OWNER(owner_);
    AlertList list;
    for (const auto& [name, kept] : kept_) list.rules.push_back(viewOf(name, 1));
    list.fired.assign(fired_.rbegin(), fired_.rend());
    return list;
}

coro::Task<Result<RehearsalAnswer>> Alerts::test(std::string json) {
    return rehearsal_.run(std::move(json));
}

// --- what people change

coro::Task<Result<AlertView>> Alerts::create(std::string json) {
    YARD_ASSERT_OWNER(owner_);
    auto rule = alerts::readRule(json, {});
    if (!rule) co_return std::unexpected(rule.error());
    const auto guard = co_await mutex_.lock();
    if (kept_.contains(rule->name))
        co_return fail(
            ErrorKind::WrongState,
            fmt::format("There is an alert \"{}\" already: change it, or take another name.", rule->name));
    if (kept_.size() >= alerts::kMostRules)
        co_return fail(
            ErrorKind::AtLimit,
            fmt::format("There are {} alerts, and no more can be kept: remove one first.", alerts::kMostRules));
    co_return co_await keep(*std::move(rule));
}

coro::Task<Result<AlertView>> Alerts::change(std::string name, std::string json) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    const alerts::RuleWatch* watch = book_.find(name);
    if (!watch) co_return noAlert(name);
    auto rule = alerts::readRule(json, watch->rule());
    if (!rule) co_return std::unexpected(rule.error());
    if (rule->name != name)
        co_return invalid("name", "An alert keeps its name. Make another one, and remove this one.");
    co_return co_await keep(*std::move(rule));
}

/// The journal first.
coro::Task<Result<AlertView>> Alerts::keep(alerts::Rule rule) {
    const std::string name = rule.name;
    store::PutDocuments put;
    put.changes.push_back({.kind = std::string(kKind), .name = name, .body = ruleText(rule)});
    // A removed alert of this name may have written its state after it was removed.
    if (!kept_.contains(name))
        put.changes.push_back({.kind = std::string(kStateKind), .name = name, .body = std::nullopt});
    store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(std::move(*done.error));
    if (auto good = book_.put(std::move(rule), parts_.now()); !good) co_return std::unexpected(good.error());
    kept_.try_emplace(name);
    forgetTallies();
    parts_.changed();
    parts_.tellOthers();
    workCame();
    work_.set();
    co_return viewOf(name, kMostKept);
}

/// While no rule wants them nothing is counted, so what was counted before would be told with a gap.
void Alerts::forgetTallies() {
    if (!book_.watches(alerts::Kind::QueueFinished)) tallies_.forget(parts_.now());
}

coro::Task<Result<void>> Alerts::remove(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    if (!kept_.contains(name)) co_return noAlert(name);
    store::PutDocuments put;
    for (const std::string_view kind : {kKind, kStateKind})
        put.changes.push_back({.kind = std::string(kind), .name = name, .body = std::nullopt});
    store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(std::move(*done.error));
    book_.remove(name);
    kept_.erase(name);
    touched_.erase(name);
    std::erase_if(fired_, [&](const alerts::Message& message) { return message.rule == name; });
    forgetTallies();
    work_.set();
    parts_.changed();
    co_return Result<void>();
}

coro::Task<Result<AlertView>> Alerts::silence(std::string name, double seconds) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    if (!kept_.contains(name)) co_return noAlert(name);
    if (!(seconds >= 0 && seconds <= alerts::kMostSeconds))
        co_return invalid("s", "Give \"s\" as seconds, up to 366 days; 0 ends the silence.");
    const WallMicros now = parts_.now();
    book_.silence(name, now + static_cast<WallMicros>(seconds * 1e6), now);
    store::PutDocuments put;
    put.changes.push_back(stateChange(name));
    store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) {
        book_.silence(name, now, now);
        co_return std::unexpected(std::move(*done.error));
    }
    parts_.changed();
    work_.set();
    co_return viewOf(name, kMostKept);
}

/// With a mark that they were made: who removes them does not find them again.
coro::Task<void> Alerts::makeFirst() {
    const auto guard = co_await mutex_.lock();
    store::PutDocuments put;
    std::vector<alerts::Rule> rules;
    put.changes.push_back({.kind = std::string(kMadeKind), .name = "first", .body = "{}"});
    for (const std::string_view json : kFirstRules) {
        auto rule = alerts::readRule(json, {});
        if (!rule || kept_.contains(rule->name)) continue;
        put.changes.push_back({.kind = std::string(kKind), .name = rule->name, .body = ruleText(*rule)});
        rules.push_back(*std::move(rule));
    }
    const auto done = co_await parts_.commit(std::move(put));
    if (done.error) {
        logWarning("engine", "the first alerts are not made: {}", done.error->message);
        co_return;
    }
    isFirst_ = false;
    for (alerts::Rule& rule : rules) {
        kept_.try_emplace(rule.name);
        (void)book_.put(std::move(rule), parts_.now());
    }
}

} // namespace yard::engine
