#include "ui/pages/actions/filter_source.h"

#include "core/model/states.h"
#include "ui/pages/actions/actions_model.h"

#include <QJsonArray>

#include <algorithm>

namespace yard::ui {

FilterSource::FilterSource(Context context, const ActionsModel& model, QObject* parent)
    : QObject(parent)
    , context_(context)
    , model_(model)
    , counts_(context.link) {
    connect(&counts_, &FilterCounts::changed, this, &FilterSource::changed);
}

FilterValues FilterSource::values() {
    askLocks();
    FilterValues values = model_.valuesSeen();
    using enum DisplayState;
    const EngineState& state = context_.state;
    const qint64 pending = state.count(Pending) + state.count(Held) + state.count(Retry);
    values["state"] = {{"pending", pending},
                       {"held", state.count(Held)},
                       {"retry", state.count(Retry)},
                       {"submitting", state.count(Submitting)},
                       {"running", state.count(Running)},
                       {"completed", state.count(Completed)},
                       {"failed", state.count(Failed)},
                       {"abandoned", state.count(Abandoned)},
                       {"cancelled", state.count(Cancelled)}};
    for (const auto& [id, queue] : state.queues())
        values["queue"].push_back({queue.tag.isEmpty() ? QString::number(id) : queue.tag, queue.total()});
    for (std::size_t i = 0; i < kReasons; ++i)
        if (const auto word = yard::name(Reason(i)); !word.empty())
            values["reason"].push_back({QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()))});
    QStringList locks(locks_.begin(), locks_.end());
    locks.sort(Qt::CaseInsensitive);
    for (const QString& lock : locks) values["lock"].push_back({lock});
    const QString own = state.machineName();
    if (!own.isEmpty()) values["machine"] = {{own}};
    for (const QString& machine : state.machineNames())
        if (!machine.isEmpty() && machine != own) values["machine"].push_back({machine});
    for (auto& [key, all] : values)
        for (FilterValue& value : all)
            if (value.count < 0) value.count = counts_.of(key, value.text);
    return values;
}

void FilterSource::onOffered(const QString& key, const QStringList& values) {
    if (key != "state" && key != "queue") counts_.want(key, values); // the counters tell of those
}

void FilterSource::askLocks() {
    if (!context_.state.isLive() || (asked_.isValid() && asked_.elapsed() < kLocksMs)) return;
    asked_.start();
    context_.link.send({"GET", "locks", {}, {}}, this, [this](const Answer& answer) {
        const auto before = locks_.size();
        for (const QJsonValue lock : answer.json.value("locks").toArray())
            if (const QString name = lock.toObject().value("name").toString();
                !name.isEmpty() && locks_.size() < kMostLocks)
                locks_.insert(name);
        if (locks_.size() != before) emit changed();
    });
}

} // namespace yard::ui
