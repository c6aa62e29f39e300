// Private to core/store: objects, their types, history and effects. The writer's thread.
#pragma once

#include "core/store/writer/applied.h"
#include "core/store/writer/idempotency_keys.h"
#include "core/store/writer/statement_maker.h"

namespace yard::store {

/// Purpose: owns the tables `object`, `object_type`, `object_history`, `object_action` and `outbox`.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and the keys outlive it.
/// Invariants: a row has retry_at exactly when its status is not final; a transition and its effects are one commit.
class ObjectRows {
public:
    ObjectRows(StatementMaker& sql, IdempotencyKeys& keys);

    Applied apply(const PutObjectType& put);
    Applied apply(const DropObjectType& drop);
    Applied apply(const CreateObjects& create);
    Applied apply(const ClaimObjects& claim);
    Applied apply(const MoveObject& move);
    Applied apply(const WakeObjects& wake);
    Applied apply(const DropEffect& drop);
    Applied apply(const DropObjects& drop);

    // --- of submissions; SQLite's codes
    /// SQLITE_ROW: the effect is still to be carried out.
    int findEffect(const EffectName& effect);
    /// It is, by this action or others behind it.
    int submitted(const SubmitEffect& by, Lsn first);
    /// Of actions that are no longer known.
    int forgetActions(std::int64_t first, std::int64_t last);

private:
    /// Whether there was a row, which is gone now. False: there was none, or `rc` is not OK.
    bool takeEffect(const EffectName& effect, int& rc);
    int create(const NewObject& object, WallMicros now, std::int64_t& id);
    int addEffects(const MoveObject& move);
    int addHistory(const MoveObject& move);
    bool changedNone() const { return sqlite3_changes(database_.handle()) == 0; }

    Database& database_;
    IdempotencyKeys& keys_;
    const OwnerCheck& owner_;
    Statement putType_, moveType_, nameStatus_, dropType_, anyOfType_;
    Statement findKey_, insert_, claim_, move_, set_, launch_, wake_;
    Statement addEffect_, dropEffect_, dropEffects_, addHistory_, cutHistory_, dropHistory_, drop_;
    Statement findEffect_, own_, tell_, forgetActions_, disown_;
};

} // namespace yard::store
