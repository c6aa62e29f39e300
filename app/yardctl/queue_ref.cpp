#include "app/yardctl/queue_ref.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "core/model/queue.h"

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

} // namespace yard::ctl
