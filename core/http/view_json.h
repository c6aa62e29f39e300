// The JSON of queues and of the session, as answers and events show them (docs/api.md, 4). Values; any thread.
#pragma once

#include "core/engine/engine.h"
#include "core/model/queue.h"

#include <string>

namespace yard {
class JsonWriter;
}

namespace yard::http {

/// At the end of `text`: the object of "Queue".
void appendJson(std::string& text, const QueueView& queue);
/// At the end of `text`: the object of GET session, and its "counts" alone.
void appendJson(std::string& text, const engine::SessionView& session);
void appendCounts(std::string& text, const engine::SessionView& session);
/// Members of an open object: the profile in force and its measures.
void writeCourtesyNow(JsonWriter& writer, const engine::CourtesyNow& now);

} // namespace yard::http
