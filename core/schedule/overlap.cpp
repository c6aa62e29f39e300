#include "core/schedule/overlap.h"

#include <algorithm>
#include <array>
#include <utility>

namespace yard::schedule {

namespace {

constexpr std::array<std::string_view, 4> kOverlapWords = {"skip", "queue", "cancel_previous", "allow"};

} // namespace

std::string_view overlapWord(Overlap overlap) {
    return kOverlapWords[std::to_underlying(overlap)];
}

std::optional<Overlap> overlapIn(std::string_view word) {
    const auto* const found = std::ranges::find(kOverlapWords, word);
    if (found == kOverlapWords.end()) return std::nullopt;
    return static_cast<Overlap>(found - kOverlapWords.begin());
}

Step stepFor(Overlap overlap, std::size_t unfinished) {
    if (unfinished == 0) return Step::Submit;
    if (overlap == Overlap::CancelPrevious) return Step::CancelAndSubmit;
    if (overlap == Overlap::Skip || unfinished >= kMostUnfinished) return Step::LeaveOut;
    return overlap == Overlap::Queue ? Step::SubmitAfterPrevious : Step::Submit;
}

} // namespace yard::schedule
