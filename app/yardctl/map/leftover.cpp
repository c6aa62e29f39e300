#include "app/yardctl/map/leftover.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/map/map_actions.h"
#include "app/yardctl/pages.h"
#include "core/json/utf8.h"

#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace yard::ctl {

namespace {

/// The number of the job that an action is, by what it was submitted with.
Outcome<std::int64_t> seqOf(Engine& engine, std::int64_t lsn) {
    const auto spec = engine.callPatiently({.path = fmt::format("jobs/{}/spec", lsn)});
    if (!spec && spec.error().kind == ErrorKind::NotFound) return 0;
    if (!spec) return failedWith(spec.error());
    const json::object* env = objectOf(spec->object, "env");
    const std::string_view text = env ? textOf(*env, kSeqVariable) : std::string_view();
    std::int64_t seq = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), seq);
    return seq;
}

/// The state of an action once it has ended; "cancelled" where it is not known any more.
Outcome<std::string> lastStateOf(Engine& engine, const json::object& row, std::int64_t lsn) {
    constexpr std::chrono::milliseconds kEndPause{200};
    if (isEnded(row)) return std::string(textOf(row, "state"));
    while (true) {
        std::this_thread::sleep_for(kEndPause);
        const auto now = engine.callPatiently({.path = fmt::format("jobs/{}", lsn)});
        if (!now && now.error().kind == ErrorKind::NotFound) return std::string("cancelled");
        if (!now) return failedWith(now.error());
        if (isEnded(now->object)) return std::string(textOf(now->object, "state"));
    }
}

/// What was cancelled is to run again; what still runs in a cancelled queue is about to be.
Outcome<void> addJobsOf(Engine& engine, const json::object& from, const DoneJobs& done, Leftover& out) {
    const std::string queue = fmt::format("{}", integerOf(from, "queue_id").value_or(0));
    const bool isCancelled = textOf(from, "state") == "cancelled";
    for (Pages pages(engine, Pages::Asking::Patiently); !pages.atEnd();) {
        const auto page = pages.next(fmt::format("queues/{}/jobs?limit=1000&sort=lsn", queue));
        if (!page) return std::unexpected(page.error());
        const json::array* jobs = arrayOf(page->object, "jobs");
        for (const json::value& value : jobs ? *jobs : json::array()) {
            const json::object* row = value.if_object();
            if (!row || textOf(*row, "state") == "cancelled") continue;
            const std::int64_t lsn = integerOf(*row, "lsn").value_or(0);
            if (isCancelled) {
                const auto state = lastStateOf(engine, *row, lsn);
                if (!state) return std::unexpected(state.error());
                if (*state == "cancelled") continue;
            }
            const auto seq = seqOf(engine, lsn);
            if (!seq) return std::unexpected(seq.error());
            if (*seq > 0 && !done.contains(*seq)) out.lsns.insert_or_assign(*seq, lsn);
        }
    }
    return {};
}

/// Those of `identity` that are kept for it.
Outcome<std::vector<json::object>> keptQueues(Engine& engine, const std::string& identity) {
    const auto answer = engine.callPatiently({.path = "queues"});
    if (!answer) return failedWith(answer.error());
    std::vector<json::object> out;
    const json::array* queues = arrayOf(answer->object, "queues");
    for (const json::value& value : queues ? *queues : json::array()) {
        const json::object* queue = value.if_object();
        const std::string_view tag = queue ? textOf(*queue, "tag") : std::string_view();
        if (!tag.starts_with("map ") || !tag.ends_with(" " + identity)) continue;
        const json::object* config = objectOf(*queue, "config");
        if (config && numberOf(*config, "idle_expiry_s") == static_cast<double>(kLogKeptSeconds))
            out.push_back(*queue);
    }
    return out;
}

} // namespace

std::string mapQueueTag(const std::string& program, const std::string& identity) {
    constexpr std::size_t kMostShown = 60;
    std::string name = program.substr(0, program.find(' '));
    name.erase(0, name.rfind('/') + 1);
    if (name.size() > kMostShown || !isUtf8(name)) name = "…";
    return fmt::format("map {}{}{}", name, identity.empty() ? "" : " ", identity);
}

Outcome<void> leaveToEngine(Engine& engine, const std::string& identity) {
    const auto queues = keptQueues(engine, identity);
    if (!queues) return std::unexpected(queues.error());
    for (const json::object& queue : *queues) {
        const json::object change{{"config", json::object{{"idle_expiry_s", nullptr}}}};
        const auto changed =
            engine.callPatiently({.method = "PATCH",
                                  .path = fmt::format("queues/{}", integerOf(queue, "queue_id").value_or(0)),
                                  .body = compactJson(change)});
        if (!changed && changed.error().kind != ErrorKind::NotFound) return failedWith(changed.error());
    }
    return {};
}

Outcome<Leftover> leftoverOf(Engine& engine, const std::string& identity, const DoneJobs& done) {
    Leftover out;
    const auto queues = keptQueues(engine, identity);
    if (!queues) return std::unexpected(queues.error());
    for (const json::object& queue : *queues) {
        out.queues.push_back(fmt::format("{}", integerOf(queue, "queue_id").value_or(0)));
        if (textOf(queue, "state") == "active") out.open = out.queues.back();
        if (auto added = addJobsOf(engine, queue, done, out); !added) return std::unexpected(added.error());
    }
    return out;
}

} // namespace yard::ctl
