#include "core/engine/allocators/pilot_book.h"

#include "core/json/document.h"
#include "core/json/lenient.h"

namespace yard::engine {

static_assert(kMaxJsonDocument == store::kMaxDocument, "what the journal takes is what is read again");

store::DocumentChange keep(const KeptPilot& pilot) {
    std::string text = writeDocument([&pilot](JsonWriter& writer) {
        writer.member("allocator", pilot.allocator);
        writer.member("engine", pilot.engineId);
        if (!pilot.job.empty()) writer.member("job", pilot.job);
        writer.member("secret", pilot.secret.hex());
        if (pilot.key) writer.member("key", pilot.key->hex());
        writer.member("asked", pilot.asked);
        if (pilot.isUnwanted) writer.member("unwanted", true);
    });
    return {.kind = std::string(kPilotKind), .name = pilot.id, .body = std::move(text)};
}

store::DocumentChange forgetPilot(std::string_view id) {
    return {.kind = std::string(kPilotKind), .name = std::string(id), .body = std::nullopt};
}

std::optional<KeptPilot> readPilot(const store::DocumentRow& row) {
    const auto tape = readDocument(row.body);
    if (!tape) return std::nullopt;
    KeptPilot pilot;
    pilot.id = row.name;
    std::optional<Hash256> secret;
    for (const JsonView member : tape->root()) {
        if (member.key() == "allocator") pilot.allocator = textOrEmpty(member);
        if (member.key() == "engine") pilot.engineId = textOrEmpty(member);
        if (member.key() == "job") pilot.job = textOrEmpty(member);
        if (member.key() == "secret") secret = Hash256::fromHex(textOrEmpty(member));
        if (member.key() == "key") pilot.key = Hash256::fromHex(textOrEmpty(member));
        if (member.key() == "asked") pilot.asked = integerOrZero(member);
        if (member.key() == "unwanted" && member.kind() == JsonKind::Bool) pilot.isUnwanted = member.node().boolean;
    }
    if (!secret || pilot.allocator.empty()) return std::nullopt;
    pilot.secret = *secret;
    return pilot;
}

} // namespace yard::engine
