#include "app/yardctl/map/command_template.h"

#include "app/yardctl/format.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

bool isAlnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A shell leaves these bytes as they are.
bool needsNoQuotes(std::string_view text) {
    constexpr std::string_view kOthers = "-_./:,+@%=^";
    return std::ranges::all_of(text, [&](char c) { return isAlnum(c) || kOthers.contains(c); });
}

void replaceAllOf(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// {name} and {name.} become {1} and {1.}. As with parallel the first of two columns of one name has it.
std::string byPosition(std::string text, std::span<const std::string> names) {
    constexpr std::array<std::string_view, 5> kEndings{"", "/", "//", ".", "/."};
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const std::string_view ending : kEndings)
            if (!names[i].empty())
                replaceAllOf(text, fmt::format("{{{}{}}}", names[i], ending),
                             fmt::format("{{{}{}}}", i + 1, ending));
    return text;
}

int digitsOf(std::int64_t number) {
    return static_cast<int>(fmt::formatted_size("{}", number));
}

} // namespace

std::string shellQuoted(std::string_view word) {
    constexpr std::string_view kPlain = "-_.+/";
    if (word.empty()) return "''";
    if (std::ranges::all_of(word, [&](char c) { return isAlnum(c) || kPlain.contains(c); }))
        return std::string(word);
    std::string out = "'";
    for (const char c : word) {
        if (c == '\'')
            out += "'\"'\"'";
        else
            out += c;
    }
    out += '\'';
    if (out.starts_with("''")) out.erase(0, 2);
    if (out.ends_with("''")) out.resize(out.size() - 2);
    return out;
}

std::optional<CommandTemplate::Piece> CommandTemplate::pieceOf(std::string_view inBraces, bool hasPlus) {
    struct Own {
        std::string_view written;
        Part part;
        bool isOfPlus;
    };
    constexpr std::array<Own, 6> kOwn{{{"#", Part::Seq, false},
                                       {"%", Part::Slot, false},
                                       {"##", Part::Total, true},
                                       {"0#", Part::WideSeq, true},
                                       {"0%", Part::WideSlot, true},
                                       {"slot", Part::SlotVariable, true}}};
    const auto* own = std::ranges::find(kOwn, inBraces, &Own::written);
    if (own != kOwn.end() && (hasPlus || !own->isOfPlus)) return Piece{.part = own->part};
    Piece piece{.part = Part::Value};
    const char* end = inBraces.data() + inBraces.size();
    const auto [after, error] = std::from_chars(inBraces.data(), end, piece.position);
    if (error == std::errc{}) {
        if (piece.position == 0) return std::nullopt;
        inBraces.remove_prefix(static_cast<std::size_t>(after - inBraces.data()));
    } else if (error == std::errc::result_out_of_range) {
        return std::nullopt;
    }
    auto change = ValueChange::of(inBraces, hasPlus);
    if (!change) return std::nullopt;
    piece.change = std::move(*change);
    return piece;
}

CommandTemplate::Word CommandTemplate::parseWord(std::string_view word, const How& how) {
    Word out;
    std::string literal;
    while (!word.empty()) {
        const std::size_t close = word.front() == '{' ? word.find('}') : std::string_view::npos;
        auto piece = close == std::string_view::npos || close == 1
                         ? std::nullopt
                         : pieceOf(word.substr(1, close - 1), how.hasPlus);
        std::size_t size = close + 1;
        if (!piece && word.starts_with(how.whole)) {
            piece = Piece{.part = Part::Value};
            size = how.whole.size();
        }
        if (!piece) {
            literal += word.front();
            word.remove_prefix(1);
            continue;
        }
        if (!literal.empty()) out.push_back({.literal = std::exchange(literal, {})});
        out.push_back(std::move(*piece));
        word.remove_prefix(size);
    }
    if (!literal.empty()) out.push_back({.literal = std::move(literal)});
    return out;
}

bool CommandTemplate::takesValues(const Word& word) {
    return std::ranges::any_of(
        word, [](const Piece& piece) { return piece.part == Part::Value || piece.part == Part::Raw; });
}

/// What cannot be had here is refused: as text it would reach the shell.
Outcome<void> CommandTemplate::parseWords(std::span<const std::string> words, const How& how) {
    const std::string line = fmt::format("{}", fmt::join(words, " "));
    if (const std::size_t perl = line.find("{=");
        perl != std::string::npos && line.find("=}", perl) != std::string::npos)
        return usageError("map has no replacement strings of Perl, as '{= … =}'; let the command do it: "
                          "map 'x={}; echo ${x%.c}'");
    constexpr std::array<std::string_view, 6> kElsewhere{"{choose_k}", "{uniq}", "{host}",
                                                         "{sshlogin}", "{hgrp}", "{agrp}"};
    const auto* unknown =
        std::ranges::find_if(kElsewhere, [&](std::string_view name) { return line.contains(name); });
    if (how.hasPlus && unknown != kElsewhere.end())
        return usageError(
            fmt::format("map has no {}; 'man yardctl-map' has the replacement strings of --plus", *unknown));
    if (how.isQuoted) {
        for (const std::string& word : words) words_.push_back(parseWord(byPosition(word, how.names), how));
    } else {
        const std::string named = byPosition(line, how.names);
        for (std::size_t at = 0; at <= named.size();) {
            const std::size_t end = std::min(named.find(' ', at), named.size());
            words_.push_back(parseWord(std::string_view(named).substr(at, end - at), how));
            at = end + 1;
        }
    }
    for (const Word& word : words_)
        for (const Piece& piece : word)
            if (piece.change.isBroken())
                return usageError(
                    "a replacement string of --plus has an expression that cannot be read; it wants an "
                    "extended regular expression, as in {/[0-9]+/N}");
    return {};
}

Outcome<CommandTemplate> CommandTemplate::parse(std::span<const std::string> words, How how) {
    CommandTemplate out;
    out.values_ = how.values;
    out.isQuoted_ = how.isQuoted;
    out.trim_ = how.trim;
    if (words.empty()) {
        out.words_.push_back({Piece{.part = Part::Raw}});
        out.places_ = 1;
        return out;
    }
    if (auto parsed = out.parseWords(words, how); !parsed) return std::unexpected(parsed.error());
    const bool hasOwn = std::ranges::any_of(out.words_, [](const Word& word) {
        return std::ranges::any_of(word, [](const Piece& piece) { return piece.part != Part::Literal; });
    });
    if (!hasOwn && how.values != Values::None) out.words_.push_back({Piece{.part = Part::Value}});
    out.measure();
    if (out.usesTotal_ && how.values != Values::One)
        return usageError(
            "{##} and {0#} want to know how many jobs there are: -X and --pipe find that out as they go");
    return out;
}

void CommandTemplate::measure() {
    for (const Word& word : words_) {
        fixed_ += 1;
        const bool isContext = repeats(word);
        if (isContext) context_ += 1;
        for (const Piece& piece : word) {
            usesSlot_ = usesSlot_ || piece.part == Part::Slot || piece.part == Part::WideSlot ||
                        piece.part == Part::SlotVariable;
            usesTotal_ = usesTotal_ || piece.part == Part::Total || piece.part == Part::WideSeq;
            (isContext ? context_ : fixed_) += piece.literal.size();
        }
        if (takesValues(word)) places_ += word.size();
    }
}

std::optional<std::string> CommandTemplate::plainProgram() const {
    std::optional<std::string> first;
    if (isQuoted_ && words_.front().empty()) return std::nullopt; // a program without a name: the shell says it
    for (const Word& word : words_)
        for (const Piece& piece : word) {
            const bool isPlain = isQuoted_ || piece.part != Part::Literal || needsNoQuotes(piece.literal);
            if (piece.part == Part::Raw || piece.part == Part::SlotVariable || !isPlain) return std::nullopt;
            if (!first) {
                // A value, or an assignment: the shell's matter.
                if (word.size() != 1 || piece.part != Part::Literal || piece.literal.contains('='))
                    return std::nullopt;
                first = piece.literal;
            }
        }
    return first;
}

std::string CommandTemplate::tag(std::span<const std::string> values) const {
    std::string out;
    for (const std::string& value : values) {
        if (&value != values.data()) out += ' ';
        out += trimmedBy(trim_, value);
    }
    return out;
}

std::string CommandTemplate::ownText(const Piece& piece, const JobWords& job) {
    switch (piece.part) {
    case Part::Literal: return piece.literal;
    case Part::Seq: return fmt::format("{}", job.seq);
    case Part::Slot: return fmt::format("{}", job.slot);
    case Part::Total: return fmt::format("{}", job.total);
    case Part::WideSeq: return fmt::format("{:0{}}", job.seq, digitsOf(job.total));
    case Part::WideSlot: return fmt::format("{:0{}}", job.slot, digitsOf(job.atOnce));
    case Part::SlotVariable: return "${PARALLEL_JOBSLOT}";
    case Part::Value:
    case Part::Raw: break;
    }
    return {};
}

template<class Put>
void CommandTemplate::eachValue(const Piece& piece, std::span<const std::string> values, Put put) const {
    if (piece.position == 0) {
        for (const std::string& value : values) put(piece.change.apply(trimmedBy(trim_, value)));
        return;
    }
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t index = piece.position > 0 ? piece.position - 1 : count + piece.position;
    if (index >= 0 && index < count)
        put(piece.change.apply(trimmedBy(trim_, values[static_cast<std::size_t>(index)])));
}

/// All of it is one word for the shell, what comes of the values, too.
std::string CommandTemplate::quotedLine(const Word& word, const JobWords& job) const {
    std::vector<std::string> words;
    addWords(word, job, words);
    std::string out;
    for (const std::string& text : words) out += (out.empty() ? "" : " ") + shellQuoted(text);
    return out;
}

std::string CommandTemplate::wordLine(const Word& word, const JobWords& job) const {
    const bool isRaw = !word.empty() && word.front().part == Part::Raw;
    if (isRaw) return isQuoted_ ? shellQuoted(tag(job.values)) : tag(job.values);
    if (isQuoted_) return quotedLine(word, job);
    std::string out;
    for (const Piece& piece : word) {
        out += ownText(piece, job);
        if (piece.part != Part::Value) continue;
        bool isFirst = true;
        eachValue(piece, job.values, [&](const std::string& value) {
            if (!std::exchange(isFirst, false)) out += ' ';
            out += shellQuoted(value);
        });
    }
    return out;
}

std::string CommandTemplate::line(const JobWords& job) const {
    std::string out;
    bool isFirst = true;
    const auto add = [&](const std::string& word) {
        if (!std::exchange(isFirst, false)) out += ' ';
        out += word;
    };
    for (const Word& word : words_) {
        if (!repeats(word)) {
            add(wordLine(word, job));
            continue;
        }
        JobWords one = job;
        for (std::size_t i = 0; i < job.values.size(); ++i) {
            one.values = job.values.subspan(i, 1);
            add(wordLine(word, one));
        }
    }
    return out;
}

/// Several values in one word end it at the space between them, as in the line.
void CommandTemplate::addWords(const Word& word, const JobWords& job, std::vector<std::string>& out) const {
    if (word.empty()) { // between two spaces, or given as nothing
        if (isQuoted_) out.emplace_back();
        return;
    }
    std::string text;
    bool isThere = false; // an empty value is a word, no value is none
    for (const Piece& piece : word) {
        if (piece.part != Part::Value) {
            text += ownText(piece, job);
            isThere = true;
            continue;
        }
        bool isFirst = true;
        eachValue(piece, job.values, [&](const std::string& value) {
            if (!std::exchange(isFirst, false)) out.push_back(std::exchange(text, {}));
            text += value;
            isThere = true;
        });
    }
    if (isThere) out.push_back(std::move(text));
}

std::vector<std::string> CommandTemplate::argv(const JobWords& job) const {
    std::vector<std::string> out;
    for (const Word& word : words_) {
        if (!repeats(word)) {
            addWords(word, job, out);
            continue;
        }
        JobWords one = job;
        for (std::size_t i = 0; i < job.values.size(); ++i) {
            one.values = job.values.subspan(i, 1);
            addWords(word, one, out);
        }
    }
    return out;
}

std::size_t CommandTemplate::growth(std::string_view value) const {
    return places_ * (shellQuoted(value).size() + 1) + context_;
}

} // namespace yard::ctl
