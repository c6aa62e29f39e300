#include "core/http/openapi.h"

#include "core/base/replace.h"
#include "core/http/openapi_schemas.h"
#include "core/http/route.h"
#include "core/http/words.h"
#include "core/json/json_writer.h"
#include "core/model/measures.h"
#include "core/model/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace yard::http {

namespace {

constexpr std::string_view kDescription =
    "Times are microseconds since the Unix epoch, durations seconds, sizes bytes unless the name says otherwise. "
    "Members that are absent are unknown. Errors are 400 malformed, 401 token, 403 Host, Origin or right, 404 "
    "unknown, "
    "405, "
    "409 wrong state or limit, 413, 415, 422 invalid, 429, 431, 501 not there yet, and 503 when no work is taken.";

std::string methodWord(Method method) {
    std::string word(name(method));
    std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    return word;
}

bool isOutside(const RouteSpec& route) {
    return route.scope == Scope::Root || route.scope == Scope::Open;
}

/// The row that is told by this one: of a path that differs in the name of a part only.
const Route* toldWith(const Route& route) {
    const auto isTold = [&](const Route& other) {
        return other.spec.method == route.spec.method && other.terms.toldBy == route.spec.pattern;
    };
    if (route.spec.pattern.empty()) return nullptr;
    const auto found = std::ranges::find_if(allRoutes(), isTold);
    return found == allRoutes().end() ? nullptr : &*found;
}

bool takesParts(const Route& route) {
    return route.spec.body == BodyKind::JsonOrParts;
}

/// Queues for what is about a whole queue, else the first part of the pattern.
std::string_view tagOf(const RouteSpec& route) {
    if (isOutside(route)) return "program";
    if (route.scope == Scope::Queue) return "queues";
    const std::string_view first = route.pattern.substr(0, route.pattern.find('/'));
    return first == "hold" || first == "release" || first == "abandon" ? "session" : first;
}

void writeReference(JsonWriter& writer, std::string_view kind, std::string_view schema) {
    writer.openObject();
    writer.member("$ref", fmt::format("#/components/{}/{}", kind, schema));
    writer.closeObject();
}

/// {"application/json":{"schema":…}}; `parts`: or the same with chunks beside it; `csv`: or as a table.
void writeContent(JsonWriter& writer, std::string_view schema, bool parts = false, bool csv = false) {
    writer.key("content");
    writer.openObject();
    const bool bytes = schema == "bytes";
    const bool text = schema == "text";
    constexpr std::string_view kLines = "ndjson:";
    const bool lines = schema.starts_with(kLines);
    if (lines) schema.remove_prefix(kLines.size());
    writer.key(bytes   ? "application/octet-stream"
               : text  ? "text/plain"
               : lines ? "application/x-ndjson"
                       : "application/json");
    writer.openObject();
    writer.key("schema");
    if (bytes)
        writer.raw(R"({"type":"string","format":"binary"})");
    else if (text)
        writer.raw(R"({"type":"string"})");
    else
        writeReference(writer, "schemas", schema);
    writer.closeObject();
    if (csv) {
        writer.key("text/csv");
        writer.raw(R"({"schema":{"type":"string","description":"a line of headings, then one for each row"}})");
    }
    if (parts) {
        writer.key("multipart/form-data");
        writer.raw(
            fmt::format(R"({{"schema":{{"type":"object","required":["action"],"properties":{{"action":)"
                        R"({{"$ref":"#/components/schemas/{}"}}}},"additionalProperties":)"
                        R"({{"type":"string","format":"binary","description":"a chunk; the part's name is its )"
                        R"(hash"}}}}}})",
                        schema));
    }
    writer.closeObject();
}

void writePathParameter(JsonWriter& writer, std::string_view part, bool alsoWorker) {
    writer.openObject();
    writer.member("name", part);
    writer.member("in", "path");
    writer.member("required", true);
    writer.key("schema");
    if (alsoWorker)
        writer.raw(R"({"anyOf":[{"type":"integer","format":"int64","minimum":0},{"type":"string"}]})");
    else if (part == "lsn")
        writer.raw(R"({"type":"integer","format":"int64","minimum":0})");
    else if (part == "hash")
        writer.raw(R"({"type":"string","pattern":"^[0-9a-f]{64}$"})");
    else
        writer.raw(R"({"type":"string"})");
    writer.closeObject();
}

void writeQuery(JsonWriter& writer, const Route& route) {
    forEachWord(route.terms.query, [&](std::string_view word) {
        // "limit=part": what is said of "part" (Query::allowOnly).
        const std::size_t equals = word.find('=');
        writeReference(writer, "parameters", equals == word.npos ? word : word.substr(equals + 1));
    });
}

void writeParameters(JsonWriter& writer, const Route& route, std::string_view path) {
    writer.key("parameters");
    writer.openArray();
    const Route* other = toldWith(route);
    for (std::size_t at = path.find('{'); at != path.npos; at = path.find('{', at + 1))
        writePathParameter(writer, path.substr(at + 1, path.find('}', at) - at - 1), other && path[at + 1] == 'l');
    writeQuery(writer, route);
    if (other) writeQuery(writer, *other);
    const bool isOnce = route.terms.isOnce || takesParts(route) || (other && takesParts(*other));
    if (isOnce) writeReference(writer, "parameters", "Idempotency-Key");
    writer.closeArray();
}

void writeRequest(JsonWriter& writer, const Route& route) {
    if (route.spec.body == BodyKind::None) return;
    const Route* other = toldWith(route);
    writer.key("requestBody");
    writer.openObject();
    writer.member("required", route.spec.body != BodyKind::OptionalJson);
    writeContent(writer, route.terms.request, takesParts(route) || (other && takesParts(*other)));
    writer.closeObject();
}

/// `isHead`: of the same answers the heads alone.
void writeAnswers(JsonWriter& writer, const Route& route, bool isHead) {
    writer.key("responses");
    writer.openObject();
    for (const DescribedAnswer& answer : route.terms.answers) {
        if (answer.status == 0) continue;
        writer.key(fmt::format("{}", answer.status));
        writer.openObject();
        writer.member("description", answer.status == 202   ? "Accepted, not finished yet"
                                     : answer.status == 206 ? "One range"
                                     : answer.status == 101 ? "The connection changes its protocol"
                                     : answer.status == 503 ? "Not healthy"
                                                            : "Done");
        if (!isHead && !answer.schema.empty()) writeContent(writer, answer.schema, false, answer.orCsv);
        writer.closeObject();
    }
    writer.key("default");
    writer.openObject();
    writer.member("description", "What is wrong and what to do");
    if (!isHead) writeContent(writer, "Error");
    writer.closeObject();
    writer.closeObject();
}

std::string operationJson(const Route& route, std::string_view path, bool inQueue, bool isHead) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("tags");
    writer.openArray();
    writer.string(tagOf(route.spec));
    writer.closeArray();
    const bool twice = route.spec.scope == Scope::Both && inQueue;
    writer.member("operationId",
                  fmt::format("{}{}", isHead ? route.terms.head.id : route.terms.id, twice ? "InQueue" : ""));
    writer.member("summary", isHead ? route.terms.head.summary : route.terms.summary);
    if (route.spec.scope == Scope::Open) {
        writer.key("security");
        writer.openArray();
        writer.closeArray();
    }
    writeParameters(writer, route, path);
    if (!isHead) writeRequest(writer, route);
    writeAnswers(writer, route, isHead);
    writer.closeObject();
    return text;
}

struct DescribedPath {
    std::string path;
    std::vector<std::pair<std::string, std::string>> methods; ///< word, operation
};

void addOperations(std::vector<DescribedPath>& paths, const Route& route, std::string base, bool inQueue) {
    std::string path = std::move(base);
    if (!route.spec.pattern.empty()) path += fmt::format("/{}", route.spec.pattern);
    auto found = std::ranges::find(paths, path, &DescribedPath::path);
    if (found == paths.end()) found = paths.insert(paths.end(), DescribedPath{.path = path, .methods = {}});
    found->methods.emplace_back(methodWord(route.spec.method), operationJson(route, path, inQueue, false));
    if (!route.terms.head.id.empty())
        found->methods.emplace_back(methodWord(Method::Head), operationJson(route, path, inQueue, true));
}

void writePaths(JsonWriter& writer, std::string_view prefix) {
    std::vector<DescribedPath> paths;
    for (const Route& route : allRoutes()) {
        if (!route.terms.toldBy.empty()) continue;
        const Scope scope = route.spec.scope;
        if (scope != Scope::Queue)
            addOperations(paths, route, isOutside(route.spec) ? "" : std::string(prefix), false);
        if (scope == Scope::Queue || scope == Scope::Both)
            addOperations(paths, route, fmt::format("{}/queues/{{ref}}", prefix), true);
    }
    writer.key("paths");
    writer.openObject();
    for (const DescribedPath& path : paths) {
        writer.key(path.path);
        writer.openObject();
        for (const auto& [word, json] : path.methods) {
            writer.key(word);
            writer.raw(json);
        }
        writer.closeObject();
    }
    writer.closeObject();
}

void writeSettingSchema(JsonWriter& writer, const SettingInfo& setting, bool nullable) {
    writer.key(setting.name);
    writer.openObject();
    const bool whole = std::holds_alternative<std::int64_t Settings::*>(setting.field);
    writer.member("type", setting.isText() ? "string" : whole ? "integer" : "number");
    if (nullable) writer.member("nullable", true);
    if (!setting.isText()) {
        writer.member("minimum", setting.least);
        writer.member("maximum", setting.most);
    } else if (!setting.words.empty()) {
        writer.key("enum");
        writer.openArray();
        for (const std::string_view word : setting.words) writer.string(word);
        writer.closeArray();
    }
    writer.member("description", setting.help);
    writer.closeObject();
}

void writeSettingSchemas(JsonWriter& writer) {
    for (const bool change : {false, true}) {
        writer.key(change ? "ChangeSettings" : "Settings");
        writer.openObject();
        writer.member("type", "object");
        // Families: resources.NAME.
        writer.key("additionalProperties");
        writer.raw(
            change
                ? R"({"nullable":true,"anyOf":[{"type":"number"},{"type":"array","items":{"type":"string"}},{"type":"string"}]})"
                : "{}");
        if (!change) {
            writer.key("required");
            writer.openArray();
            for (const SettingInfo& setting : settingsTable())
                if (!setting.isFamily()) writer.string(setting.name);
            writer.string("restart_needed");
            writer.string("about");
            writer.closeArray();
        }
        writer.key("properties");
        writer.openObject();
        for (const SettingInfo& setting : settingsTable())
            if (!setting.isFamily()) writeSettingSchema(writer, setting, change);
        if (!change) {
            writer.key("restart_needed");
            writer.raw(
                R"({"type":"array","items":{"type":"string"},"description":"names that wait for the next start"})");
            writer.key("about");
            writer.raw(R"({"type":"object","additionalProperties":{"$ref":"#/components/schemas/SettingInfo"}})");
        }
        writer.closeObject();
        writer.closeObject();
    }
}

/// "cpu_seconds":{…},…
std::string measureProperties() {
    std::string text;
    for (const MeasureInfo& info : kMeasureTable)
        text += fmt::format(R"({}"{}":{{{},"minimum":0,"description":"{}"}})", text.empty() ? "" : ",", info.name,
                            info.unit == MeasureUnit::Microseconds ? R"("type":"number")"
                                                                   : R"("type":"integer","format":"int64")",
                            info.help);
    return text;
}

/// Those of settings, from their table, and all others in one object.
void writeSchemas(JsonWriter& writer) {
    std::string settings;
    JsonWriter inner(settings);
    inner.openObject();
    writeSettingSchemas(inner);
    inner.closeObject();
    settings.pop_back();
    for (const std::string_view members : openApiSchemas()) {
        std::string schemas = withLimits(members);
        replaceAll(schemas, "MEASURES", measureProperties()); // not in what settings say of themselves
        settings += ',';
        settings += schemas;
    }
    settings += '}';
    writer.raw(settings);
}

std::string parameters() {
    std::string all;
    for (const std::string_view members : openApiParameters()) {
        all += all.empty() ? '{' : ',';
        all += members;
    }
    return all + '}';
}

} // namespace

std::string openApiJson(std::string_view prefix, std::string_view version) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("openapi", "3.0.3");
    writer.key("info");
    writer.openObject();
    writer.member("title", "Yardmaster");
    writer.member("version", version);
    writer.member("description", kDescription);
    writer.closeObject();
    writer.key("servers");
    writer.raw(R"([{"url":"/"}])");
    writer.key("security");
    writer.raw(R"([{"token":[]}])");
    writePaths(writer, prefix);
    writer.key("components");
    writer.openObject();
    writer.key("securitySchemes");
    writer.raw(R"({"token":{"type":"http","scheme":"bearer"}})");
    writer.key("parameters");
    writer.raw(withLimits(parameters()));
    writer.key("schemas");
    writeSchemas(writer);
    writer.closeObject();
    writer.closeObject();
    return text;
}

} // namespace yard::http
