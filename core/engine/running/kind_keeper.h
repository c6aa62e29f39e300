// The memory of work in the engine: counts each action that ran to its end, looks for changes beside the work, and keeps
// the kinds in the journal. Nothing is looked for or written on the way of an action: a second later, a few at a time.
//
// What changed is written a minute later, and at a clean end: a kill loses the last minute. What cannot be written is tried
// again a minute later, what is to be removed a second later. Bound: at most kWritten kinds
// a second; of more that change in each minute the rest waits.
//
// Owner: engine thread. Lifetime: after the dictionary and the committer.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/running/attempt.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/kinds_view.h"
#include "core/kinds/kind_table.h"
#include "core/session/views.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class KindKeeper {
public:
    /// Of its documents in the journal.
    static constexpr std::string_view kDocumentKind = "kind";
    static constexpr std::size_t kLooks = 32;   ///< kinds a second: some 5 ms
    static constexpr std::size_t kWritten = 64; ///< kinds a second: some 2 ms
    static constexpr std::size_t kWrittenAtEnd = 1'000;
    static constexpr std::size_t kShown = 16; ///< kinds put into figures before others get their turn: some 4 ms
    static constexpr Duration kPeriod{1'000'000};

    struct Parts {
        const InternTable& dictionary;
        std::function<std::string(session::MachineId)> machineName;
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<WallMicros()> now;
        /// A kind of work takes longer or more than before. Empty: nobody asks.
        std::function<void(const std::string& kind, const kinds::Change&)> regressed{};
        /// Whether what actions of this queue ask for is to stand beside what would be enough. Empty: no.
        std::function<bool(QueueId)> suggests{};
    };
    explicit KindKeeper(Parts parts)
        : parts_(std::move(parts)) {}

    /// What the journal has, other documents apart, before run(). What is damaged is left out, and said in the log; what
    /// there is no room for is removed.
    void restore(std::span<const store::DocumentRow> documents);
    /// An action has ended with this attempt, as completed or failed; what ended otherwise is passed over. `live`: as
    /// the session has it.
    void note(const Attempt& attempt, const AttemptRecord& record, const session::LiveView& live);
    /// MiB that an action like this asks for by experience; nothing before its kind has enough runs. In steps of a
    /// sixteenth of the power of two below, so that runs that differ a little are scheduled alike.
    std::optional<std::int64_t> learnedMemory(const ActionSpec& spec, std::string_view worker) const;
    /// Looks and writes, forever.
    coro::Task<void> run();
    /// Writes all that changed. Ends early when it cannot be written.
    coro::Task<void> save();

    /// In slices: a kind that is forgotten meanwhile is left out.
    coro::Task<Result<KindList>> list(KindQuery query);
    /// NotFound.
    coro::Task<Result<KindDetail>> show(std::string kind);
    coro::Task<Result<KindFlakiness>> flaky(std::string kind);
    /// The latest first, at most kMostRegressionsShown.
    coro::Task<Result<RegressionList>> regressions();

private:
    void tellChange(const kinds::Kind& kind) const;
    /// False: they are not written, and will be taken again.
    coro::Task<bool> write(std::vector<kinds::KindDocument> documents);
    struct Page {
        std::vector<std::string> names; ///< in their order
        std::size_t next = 0;           ///< as of KindList
    };
    Page pageOf(const KindQuery& query) const;
    Result<const kinds::Kind*> find(const std::string& kind) const;

    Parts parts_;
    kinds::KindTable table_;
    coro::Event work_;
    bool toldUnwritten_ = false;
    bool toldDropped_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
