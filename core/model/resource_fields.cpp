#include "core/model/resource_fields.h"

#include "core/model/given_resources.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard {

bool readNamedResource(JsonFields& fields, JsonView amount, Resources& resources) {
    const FieldPath at{.member = "resources", .inner = amount.key()};
    if (amount.key() == kGpuMemory) return fields.integer(amount, at, 0, kMaxMemoryMb, resources.gpuMemoryMb);
    if (amount.key() == kTerminals)
        return fields.refuseWith(at, "Remove \"terminals\" of \"resources\": an action with \"tty\" takes one.");
    if (!isPlainName(amount.key()))
        return fields.refuseWith(at, fmt::format("Rename the resource {} in \"resources\": a letter, then letters, "
                                                 "digits, \".\", \"_\" or \"-\", at most 64.",
                                                 quoted(amount.key())));
    std::int64_t thousandths = 0;
    if (!fields.thousandths(amount, at, 0, kMaxNamedAmount, thousandths)) return false;
    if (thousandths > 0) resources.named.emplace_back(amount.key(), thousandths); // 0 is not asking for it
    return true;
}

bool finishResources(JsonFields& fields, Resources& resources) {
    std::ranges::sort(resources.named);
    return resources.gpuMemoryMb == 0 || resources.amountOf(kGpus) > 0 ||
           fields.refuseWith({.member = "resources", .inner = kGpuMemory},
                             "Add \"gpus\" to \"resources\": \"gpu_memory_mb\" is memory of each of them.");
}

} // namespace yard
