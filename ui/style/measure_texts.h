// What is measured of attempts, in words: heading, label and help of core/model/measures.h, so that they can be
// translated. Written by ./dev papers; a test holds it against the table. Ui thread.
#pragma once

#include "core/model/measures.h"
#include "ui/style/format.h"

#include <QCoreApplication>
#include <QString>

#include <string_view>

namespace yard::ui {

// clang-format off
inline constexpr const char* kMeasureTexts[] = {
    QT_TRANSLATE_NOOP("Measure", "CPU"),
    QT_TRANSLATE_NOOP("Measure", "processor"),
    QT_TRANSLATE_NOOP("Measure", "processor time of all its processes"),
    QT_TRANSLATE_NOOP("Measure", "Memory"),
    QT_TRANSLATE_NOOP("Measure", "memory"),
    QT_TRANSLATE_NOOP("Measure", "most memory of its processes at once"),
    QT_TRANSLATE_NOOP("Measure", "I/O"),
    QT_TRANSLATE_NOOP("Measure", "disk"),
    QT_TRANSLATE_NOOP("Measure", "what its processes read from disks and wrote to them"),
};
// clang-format on

inline QString measureText(std::string_view english) {
    return QCoreApplication::translate("Measure", std::string(english).c_str());
}
/// "3.2 s", "20 MB".
inline QString measured(const Format& format, const MeasureInfo& info, std::int64_t value) {
    return info.unit == MeasureUnit::Microseconds ? format.duration(Duration(value))
                                                  : format.size(static_cast<qint64>(value));
}

} // namespace yard::ui
