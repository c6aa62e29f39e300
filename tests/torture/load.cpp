#include "tests/torture/load.h"

#include <algorithm>
#include <fcntl.h>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace yard::torture {

namespace {

constexpr std::size_t kActiveAtMost = 150;
/// Percent of the submissions; hanging and late ones hold a slot for long.
constexpr std::array<int, kKinds> kShare{46, 22, 18, 8, 2, 4};

bool isFinished(int status) {
    return status == 200;
}

} // namespace

Load::Load(const Place& place, unsigned seed, bool strangers)
    : place_(place)
    , log_(place.path("log"))
    , seed_(seed)
    , strangers_(strangers) {
    writeText(log_, "");
}

void Load::prepare(Caller caller) {
    const Answer made =
        caller.post("/compute/queues", R"({"tag":"torture","config":{"backoff_s":0.01,"idle_expiry_s":0}})");
    queue_ = static_cast<int>(made.number("queue_id"));
    if (made.status != 200 || queue_ <= 0) complain("no queue: " + made.shown());
}

std::string Load::script(Kind kind) const {
    // One lock for the whole tree: nothing of an earlier run may live when the next one begins.
    const std::string begin = fmt::format(R"(cd {0}; echo s $YARD_LSN >>{1}; )"
                                          R"(exec 9>>lock.$YARD_LSN; flock -n 9 || echo double $YARD_LSN >>{1}; )",
                                          place_.work(), log_);
    constexpr const char* kSay = "echo out $YARD_LSN; ";
    switch (kind) {
    case Kind::Quick: return fmt::format("echo s $YARD_LSN >>{}; {}", log_, kSay);
    case Kind::Scratch: return fmt::format("here=$PWD; {}{}echo made $YARD_LSN >$here/outputs/made; ", begin, kSay);
    case Kind::Flaky: return fmt::format("{}{}mkdir once.$YARD_LSN 2>/dev/null && exit 7; exit 0", begin, kSay);
    case Kind::Failing: return fmt::format("{}{}exit 3", begin, kSay);
    case Kind::Hanging:
        return fmt::format("{0}{1}mkdir once.$YARD_LSN 2>/dev/null || exit 0; "
                           "setsid {3}{2} 3600 & {2} 3600",
                           begin, kSay, place_.nap(), strangers_ ? "env -i " : "");
    case Kind::Late: return fmt::format("{}{}{} 3600", begin, kSay, place_.nap());
    }
    return {};
}

std::string Load::actionJson(const Submission& what) const {
    const std::string cwd =
        what.kind == Kind::Scratch ? std::string() : fmt::format(R"("cwd":{},)", jsonText(place_.work()));
    const std::string array =
        what.count > 1 && !what.isList ? fmt::format(R"(,"array":{{"from":0,"to":{}}})", what.count - 1) : "";
    const std::string deadline = what.kind == Kind::Late ? R"(,"deadline_s":0.1)" : "";
    return fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c",{}],{}"label":{}{}{}}})",
                       jsonText(script(what.kind)), cwd, jsonText(what.label), array, deadline);
}

Load::Submission Load::invent(std::mt19937& random) {
    Submission what;
    int at = static_cast<int>(random() % 100);
    int kind = 0;
    while (at >= kShare[static_cast<std::size_t>(kind)]) at -= kShare[static_cast<std::size_t>(kind++)];
    what.kind = static_cast<Kind>(kind);
    const unsigned form = random() % 10;
    if (what.kind != Kind::Hanging && what.kind != Kind::Late && form < 5) {
        what.count = 2 + static_cast<int>(random() % 9);
        what.isList = form < 3;
    }
    what.queue = random() % 3 == 0 || what.kind == Kind::Failing || what.kind == Kind::Late ? queue_ : 0;
    {
        const std::lock_guard lock(mutex_);
        what.label = fmt::format("load-{}", ++nextLabel_);
    }
    if (random() % 2 == 0) what.key = "key-" + what.label;
    const std::string one = actionJson(what);
    what.body = one;
    if (what.isList) {
        what.body = "[" + one;
        for (int i = 1; i < what.count; ++i) what.body += "," + one;
        what.body += "]";
    }
    return what;
}

bool Load::submit(Caller& caller, const Submission& what) {
    const std::string key = what.key.empty() ? "" : fmt::format("Idempotency-Key: {}\r\n", what.key);
    const Answer answer = caller.post(fmt::format("/compute/queues/{}/jobs", what.queue), what.body, key);
    book(what, answer);
    return answer.status != 0;
}

void Load::book(const Submission& what, const Answer& answer) {
    const std::lock_guard lock(mutex_);
    if (answer.status == 0) {
        ++unanswered_;
        (what.key.empty() ? maybe_ : toRepeat_).push_back(what);
        return;
    }
    if (answer.status == 503 || answer.status == 429) return; // refused: nothing of it may ever be seen
    std::vector<std::int64_t> lsns;
    const boost::json::object json = answer.json();
    if (const auto* list = json.if_contains("lsns"); list && list->is_array())
        for (const auto& lsn : list->get_array()) lsns.push_back(lsn.is_int64() ? lsn.get_int64() : -1);
    else
        for (int i = 0; i < what.count; ++i) lsns.push_back(answer.number("lsn") + i);
    if (answer.status != 200 || lsns.size() != static_cast<std::size_t>(what.count) || lsns.front() <= 0) {
        broken_.push_back(fmt::format("submission {}: {}", what.label, answer.shown()));
        return;
    }
    for (const std::int64_t lsn : lsns) {
        if (!actions_.emplace(lsn, Action{.kind = what.kind, .queue = what.queue, .result = {}}).second)
            broken_.push_back(fmt::format("LSN {} was given twice, the second time to {}", lsn, what.label));
        active_.push_back(lsn);
    }
}

void Load::complain(std::string sentence) {
    const std::lock_guard lock(mutex_);
    broken_.push_back(std::move(sentence));
}

// --- the clients

void Load::run(const std::function<Caller()>& connect, int threads, const std::atomic<bool>& stop) {
    std::vector<std::jthread> clients;
    for (int i = 0; i < threads; ++i)
        clients.emplace_back([this, &connect, &stop, seed = ++seed_] { work(connect(), seed, stop); });
}

void Load::work(Caller caller, unsigned seed, const std::atomic<bool>& stop) {
    std::mt19937 random(seed);
    while (!stop) {
        std::optional<Submission> again;
        bool isFull = false;
        {
            const std::lock_guard lock(mutex_);
            isFull = active_.size() > kActiveAtMost;
            if (!toRepeat_.empty()) {
                again = std::move(toRepeat_.back());
                toRepeat_.pop_back();
            }
        }
        bool isAnswered = true;
        const unsigned dice = random() % 100;
        if (again) {
            isAnswered = submit(caller, *again);
        } else if (dice < 50 && !isFull) {
            isAnswered = submit(caller, invent(random));
        } else if (const std::int64_t lsn = someActive(random); lsn > 0) {
            isAnswered = dice < 58 ? cancel(caller, lsn) : ask(caller, lsn, dice < 75 ? "?wait=0.05" : "");
        }
        if (!isAnswered) return;
    }
}

std::int64_t Load::someActive(std::mt19937& random) {
    const std::lock_guard lock(mutex_);
    return active_.empty() ? 0 : active_[random() % active_.size()];
}

bool Load::ask(Caller& caller, std::int64_t lsn, const char* query) {
    const Answer answer = caller.get(fmt::format("/compute/jobs/{}{}", lsn, query));
    if (isFinished(answer.status))
        see(lsn, answer);
    else if (answer.status != 202 && answer.status != 0)
        complain(fmt::format("LSN {} was accepted, and then: {}", lsn, answer.shown()));
    return answer.status != 0;
}

bool Load::cancel(Caller& caller, std::int64_t lsn) {
    const Answer answer = caller.post(fmt::format("/compute/jobs/{}/cancel", lsn));
    const std::lock_guard lock(mutex_);
    Action& action = actions_.at(lsn);
    if (answer.status == 200) action.cancelled = true;
    if (answer.status == 200) ++cancels_;
    if (answer.status == 200 || answer.status == 0) action.cancelTried = true;
    if (answer.status != 200 && answer.status != 409 && answer.status != 0)
        broken_.push_back(fmt::format("cancel of LSN {}: {}", lsn, answer.shown()));
    return answer.status != 0;
}

void Load::see(std::int64_t lsn, const Answer& answer) {
    // Read after the answer: a run that begins from now on would be one too many.
    const int begun = starts()[lsn];
    const std::lock_guard lock(mutex_);
    Action& action = actions_.at(lsn);
    if (action.result.empty()) {
        action.result = answer.body;
        action.startsThen = begun;
        std::erase(active_, lsn);
    } else if (action.result != answer.body) {
        broken_.push_back(fmt::format("LSN {} had the result {}, and then {}", lsn, action.result, answer.body));
    }
}

std::map<std::int64_t, int> Load::starts() const {
    std::map<std::int64_t, int> counts;
    std::istringstream lines(fileText(log_));
    std::string word;
    std::int64_t lsn = 0;
    while (lines >> word >> lsn)
        if (word == "s") ++counts[lsn];
    return counts;
}

std::size_t Load::seenFinished() const {
    const std::lock_guard lock(mutex_);
    return actions_.size() - active_.size();
}

std::string Load::summary() const {
    const std::lock_guard lock(mutex_);
    return fmt::format(
        "{} actions accepted, {} seen finished while engines died, {} cancelled; {} submissions lost "
        "their answer; {} attempts were interrupted",
        actions_.size(), actions_.size() - active_.size(), cancels_, unanswered_, interrupted_);
}

// --- the end

void Load::finish(Caller caller) {
    for (const Submission& what : std::exchange(toRepeat_, {}))
        if (!submit(caller, what)) complain("the last engine does not answer");
    checkUnanswered(caller);
    // Those that hang do so once; who was never interrupted hangs still.
    for (const auto& [lsn, action] : std::map(actions_))
        if (action.kind == Kind::Hanging && action.result.empty()) cancel(caller, lsn);
    const auto idle = [&] {
        const auto counts = caller.get("/compute/session").json();
        const auto* by = counts.if_contains("counts");
        if (!by || !by->is_object()) return false;
        std::int64_t active = 0;
        for (const char* state : {"new", "pending", "submitting", "running"})
            if (const auto* n = by->get_object().if_contains(state); n && n->is_int64()) active += n->get_int64();
        return active == 0;
    };
    if (!eventually(idle, 120'000)) complain("actions are still active: " + caller.get("/compute/session").shown());
}

/// A list or an array is accepted whole or not at all, also when nobody heard the answer.
void Load::checkUnanswered(Caller& caller) {
    for (const Submission& what : std::exchange(maybe_, {})) {
        const Answer found = caller.get(fmt::format("/compute/jobs?label={}&limit=100", what.label));
        const auto json = found.json();
        const auto* jobs = json.if_contains("jobs");
        if (!jobs || !jobs->is_array()) {
            complain("list: " + found.shown());
            continue;
        }
        const std::size_t count = jobs->get_array().size();
        if (count != 0 && count != static_cast<std::size_t>(what.count))
            complain(fmt::format("of {} actions of {} there are {}", what.count, what.label, count));
        for (const auto& job : jobs->get_array()) {
            const std::int64_t lsn = job.at("lsn").to_number<std::int64_t>();
            actions_.emplace(lsn, Action{.kind = what.kind, .queue = what.queue, .result = {}});
        }
    }
}

std::map<std::int64_t, boost::json::object> Load::everything(Caller& caller) {
    std::map<std::int64_t, boost::json::object> jobs;
    std::string cursor;
    do {
        const Answer page = caller.get("/compute/jobs?limit=1000" + (cursor.empty() ? "" : "&cursor=" + cursor));
        const auto json = page.json();
        const auto* list = json.if_contains("jobs");
        if (!list || !list->is_array()) {
            complain("list: " + page.shown());
            break;
        }
        for (const auto& job : list->get_array()) {
            const std::int64_t lsn = job.at("lsn").to_number<std::int64_t>();
            if (!jobs.emplace(lsn, job.get_object()).second) complain(fmt::format("LSN {} is listed twice", lsn));
        }
        cursor = page.text("cursor");
    } while (!cursor.empty());
    return jobs;
}

std::vector<std::string> Load::broken(Caller caller) {
    const auto jobs = everything(caller);
    const auto begun = starts();
    for (const auto& [lsn, job] : jobs)
        if (!actions_.contains(lsn)) complain(fmt::format("nobody was promised LSN {}: {}", lsn, serialize(job)));
    for (const auto& [lsn, action] : actions_) {
        const auto count = begun.find(lsn);
        const auto job = jobs.find(lsn);
        if (job == jobs.end())
            complain(fmt::format("LSN {} was accepted and is in no list", lsn));
        else
            checkAction(caller, lsn, action, job->second, count == begun.end() ? 0 : count->second);
    }
    checkCounters(caller, jobs);
    std::istringstream lines(fileText(log_));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("double")) complain("two runs lived at once: " + line);
    return broken_;
}

} // namespace yard::torture
