#include "core/http/allocator_json.h"

namespace yard::http {

void writeAllocatorRow(JsonWriter& writer, const engine::AllocatorView& allocator, bool withCommands) {
    writer.openObject();
    engine::writeAllocator(writer, allocator.definition, withCommands);
    writer.member("state", allocator.state);
    if (!allocator.reason.empty()) writer.member("reason", allocator.reason);
    if (allocator.until > 0) writer.member("until", allocator.until);
    writer.member("wanted", allocator.wanted);
    writer.member("decision", allocator.decision);
    writer.key("pilots");
    writer.openArray();
    for (const engine::AllocatorView::Pilot& pilot : allocator.pilots) {
        writer.openObject();
        if (!pilot.job.empty()) writer.member("job", pilot.job);
        writer.member("state", pilot.state);
        if (!pilot.machine.empty()) writer.member("machine", pilot.machine);
        if (pilot.since > 0) writer.member("since", pilot.since);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
}

std::string allocatorsJson(const std::vector<engine::AllocatorView>& allocators) {
    std::string text;
    JsonWriter writer(text);
    writer.openArray();
    for (const engine::AllocatorView& allocator : allocators) writeAllocatorRow(writer, allocator, false);
    writer.closeArray();
    return text;
}

} // namespace yard::http
