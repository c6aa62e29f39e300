#include "core/model/comparison.h"

#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace yard {

namespace {

constexpr std::array<std::string_view, 8> kOrder = {"spec",    "inputs", "worker",  "environment",
                                                    "machine", "limits", "outcome", "times"};

/// What is known of one run, each under what it is of and its name.
class Facts {
public:
    void add(std::string_view what, std::string_view name, std::string json) {
        if (json.empty()) return;
        const auto [at, isNew] = places_.try_emplace({what, std::string(name)}, all_.size());
        if (isNew)
            all_.push_back({.what = what, .name = std::string(name), .a = std::move(json)});
        else
            all_[at->second].a = std::move(json); // what is said later replaces it
    }
    void addText(std::string_view what, std::string_view name, std::string_view text) {
        if (text.empty()) return;
        std::string json;
        appendJsonString(json, text);
        add(what, name, std::move(json));
    }
    void addNumber(std::string_view what, std::string_view name, double value) {
        std::string json;
        appendJsonNumber(json, value);
        add(what, name, std::move(json));
    }
    /// The members of an object, each by its own name.
    void addMembers(std::string_view what, JsonView object) {
        if (!object.isObject()) return;
        for (const JsonView member : object) addValue(what, member.key(), member);
    }
    void addValue(std::string_view what, std::string_view name, JsonView value) {
        if (auto json = canonicalJson(value)) add(what, name, std::move(*json));
    }
    /// Empty: there is none.
    std::string find(std::string_view what, std::string_view name) const {
        const auto at = places_.find({what, std::string(name)});
        return at == places_.end() ? std::string() : all_[at->second].a;
    }
    const std::vector<Difference>& all() const { return all_; }

private:
    std::vector<Difference> all_; ///< each with `a`
    std::map<std::pair<std::string_view, std::string>, std::size_t> places_;
};

void addWorker(Facts& facts, std::string_view descriptor) {
    const auto tape = readJson(descriptor);
    if (!tape || !tape->root().isObject()) return;
    for (const JsonView member : tape->root()) {
        const std::string_view key = member.key();
        if (key == "version") facts.addValue("worker", key, member);
        if (key == "environment") facts.addMembers("environment", member);
        if (key == "limits") facts.addMembers("limits", member);
        if (key == "cores" || key == "memory_mb") facts.addValue("limits", key, member);
    }
}

void addSpec(Facts& facts, std::string_view spec) {
    const auto tape = readJson(spec);
    if (!tape || !tape->root().isObject()) return;
    for (const JsonView member : tape->root()) {
        const std::string_view key = member.key();
        if (key == "inputs")
            facts.addMembers("inputs", member);
        else if (key == "stdin")
            facts.addValue("inputs", key, member);
        else if (key == "env")
            facts.addMembers("environment", member);
        else if (key == "resources")
            facts.addMembers("limits", member);
        else if (key == "machine" || key == "platform")
            facts.addValue("machine", key, member);
        else if (key != "deadline_s")
            facts.addValue("spec", key, member);
    }
}

void addOutcome(Facts& facts, const AttemptOutcome& outcome) {
    facts.addText("outcome", "state", name(outcome.state));
    if (outcome.reason != Reason::None) facts.addText("outcome", "reason", name(outcome.reason));
    if (outcome.exitCode) facts.addNumber("outcome", "exit_code", *outcome.exitCode);
    if (outcome.signal) facts.addNumber("outcome", "signal", *outcome.signal);
    if (const auto result = canonicalJson(outcome.result)) facts.add("outcome", "result", *result);
    facts.addText("outcome", "note", outcome.note);
    if (!outcome.denied.empty()) facts.addNumber("outcome", "denied", static_cast<double>(outcome.denied.size()));
    for (const NamedChunk& output : outcome.outputs) {
        std::string json;
        JsonWriter writer(json);
        writer.openObject();
        writer.key("hash");
        writer.hash(output.chunk.hash);
        writer.member("size", output.chunk.size);
        writer.closeObject();
        facts.add("outcome", "outputs." + output.name, std::move(json));
    }
}

void addTimes(Facts& facts, const AttemptRecord& attempt) {
    const Timestamps& times = attempt.times;
    const auto span = [&facts](std::string_view what, WallMicros from, WallMicros to) {
        if (from != 0 && to >= from) facts.addNumber("times", what, static_cast<double>(to - from) / 1e6);
    };
    const WallMicros end = times[attempt.outcome.state];
    span("preparing", times[ActionState::Submitting], times[ActionState::Running]);
    span("running", times[ActionState::Running], times.exited != 0 ? times.exited : end);
    span("collecting", times.exited, end);
    for (const MeasureInfo& info : kMeasureTable)
        if (const auto& value = attempt.outcome.measures[info.measure])
            facts.addNumber("times", info.name, inItsUnit(info, *value));
}

Facts factsOf(const ComparedRun& run) {
    Facts facts;
    addWorker(facts, run.worker);
    addSpec(facts, run.spec);
    facts.addText("worker", "id", run.action.workerId);
    facts.addText("machine", "name", run.action.machine);
    if (run.deadline) facts.addNumber("limits", "deadline_s", inSeconds(*run.deadline));
    if (!run.attempt) {
        facts.addText("outcome", "state", name(run.action.state));
        return facts;
    }
    addOutcome(facts, run.attempt->outcome);
    addTimes(facts, *run.attempt);
    return facts;
}

/// Names under `what` of both, those of the first one first.
std::vector<std::string> namesOf(std::string_view what, const Facts& a, const Facts& b) {
    std::vector<std::string> names;
    std::set<std::string_view> known;
    for (const Facts* facts : {&a, &b})
        for (const Difference& fact : facts->all())
            if (fact.what == what && known.insert(fact.name).second) names.push_back(fact.name);
    return names;
}

} // namespace

std::vector<Difference> differencesOf(const ComparedRun& a, const ComparedRun& b) {
    const Facts ofA = factsOf(a);
    const Facts ofB = factsOf(b);
    std::vector<Difference> differences;
    for (const std::string_view what : kOrder)
        for (const std::string& name : namesOf(what, ofA, ofB)) {
            Difference one{.what = what, .name = name, .a = ofA.find(what, name), .b = ofB.find(what, name)};
            if (one.a != one.b) differences.push_back(std::move(one));
        }
    return differences;
}

bool isSameWork(std::string_view specA, std::string_view specB) {
    Facts a;
    Facts b;
    addSpec(a, specA);
    addSpec(b, specB);
    constexpr std::array<std::string_view, 5> kWork = {"function", "args", "argv", "cwd", "sandbox"};
    for (const std::string_view member : kWork)
        if (a.find("spec", member) != b.find("spec", member)) return false;
    for (const std::string_view what : {"inputs", "environment"})
        for (const std::string& name : namesOf(what, a, b))
            if (a.find(what, name) != b.find(what, name)) return false;
    return !a.all().empty() && !b.all().empty();
}

// --- streams

void StreamComparison::add(unsigned side, std::string_view bytes) {
    sides_.at(side).bytes += bytes;
    if (bytes.empty()) sides_.at(side).ended = true;
    if (!differs_) compare();
}

void StreamComparison::compare() {
    std::string& a = sides_[0].bytes;
    std::string& b = sides_[1].bytes;
    const auto [endA, endB] = std::ranges::mismatch(a, b);
    const auto alike = static_cast<std::size_t>(endA - a.begin());
    const std::string_view common(a.data(), alike);
    line_ += std::ranges::count(common, '\n');
    const std::size_t newline = common.rfind('\n');
    if (newline == std::string_view::npos)
        begun_ += common.substr(0, kMaxLine - std::min(begun_.size(), kMaxLine));
    else
        begun_ = common.substr(newline + 1, kMaxLine);
    a.erase(0, alike);
    b.erase(0, alike);
    const bool bothGoOn = !a.empty() && !b.empty();
    const bool oneIsOver = (a.empty() && sides_[0].ended) != (b.empty() && sides_[1].ended);
    const bool otherHasMore = !a.empty() || !b.empty();
    differs_ = bothGoOn || (oneIsOver && otherHasMore);
}

bool StreamComparison::isLineComplete(const Side& side) const {
    return side.ended || begun_.size() + side.bytes.size() >= kMaxLine || side.bytes.contains('\n');
}

std::optional<unsigned> StreamComparison::wants() const {
    for (const unsigned side : {0u, 1u}) {
        const Side& one = sides_[side];
        if (differs_ ? !isLineComplete(one) : one.bytes.empty() && !one.ended) return side;
    }
    return std::nullopt;
}

std::optional<std::string> StreamComparison::lineOf(unsigned side) const {
    const Side& one = sides_.at(side);
    const std::string line = begun_ + one.bytes.substr(0, one.bytes.find('\n'));
    if (line.empty() && one.bytes.empty()) return std::nullopt;
    return line.substr(0, kMaxLine);
}

} // namespace yard
