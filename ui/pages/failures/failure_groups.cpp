#include "ui/pages/failures/failure_groups.h"

#include "ui/style/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QJsonArray>

#include <algorithm>
#include <numeric>

namespace yard::ui {

namespace {

struct FailureGroupWords {
    Q_DECLARE_TR_FUNCTIONS(FailureGroups)
};

constexpr QLatin1String kLineMasks[] = {QLatin1String("<path>"), QLatin1String("#")};
constexpr int kWorkBegins = 8; ///< hour of a Monday

QStringList failureStrings(const QJsonValue& list) {
    QStringList all;
    for (const QJsonValue value : list.toArray()) all << value.toString();
    return all;
}

std::vector<qint64> failureNumbers(const QJsonValue& list) {
    std::vector<qint64> all;
    for (const QJsonValue value : list.toArray()) all.push_back(value.toInteger());
    return all;
}

} // namespace

qint64 FailureGroupInfo::row() const {
    // 63 bits of 64: those that are left are still as good as unique.
    return std::max<qint64>(1, static_cast<qint64>(id.toULongLong(nullptr, 16) >> 1));
}

qint64 FailureGroupsInfo::muted() const {
    return std::ranges::count_if(groups, &FailureGroupInfo::muted);
}

const FailureGroupInfo* FailureGroupsInfo::group(qint64 row) const {
    const auto found = std::ranges::find(groups, row, &FailureGroupInfo::row);
    return found == groups.end() ? nullptr : &*found;
}

FailureGroupInfo readFailureGroup(const QJsonObject& json) {
    FailureGroupInfo group;
    group.id = json.value("id").toString();
    group.line = json.value("line").toString();
    group.count = json.value("count").toInteger();
    group.first = json.value("first").toInteger();
    group.last = json.value("last").toInteger();
    group.queues = failureNumbers(json.value("queues"));
    group.workers = failureStrings(json.value("workers")).replaceInStrings("@", " ");
    group.machines = failureStrings(json.value("machines"));
    group.lsns = failureNumbers(json.value("lsns"));
    group.filter = json.value("filter").toString();
    group.muted = json.value("muted").toBool();
    group.mutedUntil = json.value("muted_until").toInteger();
    group.hours = failureNumbers(json.value("hours"));
    group.json = json;
    return group;
}

FailureGroupsInfo readFailureGroups(const QJsonObject& json) {
    FailureGroupsInfo all;
    all.total = json.value("total").toInteger();
    all.isExact = json.value("exact").toBool(true);
    for (const QJsonValue value : json.value("groups").toArray())
        all.groups.push_back(readFailureGroup(value.toObject()));
    return all;
}

QString firstAndMore(const QStringList& names) {
    if (names.isEmpty()) return Format::unknown();
    if (names.size() == 1) return names.front();
    return QStringLiteral("%1 +%2").arg(names.front(), Format().number(names.size() - 1));
}

QString hoursWords(const std::vector<qint64>& hours) {
    if (hours.empty()) return {};
    const Format format;
    return FailureGroupWords::tr("%1 in the last 24 hours, at most %2 in one of them")
        .arg(format.number(std::accumulate(hours.begin(), hours.end(), qint64{0})),
             format.number(std::ranges::max(hours)));
}

WallMicros endlessMute() {
    return QDateTime(QDate(9999, 1, 1), QTime(0, 0), Qt::UTC).toMSecsSinceEpoch() * 1'000;
}

WallMicros nextMonday(WallMicros now) {
    const QDateTime today = QDateTime::fromMSecsSinceEpoch(now / 1'000);
    QDate monday = today.date().addDays((8 - today.date().dayOfWeek()) % 7);
    QDateTime begins(monday, QTime(kWorkBegins, 0));
    if (begins <= today) begins = QDateTime(monday.addDays(7), QTime(kWorkBegins, 0));
    return begins.toMSecsSinceEpoch() * 1'000;
}

QString mutedWords(WallMicros until, WallMicros now) {
    if (until == 0) return {};
    if (until >= endlessMute()) return FailureGroupWords::tr("muted");
    return FailureGroupWords::tr("muted to %1").arg(Format().coming(until, now));
}

std::vector<LinePiece> piecesOfLine(const QString& line) {
    std::vector<LinePiece> pieces;
    const auto add = [&](QStringView text, bool isMask) {
        if (!text.isEmpty()) pieces.push_back({text.toString(), isMask});
    };
    qsizetype begin = 0;
    for (qsizetype at = 0; at < line.size();) {
        const auto mask = std::ranges::find_if(
            kLineMasks, [&](QLatin1String each) { return QStringView(line).mid(at).startsWith(each); });
        if (mask == std::end(kLineMasks)) {
            ++at;
            continue;
        }
        add(QStringView(line).mid(begin, at - begin), false);
        add(QStringView(line).mid(at, mask->size()), true);
        at += mask->size();
        begin = at;
    }
    add(QStringView(line).mid(begin), false);
    return pieces;
}

} // namespace yard::ui
