#include "core/store/writer/idempotency_keys.h"

namespace yard::store {

static constexpr std::int64_t kMostKept = 1'000'000;

IdempotencyKeys::IdempotencyKeys(StatementMaker& sql)
    : owner_(sql.owner()) {
    find_ = sql("SELECT id, body, answer, t FROM idem WHERE key=?");
    insert_ = sql("INSERT INTO idem(key, body, answer, t) VALUES(?,?,?,?)");
    delete_ = sql("DELETE FROM idem WHERE id=?");
    prune_ = sql("DELETE FROM idem WHERE id IN (SELECT id FROM idem ORDER BY id LIMIT 1000) AND "
                 "(t<?1 OR id<=(SELECT max(id) FROM idem)-?2)");
}

bool IdempotencyKeys::answers(const Idempotency& idempotency, WallMicros now, Applied& applied) {
    YARD_ASSERT_OWNER(owner_);
    std::int64_t old = 0;
    {
        QueryScope known(find_, idempotency.key);
        const int rc = known.step();
        if (rc == SQLITE_DONE) return false;
        if (rc != SQLITE_ROW) {
            applied = Applied::with(rc);
            return true;
        }
        if (known->integer(3) > now - kIdempotencyAge) {
            if (known->hash(1) == idempotency.body) {
                applied.detailed().repeated = true;
                applied.detailed().answer = known->text(2);
            } else {
                applied = Applied::refused(invalid("Idempotency-Key",
                                                   "This Idempotency-Key was used with another body within "
                                                   "24 hours: send a new key with a new request")
                                               .error());
            }
            return true;
        }
        old = known->integer(0);
    }
    if (const int rc = delete_.run(old); rc != SQLITE_OK) {
        applied = Applied::with(rc);
        return true;
    }
    return false;
}

int IdempotencyKeys::keep(const Idempotency& idempotency, WallMicros now) {
    YARD_ASSERT_OWNER(owner_);
    return insert_.run(idempotency.key, bytesOf(idempotency.body), idempotency.answer, now);
}

int IdempotencyKeys::prune(WallMicros now) {
    YARD_ASSERT_OWNER(owner_);
    return prune_.run(now - kIdempotencyAge, kMostKept);
}

} // namespace yard::store
