// What the example is made of: queues, a warm worker, actions of each kind, a schedule, as bodies of requests. Values;
// any thread. What tells it from other work: the tags of its queues, the note on them, and how its labels begin.
#pragma once

#include "core/base/hash.h"
#include "core/model/worker.h"

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::example {

inline constexpr std::string_view kLabels = "example/";
/// Finds its actions in one of its queues.
inline constexpr std::string_view kFilter = "label:example/*";
inline constexpr std::string_view kSchedule = "example-nightly";
inline constexpr std::string_view kAuthor = "Yardmaster";
/// A comment on each of its queues, by which it is known.
inline constexpr std::string_view kNote = "A queue of the example: \"Remove the example\" takes it away.";
/// The comment on the first of them once everything is there: without it a load was cut.
inline constexpr std::string_view kWhole = "All of the example is there.";
/// The comment on the first of them where somebody else had registered the worker.
inline constexpr std::string_view kWorkerStays = "The example's worker was there before, and stays.";
/// The comment on one that stays, as other work is in it: from then on it is a queue as any other.
inline constexpr std::string_view kLeft = "The example is gone. This queue stays: there is other work in it.";

struct QueuePlan {
    std::string_view tag;
    boost::json::object config;
    bool held = false;
    std::string_view mark; ///< a colour; empty: none
};
std::vector<QueuePlan> queues();

/// One request to POST jobs of a queue.
struct Submission {
    std::string_view tag;     ///< of the queue
    boost::json::value body;  ///< an action or a list of them
    std::size_t noted = 0;    ///< which of the list has the mark and the comment
    std::string_view mark;    ///< empty: none
    std::string_view comment; ///< empty: none
};
/// `worker`: the id of worker().
std::vector<Submission> submissions(const std::string& worker);
boost::json::object schedule(std::int64_t queue);

struct FilePlan {
    std::string_view path;
    std::string_view bytes;
    Hash256 hash;
};
std::vector<FilePlan> workerFiles();
/// Its platform is that of this machine.
Result<ParsedWorker> worker();

} // namespace yard::example
