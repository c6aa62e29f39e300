// What is told to the yard while attempts run: gathered, and sent at most ten times a second for each of them. Of
// figures the last counts. Of output the newest stays where the link is slower; its offset says what is missing, and
// the whole comes with the end.
//
// Owner: the engine thread. Bounds: kMaxUpdateBytes for each stream of each attempt, kPendingBytes for all.
#pragma once

#include "core/link/bodies.h"
#include "core/link/boot_time.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yard::guests {

class UpdateBatch {
public:
    static constexpr Duration kPause{100'000};
    static constexpr std::size_t kPendingBytes = 4u << 20;

    /// Text of Progress has to be a plain line.
    void note(link::Update update);
    /// It has ended: its Finished says all.
    void drop(link::AttemptRef id);
    /// Who followed it begins again.
    void dropOutput();
    /// What is due, in bodies within their limit.
    std::vector<link::Updates> take(link::BootTime now);
    std::size_t pendingBytes() const { return bytes_; }

private:
    struct Output {
        std::uint64_t offset = 0;
        std::string bytes{};
    };
    struct Pending {
        std::optional<link::BootTime> sent{};
        std::map<link::UpdateKind, link::Update> latest{};
        std::map<link::UpdateKind, Output> output{};
    };
    void noteOutput(Pending& pending, const link::Update& update);

    std::map<link::AttemptRef, Pending> all_;
    std::set<link::AttemptRef> changed_;
    std::size_t bytes_ = 0; ///< of output
};

} // namespace yard::guests
