// A message on its way to a command or a webhook, and its JSON, as the journal and the API have it. Values; any thread.
#pragma once

#include "core/alerts/conditions.h"
#include "core/alerts/rule.h"
#include "core/base/clock.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard::engine {

struct Delivery {
    std::string id; ///< digits; increasing
    alerts::Target target;
    alerts::Message message;
    int tries = 0;       ///< that failed
    WallMicros next = 0; ///< when it is tried next
    std::string error;   ///< of the last try; empty: there was none
};

/// What became of the last message of a rule on one of its ways.
struct DeliveryResult {
    WallMicros t = 0;
    std::string to; ///< "command", or the host of a webhook
    bool isDone = false;
    std::string text; ///< one sentence
    Lsn lsn{};        ///< the action of a command
};

inline constexpr Duration kDeliveryLimit{10'000'000};
/// Between the first two tries, doubled up to the longest.
inline constexpr Duration kFirstPause{10'000'000};
inline constexpr Duration kLongestPause{3'600'000'000};
/// What cannot be delivered for so long is given up.
inline constexpr Duration kGiveUpAfter{7LL * 86'400'000'000};

/// After so many tries that failed.
Duration pauseAfter(int tries);

void writeMessage(JsonWriter& writer, const alerts::Message& message);
alerts::Message readMessage(JsonView json);
std::string writeDelivery(const Delivery& delivery);
/// Nothing: it is none.
std::optional<Delivery> readDelivery(std::string_view id, std::string_view json);
void writeDeliveryResult(JsonWriter& writer, const DeliveryResult& result);
DeliveryResult readDeliveryResult(JsonView json);

/// What a webhook is sent.
std::string hookBody(const Delivery& delivery);
/// What a command finds in the file that YARD_ALERT names.
std::string messageText(const alerts::Message& message);
/// One action that runs a command, as POST jobs takes it.
std::string commandAction(const Delivery& delivery, std::string_view file);
/// Who it goes to, without what must stay secret.
std::string recipientOf(const alerts::Target& target);

} // namespace yard::engine
