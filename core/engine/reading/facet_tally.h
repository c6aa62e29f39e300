// Counts of actions by facets: each facet under the terms of the others. An action whose terms hold of all but one facet
// counts for that facet alone; one for which two do not hold counts nowhere. What a value decides (a queue, a label, a
// class) is decided once for each.
//
// Owner: engine thread. Lives for one walk; the dictionary outlives it, and may grow meanwhile.
#pragma once

#include "core/coro/task.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/views.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yard::engine {

/// What facets tell actions apart by. Numbers are those of the dictionary.
struct FacetKind {
    ActionState state = ActionState::Pending;
    bool held = false;
    bool isInBackoff = false;
    Reason reason = Reason::None;
    QueueId queue;
    std::optional<std::uint32_t> cls{}; ///< nothing: the dictionary does not have it
    std::uint32_t label = 0;
    bool wasStarted = false; ///< it is, or was, on a machine
    std::string machine{};   ///< which, where that is not this one
    friend bool operator==(const FacetKind&, const FacetKind&) = default;
};

class FacetTally {
public:
    struct Parts {
        const InternTable& dictionary;
        std::function<bool(const ListQuery&, const ActionResult&)> matches; ///< Selection::matches()
        std::string machineName;
    };
    /// Takes out of `query.which` the terms that hold of some counts only. What is left, the walk has to choose by.
    FacetTally(Parts parts, FacetQuery& query);

    void add(const FacetKind& kind, std::int64_t count = 1);
    std::int64_t total() const { return total_; }
    /// In the order asked for. Nothing is added any more.
    coro::Task<std::vector<FacetList>> lists() const;

private:
    /// What is known of a value, by its number.
    enum class Holds : char { No, Yes, NotYet };
    struct Facet {
        FacetKey key;
        ListQuery own; ///< its terms alone
        bool hasTerms = false;
        std::vector<Holds> known;         ///< by caseOf()
        std::vector<std::int64_t> counts; ///< by valueOf()
    };
    bool holds(Facet& facet, const FacetKind& kind);
    std::size_t caseOf(FacetKey key, const FacetKind& kind);
    std::optional<std::size_t> valueOf(FacetKey key, const FacetKind& kind);
    void addTo(Facet& facet, const FacetKind& kind, std::int64_t count);
    std::size_t placeOf(QueueId queue);
    std::size_t placeOfWorker(std::uint32_t cls);
    std::size_t placeOfMachine(const FacetKind& kind);
    ActionResult asRow(FacetKey key, const FacetKind& kind) const;
    std::string text(FacetKey key, std::size_t value) const;

    Parts parts_;
    std::vector<Facet> facets_;
    std::int64_t total_ = 0;
    std::vector<QueueId> queues_; ///< by place
    std::unordered_map<std::int64_t, std::size_t> queuePlaces_;
    std::vector<std::string_view> workers_; ///< names, in the dictionary
    std::unordered_map<std::string_view, std::size_t> workerPlaces_;
    std::vector<std::size_t> workerOfClass_;
    std::vector<std::string> machines_; ///< by place; the first is none, the second this one
    std::unordered_map<std::string, std::size_t> machinePlaces_;
};

} // namespace yard::engine
