#include "app/yardctl/map/value_change.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

std::string_view baseOf(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
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

/// Where the dot of the last so many extensions is. Nothing: there are not so many behind the last slash.
std::optional<std::size_t> extensionsAt(std::string_view path, std::size_t count) {
    std::size_t at = path.size();
    for (; count > 0; --count) {
        at = at == 0 ? std::string_view::npos : path.rfind('.', at - 1);
        if (at == std::string_view::npos || path.find('/', at) != std::string_view::npos) return std::nullopt;
    }
    return at;
}

std::string_view withoutExtensions(std::string_view path, std::size_t count) {
    return path.substr(0, extensionsAt(path, count).value_or(path.size()));
}

/// {+.} looks for its dot in the whole path, {+..} behind the last slash: as with parallel.
std::string_view extensionsOf(std::string_view path, std::size_t count) {
    if (count == 1) {
        const std::size_t dot = path.rfind('.');
        return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    const auto at = extensionsAt(path, count);
    return at ? path.substr(*at + 1) : std::string_view();
}

char raised(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// All of it is a number.
std::optional<std::size_t> wholeIn(std::string_view text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::shared_ptr<const Expression> expressionFor(std::string_view text) {
    return std::make_shared<const Expression>(text);
}

} // namespace

std::string_view trimmedBy(Trim trim, std::string_view value) {
    if (trim == Trim::Left || trim == Trim::Both)
        value.remove_prefix(std::min(value.find_first_not_of(kWhiteSpace), value.size()));
    if (trim == Trim::Right || trim == Trim::Both) value = value.substr(0, value.find_last_not_of(kWhiteSpace) + 1);
    return value;
}

std::optional<ValueChange> ValueChange::exact(std::string_view written, bool hasPlus) {
    struct Name {
        std::string_view written;
        Kind kind;
        std::size_t count;
    };
    constexpr std::size_t kPlain = 5; // of every map; the others are of --plus
    constexpr std::array<Name, 13> kNames{{{"", Kind::Whole, 0},
                                           {".", Kind::NoExtensions, 1},
                                           {"/", Kind::Base, 0},
                                           {"//", Kind::Directory, 0},
                                           {"/.", Kind::BaseNoExtensions, 1},
                                           {"..", Kind::NoExtensions, 2},
                                           {"...", Kind::NoExtensions, 3},
                                           {"/..", Kind::BaseNoExtensions, 2},
                                           {"/...", Kind::BaseNoExtensions, 3},
                                           {"+/", Kind::PathBefore, 0},
                                           {"+.", Kind::Extensions, 1},
                                           {"+..", Kind::Extensions, 2},
                                           {"+...", Kind::Extensions, 3}}};
    const auto* end = hasPlus ? kNames.end() : kNames.begin() + kPlain;
    const auto* name = std::find_if(kNames.begin(), end, [&](const Name& n) { return n.written == written; });
    if (name == end) return std::nullopt;
    ValueChange out;
    out.kind_ = name->kind;
    out.count_ = name->count;
    return out;
}

/// ":-TEXT", ":2", ":2:3".
std::optional<ValueChange> ValueChange::part(std::string_view written) {
    ValueChange out;
    written.remove_prefix(1);
    if (written.starts_with('-') && written.size() > 1) {
        out.kind_ = Kind::Default;
        out.text_ = written.substr(1);
        return out;
    }
    const std::size_t colon = written.find(':');
    const auto from = wholeIn(written.substr(0, colon));
    const auto length =
        colon == std::string_view::npos ? std::optional(std::string::npos) : wholeIn(written.substr(colon + 1));
    if (!from || !length) return std::nullopt;
    out.kind_ = Kind::From;
    out.count_ = *from;
    out.length_ = *length;
    return out;
}

/// "/a/b", "//a/b", "/#a/b", "/%a/b".
std::optional<ValueChange> ValueChange::replacing(std::string_view written) {
    written.remove_prefix(1);
    const char how = written.empty() ? '\0' : written.front();
    const bool isMarked = how == '/' || how == '#' || how == '%';
    if (isMarked) written.remove_prefix(1);
    const std::size_t slash = written.find('/', 1);
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view pattern = written.substr(0, slash);
    ValueChange out;
    out.kind_ = how == '/' ? Kind::ReplaceAll : Kind::Replace;
    out.text_ = written.substr(slash + 1);
    out.expression_ = expressionFor(how == '#'   ? fmt::format("^({})", pattern)
                                    : how == '%' ? fmt::format("({})$", pattern)
                                                 : std::string(pattern));
    return out;
}

std::optional<ValueChange> ValueChange::matching(std::string_view written) {
    struct Mark {
        std::string_view mark;
        Kind kind;
        bool isAtStart;
        bool isAtEnd;
    };
    // The longer of two that begin alike is first.
    constexpr std::array<Mark, 8> kMarks{{{"##", Kind::LongPrefix, true, false},
                                          {"#", Kind::ShortPrefix, true, false},
                                          {"%%", Kind::LongSuffix, false, true},
                                          {"%", Kind::ShortSuffix, false, true},
                                          {"^^", Kind::UpperAll, false, false},
                                          {"^", Kind::Upper, true, false},
                                          {",,", Kind::LowerAll, false, false},
                                          {",", Kind::Lower, true, false}}};
    const auto* found = std::ranges::find_if(
        kMarks, [&](const Mark& m) { return written.starts_with(m.mark) && written.size() > m.mark.size(); });
    if (found == kMarks.end()) return std::nullopt;
    ValueChange out;
    out.kind_ = found->kind;
    const std::string_view pattern = written.substr(found->mark.size());
    out.expression_ =
        expressionFor(fmt::format("{}({}){}", found->isAtStart ? "^" : "", pattern, found->isAtEnd ? "$" : ""));
    return out;
}

std::optional<ValueChange> ValueChange::of(std::string_view written, bool hasPlus) {
    if (auto named = exact(written, hasPlus)) return named;
    if (!hasPlus || written.empty()) return std::nullopt;
    if (written.front() == ':') return part(written);
    return written.front() == '/' ? replacing(written) : matching(written);
}

std::string ValueChange::apply(std::string_view value) const {
    if (expression_) return applyExpression(std::string(value));
    switch (kind_) {
    case Kind::Base: return std::string(baseOf(value));
    case Kind::Directory: return std::string(directoryOf(value));
    case Kind::PathBefore:
        return std::string(value.contains('/') ? value.substr(0, value.rfind('/')) : std::string_view());
    case Kind::Extensions: return std::string(extensionsOf(value, count_));
    case Kind::NoExtensions: return std::string(withoutExtensions(value, count_));
    case Kind::BaseNoExtensions: return std::string(withoutExtensions(baseOf(value), count_));
    case Kind::Default: return value.empty() || value == "0" ? text_ : std::string(value);
    case Kind::From: return std::string(value.substr(std::min(count_, value.size()), length_));
    default: return std::string(value);
    }
}

/// The first match, or each, by other text or in other letters. A match of nothing is one, too, as with parallel.
std::string ValueChange::replaced(const std::string& value) const {
    const bool isAll = kind_ == Kind::ReplaceAll || kind_ == Kind::UpperAll || kind_ == Kind::LowerAll;
    const bool isText = kind_ == Kind::Replace || kind_ == Kind::ReplaceAll;
    const bool isUpper = kind_ == Kind::Upper || kind_ == Kind::UpperAll;
    std::string out;
    std::size_t at = 0;
    while (const auto match = expression_->find(value, at)) {
        out += value.substr(at, match->begin - at);
        if (isText) out += text_;
        for (std::size_t i = match->begin; !isText && i < match->end; ++i)
            out += isUpper ? raised(value[i]) : lowered(value[i]);
        at = match->end;
        if (!isAll) break;
        if (match->end > match->begin) continue;
        if (at == value.size()) break;
        out += value[at++];
    }
    return out + value.substr(at);
}

/// Of prefixes and suffixes the shortest are found by halving: where one of so many bytes matches, more bytes have it, too.
std::string ValueChange::applyExpression(const std::string& value) const {
    if (kind_ == Kind::LongPrefix || kind_ == Kind::LongSuffix) {
        const auto match = expression_->find(value, 0);
        return match ? value.substr(0, match->begin) + value.substr(match->end) : value;
    }
    if (kind_ != Kind::ShortPrefix && kind_ != Kind::ShortSuffix) return replaced(value);
    const bool isPrefix = kind_ == Kind::ShortPrefix;
    const auto matchesWithin = [&](std::size_t bytes) {
        const std::string text = isPrefix ? value.substr(0, bytes) : value.substr(value.size() - bytes);
        return expression_->find(text, 0).has_value();
    };
    if (!matchesWithin(value.size())) return value;
    std::size_t fewest = 0;
    for (std::size_t most = value.size(); fewest < most;) {
        const std::size_t half = fewest + (most - fewest) / 2;
        if (matchesWithin(half))
            most = half;
        else
            fewest = half + 1;
    }
    return isPrefix ? value.substr(fewest) : value.substr(0, value.size() - fewest);
}

} // namespace yard::ctl
