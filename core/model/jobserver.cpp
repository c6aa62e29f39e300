#include "core/model/jobserver.h"

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/model/json_fields.h"

namespace yard {

bool readJobserver(JsonFields& fields, JsonView v, Jobserver& out) {
    if (v.kind() == JsonKind::String && v.string() == "fifo") {
        out = Jobserver::Fifo;
        return true;
    }
    bool isOn = false;
    if (v.kind() != JsonKind::Bool) return fields.refuse({v.key()}, "true, false or \"fifo\"");
    if (!fields.boolean(v, {v.key()}, isOn)) return false;
    out = isOn ? Jobserver::Descriptors : Jobserver::None;
    return true;
}

void writeJobserver(JsonWriter& writer, Jobserver jobserver) {
    if (jobserver == Jobserver::Fifo) writer.member("jobserver", "fifo");
    if (jobserver == Jobserver::Descriptors) writer.member("jobserver", true);
}

} // namespace yard
