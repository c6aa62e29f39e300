#include "ui/timeline/chrome_trace.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace yard::ui::timeline {

namespace {

QString word(DisplayState face) {
    const auto text = name(face);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

class Trace {
public:
    explicit Trace(const Picture& picture)
        : picture_(picture) {}

    QByteArray write() {
        int process = 0;
        for (const Group& group : picture_.groups) {
            ++process;
            meta("process_name", process, 0, group.name);
            for (const auto& [slot, lane] : group.lanes) {
                meta("thread_name", process, slot, QStringLiteral("slot %1").arg(slot));
                for (const Item& item : lane.items())
                    item.isStep ? addStep(process, slot, item) : addBar(process, slot, item);
            }
        }
        return QJsonDocument(QJsonObject{{"displayTimeUnit", "ms"}, {"traceEvents", events_}})
            .toJson(QJsonDocument::Compact);
    }

private:
    void meta(const char* what, int process, std::uint32_t thread, const QString& name) {
        events_.append(QJsonObject{{"ph", "M"},
                                   {"name", what},
                                   {"pid", process},
                                   {"tid", static_cast<qint64>(thread)},
                                   {"args", QJsonObject{{"name", name}}}});
    }

    void addStep(int process, std::uint32_t slot, const Item& item) {
        QJsonObject event = base("i", process, slot, item.begin);
        event["s"] = "t";
        event["name"] = QStringLiteral("%1 short actions").arg(item.count);
        event["cat"] = word(item.face);
        event["args"] = QJsonObject{{"count", static_cast<qint64>(item.count)}, {"worst_lsn", item.lsn}};
        events_.append(event);
    }

    void addBar(int process, std::uint32_t slot, const Item& item) {
        const QString& label = (*picture_.names)[item.name];
        const QJsonObject args{
            {"lsn", item.lsn}, {"attempt", static_cast<qint64>(item.attempt)}, {"state", word(item.face)}};
        add(process, slot, label.isEmpty() ? QString::number(item.lsn) : label, word(item.face), item.begin,
            item.end, args);
        if (item.running == 0) return;
        add(process, slot, QStringLiteral("preparing"), QStringLiteral("phase"), item.begin, item.running, {});
        add(process, slot, QStringLiteral("running"), QStringLiteral("phase"), item.running,
            item.exited > 0 ? item.exited : item.end, {});
        if (item.exited > 0)
            add(process, slot, QStringLiteral("collecting"), QStringLiteral("phase"), item.exited, item.end, {});
    }

    /// `end` of 0: begun only.
    void add(int process, std::uint32_t slot, const QString& name, const QString& category, WallMicros begin,
             WallMicros end, const QJsonObject& args) {
        QJsonObject event = base(end == 0 ? "B" : "X", process, slot, begin);
        if (end != 0) event["dur"] = qint64{end - begin};
        event["name"] = name;
        event["cat"] = category;
        if (!args.isEmpty()) event["args"] = args;
        events_.append(event);
    }

    static QJsonObject base(const char* phase, int process, std::uint32_t slot, WallMicros at) {
        return {{"ph", phase}, {"pid", process}, {"tid", static_cast<qint64>(slot)}, {"ts", qint64{at}}};
    }

    const Picture& picture_;
    QJsonArray events_;
};

} // namespace

QByteArray chromeTrace(const Picture& picture) {
    return Trace(picture).write();
}

} // namespace yard::ui::timeline
