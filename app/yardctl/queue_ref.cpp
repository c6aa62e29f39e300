#include "app/yardctl/queue_ref.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "core/base/hash.h"
#include "core/model/limits.h"
#include "core/model/queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace yard::ctl {

Outcome<std::vector<std::int64_t>> queuesTagged(Engine& engine, std::string_view tag) {
    auto answer = engine.get("queues");
    if (!answer) return failedWith(answer.error());
    std::vector<std::int64_t> found;
    if (const json::array* queues = arrayOf(answer->object, "queues"))
        for (const json::value& value : *queues)
            if (const json::object* queue = value.if_object(); queue && textOf(*queue, "tag") == tag)
                found.push_back(integerOf(*queue, "queue_id").value_or(0));
    return found;
}

Failure noQueueTagged(std::string_view tag) {
    // As what the engine says of a number.
    return {fmt::format("There is no queue '{}': 'yardctl queues' lists those there are.", printable(tag)),
            kExitFailed, errorName(ErrorKind::NotFound)};
}

Outcome<std::string> resolveQueue(Engine& engine, const std::string& ref) {
    if (ref.empty()) return usageError("the name of the queue is empty: give its number or its tag");
    if (parseQueueRef(ref)) return ref;
    const auto tagged = queuesTagged(engine, ref);
    if (!tagged) return std::unexpected(tagged.error());
    const std::vector<std::int64_t>& found = *tagged;
    if (found.empty()) return std::unexpected(noQueueTagged(ref));
    if (found.size() > 1)
        return failed(fmt::format("the queues {} all have the tag '{}': name one by its number",
                                  fmt::join(found, ", "), printable(ref)));
    return fmt::format("{}", found.front());
}

Outcome<void> resolveQueueOption(Engine& engine, Arguments& arguments) {
    const auto given = arguments.value("queue");
    if (!given) return {};
    auto ref = resolveQueue(engine, *given);
    if (!ref) return std::unexpected(ref.error());
    arguments.add("queue", std::move(*ref));
    return {};
}

namespace {

/// Of several that were made at the same moment all take the first.
Outcome<std::int64_t> poolQueue(Engine& engine, const std::string& tag, std::int64_t atOnce) {
    auto tagged = queuesTagged(engine, tag);
    if (!tagged) return std::unexpected(tagged.error());
    if (!tagged->empty()) return std::ranges::min(*tagged);
    constexpr std::int64_t kUnusedSeconds = 86'400;
    const json::object config{{"max_running", atOnce}, {"idle_expiry_s", kUnusedSeconds}};
    const json::object body{{"tag", tag}, {"config", config}};
    const auto made = engine.callPatiently(
        {.method = "POST", .path = "queues", .body = compactJson(body), .idempotencyKey = randomHex(16)});
    if (!made) return failedWith(made.error());
    const std::int64_t own = integerOf(made->object, "queue_id").value_or(0);
    tagged = queuesTagged(engine, tag);
    if (!tagged) return std::unexpected(tagged.error());
    const std::int64_t first = tagged->empty() ? own : std::ranges::min(*tagged);
    if (first != own) (void)engine.remove(fmt::format("queues/{}", own));
    return first;
}

} // namespace

Outcome<std::optional<std::int64_t>> poolSize(const Arguments& arguments) {
    const auto given = arguments.value("pool");
    if (!given) return std::nullopt;
    if (arguments.has("queue"))
        return usageError("--pool and --queue do not go together: a pool is a queue of its own");
    const auto atOnce = parseInteger(*given, "--pool");
    if (!atOnce) return std::unexpected(atOnce.error());
    if (*atOnce < 1 || *atOnce > kMaxRunning)
        return usageError(fmt::format("--pool wants a number from 1 to {}, not {}", kMaxRunning, *atOnce));
    return *atOnce;
}

Outcome<void> resolvePoolOption(Engine& engine, Arguments& arguments) {
    const auto atOnce = poolSize(arguments);
    if (!atOnce) return std::unexpected(atOnce.error());
    if (!*atOnce) return {};
    const auto queue = poolQueue(engine, fmt::format("pool {}", **atOnce), **atOnce);
    if (!queue) return std::unexpected(queue.error());
    arguments.add("queue", fmt::format("{}", *queue));
    return {};
}

} // namespace yard::ctl
