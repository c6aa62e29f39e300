// How long a kind of work takes here: a decayed mean per worker and function (of commands, which have no function,
// per label), and the same of each queue, learnt from attempts that completed. At a start it is rebuilt from those
// that finished last. Commands without a label are one kind of their queue, for want of better; each is beside that
// known by what it runs.
//
// Owner: engine thread. Bound: kMostKinds, and as many commands; one more takes the place of the one that was not
// heard of for longest.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"

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
    void learn(const std::string& kind, Duration took) { learn(means_, kind, took); }
    /// Of this queue, and of all.
    void learn(QueueId queue, const std::string& kind, Duration took);
    /// Nothing for a kind that has not completed here.
    std::optional<Duration> mean(const std::string& kind) const { return mean(means_, kind); }
    /// As in this queue, else anywhere. Of commands without a label only what their queue has seen: nothing else
    /// says that two are alike.
    std::optional<Duration> usual(QueueId queue, const std::string& kind) const;
    /// By the short name of a command.
    void learnCommand(const std::string& command, Duration took) { learn(commands_, command, took); }
    std::optional<Duration> ofCommand(const std::string& command) const { return mean(commands_, command); }
    /// A command without a label: others of its kind may be anything.
    static bool isMixed(std::string_view kind) { return kind.ends_with('\n'); }
    std::size_t kinds() const { return means_.size(); }

private:
    struct Mean {
        double micros = 0;
        int count = 0; ///< up to kMemory
        std::uint64_t heard = 0;
    };
    using Means = std::unordered_map<std::string, Mean>;
    void learn(Means& means, const std::string& kind, Duration took);
    static std::optional<Duration> mean(const Means& means, const std::string& kind);
    static void forgetOldest(Means& means);

    Means means_;
    Means commands_;
    std::uint64_t clock_ = 0;
};

/// "40 s", "11 min", "3 h", "2 d"; "less than a second" below half of one.
std::string roughly(Duration time);
/// Of what usually takes `usual` and has taken `so far`: "about 40 s left", "usually takes 3 s, now 2 min".
std::string leftOf(Duration usual, Duration soFar);

/// Of what usually takes `usual`: it should have ended, by more than a look at it takes.
bool isOverdue(Duration usual, Duration soFar);
/// It has run so long that it may never end: nothing that waits for it has an end that is known.
bool isFarOverdue(Duration usual, Duration soFar);
/// What it still takes, for those that wait for it: of one that is late a guess.
Duration stillTakes(Duration usual, Duration soFar);

} // namespace yard::engine
