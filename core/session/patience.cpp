#include "core/session/patience.h"

#include <algorithm>
#include <memory>
#include <unordered_set>

namespace yard::session {

void setPassedOver(Ledger& ledger, const Capacity& capacity, const ResourceHolds& holds, const Attempts& attempts,
                   std::span<const Passed> passed) {
    const Records& records = ledger.records();
    Order& order = ledger.order();
    for (const Passed& one : passed) {
        std::unique_ptr<Standing> standing;
        if (one.wasGivenUp) standing = std::make_unique<Standing>(capacity);
        for (const Lsn lsn : one.standing)
            if (const std::uint32_t record = records.find(lsn); standing && record != kNone)
                standing->addAttempt(record, ledger.classes().demandOf(ledger.lanes()[records[record].lane].cls),
                                     attempts.machineOf(records[record]));
        for (const ResourceHolds::Hold& hold : holds.held())
            if (standing && std::ranges::find(one.holds, hold.key) != one.holds.end())
                standing->addHold(hold.key, hold.demand());
        order.reservation().setPatience(one.cls.value,
                                        {.passedOver = one.starts,
                                         .since = one.since,
                                         .doublings = one.doublings,
                                         .reservedSince = one.reservedSince},
                                        std::move(standing));
    }
}

std::vector<Passed> passedOver(const Ledger& ledger, std::span<const std::uint32_t> classes) {
    const Order& order = ledger.order();
    std::vector<Passed> all;
    std::unordered_set<std::uint32_t> shapes;
    for (const std::uint32_t cls : classes) {
        const auto patience = order.reservation().patienceOf(cls);
        if (!patience || !shapes.insert(patience->shape).second) continue;
        Passed& one = all.emplace_back();
        one.cls = ClassId(cls);
        one.starts = patience->passedOver;
        one.since = patience->since;
        one.doublings = patience->doublings;
        one.reservedSince = patience->reservedSince;
        one.wasGivenUp = patience->standing != nullptr;
        if (!patience->standing) continue;
        for (const auto& [record, machine] : patience->standing->attempts())
            one.standing.push_back(ledger.records().lsnOf(ledger.records()[record]));
        one.holds.assign(patience->standing->holds().begin(), patience->standing->holds().end());
    }
    return all;
}

} // namespace yard::session
