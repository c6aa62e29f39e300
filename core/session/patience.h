// What was passed over, and what is kept for it, for another session that goes on where this one is. Private to
// session; owner: engine thread.
#pragma once

#include "core/session/attempts.h"
#include "core/session/capacity.h"
#include "core/session/ledger.h"
#include "core/session/messages.h"
#include "core/session/resource_holds.h"

#include <cstdint>
#include <span>
#include <vector>

namespace yard::session {

/// Of these classes the ones that were passed over; of those with the same shape one.
std::vector<Passed> passedOver(const Ledger& ledger, std::span<const std::uint32_t> classes);
/// The same in the session that goes on, once all is there. Of what stood in the way, who is not there is left out.
void setPassedOver(Ledger& ledger, const Capacity& capacity, const ResourceHolds& holds, const Attempts& attempts,
                   std::span<const Passed> passed);

} // namespace yard::session
