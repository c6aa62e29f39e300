#include "core/recording/comparison.h"

#include "core/json/json_writer.h"
#include "core/recording/line_difference.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <utility>

namespace yard::recording {

namespace json = boost::json;

namespace {

constexpr std::size_t kLongestNormalised = 512;
constexpr std::array<std::string_view, 8> kCompared = {"state",  "exit_code", "result",   "output",
                                                       "stdout", "stderr",    "duration", "memory"};

std::string_view wordIn(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::optional<double> numberIn(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    if (!value || !value->is_number()) return std::nullopt;
    return value->to_number<double>();
}

const json::object* objectIn(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value ? value->if_object() : nullptr;
}

std::string textOfValue(const json::value* value) {
    return value ? json::serialize(*value) : std::string();
}

/// The number that `text` begins with; `length` 0: with none.
double leadingNumber(const std::string& text, std::size_t at, std::size_t& length) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str() + at, &end);
    length = static_cast<std::size_t>(end - (text.c_str() + at));
    return value;
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool beginsNumber(const std::string& text, std::size_t at) {
    if (at >= text.size()) return false;
    if (at > 0 && (isDigit(text[at - 1]) || text[at - 1] == '.')) return false;
    if (isDigit(text[at])) return true;
    return (text[at] == '-' || text[at] == '.') && at + 1 < text.size() && isDigit(text[at + 1]);
}

bool isSameValue(const json::value& a, const json::value& b, const CompareTerms& terms);

bool isSameObject(const json::object& a, const json::object& b, const CompareTerms& terms) {
    if (a.size() != b.size()) return false;
    return std::ranges::all_of(a, [&](const json::key_value_pair& member) {
        const auto* other = b.if_contains(member.key());
        return other && isSameValue(member.value(), *other, terms);
    });
}

/// The reader of both has held their depth against a limit.
bool isSameValue(const json::value& a, const json::value& b,
                 const CompareTerms& terms) { // NOLINT(misc-no-recursion)
    if (a.is_number() && b.is_number())
        return a == b || terms.isSameNumber(a.to_number<double>(), b.to_number<double>());
    if (a.kind() != b.kind()) return false;
    if (a.is_object()) return isSameObject(a.get_object(), b.get_object(), terms);
    if (!a.is_array()) return a == b;
    return std::ranges::equal(a.get_array(), b.get_array(), [&](const json::value& one, const json::value& other) {
        return isSameValue(one, other, terms);
    });
}

/// Nothing: it is no JSON, or deeper than anybody writes it.
std::optional<json::value> parsed(std::string_view text) {
    json::parse_options options;
    options.max_depth = 64;
    boost::system::error_code problem;
    json::value value = json::parse(text, problem, {}, options);
    return problem ? std::nullopt : std::optional(std::move(value));
}

std::optional<ChunkRef> chunkOf(const json::object* stream) {
    if (!stream) return std::nullopt;
    const auto hash = Hash256::fromHex(wordIn(*stream, "hash"));
    const auto size = numberIn(*stream, "size");
    if (!hash || !size || *size < 0 || *size > 9e15) return std::nullopt;
    return ChunkRef{.hash = *hash, .size = static_cast<std::uint64_t>(*size)};
}

bool isBinary(std::string_view text) {
    return text.find('\0') != text.npos;
}

/// What is kept of a line is more than a short line.
bool hasManyLines(std::string_view text) {
    return std::cmp_greater(std::ranges::count(text, '\n'), kMostComparedLines);
}

/// Lines as they are compared, each made when it is asked for, and once.
class NormalLines {
public:
    NormalLines(const std::vector<std::string_view>& lines, const CompareTerms& terms)
        : lines_(lines)
        , terms_(terms)
        , normal_(terms.isExact() ? 0 : lines.size()) {}
    const std::string& operator[](std::size_t i) {
        std::optional<std::string>& line = normal_[i];
        if (!line) line = terms_.normal(lines_[i]);
        return *line;
    }

private:
    const std::vector<std::string_view>& lines_;
    const CompareTerms& terms_;
    std::vector<std::optional<std::string>> normal_;
};

/// Two results and what was found so far.
class Comparing {
public:
    Comparing(const json::object& recorded, const json::object& replayed, const CompareTerms& terms,
              const RunContent& content, const std::function<bool()>& goOn)
        : a_(recorded)
        , b_(replayed)
        , terms_(terms)
        , content_(content)
        , goOn_(goOn) {}

    std::vector<RunDifference> all() {
        value("state");
        value("exit_code");
        value("result");
        if (!terms_.ignores("output")) outputs();
        for (const std::string_view stream : {"stdout", "stderr"})
            if (!terms_.ignores(stream)) chunks(stream, {}, objectIn(a_, stream), objectIn(b_, stream));
        if (terms_.duration()) factor("duration", seconds(a_), seconds(b_), *terms_.duration());
        if (terms_.memory())
            factor("memory", numberIn(a_, "max_rss_bytes"), numberIn(b_, "max_rss_bytes"), *terms_.memory());
        return std::move(found_);
    }

private:
    void value(std::string_view what) {
        if (terms_.ignores(what)) return;
        const auto* a = a_.if_contains(what);
        const auto* b = b_.if_contains(what);
        if (!a && !b) return;
        if (a && b && isSameValue(*a, *b, terms_)) return;
        found_.push_back({.what = std::string(what), .recorded = textOfValue(a), .replayed = textOfValue(b)});
    }

    void outputs() {
        static const json::object kNone;
        const json::object* a = objectIn(a_, "outputs");
        const json::object* b = objectIn(b_, "outputs");
        std::set<std::string> names;
        for (const json::object* outputs : {a, b})
            if (outputs)
                for (const auto& member : *outputs) names.insert(std::string(member.key()));
        for (const std::string& name : names)
            chunks("output", name, objectIn(a ? *a : kNone, name), objectIn(b ? *b : kNone, name));
    }

    void chunks(std::string_view what, const std::string& name, const json::object* a, const json::object* b) {
        const auto left = chunkOf(a);
        const auto right = chunkOf(b);
        if (!left && !right) return;
        if (left && right && left->hash == right->hash) return;
        RunDifference difference{.what = std::string(what),
                                 .name = name,
                                 .recorded = a ? json::serialize(*a) : std::string(),
                                 .replayed = b ? json::serialize(*b) : std::string()};
        if (left && right && isSameContent(name, *left, *right, difference.diff)) return;
        found_.push_back(std::move(difference));
    }

    std::optional<std::string> read(RunSide side, const ChunkRef& chunk) const {
        if (chunk.size > kMostComparedBytes) return std::nullopt;
        return content_(side, chunk);
    }

    /// Where not both are there, or one is too large, they count as different, by their hashes.
    bool isSameContent(const std::string& name, const ChunkRef& left, const ChunkRef& right,
                       std::string& diff) const {
        const auto a = read(RunSide::Recorded, left);
        const auto b = a ? read(RunSide::Replayed, right) : std::nullopt;
        if (!a || !b || isBinary(*a) || isBinary(*b)) return false;
        if (name.ends_with(".json")) {
            const auto one = parsed(*a);
            const auto other = parsed(*b);
            if (one && other && isSameValue(*one, *other, terms_)) return true;
        }
        if (hasManyLines(*a) || hasManyLines(*b)) return false;
        const auto linesA = linesOf(*a);
        const auto linesB = linesOf(*b);
        NormalLines normalA(linesA, terms_);
        NormalLines normalB(linesB, terms_);
        bool isGoingOn = true;
        diff = lineDifference(
            linesA, linesB,
            [&](std::size_t i, std::size_t j) {
                isGoingOn = isGoingOn && goOn_();
                if (!isGoingOn || linesA[i] == linesB[j]) return isGoingOn;
                return !terms_.isExact() && terms_.isSameText(normalA[i], normalB[j]);
            },
            kMostDiffBytes);
        if (!isGoingOn) diff.clear();
        if (!isGoingOn) return false;
        // What only lacks the end of its last line is the same line, and not the same bytes.
        return diff.empty() && !terms_.isExact();
    }

    static std::optional<double> seconds(const json::object& result) {
        const json::object* times = objectIn(result, "timestamps");
        const auto from = times ? numberIn(*times, "running") : std::nullopt;
        const auto to = times ? numberIn(*times, "exited") : std::nullopt;
        if (!from || !to || *to < *from) return std::nullopt;
        constexpr double kMicros = 1e6;
        return (*to - *from) / kMicros;
    }

    void factor(std::string_view what, std::optional<double> a, std::optional<double> b, double most) {
        if (terms_.ignores(what) || !a || !b || *b <= *a * most) return;
        RunDifference difference{.what = std::string(what), .recorded = {}, .replayed = {}};
        appendJsonNumber(difference.recorded, *a);
        appendJsonNumber(difference.replayed, *b);
        found_.push_back(std::move(difference));
    }

    const json::object& a_;
    const json::object& b_;
    const CompareTerms& terms_;
    const RunContent& content_;
    const std::function<bool()>& goOn_;
    std::vector<RunDifference> found_;
};

} // namespace

// --- terms

struct CompareTerms::Patterns {
    std::vector<std::pair<std::regex, std::string>> all;
};

CompareTerms::CompareTerms() = default;
CompareTerms::CompareTerms(const CompareTerms&) = default;
CompareTerms::CompareTerms(CompareTerms&&) noexcept = default;
CompareTerms& CompareTerms::operator=(CompareTerms&&) noexcept = default;
CompareTerms::~CompareTerms() = default;

namespace {

using CompiledPattern = std::pair<std::regex, std::string>;

/// The walk has a state for each time that a count says.
bool hasCount(std::string_view pattern) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '{') return true;
        if (pattern[i] == '\\') ++i;
    }
    return false;
}

Result<CompiledPattern> compiled(const json::value& value) {
    const json::object* one = value.if_object();
    const std::string pattern(one ? wordIn(*one, "pattern") : std::string_view());
    const std::string with(one ? wordIn(*one, "with") : std::string_view());
    if (pattern.empty() || pattern.size() > CompareTerms::kMostPatternBytes ||
        with.size() > CompareTerms::kMostPatternBytes)
        return invalid("normalise",
                       R"(Give "normalise" as a list of {"pattern","with"}, each of 500 bytes at most.)");
    if (hasCount(pattern))
        return invalid("normalise",
                       fmt::format(R"(A pattern has no counts, and "{{" is written "\{{": {}.)", pattern));
    try {
        // The walk that takes no more steps than text times pattern, and no stack for each byte.
        return CompiledPattern(std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial),
                               with);
    } catch (const std::regex_error&) {
        return invalid("normalise", fmt::format("\"{}\" is no pattern that can be looked for.", pattern));
    }
}

/// Over 1: what is more than so many times as much.
Result<std::optional<double>> factorIn(const json::object& terms, std::string_view key) {
    if (!terms.if_contains(key)) return std::optional<double>();
    const auto factor = numberIn(terms, key);
    if (!factor || !(*factor >= 1) || *factor > 1e9)
        return invalid(std::string(key), fmt::format("Give \"{}\" as a factor of 1 or more.", key));
    return factor;
}

Result<double> toleranceIn(const json::object& terms) {
    const auto* numbers = terms.if_contains("numbers");
    if (!numbers) return 0.0;
    const auto tolerance =
        numbers->is_object() ? numberIn(numbers->get_object(), "tolerance") : std::optional<double>();
    if (!tolerance || !(*tolerance >= 0) || *tolerance > 1)
        return invalid("numbers", R"(Give "numbers" as {"tolerance":T}, T from 0 to 1.)");
    return *tolerance;
}

Result<std::set<std::string, std::less<>>> ignoredIn(const json::object& terms) {
    std::set<std::string, std::less<>> ignored;
    const auto* all = terms.if_contains("ignore");
    if (!all) return ignored;
    const json::array* words = all->if_array();
    for (std::size_t i = 0; words && i < words->size(); ++i) {
        const auto* word = words->at(i).if_string();
        if (!word || std::ranges::find(kCompared, std::string_view(*word)) == kCompared.end()) words = nullptr;
        if (words) ignored.insert(std::string(*word));
    }
    if (!words)
        return invalid("ignore", R"(Give "ignore" as a list of state, exit_code, result, output, stdout, stderr, )"
                                 R"(duration and memory.)");
    return ignored;
}

} // namespace

Result<CompareTerms> CompareTerms::parse(std::string_view text) {
    CompareTerms terms;
    if (text.empty()) return terms;
    const auto value = parsed(text);
    const json::object* object = value ? value->if_object() : nullptr;
    if (!object) return invalid("compare", R"(Give "compare" as an object.)");
    for (const auto& member : *object)
        if (constexpr std::array<std::string_view, 5> kKnown = {"ignore", "normalise", "numbers", "duration",
                                                                "memory"};
            std::ranges::find(kKnown, std::string_view(member.key())) == kKnown.end())
            return invalid("compare", fmt::format("\"compare\" has no \"{}\".", std::string_view(member.key())));
    auto ignored = ignoredIn(*object);
    if (!ignored) return std::unexpected(ignored.error());
    const auto tolerance = toleranceIn(*object);
    if (!tolerance) return std::unexpected(tolerance.error());
    const auto duration = factorIn(*object, "duration");
    if (!duration) return std::unexpected(duration.error());
    const auto memory = factorIn(*object, "memory");
    if (!memory) return std::unexpected(memory.error());
    if (const auto* normalise = object->if_contains("normalise")) {
        const json::array* all = normalise->if_array();
        if (!all || all->size() > kMostPatterns)
            return invalid("normalise", fmt::format("Give \"normalise\" as a list of at most {}.", kMostPatterns));
        auto patterns = std::make_shared<Patterns>();
        for (const json::value& one : *all) {
            auto pattern = compiled(one);
            if (!pattern) return std::unexpected(pattern.error());
            patterns->all.push_back(std::move(*pattern));
        }
        if (!patterns->all.empty()) terms.patterns_ = std::move(patterns);
    }
    terms.ignored_ = std::move(*ignored);
    terms.tolerance_ = *tolerance;
    terms.duration_ = *duration;
    terms.memory_ = *memory;
    return terms;
}

std::string CompareTerms::normal(std::string_view line) const {
    std::string text(line);
    if (!patterns_ || text.size() > kLongestNormalised) return text;
    for (const auto& [pattern, with] : patterns_->all) {
        text = std::regex_replace(text, pattern, with);
        if (text.size() > 4 * kLongestNormalised) break;
    }
    return text;
}

bool CompareTerms::isSameNumber(double a, double b) const {
    return a == b || std::abs(a - b) <= tolerance_ * std::max(std::abs(a), std::abs(b));
}

bool CompareTerms::isSameText(std::string_view a, std::string_view b) const {
    if (a == b) return true;
    if (tolerance_ <= 0) return false;
    const std::string one(a);
    const std::string other(b);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < one.size() && j < other.size()) {
        if (beginsNumber(one, i) && beginsNumber(other, j)) {
            std::size_t lengthOne = 0;
            std::size_t lengthOther = 0;
            const double left = leadingNumber(one, i, lengthOne);
            const double right = leadingNumber(other, j, lengthOther);
            if (lengthOne == 0 || lengthOther == 0 || !isSameNumber(left, right)) return false;
            i += lengthOne;
            j += lengthOther;
        } else if (one[i++] != other[j++]) {
            return false;
        }
    }
    return i == one.size() && j == other.size();
}

bool CompareTerms::isExact() const {
    return !patterns_ && tolerance_ <= 0;
}

Result<std::vector<RunDifference>> compareRuns(std::string_view recorded, std::string_view replayed,
                                               const CompareTerms& terms, const RunContent& content,
                                               const std::function<bool()>& goOn) {
    const auto a = parsed(recorded);
    const auto b = parsed(replayed);
    if (!a || !b || !a->is_object() || !b->is_object())
        return fail(ErrorKind::Malformed, "A result cannot be read, so it cannot be compared.");
    return Comparing(a->get_object(), b->get_object(), terms, content, goOn).all();
}

} // namespace yard::recording
