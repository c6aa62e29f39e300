// Runs of actions with all that is known of them, for the routes of attempts: put together from what the engine's services
// answer. On the http thread; the Call outlives what runs here.
#pragma once

#include "core/http/route.h"
#include "core/model/comparison.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::http {

/// A run, and what it was asked to do as values.
struct KnownRun {
    ComparedRun run;
    std::shared_ptr<const ActionSpec> spec{};             ///< null: not kept, or not shown to this token
    std::shared_ptr<const WorkerDescriptor> descriptor{}; ///< null: an exec, or not registered any more
};

/// The attempts of an action that began, in their order, the one under way last.
std::vector<AttemptRecord> attemptsOf(const ActionResult& action);
/// `attempt` 0: the last one, if any began. What the token may not see is left out: environment and inputs. NotFound.
coro::Task<Result<KnownRun>> knownRun(Call& call, Lsn lsn, std::uint32_t attempt);
/// The newest other action that completed with the same work, or the last attempt of this one if that is good. Looks at
/// kMostLookedAt actions at most, below queues/{ref} of that queue alone. NotFound: there is none among them.
coro::Task<Result<KnownRun>> lastGoodRun(Call& call, const KnownRun& of);
inline constexpr int kMostLookedAt = 1'000;
/// So many specs of those are read at most.
inline constexpr int kMostSpecsRead = 100;

/// "12" or "12.3": an action and an attempt, 0 where none is named. Invalid names the parameter `with`.
struct NamedRun {
    Lsn lsn;
    std::uint32_t attempt = 0;
};
Result<NamedRun> readNamedRun(std::string_view text);
/// The number of an attempt, from 1 on; nothing: it is none.
std::optional<std::uint32_t> readAttempt(std::string_view digits);

/// The first line in which stdout, then stderr of both differ. One that is not kept, or still grows, is passed over.
/// Reads in pieces on helpers; ends early with NotAccepting when the client leaves or the server stops.
coro::Task<Result<std::optional<Difference>>> outputDifference(Call& call, const AttemptRecord& a,
                                                               const AttemptRecord& b);

} // namespace yard::http
