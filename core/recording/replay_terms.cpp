#include "core/recording/replay_terms.h"

#include "core/base/clock.h"
#include "core/json/json_writer.h"
#include "core/model/action_graph.h"
#include "core/model/json_fields.h"
#include "core/model/worker.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace yard::recording {

namespace {

namespace bj = boost::json;

/// What a recording says of an action; the rest only its engine knew.
constexpr std::array kRecordedKeys = {
    FilterKey::Text,     FilterKey::State,  FilterKey::Queue,   FilterKey::Worker, FilterKey::Function,
    FilterKey::Label,    FilterKey::Name,   FilterKey::Reason,  FilterKey::Lsn,    FilterKey::Tries,
    FilterKey::Exit,     FilterKey::New,    FilterKey::Runtime, FilterKey::Waited, FilterKey::Started,
    FilterKey::Finished, FilterKey::Machine};

Result<Filter> readReplayFilter(const bj::value& value) {
    constexpr std::size_t kMostFilter = 4'096;
    if (!value.is_string() || value.get_string().size() > kMostFilter)
        return invalid("filter", R"(Give "filter" as text of at most 4,096 bytes, as "state:failed".)");
    auto filter = parseFilter(std::string_view(value.get_string()), wallNow());
    if (!filter) return invalid("filter", filter.error().message);
    const auto isRecorded = [](const FilterTerm& term) {
        return measureOf(term.key) || std::ranges::find(kRecordedKeys, term.key) != kRecordedKeys.end();
    };
    if (!std::ranges::all_of(filter->terms, isRecorded))
        return invalid("filter",
                       "A recording does not say who held what, marks, comments, what was denied, or what "
                       "came later: leave these keys out.");
    return filter;
}

Result<void> readReplayPlace(ReplayTerms& terms, const bj::value& value) {
    const std::string_view word = value.is_string() ? std::string_view(value.get_string()) : "";
    if (word == "self") return {};
    if (word.contains("://"))
        return fail(ErrorKind::NotImplemented,
                    "An engine replays to itself and its machines: bring the recording to the other one with "
                    "PUT recordings/{name}/file, and replay it there.");
    if (!isMachineWord(word)) return invalid("to", R"(Give "to" as "self", or as the name or tag of a machine.)");
    terms.machine = word;
    return {};
}

Result<void> readReplayOrder(ReplayTerms& terms, const bj::value& value) {
    const std::string_view word = value.is_string() ? std::string_view(value.get_string()) : "";
    if (word != "recorded" && word != "dependencies")
        return invalid("order", R"(Give "order" as "recorded" or "dependencies".)");
    terms.inOrder = word == "recorded";
    return {};
}

Result<void> readReplayTerm(ReplayTerms& terms, std::string_view key, const bj::value& value) {
    if (key == "to") return readReplayPlace(terms, value);
    if (key == "order") return readReplayOrder(terms, value);
    if (key == "speed") {
        if (value.is_string() && value.get_string() == "full") return {};
        const double speed = value.is_number() ? value.to_number<double>() : 0;
        if (!(speed >= 1e-3) || speed > 1e6)
            return invalid("speed", R"(Give "speed" as "full", or as a number from 0.001 to 1,000,000.)");
        terms.speed = speed;
        return {};
    }
    if (key == "replace") {
        const auto* replace = value.if_object();
        const auto* worker = replace && replace->size() == 1 ? replace->if_contains("worker") : nullptr;
        const std::string_view text = worker && worker->is_string() ? std::string_view(worker->get_string()) : "";
        if (!text.contains('@') || !isWorkerReference(text))
            return invalid("replace", R"(Give "replace" as {"worker":"name@version"}.)");
        terms.worker = text;
        return {};
    }
    if (key == "filter") {
        auto filter = readReplayFilter(value);
        if (!filter) return std::unexpected(filter.error());
        terms.filter = std::move(*filter);
        return {};
    }
    if (key == "compare") {
        auto compare = CompareTerms::parse(bj::serialize(value));
        if (!compare) return std::unexpected(compare.error());
        terms.compare = std::move(*compare);
        return {};
    }
    return invalid(std::string(key), fmt::format("A replay has no \"{}\".", key));
}

} // namespace

Result<ReplayTerms> parseReplayTerms(std::string_view json) {
    ReplayTerms terms;
    if (json.empty()) return terms;
    boost::system::error_code problem;
    const bj::value value = bj::parse(json, problem);
    if (problem) return fail(ErrorKind::Malformed, "The body is not JSON.");
    const auto* object = value.if_object();
    if (!object) return fail(ErrorKind::Malformed, "The body is no JSON object.");
    for (const auto& member : *object)
        if (auto read = readReplayTerm(terms, member.key(), member.value()); !read)
            return std::unexpected(read.error());
    return terms;
}

std::string replayedAction(std::string_view text, std::string_view worker, std::span<const Dependency> after,
                           std::string_view machine) {
    std::string out(text);
    for (const std::string_view member : {"worker", "id", "hold", "not_before", "replaces"})
        out = withoutMember(out, member);
    // withAfter() has the words of an edge.
    out = withoutMember(out, "after");
    if (!machine.empty()) out = withoutMember(out, "machine");
    if (out.ends_with('}')) out.pop_back();
    if (!out.ends_with('{')) out += ',';
    out += R"("worker":)";
    appendJsonString(out, worker);
    if (!machine.empty()) {
        out += R"(,"machine":)";
        appendJsonString(out, machine);
    }
    if (after.empty()) return out + '}';
    return withAfter(out + R"(,"after":[]})", after);
}

} // namespace yard::recording
