#include "core/store/writer/attempt_rows.h"

#include "core/store/packing.h"
#include "core/store/schema.h"
#include "core/store/writer/column_values.h"

#include <algorithm>
#include <utility>

namespace yard::store {

std::int64_t endFlagsOf(const AttemptOutcome& outcome) {
    return (outcome.out && outcome.out->size == 0 ? kOutEmpty : 0) |
           (outcome.err && outcome.err->size == 0 ? kErrEmpty : 0) | (outcome.outTruncated ? kOutTruncated : 0) |
           (outcome.errTruncated ? kErrTruncated : 0);
}

AttemptRows::AttemptRows(StatementMaker& sql, ReferenceNotes& notes)
    : owner_(sql.owner())
    , notes_(notes) {
    put_ =
        sql("INSERT OR REPLACE INTO attempt(id, state, reason, exit_code, signal, flags, t_submitting, t_running, "
            "t_exited, t_end, out, err, outputs, result, denied, note, samples, given, machine, MEASURES) "
            "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,MEASURE_MARKS)");
    copyFromDone_ =
        sql("INSERT OR IGNORE INTO attempt(id, state, reason, exit_code, signal, flags, t_submitting, t_running, "
            "t_exited, t_end, note, MEASURES) SELECT lsn << 16 | min(attempts, 65535), state, reason, exit_code, "
            "signal, flags & 15, t_new + d_submitting, t_new + d_running, t_new + d_exited, t_new + d_end, note, "
            "MEASURES FROM done WHERE lsn=? AND flags & 16");
    static_assert(kAttemptBits == 16 && kByAttempt == 16, "as in copyFromDone_");
    delete_ = sql("DELETE FROM attempt WHERE id BETWEEN ? AND ?");
}

int AttemptRows::put(Lsn lsn, const AttemptRecord& attempt) {
    YARD_ASSERT_OWNER(owner_);
    const auto& outcome = attempt.outcome;
    const auto& times = attempt.times;
    const std::string out = outcome.out ? packChunk(*outcome.out) : std::string();
    const std::string err = outcome.err ? packChunk(*outcome.err) : std::string();
    const std::string outputs = packOutputs(outcome.outputs);
    const std::string denied = packDenied(outcome.denied);
    const std::string samples = encodeUsage(outcome.samples);
    const std::string given = packGiven(outcome.given, times.frozen);
    notes_.note(attempt);
    const std::int64_t last = (std::int64_t{1} << kAttemptBits) - 1;
    const std::int64_t id = (lsn.value << kAttemptBits) | std::min<std::int64_t>(attempt.n, last);
    return put_.run(id, std::to_underlying(outcome.state), std::to_underlying(outcome.reason), outcome.exitCode,
                    outcome.signal, endFlagsOf(outcome), present(times[ActionState::Submitting]),
                    present(times[ActionState::Running]), present(times.exited), present(times[outcome.state]),
                    unlessEmpty(out), unlessEmpty(err), unlessEmpty(outputs), unlessNone(outcome.result),
                    unlessEmpty(denied), unlessNone(outcome.note), unlessEmpty(samples), unlessNone(given),
                    unlessNone(outcome.machine), outcome.measures);
}

int AttemptRows::copyFromDone(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    return copyFromDone_.run(lsn);
}

int AttemptRows::forget(std::int64_t first, std::int64_t last) {
    YARD_ASSERT_OWNER(owner_);
    return delete_.run(first << kAttemptBits, ((last + 1) << kAttemptBits) - 1);
}

} // namespace yard::store
