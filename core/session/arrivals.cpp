#include "core/session/arrivals.h"

#include <algorithm>
#include <utility>

namespace yard::session {

void Arrivals::note(const Kind& kind, MonoTime now) {
    auto at = kinds_.find(kind);
    if (at == kinds_.end()) {
        if (kinds_.size() >= kMostKinds && !makeRoom(now)) return;
        at = kinds_.try_emplace(kind).first;
    }
    for (std::size_t i = 0; i < kWidths.size(); ++i) {
        const std::int64_t step = stepOf(now, i);
        const std::size_t place = static_cast<std::size_t>(step) % (kSteps + 1);
        Row& row = at->second[i];
        if (row.numbers[place] != step) row.counts[place] = 0;
        row.numbers[place] = step;
        ++row.counts[place];
    }
}

/// Many kinds come once, and each of them would look: once a step is enough.
bool Arrivals::makeRoom(MonoTime now) {
    if (std::exchange(lookedAt_, stepOf(now, 0)) == stepOf(now, 0)) return false;
    const std::size_t longest = kWidths.size() - 1;
    const std::int64_t oldest = stepOf(now, longest) - static_cast<std::int64_t>(kSteps);
    return std::erase_if(
               kinds_, [&](const auto& one) { return std::ranges::max(one.second[longest].numbers) < oldest; }) > 0;
}

/// In a full step; 0: it does not keep coming.
std::int64_t Arrivals::steadyCount(const Row& row, std::int64_t now) {
    std::array<std::int64_t, kSteps> full{};
    for (std::size_t i = 0; i < kSteps; ++i) {
        const std::int64_t step = now - 1 - static_cast<std::int64_t>(i);
        const std::size_t place = static_cast<std::size_t>(step) % (kSteps + 1);
        if (step > 0 && row.numbers[place] == step) full[i] = row.counts[place];
    }
    std::ranges::sort(full);
    return full[1];
}

std::vector<Arrivals::Steady> Arrivals::steady(MonoTime now) const {
    std::vector<Steady> all;
    for (const auto& [kind, rows] : kinds_)
        for (std::size_t i = 0; i < kWidths.size(); ++i) {
            const std::int64_t count = steadyCount(rows[i], stepOf(now, i));
            if (count == 0) continue;
            const Duration every = std::max(kWidths[i] / count, Duration{1});
            // What came often and stopped is still in the long steps.
            if (i > 0 && every < kWidths[i - 1]) continue;
            all.push_back({kind, every});
            break;
        }
    return all;
}

} // namespace yard::session
