// What an engine answers when it is asked for timelines, in small, and a picture of it: for tests of what asks and of
// what shows it.
#pragma once

#include "ui/timeline/timeline_data.h"
#include "ui/timeline/timeline_json.h"

#include <QJsonArray>
#include <QJsonObject>

namespace yard::test {

using namespace ui::timeline;

inline constexpr WallMicros kNoon = 1'800'000'000'000'000;

inline QJsonObject barJson(qint64 lsn, const QString& state, WallMicros begin, WallMicros end,
                           const QString& label = {}) {
    QJsonObject bar{{"lsn", lsn},
                    {"n", 1},
                    {"state", state},
                    {"submitting", qint64{begin}},
                    {"running", qint64{begin + 1'000}}};
    if (end != 0) {
        bar["exited"] = qint64{end - 1'000};
        bar["end"] = qint64{end};
    }
    if (!label.isEmpty()) bar["label"] = label;
    return bar;
}

inline QJsonObject answer(Range range, const QJsonArray& bars, const QJsonObject& columns = {},
                          double step = 0.064) {
    const QJsonObject lane{{"slot", 1}, {"bars", bars}, {"columns", columns}};
    return {{"from", qint64{range.from}},
            {"to", qint64{range.to}},
            {"now", qint64{range.to}},
            {"resolution", step},
            {"workers",
             QJsonArray{QJsonObject{{"worker", "exec"}, {"worker_name", "exec"}, {"lanes", QJsonArray{lane}}}}}};
}

/// A minute of a slot: one that completed, one that failed, one that runs.
inline Picture demo() {
    const Range range{kNoon, kNoon + kMinute};
    const QJsonArray bars{barJson(7, "completed", kNoon + 5 * kSecond, kNoon + 15 * kSecond, "brick_worn"),
                          barJson(8, "failed", kNoon + 20 * kSecond, kNoon + 30 * kSecond, "foliage_wind"),
                          barJson(9, "running", kNoon + 50 * kSecond, 0, "frame 0311")};
    return pictureOf(answer(range, bars));
}

} // namespace yard::test
