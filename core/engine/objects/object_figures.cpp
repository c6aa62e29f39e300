#include "core/engine/objects/object_figures.h"

#include <algorithm>

namespace yard::engine {

ObjectFigures objectFigures(const Objects& objects) {
    ObjectFigures figures;
    const OrchestratorView orchestrator = objects.orchestrator();
    for (const ObjectTypeView& type : objects.counts()) { // by name
        ObjectFigures::Type& of = figures.types.emplace_back();
        of.name = type.name;
        for (const store::StatusCount& status : type.counts)
            of.byStatus.emplace_back(status.status, static_cast<std::uint64_t>(status.count));
    }
    for (const OrchestratorView::Type& type : orchestrator.types) {
        const auto of = std::ranges::lower_bound(figures.types, type.name, {}, &ObjectFigures::Type::name);
        if (of == figures.types.end() || of->name != type.name) continue;
        of->due = type.due;
        of->actors = type.actors.size();
    }
    figures.orphans = orchestrator.orphanCount;
    figures.stuck = orchestrator.stuck;
    figures.effects = orchestrator.outbox;
    for (const lifecycle::HookFigures& hook : orchestrator.hooks)
        figures.hooks.push_back({.name = hook.name,
                                 .kind = hook.isPlugin ? "plugin" : "program",
                                 .runs = hook.runs,
                                 .failed = hook.failed,
                                 .dropped = hook.dropped});
    return figures;
}

} // namespace yard::engine
