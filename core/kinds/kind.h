// What is remembered of one kind of work: figures of all its runs, and of those of each version, machine and day; the
// latest runs one by one, in which changes are looked for; which inputs both worked and failed.
//
// Everything is bounded, so a kind takes some 10 KB, whatever ran. Owner: the thread of its KindTable. Times are wall
// microseconds as they were told: they may go back, and then only the order of runs counts.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/kinds/change_point.h"
#include "core/kinds/flakiness.h"
#include "core/kinds/sketch.h"
#include "core/model/states.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::kinds {

/// One action that ran to its end, as completed or failed. Seconds and bytes; absent: not known.
struct Run {
    std::string_view kind;
    std::string_view version{}; ///< of its worker; empty: it has none
    std::string_view machine{};
    WallMicros end = 0;
    Lsn lsn{};
    Reason reason = Reason::None; ///< None: it completed
    std::optional<double> duration{};
    std::optional<double> cpu{};
    std::optional<double> memory{};
    std::optional<double> wait{};
    std::optional<double> output{};
    std::optional<double> asked{}; ///< memory it asked for, where somebody wants to know whether less is enough
    std::uint64_t work = 0;        ///< hash of spec and inputs
    std::uint32_t failedBefore{};  ///< earlier attempts of the action that failed for its own reasons
    std::string_view line{};       ///< of a failure: its error line without what differs between like ones
    bool isCompleted() const { return reason == Reason::None; }
};

enum class Quantity : unsigned char { Duration, Cpu, Memory, Wait, Output };
inline constexpr std::size_t kQuantities = 5;

struct Figures {
    std::uint64_t runs = 0;
    std::uint64_t failed = 0;
    std::array<std::uint32_t, kReasons> reasons{};
    std::array<Sketch, kQuantities> sketches{}; ///< duration and cpu of what completed, the rest of all that ran
    Sketch& operator[](Quantity q) { return sketches[std::to_underlying(q)]; }
    const Sketch& operator[](Quantity q) const { return sketches[std::to_underlying(q)]; }
    void merge(const Figures& other);
    std::size_t bytes() const;
};

/// Of one version or machine.
struct NamedFigures {
    std::string name;
    std::uint8_t id = 0; ///< by which samples name it; given again after 255 others
    WallMicros last = 0;
    Figures figures;
};
/// Of one day or week.
struct PeriodFigures {
    WallMicros start = 0;
    Figures figures;
};

enum class ChangeOf : unsigned char { Duration, Memory };
inline constexpr std::size_t kChangeKinds = 2;
struct Change {
    ChangeOf what = ChangeOf::Duration;
    WallMicros t = 0; ///< end of the first run of the new level
    double before = 0;
    double after = 0;
    double p = 0;
    std::string version{}; ///< that came then, else empty
    std::string machine{};
    double ratio() const { return after / before; }
    bool isRegression() const { return after > before; }
};

/// Runs of the same spec and inputs.
struct Work {
    std::uint64_t key = 0;
    std::uint32_t completed = 0;
    std::uint32_t failed = 0;
    std::array<Lsn, 4> lsns{}; ///< of failures, the latest first; 0: none
    bool isMixed() const { return completed > 0 && failed > 0; }
};
struct FailureLine {
    std::string line;
    std::uint32_t count = 0;
};

/// What a run of the kind takes, by those that were: the median, and where it is with 95 per cent of certainty.
struct Estimate {
    double median = 0;
    std::optional<double> low{}; ///< with `high`: from kLeastForBounds runs on
    std::optional<double> high{};
    std::uint64_t runs = 0;
    /// Of fewer the smallest and the largest do not hold the median with 95 per cent of certainty.
    static constexpr std::uint64_t kLeastForBounds = 6;
};

class Kind {
public:
    static constexpr std::size_t kMaxNamed =
        8; ///< versions, and machines: over it the one longest unseen is forgotten
    static constexpr std::size_t kMaxDays = 14;  ///< older ones go into their week
    static constexpr std::size_t kMaxWeeks = 26; ///< older ones are forgotten
    static constexpr std::size_t kMaxSeries = 512;
    static constexpr std::size_t kMaxWorks = 128; ///< over it those are forgotten first that never did both
    static constexpr std::size_t kMaxLines = 16;
    static constexpr std::size_t kMaxLineBytes = 200;
    static constexpr std::size_t kMaxChanges = 16; ///< the latest ones
    static constexpr std::uint32_t kLookEvery = 16;
    static constexpr std::uint64_t kLearnRuns = 20;
    static constexpr double kLearnFactor = 1.15;

    explicit Kind(std::string name)
        : name_(std::move(name)) {}

    const std::string& name() const { return name_; }
    WallMicros last() const { return last_; }
    const Figures& total() const { return total_; }
    const std::vector<NamedFigures>& versions() const { return versions_; }
    const std::vector<NamedFigures>& machines() const { return machines_; }
    const std::vector<PeriodFigures>& days() const { return days_; }
    const std::vector<PeriodFigures>& weeks() const { return weeks_; }
    const std::vector<Change>& changes() const { return changes_; }
    const std::vector<Work>& works() const { return works_; }
    const std::vector<FailureLine>& lines() const { return lines_; }
    /// Of the days, and before them the weeks, that end after `since`.
    Figures since(WallMicros since) const;

    /// Counts it. True when there is enough that is new to look for changes.
    bool add(const Run& run);
    /// Looks for a change of duration and of memory: some 0.1 ms. True when one was found.
    bool look();

    /// The last change of duration or memory is one for the worse: that one.
    std::optional<Change> regression() const;
    /// The larger of: all runs of inputs that work; the inputs one by one, with as many chances as there are of them
    /// taken off.
    Flakiness flakiness() const;
    std::size_t mixedWorks() const;
    /// Nothing of a kind that has not completed.
    std::optional<Estimate> estimate(Quantity quantity) const;
    /// The 99th percentile of peak memory and some more, in bytes; nothing before there are kLearnRuns runs.
    std::optional<double> learnedMemory() const;
    /// What the last run asked for, in bytes; nothing where nobody wanted to know, and after a start.
    std::optional<double> askedMemory() const { return asked_; }
    std::size_t bytes() const;

private:
    friend class KindCodec;
    struct Sample {
        float duration = -1; ///< negative: not known
        float memory = -1;
        std::uint32_t t = 0; ///< wall seconds
        std::uint8_t version = 0;
        std::uint8_t machine = 0;
    };

    Figures& day(WallMicros end);
    void retireDay();
    void addSample(const Run& run, std::uint8_t version, std::uint8_t machine);
    void makeRoomForSample();
    void addWork(const Run& run);
    Work& workOf(std::uint64_t key);
    void addLine(std::string_view line);
    std::vector<float> seriesOf(ChangeOf what) const;
    bool lookAt(ChangeOf what);
    std::string came(std::size_t at, std::uint8_t Sample::* which, const std::vector<NamedFigures>& names,
                     std::size_t from) const;

    std::string name_;
    WallMicros last_ = 0;
    std::optional<double> asked_; ///< is not kept
    Figures total_;
    std::vector<NamedFigures> versions_;
    std::vector<NamedFigures> machines_;
    std::uint8_t nextVersion_ = 1;
    std::uint8_t nextMachine_ = 1;
    std::vector<PeriodFigures> days_;              ///< by time
    std::vector<PeriodFigures> weeks_;             ///< by time
    std::vector<Sample> series_;                   ///< in the order they ended
    std::array<std::size_t, kChangeKinds> from_{}; ///< since the last change of each: place in series_
    std::uint32_t stride_ = 1;                     ///< every how many runs one is a sample
    std::uint32_t skipped_ = 0;
    std::uint32_t unseen_ = 0; ///< samples since the last look
    std::vector<Change> changes_;
    std::vector<Work> works_;
    std::size_t clock_ = 0; ///< where in works_ the next one to forget is looked for
    std::uint64_t goodRuns_ = 0;
    std::uint64_t goodFailed_ = 0;
    std::vector<FailureLine> lines_;
};

} // namespace yard::kinds
