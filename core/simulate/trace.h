// The attempts of a simulation as a file that trace viewers read (Chrome's trace format): a process for each machine,
// a lane for each attempt that runs beside others. One thread. Keeps the first kMostSpans, and counts the others.
#pragma once

#include "core/simulate/simulation.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::simulate {

class Trace {
public:
    static constexpr std::size_t kMostSpans = 200'000;
    explicit Trace(const Work& work)
        : work_(work) {}

    /// In the order of starts.
    void add(const Span& span);
    std::int64_t omitted() const { return omitted_; }
    std::string json() const;

private:
    struct Kept {
        Span span;
        std::uint32_t lane = 0;
    };
    const Work& work_;
    std::vector<Kept> spans_;
    std::unordered_map<std::uint32_t, std::vector<Duration>> lanes_; ///< of each machine until when each is in use
    std::int64_t omitted_ = 0;
};

} // namespace yard::simulate
