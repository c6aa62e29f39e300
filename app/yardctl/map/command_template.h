// The command of `map` with its replacement strings, as GNU parallel writes them, and what becomes of it for one job. Pure
// values; any thread.
#pragma once

#include "app/yardctl/failure.h"
#include "app/yardctl/map/value_change.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// As a word of a shell's line, quoted where that is needed, in parallel's way.
std::string shellQuoted(std::string_view word);

/// What a job puts into the command.
struct JobWords {
    std::span<const std::string> values;
    std::int64_t seq = 1;    ///< {#}
    int slot = 1;            ///< {%}
    std::int64_t total = 0;  ///< jobs in all, {##}
    std::int64_t atOnce = 1; ///< places that there are; {0%} is as wide as the last one
};

class CommandTemplate {
public:
    enum class Values : unsigned char {
        One,     ///< {} is all of them in one place
        Context, ///< each word with {} is repeated for each value (-X)
        None,    ///< there are none, nothing is appended (--pipe)
    };
    struct How {
        Values values = Values::One;
        std::string_view whole = "{}";        ///< what stands for {}, which is none then
        bool hasPlus = false;                 ///< the strings of --plus, too
        bool isQuoted = false;                ///< each word is one for the shell, whatever is in it (-q)
        Trim trim = Trim::None;               ///< of each value before it is put in
        std::span<const std::string> names{}; ///< of columns, as --header has them: {name} is {1}
    };
    /// Words as they stood on the command line. Without a replacement string ` {}` is added; without words the values are
    /// the commands. Usage: a replacement string of parallel's that is not known here, or an expression that is none.
    static Outcome<CommandTemplate> parse(std::span<const std::string> words, How how);
    static Outcome<CommandTemplate> parse(std::span<const std::string> words, Values values,
                                          std::string_view whole = "{}") {
        return parse(words, How{.values = values, .whole = whole});
    }

    bool usesSlot() const { return usesSlot_; }
    /// How many jobs there are has to be known before the first.
    bool usesTotal() const { return usesTotal_; }
    /// The values as a tag has them.
    std::string tag(std::span<const std::string> values) const;
    /// The first word, where a shell would find nothing to do in the command but to split it at spaces.
    std::optional<std::string> plainProgram() const;
    /// The line for a shell, which is also what a job log has.
    std::string line(const JobWords& job) const;
    /// The words themselves; of a command with a plainProgram().
    std::vector<std::string> argv(const JobWords& job) const;
    /// At least the bytes that the line grows by for one value more.
    std::size_t growth(std::string_view value) const;
    /// Bytes of the line without values.
    std::size_t fixedSize() const { return fixed_; }

private:
    enum class Part : unsigned char {
        Literal,
        Value,
        Seq,
        Slot,
        Total,
        WideSeq, ///< with zeroes before it, as wide as that of the last job
        WideSlot,
        SlotVariable, ///< $PARALLEL_JOBSLOT, which the shell replaces
        Raw
    };
    struct Piece {
        Part part = Part::Literal;
        int position = 0; ///< 0: all values; below: from the end
        std::string literal{};
        ValueChange change{};
    };
    using Word = std::vector<Piece>;

    static std::optional<Piece> pieceOf(std::string_view inBraces, bool hasPlus);
    static Word parseWord(std::string_view word, const How& how);
    static bool takesValues(const Word& word);
    Outcome<void> parseWords(std::span<const std::string> words, const How& how);
    void measure();
    static std::string ownText(const Piece& piece, const JobWords& job);
    std::string quotedLine(const Word& word, const JobWords& job) const;
    template<class Put>
    void eachValue(const Piece& piece, std::span<const std::string> values, Put put) const;
    std::string wordLine(const Word& word, const JobWords& job) const;
    void addWords(const Word& word, const JobWords& job, std::vector<std::string>& out) const;
    bool repeats(const Word& word) const { return values_ == Values::Context && takesValues(word); }

    std::vector<Word> words_; ///< between single spaces, or as they were given
    Values values_ = Values::One;
    bool isQuoted_ = false;
    Trim trim_ = Trim::None;
    bool usesSlot_ = false;
    bool usesTotal_ = false;
    std::size_t fixed_ = 0;
    std::size_t places_ = 0;  ///< of values
    std::size_t context_ = 0; ///< bytes around them
};

} // namespace yard::ctl
