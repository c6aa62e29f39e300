#include "core/lifecycle/field_values.h"

#include "core/json/canonical_json.h"
#include "core/json/json_writer.h"

#include <fmt/format.h>

namespace yard::lifecycle {
namespace {

Result<void> checkValue(const Type& type, JsonView value) {
    const Field* field = type.field(value.key());
    if (!field)
        return invalid("fields", fmt::format("The type {} has no field \"{}\"; leave it out.", type.name,
                                             value.key().substr(0, kMaxTypeName)));
    if (value.kind() == JsonKind::Null && !field->isRequired) return {};
    if (value.kind() == JsonKind::Null)
        return invalid("fields", fmt::format("The field {} of {} is required, so it cannot be taken away; give it.",
                                             field->name, type.name));
    if (!fits(field->kind, value.kind()))
        return invalid("fields", fmt::format("The field {} of {} has another type; give a value of that type.",
                                             field->name, type.name));
    return {};
}

Result<void> appendMember(JsonWriter& writer, std::string_view name, JsonView value) {
    auto text = canonicalJson(value);
    if (!text) return std::unexpected(std::move(text.error()));
    writer.key(name);
    writer.raw(*text);
    return {};
}

} // namespace

bool fits(FieldKind kind, JsonKind given) {
    switch (kind) {
    case FieldKind::String: return given == JsonKind::String;
    case FieldKind::Integer: return given == JsonKind::Integer;
    case FieldKind::Number: return given == JsonKind::Integer || given == JsonKind::Number;
    case FieldKind::Boolean: return given == JsonKind::Bool;
    case FieldKind::Json: return true;
    }
    return false;
}

Result<void> checkSet(const Type& type, JsonView set) {
    if (!set.isObject()) return invalid("fields", "Give the fields as an object.");
    for (const JsonView value : set)
        if (auto fine = checkValue(type, value); !fine) return fine;
    return {};
}

Result<std::string> fieldsForNew(const Type& type, std::string_view json) {
    if (json.size() > kMaxFieldBytes)
        return fail(ErrorKind::TooLarge,
                    fmt::format("The fields of an object have at most {} KiB.", kMaxFieldBytes >> 10));
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    const JsonView given = tape->root();
    if (auto fine = checkSet(type, given); !fine) return std::unexpected(std::move(fine.error()));
    std::string out;
    JsonWriter writer(out);
    writer.openObject();
    for (const Field& field : type.fields) {
        const auto value = memberOf(given, field.name);
        const bool isGiven = value && value->kind() != JsonKind::Null;
        if (!isGiven && field.defaultJson.empty() && field.isRequired)
            return invalid("fields",
                           fmt::format("The field {} of {} is required; give it.", field.name, type.name));
        if (!isGiven && field.defaultJson.empty()) continue;
        if (!isGiven) {
            writer.key(field.name);
            writer.raw(field.defaultJson);
            continue;
        }
        if (auto written = appendMember(writer, field.name, *value); !written)
            return std::unexpected(std::move(written.error()));
    }
    writer.closeObject();
    return out;
}

Result<std::string> mergedFields(std::string_view fields, std::string_view set) {
    if (set.empty()) return std::string(fields);
    const auto before = readJson(fields.empty() ? "{}" : fields);
    if (!before) return std::unexpected(before.error());
    const auto changes = readJson(set);
    if (!changes) return std::unexpected(changes.error());
    std::string out;
    JsonWriter writer(out);
    writer.openObject();
    const auto write = [&](JsonView value) { return appendMember(writer, value.key(), value); };
    for (const JsonView value : before->root())
        if (!memberOf(changes->root(), value.key()))
            if (auto written = write(value); !written) return std::unexpected(std::move(written.error()));
    for (const JsonView value : changes->root())
        if (value.kind() != JsonKind::Null)
            if (auto written = write(value); !written) return std::unexpected(std::move(written.error()));
    writer.closeObject();
    return out;
}

Result<std::string> changesBetween(std::string_view before, std::string_view after) {
    const auto had = readJson(before.empty() ? "{}" : before);
    if (!had) return std::unexpected(had.error());
    const auto has = readJson(after);
    if (!has) return std::unexpected(has.error());
    std::string out;
    JsonWriter writer(out);
    writer.openObject();
    for (const JsonView value : has->root()) {
        auto text = canonicalJson(value);
        if (!text) return std::unexpected(std::move(text.error()));
        const auto old = memberOf(had->root(), value.key());
        if (const auto was = old ? canonicalJson(*old) : Result<std::string>(std::string()); was && *was == *text)
            continue;
        writer.key(value.key());
        writer.raw(*text);
    }
    for (const JsonView value : had->root()) {
        if (memberOf(has->root(), value.key())) continue;
        writer.key(value.key());
        writer.raw("null");
    }
    writer.closeObject();
    return out;
}

} // namespace yard::lifecycle
