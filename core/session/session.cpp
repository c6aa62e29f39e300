#include "core/session/session.h"

#include "core/session/impl.h"

#include <cassert>
#include <cstdint>
#include <utility>

namespace yard::session {

Session::Impl::Impl(std::unique_ptr<Capacity> capacityOf, SessionOptions with)
    : capacity(std::move(capacityOf))
    , options(with) {
    assert(options.slotCount >= 1 && options.aheadPerSlot >= 0 && options.maxOutstanding >= 1);
    ledger.addQueue(QueueId(0), {}); // the thread that opens it is not the one that owns it
    ledger.releaseOwner();
}

Result<void> Session::Impl::moveTo(SessionState to, Outbox& out) {
    if (auto moved = service.moveTo(to); !moved) return moved;
    if (to == SessionState::Abandoned) bulk.abandonAll();
    if (service.startsWork()) return {};
    for (const std::uint32_t record : attempts.all()) {
        const Record& r = ledger.records()[record];
        if (r.phase == Phase::Leased && r.has(Record::kAhead))
            attempts.takeBack(record, out);
        else if (to == SessionState::Abandoned)
            attempts.stop(record, StopCause::Abandon, out);
        else if (to == SessionState::Sunset)
            attempts.stop(record, StopCause::EngineStopped, out);
    }
    return {};
}

std::size_t Session::Impl::memoryBytes() const {
    return sizeof(*this) + ledger.memoryBytes() + timers.memoryBytes() + attempts.memoryBytes() +
           dependencies.memoryBytes();
}

} // namespace yard::session
