#include "core/engine/kernel/slot_plan.h"

#include "core/base/log.h"
#include "core/lease/slots.h"
#include "core/sandbox/networks.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/resource.h>

namespace yard::engine {

namespace {

// Slots for actions that take one core, and at least so many more for those that take less, or other resources.
constexpr int kSharedSlots = 16;
/// Of the launcher, for warm processes at most.
constexpr int kMostPoolSlots = 256;
constexpr int kFewestPoolSlots = 16;
/// For hooks: one for each program and one more, so that what is asked waits behind no other.
constexpr int kMostHookSlots = 16;
constexpr int kFewestHookSlots = 2;
constexpr int kMostCoreSlots = static_cast<int>(runners::SlotsFile::kMaxSlots) - kSharedSlots - kMostPoolSlots;

constexpr std::uint64_t kPerSlot = 5 + sandbox::Network::kDescriptors;
constexpr std::uint64_t kBesides = 32 + sandbox::Networks::kMostKept * sandbox::Network::kDescriptors;
constexpr std::uint64_t kFewestFiles = 128;

} // namespace

Result<SlotPlan> planSlots(int cores, int slotCount, std::optional<std::uint64_t> openFiles) {
    SlotPlan plan;
    plan.core = std::min(cores, kMostCoreSlots);
    plan.shared = std::max(kSharedSlots, slotCount - cores);
    plan.warm = std::clamp(2 * cores, kFewestPoolSlots, kMostPoolSlots);
    if (plan.core < cores)
        plan.limit = fmt::format("an engine runs at most {} actions of one core at once", kMostCoreSlots);
    if (!openFiles) return plan;
    if (*openFiles < kFewestFiles)
        return fail(ErrorKind::Invalid, fmt::format("A process may open only {} files here, and it takes {}: raise "
                                                    "the hard limit (ulimit -Hn), then start again.",
                                                    *openFiles, kFewestFiles));
    const auto room = static_cast<int>(
        std::min<std::uint64_t>((*openFiles - kBesides) / kPerSlot, runners::SlotsFile::kMaxSlots));
    if (plan.ofThisMachine() <= room) return plan;
    const int wantedOfOneCore = plan.core;
    plan.core = std::min(plan.core, room / 2);
    plan.warm = std::min(plan.warm, room / 4);
    plan.shared = std::min(plan.shared, room - plan.core - plan.warm);
    plan.limit = fmt::format("a process may open only {} files here: raise the hard limit (ulimit -Hn) for more",
                             *openFiles);
    logWarning("engine",
               "at most {} actions of one core run at once and not {}, beside {} others and {} warm processes: {}",
               plan.core, wantedOfOneCore, plan.shared, plan.warm, plan.limit);
    return plan;
}

/// Of the launcher, beside those that are planned.
static int roomBeside(const SlotPlan& plan, std::optional<std::uint64_t> openFiles) {
    std::uint64_t room = runners::SlotsFile::kMaxSlots;
    if (openFiles && *openFiles > kBesides) room = std::min(room, (*openFiles - kBesides) / kPerSlot);
    return static_cast<int>(room) - plan.ofThisMachine();
}

void addHookSlots(SlotPlan& plan, std::size_t programs, std::optional<std::uint64_t> openFiles) {
    const int room = roomBeside(plan, openFiles);
    if (programs == 0) { // nothing gives way to what may come
        plan.hooks = std::clamp(room, 0, kFewestHookSlots);
        return;
    }
    const int wanted = std::clamp(static_cast<int>(programs) + 1, kFewestHookSlots, kMostHookSlots);
    plan.hooks = std::max(std::min(room, wanted), kFewestHookSlots);
    // Without a place a hook would refuse all that it is asked of: other work gives way.
    if (plan.hooks > room) plan.shared = std::max(plan.shared - (plan.hooks - std::max(room, 0)), 1);
}

void addGuestSlots(SlotPlan& plan, std::optional<std::uint64_t> openFiles) {
    plan.guests = std::clamp(roomBeside(plan, openFiles), 0, plan.core + kSharedSlots);
    if (plan.guests == 0)
        logWarning("engine", "nothing runs here for other engines: {}",
                   plan.limit.empty() ? "all slots are taken" : plan.limit);
}

std::optional<std::uint64_t> openFileLimit() {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return std::nullopt;
    return files.rlim_max;
}

pool::PoolOptions poolOptions(const Settings& settings, int cores, int warmSlots) {
    pool::PoolOptions options;
    options.max = static_cast<unsigned>(settings.poolMax > 0 ? settings.poolMax : std::max(2 * cores, 4));
    options.max = std::min(options.max, static_cast<unsigned>(warmSlots));
    options.maxPerGroup = static_cast<unsigned>(settings.poolMaxPerGroup);
    options.maxIdle = settings.poolMaxIdle;
    return options;
}

} // namespace yard::engine
