// A type of objects for tests of the window: four states, of which one is reached by a way back and one by force alone.
#pragma once

#include <QJsonArray>
#include <QJsonObject>

namespace yard::test {

inline QJsonObject snapshotType() {
    const QJsonObject queued{{"initial", true}, {"kind", "wait"}};
    const QJsonObject sealed{{"final", true}, {"kind", "done"}};
    const QJsonObject failed{{"final", true}, {"kind", "bad"}};
    return {{"name", "snapshot"},
            {"version", "3"},
            {"fields", QJsonObject{{"url", QJsonObject{{"type", "string"}, {"required", true}}},
                                   {"depth", QJsonObject{{"type", "integer"}}},
                                   {"deep", QJsonObject{{"type", "boolean"}}}}},
            {"states", QJsonObject{{"queued", queued},
                                   {"started", QJsonObject{{"kind", "work"}}},
                                   {"sealed", sealed},
                                   {"failed", failed}}},
            {"transitions", QJsonArray{QJsonObject{{"from", "queued"}, {"to", "started"}},
                                       QJsonObject{{"from", "started"}, {"to", "sealed"}},
                                       QJsonObject{{"from", "started"}, {"to", "started"}},
                                       QJsonObject{{"from", QJsonArray{"queued", "started"}}, {"to", "failed"}},
                                       QJsonObject{{"from", "started"}, {"to", "queued"}}}},
            {"actor", QJsonObject{{"worker", "archiver"}, {"max_actors", 4}, {"max_tick_time_s", 60}}},
            {"max_retries", 5}};
}

/// As GET types tells it.
inline QJsonObject snapshotTypes() {
    const QJsonObject counts{{"queued", 412}, {"started", 96}, {"sealed", 12'846}, {"failed", 31}};
    return {{"types", QJsonArray{QJsonObject{{"name", "snapshot"}, {"type", snapshotType()}, {"counts", counts}}}}};
}

} // namespace yard::test
