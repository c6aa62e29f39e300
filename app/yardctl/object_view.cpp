#include "app/yardctl/object_view.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"

#include <fmt/format.h>
#include <vector>

namespace yard::ctl {

namespace json = boost::json;

namespace {

std::string whenOf(const json::object& object, std::string_view key, std::int64_t now) {
    const auto at = integerOf(object, key);
    if (!at) return "-";
    if (*at <= now) return timeWords(*at, now);
    return "in " + durationWords(static_cast<double>(*at - now) / 1e6);
}

std::string numberWords(const json::object& object, std::string_view key) {
    const auto number = integerOf(object, key);
    return number ? fmt::to_string(*number) : "-";
}

/// "from" of a move: one name, or several.
std::vector<std::string> namesIn(const json::value& value) {
    std::vector<std::string> names;
    if (value.is_string()) names.emplace_back(value.get_string());
    if (value.is_array())
        for (const json::value& one : value.get_array())
            if (one.is_string()) names.emplace_back(one.get_string());
    return names;
}

/// Each move that a descriptor allows, in its order.
template<class Tell>
void eachMove(const json::object& descriptor, const Tell& tell) {
    const json::array* moves = arrayOf(descriptor, "transitions");
    if (!moves) return;
    for (const json::value& each : *moves) {
        const json::object* move = each.if_object();
        const json::value* from = move ? move->if_contains("from") : nullptr;
        if (!from) continue;
        for (const std::string& source : namesIn(*from)) tell(source, textOf(*move, "to"));
    }
}

/// The objects that these look at, with blanks between.
std::string looksOf(const json::array& actors) {
    std::string looks;
    for (const json::value& each : actors) {
        const json::object* actor = each.if_object();
        if (actor && actor->contains("object")) looks += (looks.empty() ? "" : " ") + numberWords(*actor, "object");
    }
    return looks.empty() ? "-" : looks;
}

std::string dotText(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

void line(std::string_view name, const std::string& value) {
    if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
}

} // namespace

std::string countWords(const json::object& counts) {
    std::string words;
    for (const auto& [status, count] : counts) {
        if (!count.is_int64() || count.get_int64() == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", printable(status), count.get_int64());
    }
    return words.empty() ? "-" : words;
}

void printTypes(const json::array& types) {
    Table table({{"TYPE", false, 8}, {"VERSION", false, 6, 2}, {"WORKER", false, 8, 1}, {"OBJECTS", false, 10}});
    for (const json::value& each : types) {
        const json::object* type = each.if_object();
        if (!type) continue;
        const json::object* body = objectOf(*type, "type");
        const json::object* actor = body ? objectOf(*body, "actor") : nullptr;
        const json::object* counts = objectOf(*type, "counts");
        const std::string version(body ? textOf(*body, "version") : "");
        table.add({printable(textOf(*type, "name")), printable(version.empty() ? "1" : version),
                   actor ? printable(textOf(*actor, "worker")) : "-", counts ? countWords(*counts) : "-"});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

void printType(const json::object& type) {
    line("type", printable(textOf(type, "name")));
    if (const json::object* counts = objectOf(type, "counts")) line("objects", countWords(*counts));
    const json::object* body = objectOf(type, "type");
    if (!body) return;
    if (const json::object* states = objectOf(*body, "states"))
        for (const auto& [name, state] : *states) {
            std::string next;
            eachMove(*body, [&](const std::string& from, std::string_view to) {
                if (from == name) next += " " + printable(to);
            });
            line(name, next.empty() ? "ends" : "->" + next);
        }
}

std::string typeGraph(const json::object& descriptor) {
    std::string out = fmt::format("digraph {} {{\n    rankdir=LR;\n", dotText(textOf(descriptor, "name")));
    if (const json::object* states = objectOf(descriptor, "states"))
        for (const auto& [name, state] : *states) {
            const json::object* one = state.if_object();
            const json::value* isFinal = one ? one->if_contains("final") : nullptr;
            const bool ends = isFinal && isFinal->is_bool() && isFinal->get_bool();
            out += fmt::format("    {} [shape={}];\n", dotText(name), ends ? "doublecircle" : "ellipse");
        }
    eachMove(descriptor, [&](const std::string& from, std::string_view to) {
        out += fmt::format("    {} -> {};\n", dotText(from), dotText(to));
    });
    return out + "}\n";
}

void printObjects(const json::array& objects, std::int64_t now) {
    Table table({{"ID", true},
                 {"TYPE", false, 8, 2},
                 {"STATUS", false, 8},
                 {"NEXT LOOK", false, 8},
                 {"TRIES", true, kWhole, 1},
                 {"FIELDS", false, 12}});
    for (const json::value& each : objects) {
        const json::object* object = each.if_object();
        if (!object) continue;
        const json::object* fields = objectOf(*object, "fields");
        table.add({numberWords(*object, "id"), printable(textOf(*object, "type")),
                   printable(textOf(*object, "status")), whenOf(*object, "retry_at", now),
                   numberWords(*object, "retries"), fields ? printable(compactJson(*fields)) : "-"});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

void printObject(const json::object& object, std::int64_t now) {
    line("object", fmt::format("{} {}", printable(textOf(object, "type")), numberWords(object, "id")));
    line("status", printable(textOf(object, "status")));
    line("key", printable(textOf(object, "key")));
    line("next look", object.contains("retry_at") ? whenOf(object, "retry_at", now) : "");
    if (const json::object* fields = objectOf(object, "fields"))
        for (const auto& [name, value] : *fields)
            line(fmt::format("  {}", printable(name)), value.is_string()
                                                           ? printable(std::string_view(value.get_string()))
                                                           : printable(compactJson(value)));
    line("parent", object.contains("parent") ? numberWords(object, "parent") : "");
    if (const json::object* children = objectOf(object, "children")) line("children", countWords(*children));
    if (const auto retries = integerOf(object, "retries"); retries && *retries > 0)
        line("tries", fmt::to_string(*retries));
    line("last error", printable(textOf(object, "last_error")));
    line("revision", numberWords(object, "revision"));
    line("created", whenOf(object, "created", now));
    line("ended", object.contains("end_ts") ? whenOf(object, "end_ts", now) : "");
    const json::array* history = arrayOf(object, "history");
    if (!history || history->empty()) return;
    fmt::print("\n");
    Table table(
        {{"WHEN", false}, {"FROM", false, 6}, {"TO", false, 6}, {"BY", false, 6, 1}, {"TOOK", true, kWhole, 2}});
    for (const json::value& each : *history)
        if (const json::object* move = each.if_object())
            table.add({whenOf(*move, "t", now), printable(textOf(*move, "from")), printable(textOf(*move, "to")),
                       printable(textOf(*move, "actor")),
                       durationWords(static_cast<double>(integerOf(*move, "tick_ms").value_or(0)) / 1e3)});
    fmt::print("{}", table.text(terminalWidth()));
}

void printOrchestrator(const json::object& view, std::int64_t now) {
    Table table(
        {{"TYPE", false, 8}, {"DUE", true}, {"ACTORS", true}, {"LOOKS AT", false, 8}, {"NOTE", false, 10, 1}});
    if (const json::array* types = arrayOf(view, "types"))
        for (const json::value& each : *types) {
            const json::object* type = each.if_object();
            if (!type) continue;
            const json::array* actors = arrayOf(*type, "actors");
            table.add({printable(textOf(*type, "name")), numberWords(*type, "due"),
                       fmt::to_string(actors ? actors->size() : 0), actors ? looksOf(*actors) : "-",
                       printable(textOf(*type, "why"))});
        }
    if (table.empty())
        fmt::print("There are no types of objects.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
    fmt::print("{} objects, {} stuck, {} effects to carry out, next look {}\n", numberWords(view, "objects"),
               numberWords(view, "stuck"), numberWords(view, "outbox"), whenOf(view, "next_look", now));
    if (const json::array* orphans = arrayOf(view, "orphans"))
        for (const json::value& each : *orphans)
            if (const json::object* orphan = each.if_object())
                fmt::print("nobody looks at object {} ({} {}): {}\n", numberWords(*orphan, "id"),
                           printable(textOf(*orphan, "type")), printable(textOf(*orphan, "status")),
                           printable(textOf(*orphan, "reason")));
}

} // namespace yard::ctl
