// What happens when a schedule is due while a run of it has not ended. Pure values; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace yard::schedule {

enum class Overlap : unsigned char {
    Skip,           ///< the new one does not run
    Queue,          ///< the new one runs when the last one has ended
    CancelPrevious, ///< what runs is cancelled, the new one runs
    Allow           ///< both run
};
std::string_view overlapWord(Overlap overlap);
std::optional<Overlap> overlapIn(std::string_view word);

enum class Step : unsigned char {
    LeaveOut,
    Submit,
    SubmitAfterPrevious, ///< it waits for the end of the last one, whatever that is
    CancelAndSubmit
};

/// Runs of one schedule that may be unfinished at once; what is due beyond them is left out.
inline constexpr std::size_t kMostUnfinished = 100;

/// `unfinished`: runs of it that have not ended.
Step stepFor(Overlap overlap, std::size_t unfinished);

} // namespace yard::schedule
