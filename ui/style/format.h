// How numbers, spans, times and sizes read: by locale, never shortened, unknown is a
// dash. The numbers themselves never claim more than is known: a percentage short of 100 does not read 100. Values;
// ui thread.
#pragma once

#include "core/base/clock.h"

#include <QLocale>
#include <QString>
#include <QTimeZone>
#include <cstdint>
#include <optional>

namespace yard::ui {

/// A mark that turns the direction of what follows: with it a text reads as another one than it is.
bool turnsText(QChar c);
/// Each such mark as U+FFFD.
QString unturned(const QString& text);

/// A count as the number of a translation's plural, for "%Ln".
int pluralCount(std::int64_t count);

class Format {
public:
    explicit Format(const QLocale& locale = QLocale(), const QTimeZone& zone = QTimeZone::systemTimeZone());

    static QString unknown() { return QStringLiteral("–"); }

    QString number(std::int64_t value) const; ///< grouped
    /// One decimal: "<0.1 %" and "99.9 %" for what is not nothing and not all. Unknown when `whole` is 0.
    QString percent(std::int64_t part, std::int64_t whole) const;
    /// 0.09 s, 8.4 s, 6 min 12 s, 1 h 54 min, 2 d 4 h: two units at most. Negative reads as 0.
    QString duration(Duration time) const;
    QString duration(std::optional<Duration> time) const { return time ? duration(*time) : unknown(); }
    /// Decimal units, three figures: 999 B, 1.20 GB, 18.2 GB.
    QString size(std::int64_t bytes) const;
    /// One decimal from 10 up, two below.
    QString cores(double cores) const;
    /// 09:45:31 today, Fri 03:12 within the last six days, 12 Nov 03:12 this year, else 2025-11-12.
    QString time(WallMicros at, WallMicros now) const;
    /// Of what is to come, without seconds: 16:30 today, Mon 08:00 within the next six days, 12 Nov 03:12 this year, else
    /// 2027-11-12.
    QString coming(WallMicros at, WallMicros now) const;
    /// With milliseconds, zone, and how long ago: for tooltips.
    QString exactTime(WallMicros at, WallMicros now) const;

private:
    QString decimals(double value, int digits) const;
    QLocale locale_;
    QTimeZone zone_;
};

} // namespace yard::ui
