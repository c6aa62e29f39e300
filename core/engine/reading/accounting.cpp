#include "core/engine/reading/accounting.h"

#include "core/coro/suspend.h"
#include "core/engine/reading/asking_place.h"
#include "core/engine/state/slice.h"

#include <algorithm>
#include <memory>

namespace yard::engine {

namespace {

/// Of the journal, before others who read get their turn.
constexpr Duration kPortion{8'000};
constexpr WallMicros kADay = 24 * 3'600'000'000;
constexpr std::int64_t kMebibyte = 1 << 20;

} // namespace

/// As they are now: what has ended by now is of one of these.
coro::Task<std::vector<AccountingSums::Class>> Accounting::classes() {
    const std::size_t count = parts_.dictionary.classCount();
    std::vector<AccountingSums::Class> classes;
    classes.reserve(count);
    for (std::uint32_t number = 0; number < count; ++number) {
        const ClassKey& key = parts_.dictionary.classKey(number);
        classes.push_back({.worker = key.workerName,
                           .milliCores = key.resources.milliCores,
                           .memoryBytes = key.resources.memoryMb * kMebibyte});
        if ((number + 1) % kPerSlice == 0) co_await coro::yieldNow();
    }
    co_return classes;
}

/// The counters stay when an action is retired. They follow the journal, so they are asked first: what ends between
/// the two looks is then not taken for retired.
coro::Task<Result<void>> Accounting::countRetired(AccountingView& view) {
    const std::int64_t ended = parts_.ended();
    const auto kept = co_await parts_.journal.kept();
    if (!kept) co_return std::unexpected(kept.error());
    view.retired = std::max<std::int64_t>(ended - kept->count, 0);
    view.oldest = kept->oldest;
    co_return Result<void>();
}

coro::Task<Result<AccountingView>> Accounting::make(AccountingQuery query) {
    AccountingView view;
    const WallMicros now = parts_.now();
    view.to = std::clamp<WallMicros>(query.to.value_or(now), 0, now);
    view.from = std::clamp<WallMicros>(query.from.value_or(view.to - kADay), 0, view.to);
    auto sums =
        std::make_shared<AccountingSums>(AccountingSums::Question{.by = query.by, .from = view.from, .to = view.to},
                                         co_await classes(), parts_.machineName);
    if (const auto counted = co_await countRetired(view); !counted) co_return std::unexpected(counted.error());
    const store::UseQuestion question{
        .from = view.from, .to = view.to, .labels = query.by == AccountingBy::Label, .lookFor = kPortion};
    Lsn cursor{};
    do {
        // It is theirs as long as they read, ours between two portions.
        const auto next =
            co_await parts_.journal.uses(question, cursor, [sums](const store::ActionUse& use) { sums->add(use); });
        if (!next) co_return std::unexpected(next.error());
        cursor = *next;
    } while (cursor.value > 0);
    // With what it holds: of a hundred thousand keys it takes a moment to let go, too.
    view.rows = co_await parts_.helpers.run([held = std::move(sums)]() mutable {
        const std::shared_ptr<AccountingSums> last = std::exchange(held, nullptr);
        return last->rows();
    });
    co_return view;
}

coro::Task<Result<AccountingView>> Accounting::view(AccountingQuery query) {
    YARD_ASSERT_OWNER(owner_);
    if (asking_ > kMostWaiting) co_return tooManyAskFor("accounting");
    const AskingPlace asking(asking_);
    const auto guard = co_await mutex_.lock();
    co_return co_await make(query);
}

} // namespace yard::engine
