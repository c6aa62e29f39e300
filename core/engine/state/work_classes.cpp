#include "core/engine/state/work_classes.h"

#include "core/model/worker.h"
#include "core/session/resource_holds.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {
namespace {

std::unexpected<Error> broken(std::string_view what, std::uint32_t number) {
    return fail(ErrorKind::Journal,
                fmt::format("The journal's {} {} cannot be read. Move journal.sqlite aside to begin with an empty "
                            "one, or restore it from a backup.",
                            what, number));
}

} // namespace

Result<void> WorkClasses::restore(const std::vector<store::LabelEntry>& labels,
                                  const std::vector<store::ClassEntry>& classes) {
    YARD_ASSERT_OWNER(owner_);
    for (const store::LabelEntry& label : labels)
        if (!dictionary_.restoreLabel(label.number, label.text)) return broken("label", label.number);
    for (const store::ClassEntry& entry : classes) {
        const auto key = ClassKey::parse(entry.text);
        if (!key || entry.number == 0) return broken("class", entry.number);
        const auto before = static_cast<std::uint32_t>(dictionary_.classCount());
        if (!dictionary_.restoreClass(entry.number - 1, *key)) return broken("class", entry.number);
        for (std::uint32_t id = before; id < dictionary_.classCount(); ++id) define(id);
    }
    return {};
}

InternTable::Interned WorkClasses::intern(const ClassKey& key) {
    YARD_ASSERT_OWNER(owner_);
    const InternTable::Interned cls = dictionary_.internClass(key);
    if (cls.isNew) define(cls.id);
    return cls;
}

ClassKey WorkClasses::withMemory(ClassKey key, std::int64_t memoryMb) {
    if (gateOf(key.workerId)) return key;
    ClassKey changed = key;
    changed.resources.memoryMb = memoryMb;
    return session_.everFits(session::ClassId{intern(changed).id}) ? changed : key;
}

void WorkClasses::define(std::uint32_t cls) {
    const ClassKey& key = dictionary_.classKey(cls);
    std::vector<session::LockId> locks;
    for (const std::string& name : key.locks) locks.emplace_back(dictionary_.internLock(name));
    session::Where where = whereOf(key);
    where.longest = longestOf(cls);
    session_.defineClass(session::ClassId{cls}, key.resources, std::move(locks), gateOf(key.workerId),
                         key.retryLimits, where);
}

Duration WorkClasses::longestOf(std::uint32_t cls) const {
    const std::int64_t deadline = dictionary_.classKey(cls).longestS;
    const auto usual = usual_.find(cls);
    return std::chrono::seconds(usual == usual_.end() ? deadline : std::min(deadline, usual->second));
}

void WorkClasses::usually(session::ClassId cls, Duration time) {
    YARD_ASSERT_OWNER(owner_);
    if (cls.value >= dictionary_.classCount() || dictionary_.classKey(cls.value).longestS == 0) return;
    const std::int64_t twice = longestFor(2 * time);
    const Duration before = longestOf(cls.value);
    usual_.insert_or_assign(cls.value, twice);
    if (longestOf(cls.value) != before) define(cls.value);
}

/// A registered worker runs where its files were built for, unless the action says a platform itself.
session::Where WorkClasses::whereOf(const ClassKey& key) const {
    session::Where where{.machines = key.machines, .platform = key.platform, .isWorker = !key.isExec()};
    if (key.isExec() && where.machines.empty()) where.machines.emplace_back("local");
    if (std::ranges::find(where.machines, "any") != where.machines.end()) where.machines.clear();
    // What a link cannot carry stays: locks, which are held here, and of workers what the registry says.
    bool stays = !key.locks.empty();
    if (const RegisteredWorker* worker = workers_.find(key.workerId)) {
        const std::string& built = worker->descriptor->platform;
        if (where.platform.empty()) where.platform = built;
        stays = stays || !whyNotElsewhere(*worker).empty();
        // What another platform's programs run by here is not known of other machines.
        if (const std::string host = hostOf_ ? hostOf_(built) : built; host != built && where.platform == built) {
            const bool isNamed = std::ranges::find(where.machines, "local") != where.machines.end();
            if (isNamed) where.machines.assign(1, "local");
            if (isNamed || where.machines.empty()) where.platform = host;
            stays = true;
        }
    } else if (!key.isExec()) {
        stays = true; // nobody has its files
    }
    if (stays && where.machines.empty()) where.machines.emplace_back("local");
    return where;
}

void WorkClasses::workerCame(const std::string& worker) {
    YARD_ASSERT_OWNER(owner_);
    for (std::uint32_t cls = 0; cls < dictionary_.classCount(); ++cls)
        if (dictionary_.classKey(cls).workerId == worker) define(cls);
}

std::optional<session::GateId> WorkClasses::gateOf(const std::string& id) {
    const RegisteredWorker* worker = workers_.find(id);
    if (!worker || worker->descriptor->mode != WorkerMode::Warm) return std::nullopt;
    return session::GateId(gates_.try_emplace(id, static_cast<std::uint32_t>(gates_.size())).first->second);
}

Result<void> WorkClasses::mayBeServed(const ClassKey& key) const {
    const RegisteredWorker* worker = key.isExec() ? nullptr : workers_.find(key.workerId);
    if (!worker || worker->descriptor->mode != WorkerMode::Warm) return {};
    const Resources& asked = worker->descriptor->resources;
    if (asked.named.empty() || session_.holds().everFits(asked)) return {};
    return invalid("worker",
                   fmt::format("A process of \"{}\" asks for more than there ever is here: see \"resources\" "
                               "of its descriptor.",
                               worker->descriptor->name));
}

std::optional<session::ResourceNeed> WorkClasses::memoryNeed(session::ClassId cls) const {
    const std::vector<session::ResourceNeed> needs = session_.needs(cls);
    const auto memory = std::ranges::find(needs, "memory_mb", &session::ResourceNeed::resource);
    return memory == needs.end() ? std::nullopt : std::optional(*memory);
}

bool WorkClasses::lacksMemory(const std::string& worker) const {
    for (std::uint32_t cls = 0; cls < dictionary_.classCount(); ++cls) {
        if (dictionary_.classKey(cls).workerId != worker) continue;
        if (const auto need = memoryNeed(session::ClassId{cls}); need && need->free < need->need) return true;
    }
    return false;
}

} // namespace yard::engine
