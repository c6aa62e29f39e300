// Named locks: who holds them, who waits.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/model/json_writer.h"

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

} // namespace

coro::Task<Response> Api::listLocks(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const std::vector<engine::LockView> locks = co_await engine_.locks();
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

} // namespace yard::http
