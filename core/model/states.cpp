#include "core/model/states.h"

#include <array>

namespace yard {

namespace {

constexpr TransitionTable<ActionState, kActionStates> kActionMoves{
    {ActionState::New, {ActionState::Pending, ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled}},
    {ActionState::Pending,
     {ActionState::Submitting, ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled}},
    {ActionState::Submitting,
     {ActionState::Running, ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled}},
    {ActionState::Running,
     {ActionState::Completed, ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled}},
    {ActionState::Failed, {ActionState::Pending}},    // the reset
    {ActionState::Abandoned, {ActionState::Pending}}, // the reset
};

constexpr TransitionTable<SessionState, kSessionStates> kSessionMoves{
    {SessionState::Created, {SessionState::Ready, SessionState::Abandoned, SessionState::Sunset}},
    {SessionState::Ready,
     {SessionState::Draining, SessionState::Paused, SessionState::Abandoned, SessionState::Sunset}},
    {SessionState::Draining, {SessionState::Paused, SessionState::Abandoned, SessionState::Sunset}},
    {SessionState::Paused, {SessionState::Abandoned, SessionState::Sunset}},
    {SessionState::Abandoned, {SessionState::Sunset}},
};

constexpr TransitionTable<QueueState, kQueueStates> kQueueMoves{
    {QueueState::Active, {QueueState::Draining, QueueState::Cancelled}},
    {QueueState::Draining, {QueueState::Cancelled}},
};

constexpr std::array<std::string_view, kActionStates> kActionWords{
    "new", "pending", "submitting", "running", "completed", "failed", "abandoned", "cancelled"};
constexpr std::array<std::string_view, kSessionStates> kSessionWords{"created", "ready",     "draining",
                                                                     "paused",  "abandoned", "sunset"};
constexpr std::array<std::string_view, kQueueStates> kQueueWords{"active", "draining", "cancelled"};
constexpr std::array<std::string_view, kReasons> kReasonWords{"",
                                                              "exit_code",
                                                              "signal",
                                                              "deadline",
                                                              "memory",
                                                              "cancelled",
                                                              "abandoned",
                                                              "engine_died",
                                                              "engine_stopped",
                                                              "spawn_error",
                                                              "lost_runner",
                                                              "memory_pressure",
                                                              "worker_crashed",
                                                              "missing_output",
                                                              "result_too_large",
                                                              "dependency_failed",
                                                              "gpu_lost",
                                                              "gpu_memory"};
static_assert(!kReasonWords.back().empty() && !kActionWords.back().empty());

template<class Enum, std::size_t Count>
std::optional<Enum> fromWord(const std::array<std::string_view, Count>& words, std::string_view word) {
    for (std::size_t i = 0; i < Count; ++i)
        if (!word.empty() && words[i] == word) return static_cast<Enum>(i);
    return std::nullopt;
}

} // namespace

const TransitionTable<ActionState, kActionStates>& actionTransitions() {
    return kActionMoves;
}
const TransitionTable<SessionState, kSessionStates>& sessionTransitions() {
    return kSessionMoves;
}
const TransitionTable<QueueState, kQueueStates>& queueTransitions() {
    return kQueueMoves;
}

std::string_view name(ActionState state) {
    return kActionWords[std::to_underlying(state)];
}
std::string_view name(SessionState state) {
    return kSessionWords[std::to_underlying(state)];
}
std::string_view name(QueueState state) {
    return kQueueWords[std::to_underlying(state)];
}
std::string_view name(Reason reason) {
    return kReasonWords[std::to_underlying(reason)];
}

std::optional<ActionState> actionStateFrom(std::string_view word) {
    return fromWord<ActionState>(kActionWords, word);
}
std::optional<QueueState> queueStateFrom(std::string_view word) {
    return fromWord<QueueState>(kQueueWords, word);
}
std::optional<Reason> reasonFrom(std::string_view word) {
    return fromWord<Reason>(kReasonWords, word);
}

} // namespace yard
