#include "ui/shell/palette_sources.h"

#include "ui/bridge/shell_engine.h"
#include "ui/state/action_row.h"
#include "ui/style/format.h"

#include <QAction>
#include <QJsonArray>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace yard::ui {

PaletteEntry entryOf(QAction* action, const QString& id, const QString& where, const QString& yardctl) {
    PaletteEntry entry;
    entry.id = id;
    entry.title = action->text();
    entry.alias = action->property("alias").toString();
    entry.note = where;
    entry.keys = action->shortcut().toString(QKeySequence::NativeText);
    entry.yardctl = yardctl;
    entry.icon = action->property("icon").toString();
    if (!action->isEnabled()) {
        entry.blocked = blockedWhy(action);
        if (entry.blocked.isEmpty()) entry.blocked = QObject::tr("Not possible here now");
    }
    // It may go before it is pressed: with its page, or with the engine.
    entry.run = [action = QPointer<QAction>(action)] {
        if (action) action->trigger();
    };
    return entry;
}

std::vector<PaletteEntry> CommandSource::find(const PaletteQuery& query) {
    if (!query.admits(PaletteEntry::Kind::Command)) return {};
    return list_(!query.text.isEmpty());
}

std::optional<PaletteEntry> SearchSource::otherwise(const PaletteQuery& query) {
    const QString text = query.text.trimmed();
    if (query.only != PaletteQuery::Only::Everything || text.isEmpty()) return std::nullopt;
    PaletteEntry entry;
    entry.id = kId;
    entry.title = tr("Search actions for %1").arg(text);
    entry.icon = "search";
    entry.yardctl = context_.link.yardctl("yardctl ls " + shellWord(text));
    entry.run = [&navigator = context_.navigator, text] { navigator.show("actions", text); };
    return entry;
}

std::vector<PaletteEntry> NumberSource::find(const PaletteQuery& query) {
    const auto lsn = lsnIn(query.text);
    if (!lsn || !query.admits(PaletteEntry::Kind::Action)) return {};
    if (*lsn != known_) ask(*lsn);
    PaletteEntry entry;
    entry.kind = PaletteEntry::Kind::Action;
    entry.id = QStringLiteral("action/%1").arg(*lsn);
    entry.title = tr("Action %1").arg(Format().number(*lsn));
    entry.icon = "actions";
    entry.yardctl = context_.link.yardctl(QStringLiteral("yardctl show %1").arg(*lsn));
    if (*lsn == known_) {
        entry.note = note_;
        entry.face = face_;
        if (!face_) entry.blocked = note_;
    }
    entry.run = [&navigator = context_.navigator, lsn = *lsn] { navigator.showAction(lsn); };
    return {entry};
}

/// One request at a time; the number typed last is asked for then.
void NumberSource::ask(qint64 lsn) {
    if (asking_ != 0 || !context_.state.isLive()) return;
    asking_ = lsn;
    context_.link.send({"GET", QStringLiteral("jobs/%1").arg(lsn), {}, {}}, this, [this](const Answer& answer) {
        known_ = std::exchange(asking_, 0);
        face_.reset();
        note_ = answer.ok() ? QString() : answer.message;
        if (answer.ok()) {
            const ActionRow row = actionRowOf(answer.json);
            face_ = row.face;
            note_ = row.what();
        }
        emit changed();
    });
}

std::vector<PaletteEntry> QueueSource::find(const PaletteQuery& query) {
    std::vector<PaletteEntry> entries;
    if (!query.admits(PaletteEntry::Kind::Queue)) return entries;
    const Format format;
    for (const auto& [id, queue] : context_.state.queues()) {
        PaletteEntry entry;
        entry.kind = PaletteEntry::Kind::Queue;
        entry.id = QStringLiteral("queue/%1").arg(id);
        entry.title = queue.name();
        entry.alias = QStringLiteral("%1 %2").arg(tr("queue")).arg(id);
        entry.note = tr("Queue, %1 left, %2 failed")
                         .arg(format.number(queue.active), format.number(queue.of(DisplayState::Failed)));
        entry.icon = "queues";
        entry.yardctl = context_.link.yardctl(QStringLiteral("yardctl ls queue:%1").arg(id));
        entry.run = [&navigator = context_.navigator, id] { navigator.showThing("queues", id); };
        entries.push_back(std::move(entry));
    }
    return entries;
}

void WorkerSource::refresh() {
    if (!context_.state.isLive()) return;
    context_.link.send({"GET", "workers/all", {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return; // those of the last time stay
        workers_.clear();
        for (const QJsonValue value : answer.json.value("workers").toArray()) {
            const QJsonObject worker = value.toObject();
            workers_.push_back({worker.value("id").toString(), worker.value("name").toString(),
                                worker.value("version").toString()});
        }
        emit changed();
    });
}

PaletteEntry WorkerSource::laneEntry(const LanePlace& place, const Known* worker) const {
    PaletteEntry entry;
    entry.kind = PaletteEntry::Kind::Slot;
    QStringList parts;
    if (worker != nullptr) parts << worker->name;
    if (place.slot) parts << tr("slot %1").arg(*place.slot);
    if (place.at) parts << tr("at %1").arg(place.at->toString(place.at->second() > 0 ? "HH:mm:ss" : "HH:mm"));
    entry.title = parts.join(QStringLiteral(", "));
    entry.note = worker == nullptr || worker->version.isEmpty() ? tr("Timelines")
                                                                : tr("Timelines, version %1").arg(worker->version);
    entry.icon = "timelines";
    QStringList filter;
    if (place.slot)
        filter << QStringLiteral("lane:%1/%2").arg(worker == nullptr ? "" : worker->id).arg(*place.slot);
    if (place.at) filter << "at:" + place.at->toString("HH:mm:ss");
    if (!place.slot && worker != nullptr) filter << "worker:" + worker->id;
    entry.id = "lane/" + filter.join(' ');
    entry.run = [&navigator = context_.navigator, filter = filter.join(' ')] {
        navigator.show("timelines", filter);
    };
    return entry;
}

std::vector<PaletteEntry> WorkerSource::find(const PaletteQuery& query) {
    std::vector<PaletteEntry> entries;
    if (query.only != PaletteQuery::Only::Everything) return entries;
    // Programs without a worker of their own run as "exec".
    std::vector<Known> all = workers_;
    if (std::ranges::none_of(all, [](const Known& each) { return each.name == "exec"; }))
        all.push_back({"exec", "exec", {}});
    if (const auto place = lanePlaceIn(query.text, tr("slot"))) {
        if (place->worker.isEmpty()) entries.push_back(laneEntry(*place, nullptr));
        for (const Known& worker : all)
            if (!place->worker.isEmpty() && worker.name.contains(place->worker, Qt::CaseInsensitive))
                entries.push_back(laneEntry(*place, &worker));
    }
    for (const Known& worker : workers_) {
        PaletteEntry entry;
        entry.kind = PaletteEntry::Kind::Worker;
        entry.id = "worker/" + worker.id;
        entry.title = worker.name;
        entry.alias = tr("worker") + ' ' + worker.version;
        entry.note = tr("Worker, version %1").arg(worker.version.isEmpty() ? Format::unknown() : worker.version);
        entry.icon = "workers";
        entry.yardctl = context_.link.yardctl("yardctl workers show " + worker.id);
        entry.run = [&navigator = context_.navigator, name = worker.name] { navigator.show("workers", name); };
        entries.push_back(std::move(entry));
    }
    return entries;
}

void LockSource::refresh() {
    if (!context_.state.isLive()) return;
    context_.link.send({"GET", "locks", {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return;
        locks_.clear();
        for (const QJsonValue lock : answer.json.value("locks").toArray()) locks_.push_back(lock.toObject());
        emit changed();
    });
}

std::vector<PaletteEntry> LockSource::find(const PaletteQuery& query) {
    std::vector<PaletteEntry> entries;
    if (query.only != PaletteQuery::Only::Everything) return entries;
    const Format format;
    for (const QJsonObject& lock : locks_) {
        const QString name = lock.value("name").toString();
        const QJsonObject holder = lock.value("holder").toObject();
        const qint64 lsn = holder.value("lsn").toInteger();
        const auto line = static_cast<int>(lock.value("waiting").toArray().size());
        QStringList note;
        // Of another engine on this machine the number says nothing here.
        const bool ours = holder.value("engine") == context_.state.session().value("engine_id");
        if (holder.isEmpty())
            note << tr("held by nobody");
        else if (!ours)
            note << tr("held by another engine");
        else
            note << (lsn > 0 ? tr("held by %1").arg(format.number(lsn)) : tr("held by a warm process"));
        if (line > 0)
            note << (lock.value("more").toBool() ? tr("%n or more wait", nullptr, line)
                                                 : tr("%n wait", nullptr, line));
        PaletteEntry entry;
        entry.kind = PaletteEntry::Kind::Lock;
        entry.id = "lock/" + name;
        entry.title = name;
        entry.alias = tr("lock");
        entry.note = tr("Lock, %1").arg(note.join(QStringLiteral(", ")));
        entry.icon = "lock";
        entry.yardctl = context_.link.yardctl(QStringLiteral("yardctl locks"));
        // The line, and of it the one that holds the lock with its detail open.
        entry.run = [&navigator = context_.navigator, name, lsn = ours ? lsn : 0] {
            navigator.show("actions", "lock:" + filterQuoted(name) + " state:running,submitting,pending");
            if (lsn > 0) navigator.showAction(lsn);
        };
        entries.push_back(std::move(entry));
    }
    return entries;
}

} // namespace yard::ui
