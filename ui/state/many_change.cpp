#include "ui/state/many_change.h"

#include <QCoreApplication>
#include <QJsonDocument>

namespace yard::ui {

namespace {

struct ManyWords {
    Q_DECLARE_TR_FUNCTIONS(ManyChange)
};

/// Fewer than these nobody wants to wait for.
constexpr qint64 kUndoableReschedules = 21;
constexpr qint64 kUndoableCancels = 2;
constexpr qint64 kAskedForGood = 1'001;

Request with(Request request, const QString& member, const QJsonValue& value) {
    QJsonObject body = QJsonDocument::fromJson(request.body).object();
    body.insert(member, value);
    request.body = jsonBody(body);
    return request;
}

} // namespace

ManyChange ManyChange::askedAbout(const QString& why) const {
    ManyChange asked = *this;
    asked.askedFrom = 1;
    asked.lost = why + ' ' + lost;
    return asked;
}

Operation ManyChange::of(qint64 count) const {
    Target target = which;
    target.count = count;
    Operation operation = make(target);
    if (target.lsns.empty()) operation.request = with(std::move(operation.request), "at_most", count);
    return operation;
}

Request ManyChange::count() const {
    return with(make(which).request, "dry_run", true);
}

ManyChange reschedulingOf(const Target& which) {
    return {.make = &operations::reschedule,
            .which = which,
            .lost = ManyWords::tr("They run again."),
            .undoableFrom = kUndoableReschedules};
}

ManyChange cancellingOf(const Target& which) {
    return {.make = &operations::cancel,
            .which = which,
            .lost = ManyWords::tr("Those that run are ended; this cannot be undone."),
            .undoableFrom = kUndoableCancels,
            .askedFrom = kAskedForGood};
}

ManyChange retiringOf(const Target& which) {
    return {.make = &operations::retire,
            .which = which,
            .lost = ManyWords::tr("Their results and their output are forgotten; this cannot be undone."),
            .undoableFrom = 1,
            .askedFrom = kAskedForGood};
}

ManyChange holdingOf(const Target& which) {
    return {.make = &operations::hold,
            .which = which,
            .lost = ManyWords::tr("They do not start until they are released.")};
}

ManyChange releasingOf(const Target& which) {
    return {.make = &operations::release, .which = which, .lost = ManyWords::tr("They start as soon as they can.")};
}

ManyChange priorityOf(const Target& which, int priority) {
    return {.make = [priority](const Target& target) { return operations::setPriority(target, priority); },
            .which = which,
            .lost = ManyWords::tr("Those with a higher priority start first.")};
}

ManyChange markingOf(const Target& which, Mark mark) {
    return {.make = [mark](const Target& target) { return operations::mark(target, mark); },
            .which = which,
            .lost = ManyWords::tr("Marks are for people: nothing starts earlier or later for them.")};
}

ManyChange movingOf(const Target& which, qint64 queue, const QString& name) {
    return {.make = [=](const Target& target) { return operations::moveTo(target, queue, name); },
            .which = which,
            .lost = ManyWords::tr("They wait for their turn in that queue.")};
}

} // namespace yard::ui
