#include "ui/style/format.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <array>
#include <cmath>

namespace yard::ui {

namespace {

// Files of translations hold these under "Format".
struct FormatWords {
    Q_DECLARE_TR_FUNCTIONS(Format)
};

QDateTime formatDateOf(WallMicros at, const QTimeZone& zone) {
    return QDateTime::fromMSecsSinceEpoch(at / 1000, zone);
}

} // namespace

bool turnsText(QChar c) {
    return (c.unicode() >= 0x202a && c.unicode() <= 0x202e) || (c.unicode() >= 0x2066 && c.unicode() <= 0x2069);
}

QString unturned(const QString& text) {
    if (std::none_of(text.begin(), text.end(), &turnsText)) return text;
    QString plain = text;
    for (QChar& c : plain)
        if (turnsText(c)) c = QChar(0xfffd);
    return plain;
}

int pluralCount(std::int64_t count) {
    return static_cast<int>(std::min<std::int64_t>(count, 1 << 30));
}

Format::Format(const QLocale& locale, const QTimeZone& zone)
    : locale_(locale)
    , zone_(zone) {}

QString Format::decimals(double value, int digits) const {
    return locale_.toString(value, 'f', digits);
}

QString Format::number(std::int64_t value) const {
    return locale_.toString(static_cast<qlonglong>(value));
}

QString Format::percent(std::int64_t part, std::int64_t whole) const {
    if (whole <= 0) return unknown();
    const QString unit = FormatWords::tr("%1 %");
    if (part <= 0) return unit.arg(number(0));
    if (part >= whole) return unit.arg(number(100));
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (share < 0.1) return FormatWords::tr("<%1 %").arg(decimals(0.1, 1));
    return unit.arg(decimals(std::min(std::floor(share * 10 + 0.5) / 10, 99.9), 1));
}

QString Format::duration(Duration time) const {
    using namespace std::chrono;
    const double seconds = std::max(0.0, static_cast<double>(time.count()) / 1e6);
    if (seconds == 0) return FormatWords::tr("%1 s").arg(number(0));
    // Two decimals of a second say nothing of what a warm process does.
    if (seconds < 0.001) return FormatWords::tr("<%1 ms").arg(number(1));
    if (seconds < 0.0095) return FormatWords::tr("%1 ms").arg(decimals(seconds * 1000, 0));
    // What would round up to a minute is one.
    if (seconds < 0.995) return FormatWords::tr("%1 s").arg(decimals(seconds, 2));
    if (seconds < 59.95) return FormatWords::tr("%1 s").arg(decimals(seconds, 1));
    const std::int64_t whole = std::llround(seconds);
    constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86'400;
    if (whole < kHour) return FormatWords::tr("%1 min %2 s").arg(number(whole / kMinute), number(whole % kMinute));
    if (whole < kDay)
        return FormatWords::tr("%1 h %2 min").arg(number(whole / kHour), number(whole % kHour / kMinute));
    return FormatWords::tr("%1 d %2 h").arg(number(whole / kDay), number(whole % kDay / kHour));
}

QString Format::size(std::int64_t bytes) const {
    static constexpr std::array kUnits{"%1 B", "%1 kB", "%1 MB", "%1 GB", "%1 TB"};
    auto value = static_cast<double>(std::max<std::int64_t>(bytes, 0));
    std::size_t unit = 0;
    // 999.5 would read as 1000.
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return QString::fromUtf8(kUnits[unit]).arg(decimals(value, digits));
}

QString Format::cores(double cores) const {
    return decimals(cores, cores >= 9.995 ? 1 : 2);
}

QString Format::time(WallMicros at, WallMicros now) const {
    const QDateTime when = formatDateOf(at, zone_);
    const QDateTime today = formatDateOf(now, zone_);
    const qint64 days = when.date().daysTo(today.date());
    if (days == 0) return locale_.toString(when.time(), QStringLiteral("HH:mm:ss"));
    if (days > 0 && days < 7) return locale_.toString(when, QStringLiteral("ddd HH:mm"));
    if (when.date().year() == today.date().year()) return locale_.toString(when, QStringLiteral("d MMM HH:mm"));
    return when.date().toString(Qt::ISODate);
}

QString Format::coming(WallMicros at, WallMicros now) const {
    const QDateTime when = formatDateOf(at, zone_);
    const QDateTime today = formatDateOf(now, zone_);
    const qint64 days = today.date().daysTo(when.date());
    if (days == 0) return locale_.toString(when.time(), QStringLiteral("HH:mm"));
    if (days > 0 && days < 7) return locale_.toString(when, QStringLiteral("ddd HH:mm"));
    return time(at, now);
}

QString Format::exactTime(WallMicros at, WallMicros now) const {
    const QDateTime when = formatDateOf(at, zone_);
    const QString exact =
        QStringLiteral("%1 %2 %3")
            .arg(when.date().toString(Qt::ISODate), when.time().toString(QStringLiteral("HH:mm:ss.zzz")),
                 when.timeZoneAbbreviation());
    if (at > now) return FormatWords::tr("%1, in %2").arg(exact, duration(Duration(at - now)));
    return FormatWords::tr("%1, %2 ago").arg(exact, duration(Duration(now - at)));
}

} // namespace yard::ui
