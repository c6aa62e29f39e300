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

std::string_view baseOf(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::string_view withoutExtension(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos || path.find('/', dot) != std::string_view::npos ? path
                                                                                          : path.substr(0, dot);
}

/// As dirname(1).
std::string_view directoryOf(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return ".";
    path = path.substr(0, slash + 1);
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    return path;
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

std::optional<CommandTemplate::Piece> CommandTemplate::pieceOf(std::string_view inBraces) {
    Piece piece{.part = Part::Whole};
    if (inBraces == "#") return Piece{.part = Part::Seq};
    if (inBraces == "%") return Piece{.part = Part::Slot};
    const char* end = inBraces.data() + inBraces.size();
    const auto [after, error] = std::from_chars(inBraces.data(), end, piece.position);
    if (error == std::errc{}) {
        if (piece.position == 0) return std::nullopt;
        inBraces.remove_prefix(static_cast<std::size_t>(after - inBraces.data()));
    } else if (error == std::errc::result_out_of_range) {
        return std::nullopt;
    }
    constexpr std::array<std::pair<std::string_view, Part>, 5> kEndings{{{"", Part::Whole},
                                                                         {".", Part::NoExtension},
                                                                         {"/", Part::Base},
                                                                         {"//", Part::Directory},
                                                                         {"/.", Part::BaseNoExtension}}};
    const auto* ending = std::ranges::find(kEndings, inBraces, &std::pair<std::string_view, Part>::first);
    if (ending == kEndings.end()) return std::nullopt;
    piece.part = ending->second;
    return piece;
}

CommandTemplate::Word CommandTemplate::parseWord(std::string_view word, std::string_view whole) {
    Word out;
    std::string literal;
    while (!word.empty()) {
        const std::size_t close = word.front() == '{' ? word.find('}') : std::string_view::npos;
        auto piece =
            close == std::string_view::npos || close == 1 ? std::nullopt : pieceOf(word.substr(1, close - 1));
        std::size_t size = close + 1;
        if (!piece && word.starts_with(whole)) {
            piece = Piece{.part = Part::Whole};
            size = whole.size();
        }
        if (!piece) {
            literal += word.front();
            word.remove_prefix(1);
            continue;
        }
        if (!literal.empty()) out.push_back({.literal = std::exchange(literal, {})});
        out.push_back(*piece);
        word.remove_prefix(size);
    }
    if (!literal.empty()) out.push_back({.literal = std::move(literal)});
    return out;
}

bool CommandTemplate::takesValues(const Word& word) {
    return std::ranges::any_of(word, [](const Piece& piece) {
        return piece.part != Part::Literal && piece.part != Part::Seq && piece.part != Part::Slot;
    });
}

Outcome<CommandTemplate> CommandTemplate::parse(std::span<const std::string> words, Values values,
                                                std::string_view whole) {
    CommandTemplate out;
    out.values_ = values;
    if (words.empty()) {
        out.words_.push_back({Piece{.part = Part::Raw}});
        out.places_ = 1;
        return out;
    }
    const std::string line = fmt::format("{}", fmt::join(words, " "));
    if (const std::size_t perl = line.find("{=");
        perl != std::string::npos && line.find("=}", perl) != std::string::npos)
        return usageError("map has no replacement strings of Perl, as '{= … =}'; let the command do it: "
                          "map 'x={}; echo ${x%.c}'");
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        out.words_.push_back(parseWord(std::string_view(line).substr(at, end - at), whole));
        at = end + 1;
    }
    const bool hasOwn = std::ranges::any_of(out.words_, [](const Word& word) {
        return std::ranges::any_of(word, [](const Piece& piece) { return piece.part != Part::Literal; });
    });
    const bool takesSome = std::ranges::any_of(out.words_, takesValues);
    if (!takesSome && !hasOwn && values != Values::None) out.words_.push_back({Piece{.part = Part::Whole}});
    for (const Word& word : out.words_) {
        out.fixed_ += 1;
        const bool isContext = out.repeats(word);
        if (isContext) out.context_ += 1;
        for (const Piece& piece : word) {
            if (piece.part == Part::Slot) out.usesSlot_ = true;
            (isContext ? out.context_ : out.fixed_) += piece.literal.size();
        }
        if (takesValues(word)) out.places_ += word.size();
    }
    return out;
}

std::optional<std::string> CommandTemplate::plainProgram() const {
    std::optional<std::string> first;
    for (const Word& word : words_)
        for (const Piece& piece : word) {
            if (piece.part == Part::Raw || (piece.part == Part::Literal && !needsNoQuotes(piece.literal)))
                return std::nullopt;
            if (!first) {
                // A value, or an assignment: the shell's matter.
                if (word.size() != 1 || piece.part != Part::Literal || piece.literal.contains('='))
                    return std::nullopt;
                first = piece.literal;
            }
        }
    return first;
}

std::string CommandTemplate::changed(std::string_view value, Part part) {
    switch (part) {
    case Part::NoExtension: return std::string(withoutExtension(value));
    case Part::Base: return std::string(baseOf(value));
    case Part::Directory: return std::string(directoryOf(value));
    case Part::BaseNoExtension: return std::string(withoutExtension(baseOf(value)));
    default: return std::string(value);
    }
}

template<class Put>
void CommandTemplate::eachValue(const Piece& piece, std::span<const std::string> values, Put put) const {
    if (piece.position == 0) {
        for (const std::string& value : values) put(changed(value, piece.part));
        return;
    }
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t index = piece.position > 0 ? piece.position - 1 : count + piece.position;
    if (index >= 0 && index < count) put(changed(values[static_cast<std::size_t>(index)], piece.part));
}

std::string CommandTemplate::wordLine(const Word& word, const JobWords& job) const {
    std::string out;
    for (const Piece& piece : word) {
        if (piece.part == Part::Literal) out += piece.literal;
        if (piece.part == Part::Seq) out += fmt::format("{}", job.seq);
        if (piece.part == Part::Slot) out += fmt::format("{}", job.slot);
        if (piece.part == Part::Raw) out += fmt::format("{}", fmt::join(job.values, " "));
        if (piece.part == Part::Literal || piece.part >= Part::Seq) continue;
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
        for (std::size_t i = 0; i < job.values.size(); ++i)
            add(wordLine(word, {.values = job.values.subspan(i, 1), .seq = job.seq, .slot = job.slot}));
    }
    return out;
}

/// Several values in one word end it at the space between them, as in the line.
void CommandTemplate::addWords(const Word& word, const JobWords& job, std::vector<std::string>& out) const {
    if (word.empty()) return; // between two spaces
    std::string text;
    bool isThere = false; // an empty value is a word, no value is none
    for (const Piece& piece : word) {
        if (piece.part == Part::Literal) text += piece.literal;
        if (piece.part == Part::Seq) text += fmt::format("{}", job.seq);
        if (piece.part == Part::Slot) text += fmt::format("{}", job.slot);
        isThere = isThere || piece.part == Part::Literal || piece.part >= Part::Seq;
        if (piece.part == Part::Literal || piece.part >= Part::Seq) continue;
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
        for (std::size_t i = 0; i < job.values.size(); ++i)
            addWords(word, {.values = job.values.subspan(i, 1), .seq = job.seq, .slot = job.slot}, out);
    }
    return out;
}

std::size_t CommandTemplate::growth(std::string_view value) const {
    return places_ * (shellQuoted(value).size() + 1) + context_;
}

} // namespace yard::ctl
