// What a replayed action did otherwise than the recorded one: state, exit code, result, outputs, streams, and if it is asked
// for time and memory. By hash first; what differs there by its content, as far as both sides have it. Pure.
#pragma once

#include "core/base/error.h"
#include "core/model/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yard::recording {

/// What counts as the same. Immutable; any thread.
class CompareTerms {
public:
    static constexpr std::size_t kMostPatterns = 20;
    static constexpr std::size_t kMostPatternBytes = 500;
    /// {"ignore":["stdout"],"normalise":[{"pattern":"\\d+ ms","with":"N ms"}],"numbers":{"tolerance":1e-6},"duration":1.5,
    /// "memory":1.3}; empty: all that there is to compare, exactly, but time and memory. Invalid.
    static Result<CompareTerms> parse(std::string_view json);
    CompareTerms();
    CompareTerms(const CompareTerms&);
    CompareTerms(CompareTerms&&) noexcept;
    CompareTerms& operator=(CompareTerms&&) noexcept;
    ~CompareTerms();

    bool ignores(std::string_view what) const { return ignored_.contains(what); }
    /// A line as it is compared. Of a line over 512 bytes the patterns look at nothing.
    std::string normal(std::string_view line) const;
    /// Alike but for numbers that differ by no more than the tolerance, relative to the larger one.
    bool isSameText(std::string_view a, std::string_view b) const;
    bool isSameNumber(double a, double b) const;
    std::optional<double> duration() const { return duration_; }
    std::optional<double> memory() const { return memory_; }
    bool isExact() const;

private:
    struct Patterns;
    std::set<std::string, std::less<>> ignored_;
    std::shared_ptr<const Patterns> patterns_;
    double tolerance_ = 0;
    std::optional<double> duration_;
    std::optional<double> memory_;
};

struct RunDifference {
    std::string what;     ///< state, exit_code, result, output, stdout, stderr, duration, memory
    std::string name{};   ///< of an output
    std::string recorded; ///< JSON; empty: there is none
    std::string replayed; ///< likewise
    std::string diff{};   ///< lines, as `diff -u`; empty where there is no text to show
};

enum class RunSide : unsigned char { Recorded, Replayed };
/// The bytes of a chunk, of one side; nothing: they are not there. Asked for at most kMostComparedBytes.
using RunContent = std::function<std::optional<std::string>(RunSide, const ChunkRef&)>;
inline constexpr std::uint64_t kMostComparedBytes = 16u << 20;
/// Text of more lines is compared by its hash alone.
inline constexpr std::size_t kMostComparedLines = 1'000'000;
inline constexpr std::size_t kMostDiffBytes = 16u << 10;

/// Both are results as GET jobs/{lsn} has them. `goOn` is asked for each line; once it says no, texts count as different by
/// their hashes. Malformed.
Result<std::vector<RunDifference>> compareRuns(std::string_view recorded, std::string_view replayed,
                                               const CompareTerms& terms, const RunContent& content,
                                               const std::function<bool()>& goOn);

} // namespace yard::recording
