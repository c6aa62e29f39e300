// How long a kind of work takes here: a decayed mean per worker and function (of commands, which have no function,
// per label), learnt from attempts that completed. At a start it is rebuilt from those that finished last.
//
// Owner: engine thread. Bound: kMostKinds; one more takes the place of the one that was not heard of for longest.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace yard::engine {

class Estimator {
public:
    static constexpr std::size_t kMostKinds = 10'000;

    /// What tells kinds of work apart.
    static std::string kindOf(std::string_view workerName, std::string_view function, std::string_view label);
    void learn(const std::string& kind, Duration took);
    /// Nothing for a kind that has not completed here.
    std::optional<Duration> mean(const std::string& kind) const;
    std::size_t kinds() const { return means_.size(); }

private:
    struct Mean {
        double micros = 0;
        int count = 0; ///< up to kMemory
        std::uint64_t heard = 0;
    };
    static void learn(Mean& mean, Duration took);
    void forgetOldest();

    std::unordered_map<std::string, Mean> means_;
    std::uint64_t clock_ = 0;
};

/// "40 s", "11 min", "3 h", "2 d"; "less than a second" below half of one.
std::string roughly(Duration time);
/// Of what usually takes `usual` and has taken `so far`: "about 40 s left", "usually takes 3 s, now 2 min".
std::string leftOf(Duration usual, Duration soFar);

/// Of what usually takes `usual`: it has run so long that its end is not known any more.
bool isOverdue(Duration usual, Duration soFar);

/// When what waits behind `before` others starts, if `parallel` run at once and take `each`.
Duration waitBehind(std::int64_t before, double parallel, Duration each);

} // namespace yard::engine
