#include "core/http/json_request.h"

#include "core/http/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace yard::http {

Result<JsonRequest> JsonRequest::parse(std::string_view body, std::string_view known, std::string_view rawMember) {
    JsonRequest request;
    if (body.empty()) return request;
    const auto read = [&](JsonView object, std::string_view text) -> Result<void> {
        if (!object.isObject()) return invalid("", "Give a JSON object.");
        for (const JsonView value : object) {
            if (!isOneOf(known, value.key()))
                return invalid(
                    std::string(value.key()),
                    known.empty()
                        ? fmt::format("Remove \"{}\": this route takes no members.", value.key())
                        : fmt::format("Remove \"{}\": this route takes {}.", value.key(), withCommas(known)));
            Member member{.name = std::string(value.key()), .kind = value.kind(), .text = {}, .numbers = {}};
            if (value.kind() == JsonKind::Raw)
                request.raw_ = text.substr(value.node().offset, value.node().size);
            else if (value.kind() == JsonKind::Bool)
                member.boolean = value.node().boolean;
            else if (value.kind() == JsonKind::Integer)
                member.integer = value.node().integer;
            else if (value.kind() == JsonKind::String)
                member.text = value.string();
            else if (value.kind() == JsonKind::Array)
                for (const JsonView item : value) {
                    member.onlyNumbers = member.onlyNumbers && item.kind() == JsonKind::Integer;
                    member.numbers.push_back(item.kind() == JsonKind::Integer ? item.node().integer : 0);
                }
            request.members_.push_back(std::move(member));
        }
        return {};
    };
    const Result<bool> isList = readJsonElements(body, rawMember, read);
    if (!isList) {
        Error error = isList.error();
        error.index = -1; // no list belongs here, whatever is wrong in one
        return std::unexpected(std::move(error));
    }
    if (*isList) return invalid("", "Give a JSON object, not a list.");
    return request;
}

const JsonRequest::Member* JsonRequest::find(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &Member::name);
    return found == members_.end() ? nullptr : &*found;
}

bool JsonRequest::has(std::string_view member) const {
    return find(member) != nullptr;
}

bool JsonRequest::isNull(std::string_view name) const {
    const Member* member = find(name);
    return member && member->kind == JsonKind::Null;
}

Result<bool> JsonRequest::flag(std::string_view name) const {
    const Member* member = find(name);
    if (!member) return false;
    if (member->kind != JsonKind::Bool)
        return invalid(member->name, fmt::format("Give \"{}\" as true or false.", name));
    return member->boolean;
}

Result<std::string> JsonRequest::word(std::string_view name, std::size_t most) const {
    const Member* member = find(name);
    if (!member) return std::string();
    const bool plain = std::ranges::none_of(
        member->text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (member->kind != JsonKind::String || !plain || member->text.size() > most)
        return invalid(
            member->name,
            fmt::format("Give \"{}\" as text of at most {} bytes without control characters.", name, most));
    return member->text;
}

Result<std::string> JsonRequest::text(std::string_view name, std::size_t most) const {
    const Member* member = find(name);
    if (!member) return std::string();
    if (member->kind != JsonKind::String || member->text.size() > most)
        return invalid(member->name, fmt::format("Give \"{}\" as text of at most {} bytes.", name, most));
    return member->text;
}

Result<std::optional<std::int64_t>> JsonRequest::integer(std::string_view name, std::int64_t least,
                                                         std::int64_t most) const {
    const Member* member = find(name);
    if (!member) return std::nullopt;
    if (member->kind != JsonKind::Integer || member->integer < least || member->integer > most)
        return invalid(member->name,
                       fmt::format("Give \"{}\" as a whole number from {} to {}.", name, least, most));
    return member->integer;
}

Result<std::optional<QueueRef>> JsonRequest::queue(std::string_view name) const {
    const Member* member = find(name);
    if (!member) return std::nullopt;
    std::optional<QueueRef> queue;
    if (member->kind == JsonKind::Integer && member->integer >= 0) queue = QueueRef{QueueId(member->integer), {}};
    if (member->kind == JsonKind::String) queue = parseQueueRef(member->text);
    if (!queue)
        return invalid(member->name, fmt::format("Give \"{}\" as the number of a queue, or its token.", name));
    return queue;
}

Result<std::vector<Lsn>> JsonRequest::lsns(std::string_view name, std::size_t most) const {
    const Member* member = find(name);
    const bool good = member && member->kind == JsonKind::Array && member->onlyNumbers &&
                      !member->numbers.empty() && member->numbers.size() <= most &&
                      std::ranges::all_of(member->numbers, [](std::int64_t n) { return n > 0; });
    if (!good) return invalid(std::string(name), fmt::format("Give \"{}\" as a list of 1 to {} LSNs.", name, most));
    std::vector<Lsn> lsns;
    std::set<std::int64_t> seen;
    for (const std::int64_t n : member->numbers)
        if (seen.insert(n).second) lsns.emplace_back(n);
    return lsns;
}

} // namespace yard::http
