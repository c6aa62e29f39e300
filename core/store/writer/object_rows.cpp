#include "core/store/writer/object_rows.h"

#include <fmt/format.h>

namespace yard::store {
namespace {

std::optional<std::int64_t> unlessZero(std::int64_t value) {
    return value == 0 ? std::nullopt : std::optional(value);
}

/// ";first+count" for each run of them.
std::string runsOf(const std::vector<std::int64_t>& ids) {
    std::string text;
    for (std::size_t at = 0; at < ids.size();) {
        std::size_t end = at + 1;
        while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
        text += fmt::format(";{}+{}", ids[at], end - at);
        at = end;
    }
    return text;
}

} // namespace

ObjectRows::ObjectRows(StatementMaker& sql, IdempotencyKeys& keys)
    : database_(sql.database())
    , keys_(keys)
    , owner_(sql.owner()) {
    putType_ = sql(
        "INSERT INTO object_type(id, name, body) VALUES(?,?,?) ON CONFLICT(id) DO UPDATE SET name=excluded.name, "
        "body=excluded.body");
    moveType_ = sql("UPDATE object SET status=?3, retry_at=CASE WHEN ?4 THEN NULL ELSE coalesce(?5, retry_at) END, "
                    "end_ts=CASE WHEN ?4 THEN coalesce(end_ts, ?6) END, modified=?6 "
                    "WHERE type=?1 AND status=?2");
    nameStatus_ = sql("UPDATE object SET status=?3 WHERE type=?1 AND status=?2");
    dropType_ = sql("DELETE FROM object_type WHERE id=?");
    anyOfType_ = sql("SELECT 1 FROM object WHERE type=? LIMIT 1");
    findKey_ = sql("SELECT id FROM object WHERE type=? AND key=?");
    insert_ = sql(
        "INSERT INTO object(id, type, status, retry_at, key, launch, parent, fields, end_ts, created, modified) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?)");
    claim_ = sql("UPDATE object SET retry_at=?4 WHERE id=?1 AND status=?2 AND revision=?3");
    move_ = sql("UPDATE object SET status=?4, revision=?5, retry_at=?6, retries=?7, stuck=?8, "
                "start_ts=CASE WHEN ?9 THEN coalesce(start_ts, ?11) ELSE start_ts END, "
                "end_ts=CASE WHEN ?10 THEN ?11 END, modified=?11, last_error=coalesce(?12, last_error) "
                "WHERE id=?1 AND status=?2 AND revision=?3");
    // `->` keeps what a value is; json_each alone makes 1 of true.
    set_ = sql("UPDATE object SET fields=(SELECT json_group_object(k, json(d -> ('$.\"' || k || '\"'))) FROM ("
               "SELECT key k, fields d FROM json_each(fields) WHERE key NOT IN (SELECT key FROM json_each(?2)) "
               "UNION ALL SELECT key k, ?2 d FROM json_each(?2) WHERE type<>'null')) WHERE id=?1");
    launch_ = sql("UPDATE object SET launch=? WHERE id=?");
    wake_ = sql("UPDATE object SET retry_at=?2 WHERE id=?1 AND retry_at>?2");
    addEffect_ = sql("INSERT INTO outbox(object, revision, position, kind, body) VALUES(?,?,?,?,?)");
    dropEffect_ = sql("DELETE FROM outbox WHERE object=? AND revision=? AND position=?");
    dropEffects_ = sql("DELETE FROM outbox WHERE object=?");
    addHistory_ = sql("INSERT INTO object_history(object, revision, t, came_from, went_to, actor, tick_ms) "
                      "VALUES(?,?,?,?,?,?,?)");
    cutHistory_ = sql("DELETE FROM object_history WHERE object=? AND revision<=?");
    dropHistory_ = sql("DELETE FROM object_history WHERE object=?");
    drop_ = sql("DELETE FROM object WHERE id=?");
    findEffect_ = sql("SELECT 1 FROM outbox WHERE object=? AND revision=? AND position=?");
    own_ = sql("INSERT INTO object_action(lsn, object, name) VALUES(?,?,?)");
    tell_ = sql("UPDATE object_action SET told=1 WHERE lsn=?");
    forgetActions_ = sql("DELETE FROM object_action WHERE lsn BETWEEN ? AND ?");
    disown_ = sql("DELETE FROM object_action WHERE object=?");
}

Applied ObjectRows::apply(const PutObjectType& put) {
    YARD_ASSERT_OWNER(owner_);
    int rc = putType_.run(put.row.id, put.row.name, put.row.body);
    // Those that swap names would meet each other: each goes to a name that no state can have first.
    for (const auto& move : put.moves)
        if (rc == SQLITE_OK)
            rc = moveType_.run(put.row.id, move.from, "/" + move.to, move.isFinal, unlessZero(move.retryAt),
                               put.now);
    for (const auto& move : put.moves)
        if (rc == SQLITE_OK) rc = nameStatus_.run(put.row.id, "/" + move.to, move.to);
    return Applied::with(rc);
}

Applied ObjectRows::apply(const DropObjectType& drop) {
    YARD_ASSERT_OWNER(owner_);
    const int found = QueryScope(anyOfType_, drop.id).step();
    if (found == SQLITE_ROW)
        return Applied::refused(ErrorKind::WrongState, "There are objects of the type; delete them first.");
    if (found != SQLITE_DONE) return Applied::with(found);
    return Applied::with(dropType_.run(drop.id));
}

bool ObjectRows::takeEffect(const EffectName& effect, int& rc) {
    rc = dropEffect_.run(effect.object, effect.revision, effect.position);
    return rc == SQLITE_OK && !changedNone();
}

int ObjectRows::create(const NewObject& object, WallMicros now, std::int64_t& id) {
    if (object.key) {
        QueryScope found(findKey_, object.type, *object.key);
        const int rc = found.step();
        if (rc == SQLITE_ROW) {
            id = found->integer(0);
            return SQLITE_OK;
        }
        if (rc != SQLITE_DONE) return rc;
    }
    id = object.id;
    const std::optional<WallMicros> end = object.retryAt == 0 ? std::optional(now) : std::nullopt;
    return insert_.run(object.id, object.type, object.status, unlessZero(object.retryAt), object.key, object.launch,
                       unlessZero(object.parent), object.fields, end, now, now);
}

Applied ObjectRows::apply(const CreateObjects& creating) {
    YARD_ASSERT_OWNER(owner_);
    Applied applied;
    if (creating.idempotency && keys_.answers(*creating.idempotency, creating.now, applied)) return applied;
    if (creating.effect && !takeEffect(*creating.effect, applied.rc)) return applied;
    for (const NewObject& object : creating.objects) {
        std::int64_t id = 0;
        applied.rc = create(object, creating.now, id);
        if (applied.rc != SQLITE_OK) return applied;
        applied.detailed().objects.push_back(id);
    }
    if (creating.idempotency) {
        Idempotency kept = *creating.idempotency;
        kept.answer += runsOf(applied.detailed().objects);
        applied.rc = keys_.keep(kept, creating.now);
    }
    return applied;
}

Applied ObjectRows::apply(const ClaimObjects& claiming) {
    YARD_ASSERT_OWNER(owner_);
    Applied applied;
    for (const auto& claim : claiming.claims) {
        applied.rc = claim_.run(claim.id, claim.status, claim.revision, claim.retryAt);
        if (applied.rc != SQLITE_OK) return applied;
        if (changedNone()) applied.detailed().objects.push_back(claim.id);
    }
    return applied;
}

int ObjectRows::addEffects(const MoveObject& move) {
    std::int64_t position = 0;
    for (const auto& [kind, body] : move.effects)
        if (const int rc = addEffect_.run(move.id, move.newRevision, position++, kind, body); rc != SQLITE_OK)
            return rc;
    return SQLITE_OK;
}

int ObjectRows::addHistory(const MoveObject& move) {
    if (!move.moves) return SQLITE_OK;
    const int rc = addHistory_.run(move.id, move.newRevision, move.at, move.from, move.to, move.actor, move.tickMs);
    return rc == SQLITE_OK ? cutHistory_.run(move.id, move.newRevision - kKeptHistory) : rc;
}

Applied ObjectRows::apply(const MoveObject& move) {
    YARD_ASSERT_OWNER(owner_);
    Applied applied;
    if (move.idempotency) {
        Applied known;
        const bool isKnown = keys_.answers(*move.idempotency, move.at, known);
        applied.rc = known.rc;
        if (isKnown && known.rc == SQLITE_OK) applied.detailed().objects.push_back(move.id);
        if (isKnown) return applied;
    }
    const std::optional<std::string_view> error =
        move.lastError.empty() ? std::nullopt : std::optional<std::string_view>(move.lastError);
    applied.rc = move_.run(move.id, move.from, move.revision, move.to, move.newRevision, unlessZero(move.retryAt),
                           move.retries, move.isStuck, move.starts, move.ends, move.at, error);
    if (applied.rc != SQLITE_OK) return applied;
    if (changedNone()) {
        applied.detailed().objects.push_back(move.id);
        return applied;
    }
    if (!move.set.empty()) applied.rc = set_.run(move.id, move.set);
    if (applied.rc == SQLITE_OK && move.launch) applied.rc = launch_.run(*move.launch, move.id);
    if (applied.rc == SQLITE_OK) applied.rc = addEffects(move);
    if (applied.rc == SQLITE_OK) applied.rc = addHistory(move);
    if (applied.rc == SQLITE_OK && move.wakes != 0) applied.rc = wake_.run(move.wakes, move.at);
    if (applied.rc == SQLITE_OK && move.idempotency) applied.rc = keys_.keep(*move.idempotency, move.at);
    return applied;
}

Applied ObjectRows::apply(const WakeObjects& waking) {
    YARD_ASSERT_OWNER(owner_);
    Applied applied;
    if (waking.effect && !takeEffect(*waking.effect, applied.rc)) return applied;
    for (const std::int64_t id : waking.ids)
        if (applied.rc == SQLITE_OK) applied.rc = wake_.run(id, waking.at);
    for (const Lsn lsn : waking.told)
        if (applied.rc == SQLITE_OK) applied.rc = tell_.run(lsn);
    return applied;
}

Applied ObjectRows::apply(const DropEffect& drop) {
    YARD_ASSERT_OWNER(owner_);
    Applied applied;
    (void)takeEffect(drop.effect, applied.rc);
    return applied;
}

Applied ObjectRows::apply(const DropObjects& drop) {
    YARD_ASSERT_OWNER(owner_);
    int rc = SQLITE_OK;
    for (const std::int64_t id : drop.ids)
        for (Statement* statement : {&dropEffects_, &dropHistory_, &disown_, &drop_})
            if (rc == SQLITE_OK) rc = statement->run(id);
    return Applied::with(rc);
}

// --- of submissions

int ObjectRows::findEffect(const EffectName& effect) {
    YARD_ASSERT_OWNER(owner_);
    return QueryScope(findEffect_, effect.object, effect.revision, effect.position).step();
}

int ObjectRows::submitted(const SubmitEffect& by, Lsn first) {
    YARD_ASSERT_OWNER(owner_);
    int rc = SQLITE_OK;
    // Where its object was removed while parts came the action is nobody's.
    const bool isThere = takeEffect(by.effect, rc);
    return isThere && by.isOwned ? own_.run(first, by.effect.object, by.name) : rc;
}

int ObjectRows::forgetActions(std::int64_t first, std::int64_t last) {
    YARD_ASSERT_OWNER(owner_);
    return forgetActions_.run(first, last);
}

} // namespace yard::store
