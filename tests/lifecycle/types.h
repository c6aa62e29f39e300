// Types of objects for tests.
#pragma once

#include "core/lifecycle/type_json.h"

#include <QtGlobal>

#include <string>

namespace yard::test {

/// The example of docs/objects.md, with the actor's members that are given.
inline std::string snapshotJson(const std::string& actor = R"("max_actors": 4, "max_per_key": 1)",
                                const std::string& more = R"("max_retries": 5, "backoff_s": 10)") {
    return R"({"name": "snapshot", "version": "3",
      "fields": {"url": {"type": "string", "required": true, "index": true}, "depth": {"type": "integer", "default": 0},
                 "persona": {"type": "string"}},
      "states": {"queued": {"initial": true, "kind": "wait"}, "started": {"kind": "work"},
                 "sealed": {"final": true, "kind": "done"}, "failed": {"final": true, "kind": "bad"}},
      "transitions": [{"from": "queued", "to": "started"}, {"from": "started", "to": "sealed"},
                      {"from": ["queued", "started"], "to": "failed"}, {"from": "started", "to": "started"}],
      "actor": {"worker": "archiver", "key": ["persona"], "max_tick_time_s": 60, )" +
           std::string(actor.contains("\"claims\"") ? "" : R"("claims": {"status": ["queued", "started"]}, )") +
           actor + "}, " + more + "}";
}

inline lifecycle::Type parsed(const std::string& json) {
    auto type = lifecycle::parseType(json);
    if (!type) qFatal("%s", type.error().message.c_str());
    return std::move(*type);
}

} // namespace yard::test
