// What the journal has of pilots: each is there before the other system hears of it, so that an engine that is started
// again knows what may run elsewhere.
//
// Values, and their documents (store::PutDocuments); any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <optional>
#include <string>
#include <string_view>

namespace yard::engine {

inline constexpr std::string_view kPilotKind = "pilot";

struct KeptPilot {
    std::string id;        ///< the document's name, and how the machine calls itself
    std::string allocator; ///< its name
    std::string engineId;  ///< of the engine that asked: what a backup brought is another's
    std::string job;       ///< empty: the answer of the start command is not known
    Hash256 secret;
    std::optional<Hash256> key; ///< that it comes back with
    WallMicros asked = 0;
    bool isUnwanted = false; ///< its machine was removed: it may not come back, and its job is to end
    friend bool operator==(const KeptPilot&, const KeptPilot&) = default;
};

store::DocumentChange keep(const KeptPilot& pilot);
store::DocumentChange forgetPilot(std::string_view id);
/// Nothing: it is damaged.
std::optional<KeptPilot> readPilot(const store::DocumentRow& row);

} // namespace yard::engine
