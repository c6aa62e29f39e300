#include "core/engine/kernel/wires.h"

#include <utility>

namespace yard::engine {

std::function<void(const char* name, coro::Task<void>)> spawningOn(coro::Loop& loop) {
    return [&loop](const char* name, coro::Task<void> task) { loop.spawn(name, std::move(task)); };
}

std::function<void()> wakingForWork(Services& services, std::function<void()> wake) {
    return [&services, wake = std::move(wake)] {
        wake();
        services.alerts->workCame();
    };
}

std::function<const Attempt*(Lsn)> attemptsOf(Services& services) {
    return [&services](Lsn lsn) { return services.attempts.latest(lsn); };
}

Adopter adopterOf(const Ground& ground, const Services& services) {
    return {.pid = services.places && services.places->machine() ? services.places->machine()->launcherPid() : 0,
            .token = ground.directory->engineId()};
}

coro::Task<Result<std::vector<std::string>>> commandsOf(JournalReader& journal, std::vector<Lsn> lsns,
                                                        Duration lookFor) {
    return journal.ask(
        [lsns = std::move(lsns), lookFor](store::Reader& reader) { return reader.commands(lsns, lookFor); });
}

} // namespace yard::engine
