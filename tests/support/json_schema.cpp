#include "tests/support/json_schema.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <regex>

namespace yard::test {

namespace json = boost::json;

namespace {

constexpr int kMaxDepth = 100;
constexpr std::array<std::string_view, 22> kKnown = {"$ref",
                                                     "type",
                                                     "nullable",
                                                     "enum",
                                                     "properties",
                                                     "required",
                                                     "items",
                                                     "anyOf",
                                                     "additionalProperties",
                                                     "minimum",
                                                     "maximum",
                                                     "pattern",
                                                     "format",
                                                     "description",
                                                     "default",
                                                     "minLength",
                                                     "maxLength",
                                                     "minItems",
                                                     "maxItems",
                                                     "minProperties",
                                                     "maxProperties",
                                                     "exclusiveMinimum"};

std::string shortly(const json::value& value) {
    std::string text = json::serialize(value);
    if (text.size() > 80) text = text.substr(0, 77) + "...";
    return text;
}

bool hasType(const json::value& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    return type == "number" && value.is_number();
}

/// Characters of a text, elements of a list, members of an object.
std::string checkCount(const json::value& value, const json::object& schema, const std::string& at) {
    std::size_t count = 0;
    std::string_view noun;
    if (value.is_string()) {
        noun = "Length";
        for (const char c : value.as_string())
            count += static_cast<std::size_t>((static_cast<unsigned char>(c) & 0xc0) != 0x80);
    } else if (value.is_array()) {
        noun = "Items";
        count = value.as_array().size();
    } else if (value.is_object()) {
        noun = "Properties";
        count = value.as_object().size();
    } else {
        return {};
    }
    const auto* least = schema.if_contains(fmt::format("min{}", noun));
    const auto* most = schema.if_contains(fmt::format("max{}", noun));
    if (least && count < least->to_number<std::size_t>())
        return fmt::format("{}: {} are fewer than {}", at, count, shortly(*least));
    if (most && count > most->to_number<std::size_t>())
        return fmt::format("{}: {} are more than {}", at, count, shortly(*most));
    return {};
}

/// Whole numbers as such: beyond 2^53 a double has not all of them.
bool isBelow(const json::value& a, const json::value& b) {
    if (a.is_int64() && b.is_int64()) return a.as_int64() < b.as_int64();
    return a.to_number<double>() < b.to_number<double>();
}

/// Each pattern is compiled once: that costs far more than a match.
const std::regex& compiled(const std::string& pattern) {
    thread_local std::map<std::string, std::regex> all;
    return all.try_emplace(pattern, pattern).first->second;
}

std::string checkScalar(const json::value& value, const json::object& schema, const std::string& at) {
    if (const auto* words = schema.if_contains("enum"))
        if (std::ranges::find(words->as_array(), value) == words->as_array().end())
            return fmt::format("{}: {} is none of the enum", at, shortly(value));
    if (value.is_number()) {
        const auto* exclusive = schema.if_contains("exclusiveMinimum");
        const bool isOver = exclusive && exclusive->as_bool();
        const auto* least = schema.if_contains("minimum");
        if (least && (isBelow(value, *least) || (isOver && !isBelow(*least, value))))
            return fmt::format("{}: {} is below {}", at, shortly(value), shortly(*least));
        if (const auto* most = schema.if_contains("maximum"); most && isBelow(*most, value))
            return fmt::format("{}: {} is over {}", at, shortly(value), shortly(*most));
    }
    if (std::string wrong = checkCount(value, schema, at); !wrong.empty()) return wrong;
    if (const auto* pattern = schema.if_contains("pattern"); pattern && value.is_string()) {
        const std::string text(value.as_string());
        if (!std::regex_search(text, compiled(std::string(pattern->as_string()))))
            return fmt::format("{}: {} does not match {}", at, shortly(value), shortly(*pattern));
    }
    return {};
}

} // namespace

const json::value* JsonSchemas::named(const std::string& name) const {
    const auto* components = document_.if_contains("components");
    const auto* schemas = components ? components->as_object().if_contains("schemas") : nullptr;
    return schemas ? schemas->as_object().if_contains(name) : nullptr;
}

std::string JsonSchemas::checkAnyOf(const json::value& value, const json::array& choices, const std::string& at,
                                    int depth) const {
    std::string reasons;
    for (const json::value& choice : choices) {
        const std::string reason = check(value, choice, at, depth);
        if (reason.empty()) return {};
        reasons += "\n  " + reason;
    }
    return fmt::format("{}: none of anyOf fits:{}", at, reasons);
}

std::string JsonSchemas::checkObject(const json::object& value, const json::object& schema, const std::string& at,
                                     int depth) const {
    const json::object* properties = nullptr;
    if (const auto* listed = schema.if_contains("properties")) properties = &listed->as_object();
    if (const auto* required = schema.if_contains("required"))
        for (const json::value& name : required->as_array())
            if (!value.contains(name.as_string()))
                return fmt::format("{}: \"{}\" is missing in {}", at, std::string(name.as_string()),
                                   shortly(value));
    const auto* others = schema.if_contains("additionalProperties");
    for (const auto& [key, member] : value) {
        const std::string here = fmt::format("{}.{}", at, std::string(key));
        const auto* listed = properties ? properties->if_contains(key) : nullptr;
        std::string wrong;
        if (listed)
            wrong = check(member, *listed, here, depth);
        else if (others && others->is_object())
            wrong = check(member, *others, here, depth);
        else if (others ? !others->as_bool() : properties != nullptr)
            wrong = fmt::format("{}: this member is not described", here);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string JsonSchemas::check(const json::value& value, const json::value& given, const std::string& at,
                               int depth) const {
    if (depth > kMaxDepth) return fmt::format("{}: the schema does not end", at);
    const json::object& schema = given.as_object();
    for (const auto& [keyword, unused] : schema)
        if (std::ranges::find(kKnown, std::string_view(keyword)) == kKnown.end())
            return fmt::format("{}: the keyword \"{}\" is not checked", at, std::string(keyword));
    if (const auto* reference = schema.if_contains("$ref")) {
        const std::string path(reference->as_string());
        constexpr std::string_view kSchemas = "#/components/schemas/";
        const json::value* schemaThere = path.starts_with(kSchemas) ? named(path.substr(kSchemas.size())) : nullptr;
        return schemaThere ? check(value, *schemaThere, at, depth + 1)
                           : fmt::format("{}: there is no schema {}", at, path);
    }
    const auto* nullable = schema.if_contains("nullable");
    if (value.is_null() && nullable && nullable->as_bool()) return {};
    if (const auto* type = schema.if_contains("type"); type && !hasType(value, std::string_view(type->as_string())))
        return fmt::format("{}: {} is no {}", at, shortly(value), std::string(type->as_string()));
    if (std::string wrong = checkScalar(value, schema, at); !wrong.empty()) return wrong;
    if (const auto* choices = schema.if_contains("anyOf"))
        if (std::string wrong = checkAnyOf(value, choices->as_array(), at, depth + 1); !wrong.empty()) return wrong;
    if (value.is_object()) return checkObject(value.as_object(), schema, at, depth + 1);
    const auto* items = schema.if_contains("items");
    if (!value.is_array() || !items) return {};
    std::size_t index = 0;
    for (const json::value& item : value.as_array())
        if (std::string wrong = check(item, *items, fmt::format("{}[{}]", at, index++), depth + 1); !wrong.empty())
            return wrong;
    return {};
}

} // namespace yard::test
