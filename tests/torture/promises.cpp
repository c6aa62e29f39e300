// What each kind of action promised, held against its result.
#include "tests/torture/load.h"

#include "core/base/hash.h"

#include <array>

namespace yard::torture {

namespace {

using boost::json::object;

std::string text(const object& from, std::string_view member) {
    const auto* value = from.if_contains(member);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number(const object& from, std::string_view member) {
    const auto* value = from.if_contains(member);
    return value && value->is_int64() ? value->get_int64() : -1;
}

std::vector<object> attemptsOf(const object& job) {
    std::vector<object> attempts;
    if (const auto* list = job.if_contains("attempts"); list && list->is_array())
        for (const auto& attempt : list->get_array()) attempts.push_back(attempt.get_object());
    return attempts;
}

/// "completed", "failed exit_code 3".
std::string ending(const object& of) {
    std::string words = text(of, "state");
    if (!text(of, "reason").empty()) words += " " + text(of, "reason");
    if (text(of, "reason") == "exit_code") words += fmt::format(" {}", number(of, "exit_code"));
    return words;
}

std::string expectedEnd(Kind kind) {
    if (kind == Kind::Failing) return "failed exit_code 3";
    if (kind == Kind::Late) return "failed deadline";
    return "completed";
}

/// The attempt ended by itself: nobody interrupted it.
bool isItsOwn(const object& attempt) {
    const std::string reason = text(attempt, "reason");
    return reason.empty() || reason == "exit_code";
}

constexpr int kOwnAttempts = 4; // max_retries is 3

} // namespace

void Load::checkEnd(std::int64_t lsn, const Action& action, const object& job) {
    const std::string end = ending(job);
    // A cancel that came while its deadline ended it is not why it ended.
    if (action.cancelled && end != "cancelled cancelled" && end != "failed deadline")
        complain(fmt::format("LSN {}: its cancel was answered with 200, and it is {}", lsn, end));
    if (action.cancelTried && end == "cancelled cancelled") return;
    if (end != expectedEnd(action.kind))
        complain(fmt::format("LSN {} should be {}: {}", lsn, expectedEnd(action.kind), serialize(job)));
}

void Load::checkAttempts(Caller& caller, std::int64_t lsn, const Action& action, const object& job, int starts) {
    const std::vector<object> attempts = attemptsOf(job);
    int own = 0;
    int ran = 0;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
        const object& attempt = attempts[i];
        if (number(attempt, "n") != static_cast<std::int64_t>(i) + 1)
            complain(fmt::format("LSN {}: attempts are not 1, 2, 3 …: {}", lsn, serialize(job)));
        const std::string reason = text(attempt, "reason");
        if (reason == "engine_died" || reason == "engine_stopped" || reason == "lost_runner") ++interrupted_;
        if (!isItsOwn(attempt)) continue;
        ++ran;
        if (reason == "exit_code") ++own;
        const Answer log = caller.get(fmt::format("/compute/jobs/{}/stdout?attempt={}", lsn, i + 1));
        if (log.status != 200 || log.body != fmt::format("out {}\n", lsn))
            complain(fmt::format("LSN {}, log of attempt {}: {}; {}", lsn, i + 1, log.shown(), serialize(job)));
    }
    // Every attempt but the last was a reset; after one that was cancelled while it waited there is none.
    const auto resets = number(job, "retry_count");
    const auto begun = static_cast<std::int64_t>(attempts.size());
    if (resets != std::max<std::int64_t>(begun - 1, 0) && (text(job, "state") != "cancelled" || resets != begun))
        complain(fmt::format("LSN {}: retry_count and attempts do not fit: {}", lsn, serialize(job)));
    if (starts > static_cast<int>(attempts.size()))
        complain(fmt::format("LSN {} was started {} times: {}", lsn, starts, serialize(job)));
    if (starts < ran) complain(fmt::format("LSN {} was started {} times only: {}", lsn, starts, serialize(job)));
    if (action.kind == Kind::Failing && text(job, "state") == "failed" && own != kOwnAttempts)
        complain(fmt::format("LSN {}: {} failures of its own instead of {}: {}", lsn, own, kOwnAttempts,
                             serialize(job)));
}

void Load::checkAction(Caller& caller, std::int64_t lsn, const Action& action, const object& job, int starts) {
    checkEnd(lsn, action, job);
    // Lists leave the attempts out.
    const Answer now = caller.get(fmt::format("/compute/jobs/{}", lsn));
    if (now.status != 200) complain(fmt::format("LSN {}: {}", lsn, now.shown()));
    checkAttempts(caller, lsn, action, now.json(), starts);
    if (!action.result.empty()) {
        if (now.body != action.result)
            complain(fmt::format("LSN {} had the result {}, and then {}", lsn, action.result, now.body));
        if (starts != action.startsThen) complain(fmt::format("LSN {} ran again after its result was seen", lsn));
    }
    for (const char* stream : {"stdout", "stderr"})
        if (const auto* chunk = job.if_contains(stream); chunk && chunk->is_object())
            checkChunk(caller, lsn, chunk->get_object());
    const auto* outputs = job.if_contains("outputs");
    const bool hasOutput = outputs && outputs->is_object() && outputs->get_object().contains("made");
    if (action.kind == Kind::Scratch && text(job, "state") == "completed") {
        const std::string made = fmt::format("made {}\n", lsn);
        if (!hasOutput || text(outputs->at("made").get_object(), "hash") != Sha256::of(made).hex())
            complain(fmt::format("LSN {} lost its output: {}", lsn, serialize(job)));
    }
    if (hasOutput) checkChunk(caller, lsn, outputs->at("made").get_object());
}

void Load::checkChunk(Caller& caller, std::int64_t lsn, const object& chunk) {
    const std::string hash = text(chunk, "hash");
    if (!checkedChunks_.insert(hash).second) return;
    const Answer bytes = caller.get("/compute/chunks/" + hash);
    if (bytes.status != 200 || Sha256::of(bytes.body).hex() != hash)
        complain(fmt::format("LSN {}, chunk {}: {}", lsn, hash, bytes.shown()));
}

void Load::checkCounters(Caller& caller, const std::map<std::int64_t, object>& jobs) {
    constexpr std::array kStates{"completed", "failed", "abandoned", "cancelled"};
    std::map<std::string, std::int64_t> all;
    for (const int queue : {0, queue_}) {
        std::map<std::string, std::int64_t> counts;
        for (const auto& [lsn, job] : jobs)
            if (number(job, "queue_id") == queue) ++counts[text(job, "state")];
        const Answer view = caller.get(fmt::format("/compute/queues/{}", queue));
        for (const char* state : kStates) {
            all[state] += counts[state];
            if (view.number(state) != counts[state])
                complain(fmt::format("queue {} has {} {} actions: {}", queue, counts[state], state, view.shown()));
        }
        for (const char* state : {"pending", "running", "active"})
            if (view.number(state) != 0) complain(fmt::format("queue {} is not idle: {}", queue, view.shown()));
    }
    const auto session = caller.get("/compute/session").json();
    const auto* counts = session.if_contains("counts");
    for (const char* state : kStates)
        if (!counts || !counts->is_object() || number(counts->get_object(), state) != all[state])
            complain(fmt::format("there are {} {} actions: {}", all[state], state, serialize(session)));
}

} // namespace yard::torture
