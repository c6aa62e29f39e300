#include "core/engine/state/change_log.h"

#include "core/coro/timeout.h"
#include "core/session/live_views.h"

#include <utility>

namespace yard::engine {

void ChangeLog::keep() {
    YARD_ASSERT_OWNER(owner_);
    used_ = parts_.now();
    if (feed_.isOpen()) return;
    feed_.open();
    parts_.session.setChangeSink([this](const session::Change& change) { noteAction(change); });
    parts_.spawn("change feed", dropUnused());
}

coro::Task<void> ChangeLog::dropUnused() {
    while (parts_.now() - used_ < kKeptFor) co_await coro::sleepFor(kKeptFor);
    parts_.session.setChangeSink({});
    feed_.close();
}

coro::Task<void> ChangeLog::beyond(std::uint64_t seen) {
    while (feed_.last() <= seen) co_await feed_.changed().wait();
}

coro::Task<std::uint64_t> ChangeLog::after(std::uint64_t seen) {
    keep();
    co_await coro::within(kLongestWait, beyond(seen));
    co_return feed_.last();
}

void ChangeLog::noteAction(const session::Change& change) {
    ChangeEntry entry{
        .lsn = change.lsn, .queue = change.queue, .cls = change.cls.value, .label = change.label.value};
    entry.state = change.state;
    if (change.end) {
        entry.kind = ChangeEntry::Kind::Ended;
        entry.reason = change.end->reason;
        entry.hasExitCode = change.end->exitCode.has_value();
        entry.exitCode = change.end->exitCode.value_or(0);
    }
    feed_.note(entry);
}

void ChangeLog::noteRow(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    const auto live = parts_.session.views().live(lsn);
    if (!live) return;
    feed_.note({.lsn = lsn,
                .queue = live->queue,
                .cls = live->cls.value,
                .label = live->label.value,
                .kind = ChangeEntry::Kind::Action,
                .state = live->state});
}

void ChangeLog::noteRetired(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    feed_.note({.lsn = lsn, .queue = {}, .kind = ChangeEntry::Kind::Retired});
}

void ChangeLog::noteAnnotated(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    feed_.note({.lsn = lsn, .queue = {}, .kind = ChangeEntry::Kind::Annotated});
}

void ChangeLog::noteReplaced(Lsn lsn) {
    if (parts_.session.views().live(lsn)) return noteRow(lsn);
    noteRetired(lsn); // who shows it looks whether it is there, and finds it changed
}

void ChangeLog::note(ChangeEntry::Kind kind, QueueId queue) {
    YARD_ASSERT_OWNER(owner_);
    feed_.note({.lsn = {}, .queue = queue, .kind = kind});
}

void ChangeLog::noteObject(std::int64_t id) {
    YARD_ASSERT_OWNER(owner_);
    ChangeEntry entry;
    entry.kind = ChangeEntry::Kind::Object;
    entry.lsn = Lsn(id);
    feed_.note(entry);
}

void ChangeLog::noteWritable(bool writable) {
    if (std::exchange(toldWritable_, writable) != writable) note(ChangeEntry::Kind::Session);
}

} // namespace yard::engine
