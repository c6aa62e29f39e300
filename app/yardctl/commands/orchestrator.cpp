// yardctl orchestrator: which objects are due, who looks at them, and at which nobody does.
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/object_view.h"
#include "core/base/clock.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

Outcome<int> orchestratorCommand(const Invocation& invocation) {
    auto answer = invocation.engine.get("orchestrator");
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        printOrchestrator(answer->object, wallNow());
    return 0;
}

} // namespace

Command orchestratorRow() {
    return {.name = "orchestrator",
            .usage = "",
            .summary = "which objects are due, and who looks at them",
            .details =
                "With the actors of each type, what they look at, and the objects that are due and that nobody "
                "looks at, with the reason.",
            .examples = "yardctl orchestrator",
            .options = {},
            .maxOperands = 0,
            .function = orchestratorCommand};
}

} // namespace yard::ctl
