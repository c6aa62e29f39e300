// Messages on their way: tried at once, then ever more seldom, until they are there.
#include "core/alerts/texts.h"
#include "core/alerts/url.h"
#include "core/base/log.h"
#include "core/engine/alerts/alerts.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

/// `next` 0: the journal has them not yet, and nobody tries them. For the desktop it is enough that they are kept.
void Alerts::addDeliveries(const std::vector<alerts::Message>& messages, store::PutDocuments& put) {
    for (const alerts::Message& message : messages) {
        for (const alerts::Target& target : book_.find(message.rule)->rule().then) {
            if (target.channel == alerts::Channel::Desktop) continue;
            if (outbox_.size() >= kMostDeliveries) {
                logWarning("engine", "alert {}: too many messages wait to be delivered, this one is given up: {}",
                           message.rule, message.text);
                continue;
            }
            // By the clock: no number is given again, whatever of the numbers before is kept.
            lastId_ = std::max(lastId_ + 1, parts_.now());
            Delivery delivery{
                .id = fmt::format("{:016}", lastId_), .target = target, .message = message, .error = {}};
            put.changes.push_back(
                {.kind = std::string(kOutboxKind), .name = delivery.id, .body = writeDelivery(delivery)});
            outbox_.emplace(delivery.id, std::move(delivery));
        }
    }
}

std::optional<WallMicros> Alerts::nextDelivery() const {
    std::optional<WallMicros> next;
    if (inFlight_.size() >= kAtOnce) return next; // the end of one of them comes first
    for (const auto& [id, delivery] : outbox_)
        if (!inFlight_.contains(id)) next = next ? std::min(*next, delivery.next) : delivery.next;
    return next;
}

void Alerts::startDeliveries() {
    const WallMicros now = parts_.now();
    for (const auto& [id, delivery] : outbox_) {
        if (inFlight_.size() >= kAtOnce) return;
        if (delivery.next > now || !inFlight_.insert(id).second) continue;
        parts_.spawn("alert delivery", deliver(id));
    }
}

coro::Task<void> Alerts::deliver(std::string id) {
    const Delivery delivery = outbox_.find(id)->second;
    auto done = co_await attempt(delivery);
    co_await settle(id, std::move(done));
    inFlight_.erase(id);
    work_.set();
}

coro::Task<Result<DeliveryResult>> Alerts::attempt(const Delivery& delivery) {
    DeliveryResult result{.t = 0, .to = recipientOf(delivery.target), .isDone = true, .text = {}};
    if (delivery.target.channel == alerts::Channel::Webhook) {
        auto url = alerts::parseUrl(delivery.target.webhook);
        if (!url) co_return std::unexpected(url.error());
        const auto status = co_await parts_.sendHook(*std::move(url), hookBody(delivery));
        if (!status) co_return std::unexpected(status.error());
        result.text = fmt::format("{} answered {}.", result.to, *status);
        co_return result;
    }
    Parts::Command command{.id = delivery.id,
                           .content = messageText(delivery.message),
                           .action = [delivery](const std::string& file) { return commandAction(delivery, file); },
                           .key = fmt::format("\nalert\n{}", delivery.id),
                           .queue = ownQueue_};
    const auto ran = co_await parts_.runCommand(std::move(command));
    if (!ran) co_return std::unexpected(ran.error());
    if (ran->queue != ownQueue_) co_await keepQueue(ran->queue);
    result.lsn = ran->lsn;
    result.text = fmt::format("Action {} runs the command.", ran->lsn.value);
    co_return result;
}

/// Others may have queues of the same tag.
coro::Task<void> Alerts::keepQueue(QueueId queue) {
    ownQueue_ = queue;
    store::PutDocuments put;
    put.changes.push_back({.kind = std::string(kQueueKind), .name = "own", .body = std::to_string(queue.value)});
    if (const auto written = co_await parts_.commit(std::move(put)); written.error)
        logWarning("engine", "the queue of alerts is not kept: {}", written.error->message);
}

/// What is done leaves the outbox; what is not is tried again, and given up after kGiveUpAfter.
coro::Task<void> Alerts::settle(const std::string& id, Result<DeliveryResult> done) {
    const auto at = outbox_.find(id);
    if (at == outbox_.end()) co_return;
    Delivery& delivery = at->second;
    const WallMicros now = parts_.now();
    const bool isGivenUp = !done && now - delivery.message.t >= kGiveUpAfter.count();
    const std::string rule = delivery.message.rule;
    store::PutDocuments put;
    const auto kept = kept_.find(rule);
    if (kept != kept_.end()) {
        DeliveryResult result =
            done ? *done
                 : DeliveryResult{
                       .t = now, .to = recipientOf(delivery.target), .isDone = false, .text = done.error().message};
        result.t = now;
        kept->second.lastCommand = result.lsn.value > 0 ? id : std::string();
        if (result.lsn.value > 0) commands_[result.lsn] = {.rule = rule, .id = id};
        kept->second.last = std::move(result);
        addState(rule, put);
    }
    if (!done) {
        ++delivery.tries;
        delivery.error = done.error().message;
        delivery.next = now + pauseAfter(delivery.tries).count();
        if (delivery.tries == 1) logWarning("engine", "alert {} is not delivered: {}", rule, delivery.error);
        if (isGivenUp) logWarning("engine", "alert {} is given up: {}", rule, delivery.error);
    }
    const bool isOver = done || isGivenUp;
    put.changes.push_back({.kind = std::string(kOutboxKind),
                           .name = id,
                           .body = isOver ? std::nullopt : std::optional(writeDelivery(delivery))});
    // What the journal does not take now another engine delivers again: at least once.
    if (const auto written = co_await parts_.commit(std::move(put)); written.error)
        logWarning("engine", "what became of an alert is not kept: {}", written.error->message);
    if (isOver) outbox_.erase(id);
    parts_.changed();
}

/// In the queue of commands: the end of a command is the result of its rule, and no rule looks at it.
void Alerts::commandEnded(Lsn lsn, const alerts::Shape& shape) {
    const auto at = commands_.find(lsn);
    if (at == commands_.end()) return;
    const RunningCommand command = at->second;
    commands_.erase(at);
    parts_.forgetCommand(command.id);
    const auto kept = kept_.find(command.rule);
    if (kept == kept_.end() || !kept->second.last || kept->second.last->lsn != lsn) return;
    DeliveryResult& last = *kept->second.last;
    last.t = parts_.now();
    last.isDone = shape.state == ActionState::Completed;
    last.text = alerts::commandText(lsn, shape.state, shape.reason);
    kept->second.lastCommand.clear();
    touched_.insert(command.rule);
    work_.set();
    parts_.changed();
}

} // namespace yard::engine
