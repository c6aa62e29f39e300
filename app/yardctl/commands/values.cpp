// yardctl completion values: the words that shells offer while a command line is typed. Those of the engine are asked
// for once; an engine that does not answer has none.
#include "app/yardctl/action_view.h"
#include "app/yardctl/columns.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "core/model/annotation.h"
#include "core/model/facet.h"
#include "core/model/filter.h"
#include "core/model/right.h"
#include "core/model/sort.h"
#include "core/model/states.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <span>

namespace yard::ctl {

namespace {

using Words = std::vector<std::string_view>;

/// Prints words that complete what was typed, each with what it stands for behind a tab, as shells show it.
class Offer {
public:
    /// `head` stands before each word: the part of the typed word that stays.
    explicit Offer(std::string head)
        : head_(std::move(head)) {}
    void word(std::string_view word, std::string_view about) {
        if (word.empty() || !seen_.emplace(word).second) return;
        fmt::print("{}{}\t{}\n", head_, printable(word), printable(about));
    }
    /// In quotes where it has characters that mean something in a filter.
    void value(std::string_view word, std::string_view about) {
        const bool isPlain = word.find_first_of(" ,*\"'") == std::string_view::npos;
        if (isPlain)
            this->word(word, about);
        else if (word.find('"') == std::string_view::npos)
            this->word(fmt::format("\"{}\"", word), about);
    }

private:
    const std::string head_;
    std::set<std::string> seen_;
};

/// Calls `take` with each object of a list of the engine's.
Outcome<void> forEachListed(Engine& engine, const std::string& path, std::string_view list, auto&& take) {
    const auto answer = engine.get(path);
    if (!answer) return failedWith(answer.error());
    if (const json::array* all = arrayOf(answer->object, list))
        for (const json::value& one : *all)
            if (one.is_object()) take(one.get_object());
    return {};
}

/// `which`: more of the query, "&state=failed"; empty: of all actions.
Outcome<void> forEachRecent(Engine& engine, std::string_view which, auto&& take) {
    return forEachListed(engine, fmt::format("jobs?limit=100&sort=-lsn{}", which), "jobs", take);
}

std::string numberText(const json::object& one, std::string_view key) {
    return fmt::format("{}", integerOf(one, key).value_or(0));
}

Outcome<void> offerLsnsOf(Engine& engine, Offer& offer, std::string_view which) {
    return forEachRecent(engine, which, [&](const json::object& one) {
        offer.word(numberText(one, "lsn"), fmt::format("{} ({})", whatWords(one), textOf(one, "state")));
    });
}

Outcome<void> offerLsns(Engine& engine, Offer& offer) {
    return offerLsnsOf(engine, offer, "");
}

/// For commands that make sense of actions in some states alone.
struct LsnKind {
    std::string_view name;
    std::string_view which; ///< of the query
};
constexpr std::array<LsnKind, 6> kLsnKinds = {{{"active", "&state=pending,submitting,running"},
                                               {"pending", "&state=pending"},
                                               {"startable", "&q=state%3Apending%20-state%3Aheld"},
                                               {"held", "&state=held"},
                                               {"failed", "&state=failed,abandoned"},
                                               {"ended", "&state=completed,failed,abandoned,cancelled"}}};

/// Of actions that have one and run.
Outcome<void> offerTerminals(Engine& engine, Offer& offer) {
    return forEachListed(engine, "jobs?limit=1000&sort=-lsn&q=state%3Arunning", "jobs",
                         [&](const json::object& one) {
                             if (objectOf(one, "tty")) offer.word(numberText(one, "lsn"), whatWords(one));
                         });
}

Outcome<void> offerQueues(Engine& engine, Offer& offer, void (Offer::*as)(std::string_view, std::string_view)) {
    return forEachListed(engine, "queues", "queues", [&](const json::object& one) {
        const std::string number = numberText(one, "queue_id");
        const std::string_view tag = textOf(one, "tag");
        (offer.*as)(tag, fmt::format("queue {}", number));
        offer.word(number, tag.empty() ? "queue" : tag);
    });
}

Outcome<void> offerWorkers(Engine& engine, Offer& offer) {
    return forEachListed(engine, "workers/all", "workers",
                         [&](const json::object& one) { offer.word(textOf(one, "name"), textOf(one, "version")); });
}

/// "a, b and c" or "a, b, c".
Words listed(std::string_view text) {
    Words words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(", "), text.size());
        if (const std::string_view word = text.substr(0, end); !word.empty() && word != "and")
            words.push_back(word);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

// --- filters

Outcome<void> offerTexts(Engine& engine, Offer& offer, std::string_view key) {
    return forEachRecent(engine, "", [&](const json::object& one) {
        offer.value(textOf(one, key), fmt::format("action {}", numberText(one, "lsn")));
    });
}

Outcome<void> offerFilterWorkers(Engine& engine, Offer& offer) {
    offer.word("exec", "programs");
    return offerWorkers(engine, offer);
}

Outcome<void> offerLocks(Engine& engine, Offer& offer) {
    return forEachListed(engine, "locks", "locks",
                         [&](const json::object& one) { offer.value(textOf(one, "name"), "lock"); });
}

Outcome<void> offerStates(Engine& /*engine*/, Offer& offer) {
    const std::string names = filterStateNames();
    for (const std::string_view word : listed(names)) offer.word(word, "state");
    return {};
}

Outcome<void> offerMarks(Engine& /*engine*/, Offer& offer) {
    for (std::size_t i = 1; i < kMarks; ++i) offer.word(name(static_cast<Mark>(i)), "mark");
    offer.word(name(Mark::None), "without a mark");
    return {};
}

Outcome<void> offerReplaced(Engine& /*engine*/, Offer& offer) {
    offer.word("yes", "another one was submitted in its place");
    offer.word("no", "it stands for itself");
    return {};
}

Outcome<void> offerReasons(Engine& /*engine*/, Offer& offer) {
    for (std::size_t i = 0; i < kReasons; ++i) offer.word(name(static_cast<Reason>(i)), "reason");
    return {};
}

struct KeyValues {
    std::string_view key;
    Outcome<void> (*offer)(Engine&, Offer&);
};
constexpr std::array<KeyValues, 12> kKeyValues = {
    {{"state", offerStates},
     {"reason", offerReasons},
     {"queue", [](Engine& engine, Offer& offer) { return offerQueues(engine, offer, &Offer::value); }},
     {"worker", offerFilterWorkers},
     {"function", [](Engine& engine, Offer& offer) { return offerTexts(engine, offer, "function"); }},
     {"label", [](Engine& engine, Offer& offer) { return offerTexts(engine, offer, "label"); }},
     {"name", [](Engine& engine, Offer& offer) { return offerTexts(engine, offer, "name"); }},
     {"lock", offerLocks},
     {"lsn", offerLsns},
     {"after", offerLsns},
     {"mark", offerMarks},
     {"replaced", offerReplaced}}};

void offerTimes(Offer& offer, bool isCompared) {
    for (const std::string_view time : {"today", "yesterday"}) offer.word(time, "since midnight, or a whole day");
    for (const std::string_view time : {"-10min", "-1h", "-1d"})
        offer.word(isCompared ? std::string(time) : fmt::format("{}..now", time), "ago");
}

Outcome<void> offerKeys(Engine& engine, Offer& offer, std::string_view typed) {
    for (const FilterKind& kind : filterKinds())
        for (const std::string_view key : kind.keys)
            offer.word(fmt::format("{}:", key), fmt::format("{}: {}", kind.values, kind.forms));
    // 12 is an action as well.
    return typed.find_first_of("0123456789") == 0 ? offerLsns(engine, offer) : Outcome<void>();
}

Outcome<void> offerFilters(Engine& engine, std::string_view word) {
    const std::size_t negation = word.starts_with('-') ? 1 : 0;
    const std::size_t end = word.find_first_of(":<>");
    if (end == std::string_view::npos) {
        Offer offer(std::string(word.substr(0, negation)));
        return offerKeys(engine, offer, word.substr(negation));
    }
    const std::string_view key = word.substr(negation, end - negation);
    const std::size_t operatorEnd = end + (word.substr(end + 1).starts_with('=') ? 2 : 1);
    const std::size_t comma = word.rfind(',');
    Offer offer(std::string(word.substr(0, comma == std::string_view::npos ? operatorEnd : comma + 1)));
    for (const FilterKind& kind : filterKinds())
        if (kind.values == "times" && std::ranges::find(kind.keys, key) != kind.keys.end())
            offerTimes(offer, word[end] != ':');
    const auto* const known = std::ranges::find(kKeyValues, key, &KeyValues::key);
    return known == kKeyValues.end() || word[end] != ':' ? Outcome<void>() : known->offer(engine, offer);
}

// --- settings

std::string textOfValue(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : compactJson(value);
}

/// NAME=, and behind it the values that it may have.
Outcome<void> offerSettings(Engine& engine, std::string_view word) {
    const auto answer = engine.get("settings");
    if (!answer) return failedWith(answer.error());
    const json::object* about = objectOf(answer->object, "about");
    const std::size_t equals = word.find('=');
    Offer offer(std::string(word.substr(0, equals == std::string_view::npos ? 0 : equals + 1)));
    for (const auto& [name, value] : answer->object) {
        const json::object* facts = about ? objectOf(*about, name) : nullptr;
        if (!facts) continue;
        if (equals == std::string_view::npos)
            offer.word(fmt::format("{}=", std::string_view(name)), textOf(*facts, "help"));
        if (equals == std::string_view::npos || word.substr(0, equals) != std::string_view(name)) continue;
        if (const json::array* words = arrayOf(*facts, "words"))
            for (const json::value& one : *words) offer.word(textOfValue(one), "");
        if (value.is_bool())
            for (const std::string_view one : {"true", "false"}) offer.word(one, "");
        offer.word(textOfValue(value), "as it is");
        const json::value* usual = facts->if_contains("default");
        offer.word("default", usual ? textOfValue(*usual) : "");
    }
    return {};
}

// --- lists

Outcome<void> offerSorts(std::string_view word) {
    Offer offer(word.starts_with('-') ? "-" : "");
    const std::string names = sortFieldNames();
    for (const std::string_view one : listed(names)) offer.word(one, "");
    return {};
}

Outcome<void> offerColumns(std::string_view word) {
    const std::size_t comma = word.rfind(',');
    Offer offer(std::string(word.substr(0, comma == std::string_view::npos ? 0 : comma + 1)));
    for (const ActionColumn& column : actionColumns()) offer.word(column.name, column.shown.head);
    return {};
}

Outcome<void> offerFacets(std::string_view word) {
    const std::size_t comma = word.rfind(',');
    Offer offer(std::string(word.substr(0, comma == std::string_view::npos ? 0 : comma + 1)));
    for (const FacetInfo& facet : kFacets) offer.word(facet.name, "");
    return {};
}

Outcome<void> offerUsageKinds() {
    Offer offer{std::string()};
    for (const std::string_view kind : kUsageKinds) offer.word(kind, "");
    return {};
}

Outcome<void> offerCommands() {
    Offer offer{std::string()};
    for (const Command& command : commands()) offer.word(command.name, command.summary);
    return {};
}

Outcome<void> offerRights() {
    Offer offer{std::string()};
    for (std::size_t i = 0; i < kRights; ++i) offer.word(name(static_cast<Right>(i)), "");
    return {};
}

Outcome<void> offerTokens(Engine& engine, Offer& offer) {
    return forEachListed(engine, "tokens", "tokens",
                         [&](const json::object& one) { offer.word(textOf(one, "name"), textOf(one, "rights")); });
}

Outcome<void> offerSchedules(Engine& engine, Offer& offer) {
    return forEachListed(engine, "schedules", "schedules",
                         [&](const json::object& one) { offer.word(textOf(one, "name"), textOf(one, "cron")); });
}

struct Kind {
    std::string_view name;
    Outcome<void> (*offer)(Engine& engine, std::string_view word);
};
template<auto Function>
Outcome<void> whole(Engine& engine, std::string_view /*word*/) {
    Offer offer{std::string()};
    return Function(engine, offer);
}
template<std::size_t At>
Outcome<void> lsnsOf(Engine& engine, Offer& offer) {
    return offerLsnsOf(engine, offer, kLsnKinds[At].which);
}
Outcome<void> offerQueueRefs(Engine& engine, Offer& offer) {
    return offerQueues(engine, offer, &Offer::word);
}
constexpr std::array<Kind, 20> kKinds = {
    {{"lsns", whole<offerLsns>},
     {kLsnKinds[0].name, whole<lsnsOf<0>>},
     {kLsnKinds[1].name, whole<lsnsOf<1>>},
     {kLsnKinds[2].name, whole<lsnsOf<2>>},
     {kLsnKinds[3].name, whole<lsnsOf<3>>},
     {kLsnKinds[4].name, whole<lsnsOf<4>>},
     {kLsnKinds[5].name, whole<lsnsOf<5>>},
     {"terminals", whole<offerTerminals>},
     {"queues", whole<offerQueueRefs>},
     {"workers", whole<offerWorkers>},
     {"filters", offerFilters},
     {"settings", offerSettings},
     {"sorts", [](Engine& /*engine*/, std::string_view word) { return offerSorts(word); }},
     {"columns", [](Engine& /*engine*/, std::string_view word) { return offerColumns(word); }},
     {"facets", [](Engine& /*engine*/, std::string_view word) { return offerFacets(word); }},
     {"kinds", [](Engine& /*engine*/, std::string_view /*word*/) { return offerUsageKinds(); }},
     {"commands", [](Engine& /*engine*/, std::string_view /*word*/) { return offerCommands(); }},
     {"rights", [](Engine& /*engine*/, std::string_view /*word*/) { return offerRights(); }},
     {"tokens", whole<offerTokens>},
     {"schedules", whole<offerSchedules>}}};

} // namespace

Outcome<int> offerValues(Engine& engine, const std::string& kind, std::string_view word) {
    const auto* const known = std::ranges::find(kKinds, kind, &Kind::name);
    if (known == kKinds.end()) {
        std::vector<std::string_view> names;
        for (const Kind& one : kKinds) names.push_back(one.name);
        return usageError(fmt::format("there are values of {}", fmt::join(names, ", ")));
    }
    if (auto offered = known->offer(engine, word); !offered) return std::unexpected(offered.error());
    return 0;
}

} // namespace yard::ctl
