// Named locks: who holds them, who waits.
#include "core/engine/state/lock_watch.h"
#include "core/http/route.h"

#include "core/json/json_writer.h"

namespace yard::http {

namespace {

void write(JsonWriter& writer, const engine::LockView& lock) {
    writer.openObject();
    writer.member("name", lock.name);
    if (lock.holder) {
        writer.key("holder");
        yard::write(writer, *lock.holder);
    }
    if (lock.heldSince > 0) writer.member("held_since", lock.heldSince);
    writer.key("waiting");
    writer.openArray();
    for (const Lsn lsn : lock.waiting) writer.integer(lsn.value);
    writer.closeArray();
    if (lock.hasMore) writer.member("more", true);
    writer.closeObject();
}

coro::Task<Response> listLocks(Call& call) {
    const std::vector<engine::LockView> locks = co_await call.engine.ask(&engine::LockWatch::list);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("locks");
    writer.openArray();
    for (const engine::LockView& lock : locks) write(writer, lock);
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

} // namespace

std::span<const Route> lockRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "locks", Global, None, Needs::Read},
         &listLocks,
         {.id = "listLocks",
          .summary = "Named locks, who holds them and who waits",
          .answers = {{{200, "Locks"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
