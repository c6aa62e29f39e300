#include "app/yardctl/followers.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::int64_t kPage = 1000;
constexpr std::size_t kNamed = 10; ///< of those that wait; others are counted

using Row = std::function<Outcome<void>(const json::object&)>;

/// Every action that `filter` finds.
Outcome<void> forEach(Engine& engine, const std::string& filter, const Row& row) {
    for (Pages pages(engine); !pages.atEnd();) {
        const auto page = pages.next(fmt::format("jobs?limit={}&q={}", kPage, percentEncode(filter)));
        if (!page) return std::unexpected(page.error());
        if (const json::array* jobs = arrayOf(page->object, "jobs"))
            for (const json::value& job : *jobs)
                if (job.is_object())
                    if (auto taken = row(job.get_object()); !taken) return taken;
    }
    return {};
}

struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// Neighbours together; `lsns` is ascending.
std::vector<Range> runsOf(const std::vector<std::int64_t>& lsns) {
    std::vector<Range> runs;
    for (const std::int64_t lsn : lsns)
        if (!runs.empty() && runs.back().last + 1 == lsn)
            runs.back().last = lsn;
        else
            runs.push_back({lsn, lsn});
    return runs;
}

/// An action as it was submitted, and where the array lies that it is of.
struct Kept {
    json::object spec;
    Range all{};           ///< the LSNs of the array; else its own
    std::int64_t from = 0; ///< the index of the first one
    bool isArray = false;
};

Result<Kept> keptOf(Engine& engine, std::int64_t lsn) {
    auto whole = engine.get(fmt::format("jobs/{}/spec", lsn));
    if (!whole) return std::unexpected(whole.error());
    Kept kept{.spec = std::move(whole->object), .all = {lsn, lsn}};
    const json::object* array = objectOf(kept.spec, "array");
    if (!array) return kept;
    const auto alone = engine.get(fmt::format("jobs/{}/spec?element=1", lsn));
    if (!alone) return std::unexpected(alone.error());
    const json::object* element = objectOf(alone->object, "array");
    kept.isArray = true;
    kept.from = integerOf(*array, "from").value_or(0);
    const std::int64_t index = element ? integerOf(*element, "from").value_or(kept.from) : kept.from;
    kept.all.first = lsn - (index - kept.from);
    kept.all.last = kept.all.first + integerOf(*array, "to").value_or(kept.from) - kept.from;
    return kept;
}

bool isContradicted(std::string_view on, std::string_view state) {
    const bool hasEnded = state == "completed" || state == "failed" || state == "cancelled" || state == "abandoned";
    if (on == "completed") return hasEnded && state != "completed";
    return on == "failed" && hasEnded && state != "failed";
}

/// What an edge says: 12, {"lsn": 12, "on": "any"}, {"array": 100}.
struct Parent {
    std::int64_t lsn = 0;
    bool isArray = false;
    std::string on = "completed";

    explicit Parent(const json::value& edge) {
        if (edge.is_int64()) lsn = edge.get_int64();
        if (!edge.is_object()) return;
        const json::object& object = edge.get_object();
        isArray = object.contains("array");
        lsn = integerOf(object, isArray ? "array" : "lsn").value_or(0);
        if (const std::string_view word = textOf(object, "on"); !word.empty()) on = word;
    }
};

/// What an action was submitted as may say less than what was done to it since.
void takeOver(json::object& spec, bool isHeld, std::int64_t priority) {
    if (isHeld)
        spec["hold"] = true;
    else
        spec.erase("hold");
    if (priority != integerOf(spec, "priority").value_or(0)) spec["priority"] = priority;
}

bool isHeld(const json::object& action) {
    return isTrue(action, "held");
}

class Search {
public:
    Search(Engine& engine, const json::object& edited, bool again)
        : engine_(engine)
        , again_(again)
        , lsn_(integerOf(edited, "lsn").value_or(0))
        , queue_(integerOf(edited, "queue_id").value_or(0))
        , state_(textOf(edited, "state")) {}

    Outcome<std::vector<Follower>> run() {
        if (auto found = findRows(); !found) return std::unexpected(found.error());
        if (rows_.empty()) return std::vector<Follower>();
        const auto edited = keptOf(engine_, lsn_);
        if (!edited) return failedWith(edited.error());
        addMember({lsn_, lsn_}, edited->all);
        for (auto row = rows_.begin(); row != rows_.end();) {
            auto kept = keptOf(engine_, row->first);
            if (!kept) return refuse(kept.error().message);
            std::vector<std::int64_t> lsns;
            for (; row != rows_.end() && row->first <= kept->all.last; ++row) lsns.push_back(row->first);
            for (const Range& range : runsOf(lsns))
                if (auto taken = take(*kept, range); !taken) return std::unexpected(taken.error());
        }
        return std::move(followers_);
    }

private:
    struct Member {
        Range own;
        Range array;
    };

    struct Waiter {
        std::int64_t queue = 0;
        std::int64_t priority = 0;
        bool isHeld = false;
        bool isReplaced = false;
    };

    bool isPending() const { return state_ == "pending"; }
    /// What they do, for messages.
    std::string_view waits() const { return isPending() ? "wait" : "failed and wait"; }

    std::unexpected<Failure> refuse(std::string_view why) const {
        const std::string_view dot = why.ends_with('.') ? "" : ".";
        if (isPending())
            return failed(
                fmt::format("{}{} Nothing was submitted: cancel what waits for {} first.", why, dot, lsn_));
        return failed(fmt::format("{}{} Nothing was submitted; with --alone only {} is.", why, dot, lsn_));
    }

    void addMember(Range own, Range array) {
        memberAt_[own.first] = members_.size();
        members_.push_back({own, array});
    }

    /// All that waits for it without having run, directly or not: it failed with it, or is pending as it is.
    Outcome<void> findRows() {
        std::vector<Range> asked{{lsn_, lsn_}};
        while (!asked.empty()) {
            std::vector<std::int64_t> fresh;
            const Row add = [&](const json::object& job) -> Outcome<void> {
                const std::int64_t lsn = integerOf(job, "lsn").value_or(0);
                const Waiter row{.queue = integerOf(job, "queue_id").value_or(0),
                                 .priority = integerOf(job, "priority").value_or(0),
                                 .isHeld = isHeld(job),
                                 .isReplaced = isReplaced(job)};
                if (row.isReplaced && !again_) return {}; // another one is in its place
                if (!rows_.try_emplace(lsn, row).second) return {};
                fresh.push_back(lsn);
                if (rows_.size() <= kMostFollowers) return {};
                return refuse(fmt::format("More than {} actions {} for {}", kMostFollowers, waits(), lsn_));
            };
            const std::string_view which =
                isPending() ? "state:pending tries:0" : "state:failed reason:dependency_failed";
            for (const Range& range : asked)
                if (auto found =
                        forEach(engine_, fmt::format("{} after:{}..{}", which, range.first, range.last), add);
                    !found)
                    return found;
            std::ranges::sort(fresh);
            asked = runsOf(fresh);
        }
        return {};
    }

    /// Makes these of an action followers, if all that kept them from running is in the list.
    Outcome<void> take(const Kept& kept, Range own) {
        Follower follower{.first = own.first, .last = own.last, .spec = kept.spec};
        bool isBecause = false;
        std::string obstacle;
        if (const json::array* after = arrayOf(kept.spec, "after"))
            for (const json::value& value : *after) {
                const Parent parent(value);
                Follower::Edge edge{.kept = value};
                auto found = find(parent);
                if (!found) return std::unexpected(found.error());
                if (const Member* member = *found) {
                    edge.isOfList = true;
                    edge.member = memberAt_.at(member->own.first);
                    const std::string_view state = edge.member == 0 ? std::string_view(state_) : "failed";
                    isBecause = isBecause || isContradicted(parent.on, state);
                    if (obstacle.empty()) obstacle = obstacleOf(own.first, parent, *member);
                } else if (!isPending()) {
                    const auto beside = isKeptBack(own.first, parent);
                    if (!beside) return std::unexpected(beside.error());
                    if (beside->keepsBack) return {};
                    if (beside->instead != 0) edge.kept = toInstead(edge.kept, beside->instead);
                }
                follower.edges.push_back(std::move(edge));
            }
        if (!isBecause && !isPending()) return {};
        if (rows_.at(own.first).queue != queue_)
            obstacle = fmt::format("Action {} {} {} and is of another queue", own.first,
                                   isPending() ? "waits for" : "failed because of", lsn_);
        if (!obstacle.empty()) return refuse(obstacle);
        const auto behind = rows_.upper_bound(own.last);
        const auto some = [&](auto is) { return std::any_of(rows_.find(own.first), behind, is); };
        follower.wasReplaced = some([](const auto& row) { return row.second.isReplaced; });
        if (isPending())
            takeOver(follower.spec, some([](const auto& row) { return row.second.isHeld; }),
                     rows_.at(own.first).priority);
        if (kept.isArray)
            follower.spec["array"] = {{"from", kept.from + own.first - kept.all.first},
                                      {"to", kept.from + own.last - kept.all.first}};
        addMember(own, kept.all);
        followers_.push_back(std::move(follower));
        return {};
    }

    /// The member of the list that an edge means, of an array one that is of it; null: it is of no other's.
    Outcome<const Member*> find(const Parent& parent) {
        std::int64_t last = parent.lsn;
        if (parent.isArray) {
            const auto size = lastOf(parent.lsn);
            if (!size) return std::unexpected(size.error());
            last = *size;
        }
        const auto behind = memberAt_.upper_bound(last);
        if (behind == memberAt_.begin()) return nullptr;
        const Member& member = members_[std::prev(behind)->second];
        return member.own.last >= parent.lsn ? &member : nullptr;
    }

    /// Why an edge to a member cannot be told by its id.
    static std::string obstacleOf(std::int64_t lsn, const Parent& parent, const Member& member) {
        const bool isWhole = member.own.first == member.array.first && member.own.last == member.array.last;
        if (parent.isArray && !isWhole)
            return fmt::format("Action {} waits for the whole array {}, which is not all to be submitted again",
                               lsn, parent.lsn);
        if (!parent.isArray && member.own.first != member.own.last)
            return fmt::format("Action {} waits for {} alone, one of an array that is to be submitted again", lsn,
                               parent.lsn);
        return {};
    }

    /// The last LSN of an array.
    Outcome<std::int64_t> lastOf(std::int64_t base) {
        const auto known = lastOfArray_.find(base);
        if (known != lastOfArray_.end()) return known->second;
        const auto kept = keptOf(engine_, base);
        if (!kept) return refuse(kept.error().message);
        return lastOfArray_[base] = kept->all.last;
    }

    /// Something beside the list that an action waits for, as it is now.
    struct Beside {
        bool keepsBack = false;   ///< the action could not run
        std::int64_t instead = 0; ///< the newest that was submitted in its place; 0: it counts itself
    };

    /// One that was replaced counts as what replaced it, where that is what the action waits for.
    Outcome<Beside> isKeptBack(std::int64_t lsn, const Parent& parent) {
        if (!parent.isArray && rows_.contains(parent.lsn)) return Beside{isContradicted(parent.on, "failed")};
        if (parent.on == "any") return Beside{};
        if (parent.isArray) {
            const auto byArray = isKeptBackByArray(parent);
            if (!byArray) return std::unexpected(byArray.error());
            return Beside{*byArray};
        }
        const auto known = besides_.find(parent.lsn);
        if (known != besides_.end()) return known->second;
        Beside beside;
        for (std::int64_t at = parent.lsn;;) {
            const auto answer = engine_.get(fmt::format("jobs/{}", at));
            if (!answer && answer.error().kind != ErrorKind::NotFound) return failedWith(answer.error());
            if (!answer)
                return refuse(fmt::format("Action {} waits for {} too, which is not kept any more", lsn, at));
            beside = {isContradicted(parent.on, textOf(answer->object, "state")), at == parent.lsn ? 0 : at};
            const std::int64_t next = integerOf(answer->object, "replaced_by").value_or(0);
            if (!beside.keepsBack || next <= at) break; // a successor is newer: this comes to an end
            at = next;
        }
        return besides_[parent.lsn] = beside;
    }

    /// The edge, to another action.
    static json::value toInstead(json::value edge, std::int64_t lsn) {
        if (!edge.is_object()) return lsn;
        edge.get_object()["lsn"] = lsn;
        return edge;
    }

    Outcome<bool> isKeptBackByArray(const Parent& parent) {
        const auto last = lastOf(parent.lsn);
        if (!last) return std::unexpected(last.error());
        const bool isToComplete = parent.on == "completed";
        const std::string_view states =
            isToComplete ? "failed,abandoned,cancelled" : "failed,pending,submitting,running";
        bool some = false;
        auto looked = forEach(engine_, fmt::format("state:{} lsn:{}..{}", states, parent.lsn, *last),
                              [&](const json::object&) -> Outcome<void> {
                                  some = true;
                                  return {};
                              });
        if (!looked) return std::unexpected(looked.error());
        return some == isToComplete;
    }

    Engine& engine_;
    const bool again_;
    const std::int64_t lsn_;
    const std::int64_t queue_;
    const std::string state_;
    std::map<std::int64_t, Waiter> rows_; ///< what waits and has not run, by LSN
    std::vector<Member> members_;
    std::map<std::int64_t, std::size_t> memberAt_; ///< by the first LSN
    std::map<std::int64_t, std::int64_t> lastOfArray_;
    std::map<std::int64_t, Beside> besides_; ///< by the LSN that is waited for
    std::vector<Follower> followers_;
};

/// "38", "38 to 47".
std::string rangeWords(std::int64_t first, std::int64_t count) {
    return count == 1 ? fmt::format("{}", first) : fmt::format("{} to {}", first, first + count - 1);
}

} // namespace

Outcome<std::vector<Follower>> followersOf(Engine& engine, const json::object& edited, bool again) {
    if (!isEnded(edited) && textOf(edited, "state") != "pending") return std::vector<Follower>();
    return Search(engine, edited, again).run();
}

std::string asItIsNow(std::string text, const json::object& action) {
    boost::system::error_code wrong;
    json::value parsed = parseJson(text, wrong);
    if (wrong || !parsed.is_object()) return text;
    json::object& spec = parsed.get_object();
    const bool was = isTrue(spec, "hold");
    const std::int64_t priority = integerOf(action, "priority").value_or(0);
    if (was == isHeld(action) && priority == integerOf(spec, "priority").value_or(0)) return text;
    takeOver(spec, isHeld(action), priority);
    return compactJson(spec);
}

std::string replacing(std::int64_t lsn, std::string text) {
    boost::system::error_code wrong;
    const json::value action = parseJson(text, wrong);
    if (wrong || !action.is_object() || action.get_object().empty() || action.get_object().contains("replaces"))
        return text;
    return text.insert(text.find('{') + 1, fmt::format("\"replaces\":{},", lsn));
}

Outcome<std::string> listOf(std::int64_t lsn, const std::string& text, const std::vector<Follower>& followers) {
    boost::system::error_code wrong;
    const json::value edited = parseJson(text, wrong);
    if (wrong) return failed(fmt::format("this is no JSON: {}", wrong.message()));
    if (!edited.is_object() || edited.get_object().empty())
        return failed("this is not one action; with --alone more than one can be submitted");
    std::vector<std::string> ids;
    std::unordered_set<std::string> taken;
    const auto idFor = [&](const json::object& spec, std::int64_t old) {
        std::string id(textOf(spec, "id"));
        if (id.empty() || taken.contains(id)) id = fmt::format("copy of {}", old);
        while (!taken.insert(id).second) id += "'";
        ids.push_back(id);
        return id;
    };
    const std::string own = idFor(edited.get_object(), lsn);
    std::string out = "[" + text;
    // The text stays as it was typed.
    if (textOf(edited.get_object(), "id").empty() && !edited.get_object().contains("id"))
        out.insert(out.find('{') + 1, fmt::format("\"id\":{},", compactJson(json::value(own))));
    for (const Follower& follower : followers) {
        json::object spec = follower.spec;
        spec["id"] = idFor(spec, follower.first);
        json::array after;
        for (const Follower::Edge& edge : follower.edges)
            after.push_back(edge.isOfList ? json::value{{"id", ids[edge.member]}, {"on", Parent(edge.kept).on}}
                                          : edge.kept);
        spec["after"] = std::move(after);
        json::array replaces;
        for (std::int64_t old = follower.first; old <= follower.last; ++old) replaces.emplace_back(old);
        if (!follower.wasReplaced) spec["replaces"] = std::move(replaces);
        out += ",\n" + compactJson(spec);
    }
    return out + "]";
}

std::string replacedWords(std::int64_t lsn, const std::vector<Follower>& followers, const json::array& lsns,
                          bool isPending) {
    std::string out;
    for (std::size_t i = 0; i <= followers.size() && i < lsns.size(); ++i) {
        const std::int64_t copy = lsns[i].is_int64() ? lsns[i].get_int64() : 0;
        if (i == 0) {
            out += fmt::format("Action {} replaces {}.\n", copy, lsn);
            continue;
        }
        const Follower& old = followers[i - 1];
        const std::int64_t count = old.last - old.first + 1;
        const std::string_view why = !isPending   ? "had failed only because of"
                                     : count == 1 ? "waits for"
                                                  : "wait for";
        out += fmt::format("{}, which {} {}, {} on as {}.\n", rangeWords(old.first, count), why, lsn,
                           count == 1 ? "goes" : "go", rangeWords(copy, count));
    }
    return out;
}

Outcome<std::string> pendingFollowers(Engine& engine, std::int64_t lsn) {
    std::vector<std::int64_t> lsns;
    auto looked =
        forEach(engine, fmt::format("state:pending after:{}", lsn), [&](const json::object& job) -> Outcome<void> {
            lsns.push_back(integerOf(job, "lsn").value_or(0));
            return {};
        });
    if (!looked) return std::unexpected(looked.error());
    std::ranges::sort(lsns);
    const std::size_t named = std::min(lsns.size(), kNamed);
    std::string out;
    for (std::size_t i = 0; i < named; ++i) {
        const bool isLast = i + 1 == lsns.size();
        out += fmt::format("{}{}", i == 0 ? "" : isLast ? " and " : ", ", lsns[i]);
    }
    if (named < lsns.size()) out += fmt::format(" and {} more", lsns.size() - named);
    return out;
}

} // namespace yard::ctl
