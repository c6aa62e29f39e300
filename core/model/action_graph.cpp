#include "core/model/action_graph.h"

#include "core/json/json_writer.h"
#include "core/model/action_name.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace yard {

namespace {

/// Of a circle that is told.
constexpr std::size_t kMostTold = 8;

std::unexpected<Error> refusedAt(std::string_view field, std::string message, std::size_t index, bool isList) {
    auto error = invalid(std::string(field), std::move(message));
    if (isList) error.error().index = static_cast<int>(index);
    return error;
}

/// A walk from children to parents that notes each action once all its parents are noted.
class Walk {
public:
    explicit Walk(std::span<const ParsedAction> actions)
        : actions_(actions)
        , marks_(actions.size(), Mark::New) {
        order_.reserve(actions.size());
    }
    /// False: there is a circle, which is then `circle()`.
    bool from(std::uint32_t action) {
        if (marks_[action] == Mark::Done) return true;
        open(action);
        while (!path_.empty()) {
            Step& step = path_.back();
            const std::vector<std::uint32_t>& parents = actions_[step.action].parents;
            if (step.next == parents.size()) {
                marks_[step.action] = Mark::Done;
                order_.push_back(step.action);
                path_.pop_back();
                continue;
            }
            const std::uint32_t parent = parents[step.next++];
            if (marks_[parent] == Mark::Open) {
                closing_ = parent;
                return false;
            }
            if (marks_[parent] == Mark::New) open(parent);
        }
        return true;
    }
    std::vector<std::uint32_t> takeOrder() { return std::move(order_); }
    /// Each waits for the next one, the last for the first.
    std::vector<std::uint32_t> circle() const {
        std::vector<std::uint32_t> all;
        for (const Step& step : path_)
            if (!all.empty() || step.action == closing_) all.push_back(step.action);
        return all;
    }

private:
    enum class Mark : unsigned char { New, Open, Done };
    struct Step {
        std::uint32_t action;
        std::size_t next; ///< of its parents
    };
    void open(std::uint32_t action) {
        marks_[action] = Mark::Open;
        path_.push_back({action, 0});
    }

    std::span<const ParsedAction> actions_;
    std::vector<Mark> marks_;
    std::vector<Step> path_;
    std::vector<std::uint32_t> order_;
    std::uint32_t closing_ = 0;
};

Result<void> refuseCircle(std::span<const ParsedAction> actions, const std::vector<std::uint32_t>& circle,
                          bool isList) {
    std::string told;
    for (std::size_t i = 0; i < std::min(circle.size(), kMostTold); ++i)
        told += quoted(actions[circle[i]].spec->id) + " after ";
    if (circle.size() > kMostTold) told += "… after ";
    told += quoted(actions[circle.front()].spec->id);
    return refusedAt("after", fmt::format("These wait for each other, and none could begin: {}.", told),
                     circle.front(), isList);
}

/// The end of the JSON value that begins at `at`; the text is valid, and has no white space.
std::size_t endOfValue(std::string_view text, std::size_t at) {
    int depth = 0;
    for (bool quoted = false; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '\\') ++at;
            if (c == '"') quoted = false;
            continue;
        }
        if (c == '"') quoted = true;
        if ((c == ',' || c == '}' || c == ']') && depth == 0) return at;
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
    }
    return at;
}

void write(JsonWriter& writer, const Dependency& dependency) {
    if (!dependency.isArray && dependency.on == DependencyOn::Completed)
        return writer.integer(dependency.lsn.value);
    writer.openObject();
    writer.member(dependency.isArray ? "array" : "lsn", dependency.lsn.value);
    if (dependency.on != DependencyOn::Completed) writer.member("on", name(dependency.on));
    writer.closeObject();
}

// --- Graphviz

std::string dotText(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string labelOf(const ActionSpec& spec) {
    ActionResult shown;
    shown.workerName = spec.worker;
    shown.function = spec.function;
    shown.label = spec.label;
    if (spec.isExec()) shown.command = commandName(spec.argv);
    const std::string name = actionName(shown);
    std::string label = spec.id.empty() ? name : spec.id + ": " + name;
    if (spec.array) label += fmt::format(" [{}..{}]", spec.array->from, spec.array->to);
    return label;
}

std::string styleOf(DependencyOn on) {
    return on == DependencyOn::Completed ? std::string() : fmt::format(" [label=\"{}\", style=dashed]", name(on));
}

} // namespace

Result<void> findParents(std::span<ParsedAction> actions, bool isList) {
    std::unordered_map<std::string_view, std::uint32_t> byId;
    bool hasReferences = false;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const std::string& id = actions[i].spec->id;
        hasReferences = hasReferences || !actions[i].spec->references.empty();
        if (id.empty()) continue;
        const auto [known, isNew] = byId.try_emplace(id, static_cast<std::uint32_t>(i));
        if (!isNew)
            return refusedAt("id",
                             fmt::format("Give another \"id\" than {}: action {} of this list has it already.",
                                         quoted(id), known->second),
                             i, isList);
    }
    if (!hasReferences) return {};
    for (std::size_t i = 0; i < actions.size(); ++i)
        for (const Reference& reference : actions[i].spec->references) {
            const auto known = byId.find(reference.id);
            if (known == byId.end())
                return refusedAt(
                    "after",
                    fmt::format("No action of this list has the \"id\" {}: \"after\" names others of the "
                                "same list by \"id\", all others by LSN.",
                                quoted(reference.id)),
                    i, isList);
            actions[i].parents.push_back(known->second);
        }
    Walk walk(actions);
    for (std::uint32_t i = 0; i < actions.size(); ++i)
        if (!walk.from(i)) return refuseCircle(actions, walk.circle(), isList);
    return {};
}

std::optional<std::vector<std::uint32_t>> parentsFirst(std::span<const ParsedAction> actions) {
    Walk walk(actions);
    for (std::uint32_t i = 0; i < actions.size(); ++i)
        if (!walk.from(i)) return std::nullopt;
    return walk.takeOrder();
}

std::string withAfter(std::string_view text, std::span<const Dependency> after) {
    std::string out;
    for (std::size_t at = 1; at < text.size();) {
        const std::size_t keyEnd = endOfValue(text, at); // a key, a colon and the value
        const std::string_view member = text.substr(at, keyEnd - at);
        if (!member.starts_with("\"after\":")) {
            at = keyEnd + 1;
            continue;
        }
        out = text.substr(0, at);
        out += "\"after\":";
        JsonWriter writer(out);
        writer.openArray();
        for (const Dependency& dependency : after) write(writer, dependency);
        writer.closeArray();
        out += text.substr(keyEnd);
        return out;
    }
    return std::string(text);
}

std::string withoutMember(std::string_view text, std::string_view name) {
    const std::string key = fmt::format("\"{}\":", name);
    for (std::size_t at = 1; at < text.size();) {
        const std::size_t end = endOfValue(text, at);
        if (!text.substr(at, end - at).starts_with(key)) {
            at = end + 1;
            continue;
        }
        // The comma behind it goes with it, or, of the last one, that before it.
        const bool isLast = text.substr(end).starts_with('}');
        return std::string(text.substr(0, isLast && at > 1 ? at - 1 : at)) +
               std::string(text.substr(isLast ? end : end + 1));
    }
    return std::string(text);
}

std::string toDot(std::span<const ParsedAction> actions) {
    std::string out = "digraph actions {\n    rankdir=LR;\n    node [shape=box];\n";
    std::unordered_set<std::int64_t> others;
    for (std::size_t i = 0; i < actions.size(); ++i)
        out += fmt::format("    a{} [label={}];\n", i, dotText(labelOf(*actions[i].spec)));
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const ActionSpec& spec = *actions[i].spec;
        for (const Dependency& dependency : spec.after) {
            const std::int64_t lsn = dependency.lsn.value;
            if (others.insert(dependency.isArray ? -lsn : lsn).second)
                out += fmt::format("    {}{} [label=\"{} {}\", style=dotted];\n", dependency.isArray ? 'r' : 'l',
                                   lsn, dependency.isArray ? "array" : "action", lsn);
            out +=
                fmt::format("    {}{} -> a{}{};\n", dependency.isArray ? 'r' : 'l', lsn, i, styleOf(dependency.on));
        }
        for (std::size_t k = 0; k < actions[i].parents.size(); ++k)
            out += fmt::format("    a{} -> a{}{};\n", actions[i].parents[k], i, styleOf(spec.references[k].on));
    }
    return out + "}\n";
}

} // namespace yard
