// In what two runs of actions differ: facts of each, held against each other by name, and the first line in which two
// outputs differ. Pure values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/model/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

/// One run: an attempt of an action, and what it was asked to do.
struct ComparedRun {
    ActionResult action;
    std::optional<AttemptRecord> attempt{}; ///< nothing: it never began
    std::string spec{};                     ///< JSON as posted, of an element that alone; empty: not kept
    std::string worker{}; ///< JSON of the descriptor; empty: an exec, or it is not registered any more
    std::optional<Duration> deadline{}; ///< that holds for it
};

/// `what`, in this order: spec, inputs, worker, environment, machine, limits, outcome, times, output.
struct Difference {
    std::string_view what;
    std::string name;
    std::string a{}; ///< JSON; empty: that one has none
    std::string b{};
    std::int64_t line = 0; ///< of an output: the number of the first line that differs; 0: no output
};

/// All but outputs. Texts that are no JSON count as absent.
std::vector<Difference> differencesOf(const ComparedRun& a, const ComparedRun& b);
/// Whether both ask for the same work: the same function or command on the same inputs, with the same variables. Not
/// which version of the worker, when, where or how often.
bool isSameWork(std::string_view specA, std::string_view specB);

/// Finds the first line in which two streams of bytes differ. Memory: two pieces and one line.
class StreamComparison {
public:
    /// Longer lines are cut.
    static constexpr std::size_t kMaxLine = 1'000;

    /// More bytes of side 0 or 1; empty: its end.
    void add(unsigned side, std::string_view bytes);
    /// Of which side it needs more; nothing: all is known.
    std::optional<unsigned> wants() const;
    bool differs() const { return differs_; }
    /// Of the first line that differs, from 1.
    std::int64_t line() const { return line_; }
    /// That line of a side; nothing: its stream ended before.
    std::optional<std::string> lineOf(unsigned side) const;

private:
    struct Side {
        std::string bytes{}; ///< not compared yet
        bool ended = false;
    };
    void compare();
    bool isLineComplete(const Side& side) const;

    std::array<Side, 2> sides_;
    std::string begun_; ///< of the line under way, alike on both sides
    std::int64_t line_ = 1;
    bool differs_ = false;
};

} // namespace yard
