#include "core/engine/allocators/pilot_book.h"

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

namespace yard::engine {

store::DocumentChange keep(const KeptPilot& pilot) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("allocator", pilot.allocator);
    writer.member("engine", pilot.engineId);
    if (!pilot.job.empty()) writer.member("job", pilot.job);
    writer.member("secret", pilot.secret.hex());
    if (pilot.key) writer.member("key", pilot.key->hex());
    writer.member("asked", pilot.asked);
    if (pilot.isUnwanted) writer.member("unwanted", true);
    writer.closeObject();
    return {.kind = std::string(kPilotKind), .name = pilot.id, .body = std::move(text)};
}

store::DocumentChange forgetPilot(std::string_view id) {
    return {.kind = std::string(kPilotKind), .name = std::string(id), .body = std::nullopt};
}

std::optional<KeptPilot> readPilot(const store::DocumentRow& row) {
    const auto tape = readJson(row.body);
    if (!tape || !tape->root().isObject()) return std::nullopt;
    KeptPilot pilot;
    pilot.id = row.name;
    std::optional<Hash256> secret;
    for (const JsonView member : tape->root()) {
        const bool isText = member.kind() == JsonKind::String;
        if (member.key() == "allocator" && isText) pilot.allocator = member.string();
        if (member.key() == "engine" && isText) pilot.engineId = member.string();
        if (member.key() == "job" && isText) pilot.job = member.string();
        if (member.key() == "secret" && isText) secret = Hash256::fromHex(member.string());
        if (member.key() == "key" && isText) pilot.key = Hash256::fromHex(member.string());
        if (member.key() == "unwanted" && member.kind() == JsonKind::Bool) pilot.isUnwanted = member.node().boolean;
        if (member.key() == "asked" && member.kind() == JsonKind::Integer) pilot.asked = member.node().integer;
    }
    if (!secret || pilot.allocator.empty()) return std::nullopt;
    pilot.secret = *secret;
    return pilot;
}

} // namespace yard::engine
