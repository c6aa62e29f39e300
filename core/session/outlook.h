// When what a session has to do will start and end: its outline, played by the same scheduler in virtual time. What
// never ends as far as is known keeps what it has; what waits for that has no start. Values, no owner; pure.
#pragma once

#include "core/base/clock.h"
#include "core/model/estimate.h"
#include "core/session/outline.h"

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::session {

struct LiveView;

class Outlook {
public:
    /// What is asked about a run time.
    struct Question {
        Lsn lsn;
        QueueId queue;
        ClassId cls;
        LabelId label;
        bool runs = false; ///< then what it still takes is asked for
    };
    struct Answer {
        Duration time{};
        EstimateGap gap = EstimateGap::None; ///< why nobody knows
        bool isLate = false;                 ///< it runs longer than was expected; `time` is a guess
    };
    using RunTime = std::function<Answer(const Question&)>;
    struct OfQueue {
        std::optional<MonoTime> start;  ///< of the next one that waits
        std::optional<MonoTime> finish; ///< of the last one
        EstimateGap gap = EstimateGap::None;
    };

    Outlook() = default;
    /// At most some thousand starts are played.
    Outlook(const Outline& outline, MonoTime now, const RunTime& runTime);

    /// Nothing: it never starts as far as is known, or it is not one of those that wait for their turn.
    std::optional<MonoTime> startOf(const LiveView& action) const;
    /// Nothing of a queue that has nothing to do.
    const OfQueue* queue(QueueId id) const;

private:
    class Player;
    struct Played;
    struct Began;
    struct Sum;
    /// How those of a queue that wait will have started: so many at a moment, so many per microsecond from one on.
    struct Starts {
        std::vector<std::pair<MonoTime, double>> jumps;
        std::vector<std::pair<MonoTime, double>> slopes;
        void add(const Began& began);
    };
    struct Line {
        std::vector<std::pair<std::uint64_t, PlaceKey>> keys; ///< of the items that wait: key and place
        std::vector<double> before;                           ///< actions before each, and at last all
        std::vector<std::pair<MonoTime, double>> started;     ///< so many until then, in between evenly
    };
    void noteItem(const Outline& outline, const Played& played, MonoTime now);
    static std::optional<MonoTime> startAt(const Line& line, double place);

    std::unordered_map<QueueId, OfQueue> queues_;
    std::unordered_map<QueueId, Line> lines_;
    std::unordered_map<Lsn, std::optional<MonoTime>> starts_; ///< of those that stand for themselves
};

} // namespace yard::session
