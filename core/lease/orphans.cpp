#include "core/lease/orphans.h"

#include <algorithm>

namespace yard::runners {

OrphanOwners::Owner OrphanOwners::of(const host::ProcessStat& orphan, std::span<const FirstProcess> firsts) const {
    const auto firstThat = [firsts](auto&& is) -> const FirstProcess* {
        const auto at = std::ranges::find_if(firsts, is);
        return at == firsts.end() ? nullptr : &*at;
    };
    const std::uint64_t inherited = ProcessMarks::read(orphan.pid);
    if (marks_.isOurs(inherited))
        if (const FirstProcess* first = firstThat([&](const auto& one) { return marks_.of(one.lsn) == inherited; }))
            return {first->lsn, first};
    // A mark of an attempt that is none of these, or one that it made up.
    const host::OwnerMark environment = host::readOwnerMark(orphan.pid, ownerToken_);
    if (environment.owned && environment.lsn > 0)
        return {environment.lsn, firstThat([&](const auto& one) { return one.lsn == environment.lsn; })};
    const FirstProcess* first = firstThat(
        [&](const auto& one) { return one.pid != 0 && (orphan.session == one.pid || orphan.group == one.pid); });
    return {first ? first->lsn : 0, first};
}

} // namespace yard::runners
