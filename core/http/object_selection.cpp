#include "core/http/object_selection.h"

#include "core/base/parsed_number.h"
#include "core/http/list_filter.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace yard::http {

namespace {

constexpr std::size_t kMostFilteredFields = 16;
/// A filter that finds few looks through many: each list ends for its time.
constexpr int kMostLists = 20;

} // namespace

Result<engine::ObjectQuery> readObjectFilter(std::string_view text, std::string_view field) {
    engine::ObjectQuery query;
    const auto refuse = [field] {
        return invalid(
            std::string(field),
            fmt::format(R"("{}" is text, such as "type:page status:queued parent:12 url:value", with at )"
                        "most {} fields.",
                        field, kMostFilteredFields));
    };
    std::size_t fields = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (word.empty()) continue;
        const auto colon = word.find(':');
        if (colon == std::string_view::npos || colon == 0) return refuse();
        const std::string_view key = word.substr(0, colon);
        const std::string_view wanted = word.substr(colon + 1);
        if (key == "type") {
            query.type = wanted;
        } else if (key == "status") {
            query.status = wanted;
        } else if (key == "parent") {
            query.parent = parsedNumber<std::int64_t>(wanted).value_or(0);
            if (query.parent <= 0) return refuse();
        } else {
            if (!lifecycle::isLifecycleName(key) || ++fields > kMostFilteredFields) return refuse();
            query.text += fmt::format("{}{}", query.text.empty() ? "" : " ", word);
        }
    }
    return query;
}

static Result<std::vector<std::int64_t>> namedObjects(const Call& call) {
    const auto numbers = call.body.lsns("ids", kMostSelectedObjects);
    if (!numbers)
        return invalid("ids", fmt::format("Give \"ids\" as a list of 1 to {} numbers of objects, or \"filter\".",
                                          kMostSelectedObjects));
    std::vector<std::int64_t> ids;
    for (const Lsn number : *numbers) ids.push_back(number.value);
    return ids;
}

coro::Task<Result<engine::Objects::Choice>> selectedObjects(Call& call) {
    engine::Objects::Choice chosen;
    if (!call.body.has("filter")) {
        auto named = namedObjects(call);
        if (!named) co_return std::unexpected(std::move(named.error()));
        chosen.ids = *std::move(named);
        co_return chosen;
    }
    if (call.body.has("ids")) co_return invalid("ids", "Give \"ids\" or \"filter\", not both.");
    const auto text = call.body.word("filter", kMaxFilterBytes);
    if (!text) co_return std::unexpected(text.error());
    if (text->find_first_not_of(' ') == std::string::npos)
        co_return invalid("filter", "An empty filter would mean every object; say which.");
    auto query = readObjectFilter(*text, "filter");
    if (!query) co_return std::unexpected(std::move(query.error()));
    const auto cursor = call.body.integer("cursor", 1, kMostLsn);
    if (!cursor) co_return std::unexpected(cursor.error());
    query->cursor = cursor->value_or(0);
    query->newestFirst = false;
    query->isBare = true;
    for (int lists = 0; lists < kMostLists && chosen.ids.size() < kMostSelectedObjects; ++lists) {
        const std::size_t room = kMostSelectedObjects - chosen.ids.size();
        query->limit = static_cast<int>(std::min<std::size_t>(room, store::kMostObjectRows));
        auto list = co_await call.engine.ask(&engine::Objects::list, *query);
        if (!list) {
            if (list.error().kind == ErrorKind::Invalid) list.error().field = "filter";
            co_return std::unexpected(std::move(list.error()));
        }
        for (const engine::ObjectView& view : list->rows) chosen.ids.push_back(view.row.id);
        chosen.cursor = query->cursor = list->cursor;
        if (list->cursor == 0) break;
    }
    co_return chosen;
}

} // namespace yard::http
