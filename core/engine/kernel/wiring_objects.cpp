// Objects and their actors, given what they need of the others.
#include "core/engine/kernel/wiring_objects.h"

#include "core/engine/kernel/wires.h"
#include "core/sandbox/plan.h"
#include "core/session/resource_holds.h"

namespace yard::engine {

/// Programs run as registered workers do: in a sandbox, unless the engine or the folder's rules say otherwise.
Result<PlanPtr> ObjectWiring::sandboxOf(const HookFile& file, const std::string& directory, SlotId slot) const {
    if (!file.isSandboxed || !ground_.sandboxing->forWorkers()) return PlanPtr();
    if (auto may = ground_.sandboxing->checkWorker(); !may) return std::unexpected(std::move(may.error()));
    return std::make_shared<const sandbox::Plan>(sandbox::planForHook(
        directory, file.hasNetwork, ground_.sandboxing->policy(ground_.settings), sandbox::hostUserOf(slot.value)));
}

void ObjectWiring::open() {
    openHooks();
    openActors();
    openObjects();
}

void ObjectWiring::openHooks() {
    const std::string directory = ground_.hookFolder.directory;
    services_.hooks.emplace(Hooks::Parts{
        .folder = std::move(ground_.hookFolder),
        .plugins = std::move(ground_.plugins),
        .firstSlot = static_cast<std::uint32_t>(ground_.slotPlan.firstOfHooks()),
        .slots = static_cast<std::size_t>(ground_.slotPlan.hooks),
        .submit =
            [this](runners::Lease lease) {
                std::vector<runners::Lease> one;
                one.push_back(std::move(lease));
                services_.places->machine()->submit(std::move(one));
            },
        .acknowledge = [this](SlotId slot,
                              runners::AttemptId id) { services_.places->machine()->acknowledge(slot, id); },
        .sandboxOf = [this, directory](const HookFile& file,
                                       SlotId slot) { return sandboxOf(file, directory, slot); },
        .spawn = spawningOn(ground_.loop),
        .now = [this] { return ground_.loop.now(); },
        .readFolder =
            [this, directory] {
                const bool isGiven = !ground_.options.hooksDir.empty();
                return ground_.helpers->run(
                    [directory, isGiven] { return readHookFolder(directory, isGiven, true); });
            }});
}

void ObjectWiring::openActors() {
    services_.actors.emplace(ActorProcesses::Parts{
        .add =
            [this](const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                   const std::string& worker, std::vector<std::string> locks) {
                return services_.warm->addActor(id, std::move(descriptor), worker, std::move(locks));
            },
        .remove = [this](const std::string& id) { services_.warm->removeWorker(id); },
        .submit =
            [this](runners::Lease lease) {
                std::vector<runners::Lease> one;
                one.push_back(std::move(lease));
                services_.warm->submit(std::move(one));
                services_.pool->mayBeBusy();
            },
        .stop =
            [this](runners::AttemptId id) {
                services_.warm->end(id, runners::StopCause::Limit, Duration::zero());
            }});
}

void ObjectWiring::openObjects() {
    Objects::Reads reads{
        .object =
            [this](std::int64_t id) {
                return ground_.journal.ask([id](store::Reader& reader) { return reader.object(id); });
            },
        .page =
            [this](store::ObjectQuestion question) {
                return ground_.journal.ask(
                    [question = std::move(question)](store::Reader& reader) { return reader.objects(question); });
            },
        .history =
            [this](std::int64_t id) {
                return ground_.journal.ask([id](store::Reader& reader) { return reader.objectHistory(id); });
            },
        .action = [this](Lsn lsn) { return services_.rows->row(lsn); },
        .keptAnswer =
            [this](std::string key) {
                return ground_.journal.ask(
                    [key = std::move(key)](store::Reader& reader) { return reader.keptAnswer(key); });
            },
        .ahead =
            [this](std::vector<std::int64_t> ids, std::size_t mostBytes) {
                return ground_.journal.ask([ids = std::move(ids), mostBytes](store::Reader& reader) {
                    return reader.objectsOf(ids, mostBytes);
                });
            },
        .stays =
            [this](std::int64_t type, std::vector<std::string> statuses) {
                return ground_.journal.ask([type, statuses = std::move(statuses)](store::Reader& reader) {
                    return reader.objectStays(type, statuses);
                });
            }};
    services_.objects.emplace(Objects::Parts{
        .post = [this](store::Action action) { return services_.committer.begin(std::move(action)); },
        .reads = std::move(reads),
        .actors = *services_.actors,
        .worker = [this](std::string_view ref) { return services_.registry.find(ref); },
        .submit =
            [this](Submission submission) {
                return services_.intake->submit(std::move(submission), Duration::zero());
            },
        .everFits = [this](const Resources& need) { return services_.session->holds().everFits(need); },
        .spawn = spawningOn(ground_.loop),
        .areContained = [this] { return ground_.sandboxing->forWorkers(); },
        .now = [this] { return ground_.scale.at(MonoClock::now()); },
        .changed = [this](std::int64_t id) { services_.changes->noteObject(id); },
        .trouble =
            [this](ObjectTroubles::Kind what, const std::string& type, const std::string& text) {
                const auto kind =
                    what == ObjectTroubles::Kind::Stuck ? alerts::Kind::StuckObjects : alerts::Kind::Orphan;
                if (text.empty()) return services_.alerts->clear(kind, type);
                services_.alerts->raise(kind, {.key = type, .text = text, .since = wallNow()});
            },
        .hooks = &*services_.hooks});
}

} // namespace yard::engine
