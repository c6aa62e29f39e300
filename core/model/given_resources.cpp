#include "core/model/given_resources.h"

#include "core/base/text.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace yard {

namespace {

constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMaxDigits = 9;

struct Range {
    unsigned from = 0;
    unsigned to = 0;
    std::size_t width = 0; ///< "08-12" begins with "08"
};

std::optional<Range> rangeIn(std::string_view word) {
    const auto dash = word.find('-');
    if (dash == word.npos) return std::nullopt;
    const std::string_view from = word.substr(0, dash);
    const std::string_view to = word.substr(dash + 1);
    const auto isNumber = [](std::string_view text) { return text.size() <= kMaxDigits && isDigits(text); };
    if (!isNumber(from) || !isNumber(to)) return std::nullopt;
    Range range{.from = 0, .to = 0, .width = from.starts_with('0') ? from.size() : 1};
    std::from_chars(from.data(), from.data() + from.size(), range.from);
    std::from_chars(to.data(), to.data() + to.size(), range.to);
    return range;
}

bool addName(std::string name, std::vector<std::string>& names) {
    const bool isGood = !name.empty() && name.size() <= kMaxName && isUtf8(name) && !name.contains(',') &&
                        !hasControlCharacters(name);
    if (!isGood || names.size() >= kMaxResourceNames || std::ranges::find(names, name) != names.end()) return false;
    names.push_back(std::move(name));
    return true;
}

} // namespace

bool wasGiven(const GivenResources& given, std::string_view resource, std::string_view name) {
    const auto at = std::ranges::find(given, resource, &GivenResource::resource);
    return at != given.end() && std::ranges::find(at->names, name) != at->names.end();
}

GivenResources joined(GivenResources some, const GivenResources& more) {
    for (const GivenResource& one : more)
        if (std::ranges::find(some, one.resource, &GivenResource::resource) == some.end()) some.push_back(one);
    std::ranges::sort(some, {}, &GivenResource::resource);
    return some;
}

std::string toJson(const GivenResources& given) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    for (const GivenResource& one : given) {
        writer.key(one.resource);
        writer.openArray();
        for (const std::string& name : one.names) writer.string(name);
        writer.closeArray();
    }
    writer.closeObject();
    return text;
}

GivenResources givenFrom(std::string_view json) {
    const auto tape = readJson(json);
    if (!tape || !tape->root().isObject()) return {};
    GivenResources given;
    for (const JsonView member : tape->root()) {
        if (member.kind() != JsonKind::Array) return {};
        GivenResource& one = given.emplace_back(GivenResource{.resource = std::string(member.key()), .names = {}});
        for (const JsonView name : member) {
            if (name.kind() != JsonKind::String) return {};
            one.names.emplace_back(name.string());
        }
    }
    return given;
}

std::string variableOf(std::string_view resource) {
    std::string name = "YARD_RESOURCE_";
    for (const char c : resource) {
        const bool isSmall = c >= 'a' && c <= 'z';
        const bool isKept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += isSmall ? static_cast<char>(c - 'a' + 'A') : isKept ? c : '_';
    }
    return name;
}

std::string listed(const GivenResource& given) {
    return fmt::format("{}", fmt::join(given.names, ","));
}

std::string listed(const GivenResources& given) {
    std::string text;
    for (const GivenResource& one : given)
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", one.resource, listed(one));
    return text;
}

bool expandNames(std::string_view word, std::vector<std::string>& names) {
    const auto range = rangeIn(word);
    if (!range) return addName(std::string(word), names);
    if (range->to < range->from || range->to - range->from >= kMaxResourceNames) return false;
    for (unsigned n = range->from; n <= range->to; ++n)
        if (!addName(fmt::format("{:0{}}", n, range->width), names)) return false;
    return true;
}

} // namespace yard
