#include "core/http/event_frames.h"

#include "core/http/error_map.h"
#include "core/http/list_filter.h"
#include "core/http/object_selection.h"
#include "core/http/view_json.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace yard::http {

namespace {

using engine::Watch;
using engine::WatchUpdate;

constexpr std::size_t kMaxRunId = 64;
constexpr const char* kOneOf = R"("watch" has one of "lsns", "filter", "finished" and "objects".)";

std::string_view word(Watch::Kind kind) {
    switch (kind) {
    case Watch::Kind::Nothing: break;
    case Watch::Kind::Lsns: return "lsns";
    case Watch::Kind::Filter: return "filter";
    case Watch::Kind::Finished: return "finished";
    case Watch::Kind::Objects: return "objects";
    }
    return "nothing";
}

Result<void> readLsns(JsonView list, Watch& watch) {
    watch.kind = Watch::Kind::Lsns;
    if (list.kind() != JsonKind::Array || list.count() > engine::kMaxWatchedRows)
        return invalid("lsns", fmt::format("\"lsns\" is a list of at most {} LSNs.", engine::kMaxWatchedRows));
    for (const JsonView item : list) {
        if (item.kind() != JsonKind::Integer || item.node().integer <= 0)
            return invalid("lsns", "\"lsns\" is a list of LSNs: whole numbers above zero.");
        watch.lsns.emplace_back(item.node().integer);
    }
    std::ranges::sort(watch.lsns);
    const auto again = std::ranges::unique(watch.lsns);
    watch.lsns.erase(again.begin(), again.end());
    return {};
}

/// "type:page status:queued parent:12 field:value", each once but for fields.
Result<void> readObjects(JsonView value, Watch& watch) {
    watch.kind = Watch::Kind::Objects;
    auto query = readObjectFilter(value.kind() == JsonKind::String ? value.string() : ":", "objects");
    if (!query) return std::unexpected(std::move(query.error()));
    watch.objectType = std::move(query->type);
    watch.objectStatus = std::move(query->status);
    watch.objectFields = std::move(query->text);
    watch.objectParent = query->parent;
    return {};
}

Result<void> readOne(JsonView value, Watch& watch) {
    if (value.key() == "lsns") return readLsns(value, watch);
    if (value.key() == "filter") {
        watch.kind = Watch::Kind::Filter;
        if (value.kind() != JsonKind::String)
            return invalid("filter", "\"filter\" is text, such as \"state:failed\".");
        return readFilter(value.string(), "filter", watch.filter);
    }
    if (value.key() == "finished") {
        if (value.kind() != JsonKind::Bool) return invalid("finished", "\"finished\" is true or false.");
        watch.kind = value.node().boolean ? Watch::Kind::Finished : Watch::Kind::Nothing;
        return {};
    }
    if (value.key() == "objects") return readObjects(value, watch);
    return invalid(std::string(value.key()), kOneOf);
}

template<class List, class Write>
void writeList(JsonWriter& writer, std::string_view key, const List& list, const Write& write) {
    writer.key(key);
    writer.openArray();
    for (const auto& item : list) write(item);
    writer.closeArray();
}

void writeFinished(JsonWriter& writer, const engine::FinishedRow& row) {
    writer.openObject();
    writer.member("lsn", row.lsn.value);
    writer.member("queue_id", row.queue.value);
    writer.member("state", name(row.state));
    if (row.reason != Reason::None) writer.member("reason", name(row.reason));
    if (row.exitCode) writer.member("exit_code", *row.exitCode);
    writer.closeObject();
}

} // namespace

Result<Since> parseSince(std::string_view text) {
    Since since;
    const std::size_t dot = text.find('.');
    since.runId = text.substr(0, dot);
    const std::string_view digits = dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), since.seq);
    if (since.runId.empty() || since.runId.size() > kMaxRunId || digits.empty() || problem != std::errc{} ||
        end != digits.data() + digits.size())
        return invalid("since", "\"since\" is \"<run_id>.<seq>\", both as the events had them.");
    return since;
}

Result<Watch> parseWatch(std::string_view text) {
    const Result<JsonTape> tape = readJson(text);
    if (!tape) return std::unexpected(tape.error());
    const JsonView root = tape->root();
    if (!root.isObject() || root.count() != 1 || (*root.begin()).key() != "watch" || !(*root.begin()).isObject())
        return invalid("watch",
                       R"(Send {"watch":{"lsns":[…]}}, {"watch":{"filter":"…"}} or {"watch":{"finished":true}}.)");
    const JsonView asked = *root.begin();
    Watch watch;
    if (asked.count() > 1) return invalid("watch", kOneOf);
    for (const JsonView value : asked)
        if (auto read = readOne(value, watch); !read) return std::unexpected(read.error());
    return watch;
}

std::string helloFrame(const engine::SessionView& session, std::uint64_t seq, bool resumed) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("engine_id", session.engineId);
    writer.member("run_id", session.runId);
    writer.member("version", YARD_VERSION);
    writer.member("seq", static_cast<std::int64_t>(seq));
    writer.member("resumed", resumed);
    writer.closeObject();
    return text;
}

std::string resyncFrame(std::uint64_t seq) {
    return fmt::format(R"({{"resync":true,"seq":{}}})", seq);
}

std::string errorFrame(const Error& error) {
    return errorJson(error);
}

const std::string& FrameWriter::row(Lsn lsn) {
    std::string& text = rows_[lsn];
    if (text.empty()) yard::appendJson(text, collected_.rows.at(lsn));
    return text;
}

const std::string& FrameWriter::queue(QueueId id) {
    std::string& text = queues_[id];
    if (text.empty()) appendJson(text, collected_.queues.at(id));
    return text;
}

std::string FrameWriter::frame(const WatchUpdate& update, const Options& options) {
    std::string text;
    const bool hasRows = options.allRows || options.confirmed || !update.rows.empty() || !update.finished.empty();
    const bool hasTypes = update.types && !types_.empty() && (!options.everything || types_ != "[]");
    const bool hasAlerts = options.alerts && (update.alerts || (options.everything && update.session));
    const bool hasMachines = update.machines && !machines_.empty();
    if (!hasRows && !hasAlerts && !hasMachines && !hasTypes && !options.everything && !update.session &&
        !update.counts && !update.workers && update.queues.empty() && update.goneQueues.empty() &&
        update.goneRows.empty())
        return text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("seq", static_cast<std::int64_t>(update.seq));
    if (options.everything && update.session) writer.member("snapshot", true);
    if (update.moreQueues) writer.member("partial", true);
    if (hasAlerts) writer.member("alerts", true);
    if (options.confirmed) writer.member("watch", word(options.confirmed->kind));
    if (options.allRows) writer.member(options.objects ? "all_objects" : "all_actions", true);
    std::string view;
    if (update.session) appendJson(view, collected_.session);
    if (!view.empty()) writer.key("session"), writer.raw(view);
    view.clear();
    if (update.counts) appendCounts(view, collected_.session);
    if (!view.empty()) writer.key("counts"), writer.raw(view);
    if (update.workers)
        writeList(writer, "workers", collected_.workers, [&](const std::string& id) { writer.string(id); });
    if (hasMachines) writer.key("machines"), writer.raw(machines_);
    if (hasMachines && !allocators_.empty()) writer.key("allocators"), writer.raw(allocators_);
    if (hasTypes) writer.key("types"), writer.raw(types_);
    if (!update.queues.empty() || options.everything)
        writeList(writer, "queues", update.queues, [&](QueueId id) { writer.raw(queue(id)); });
    if (!update.goneQueues.empty())
        writeList(writer, "gone_queues", update.goneQueues, [&](QueueId id) { writer.integer(id.value); });
    if (options.objects && hasRows)
        writeList(writer, "objects", update.rows, [&](Lsn id) { writer.raw(options.objects->at(id)); });
    else if (!update.finished.empty())
        writeList(writer, "actions", update.finished,
                  [&](const engine::FinishedRow& row) { writeFinished(writer, row); });
    else if (hasRows)
        writeList(writer, "actions", update.rows, [&](Lsn lsn) { writer.raw(row(lsn)); });
    if (!update.goneRows.empty())
        writeList(writer, options.objects ? "gone_objects" : "gone", update.goneRows,
                  [&](Lsn lsn) { writer.integer(lsn.value); });
    writer.closeObject();
    return text;
}

} // namespace yard::http
