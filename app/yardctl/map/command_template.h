// The command of `map` with its replacement strings, as GNU parallel writes them, and what becomes of it for one job. Pure
// values; any thread.
#pragma once

#include "app/yardctl/failure.h"

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
    std::int64_t seq = 1; ///< {#}
    int slot = 1;         ///< {%}
};

class CommandTemplate {
public:
    enum class Values : unsigned char {
        One,     ///< {} is all of them in one place
        Context, ///< each word with {} is repeated for each value (-X)
        None,    ///< there are none, nothing is appended (--pipe)
    };
    /// Words as they stood on the command line. Without a replacement string ` {}` is added; without words the values are
    /// the commands. `whole`: stands for {}, which is none then. Usage: a replacement string of parallel's that is not
    /// known here.
    static Outcome<CommandTemplate> parse(std::span<const std::string> words, Values values,
                                          std::string_view whole = "{}");

    bool usesSlot() const { return usesSlot_; }
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
        Whole,
        NoExtension,
        Base,
        Directory,
        BaseNoExtension,
        Seq,
        Slot,
        Raw
    };
    struct Piece {
        Part part = Part::Literal;
        int position = 0; ///< 0: all values; below: from the end
        std::string literal{};
    };
    using Word = std::vector<Piece>;

    static std::optional<Piece> pieceOf(std::string_view inBraces);
    static Word parseWord(std::string_view word, std::string_view whole);
    static std::string changed(std::string_view value, Part part);
    static bool takesValues(const Word& word);
    template<class Put>
    void eachValue(const Piece& piece, std::span<const std::string> values, Put put) const;
    std::string wordLine(const Word& word, const JobWords& job) const;
    void addWords(const Word& word, const JobWords& job, std::vector<std::string>& out) const;
    bool repeats(const Word& word) const { return values_ == Values::Context && takesValues(word); }

    std::vector<Word> words_; ///< between single spaces
    Values values_ = Values::One;
    bool usesSlot_ = false;
    std::size_t fixed_ = 0;
    std::size_t places_ = 0;  ///< of values
    std::size_t context_ = 0; ///< bytes around them
};

} // namespace yard::ctl
