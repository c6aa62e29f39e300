#include "core/engine/running/descriptor_guard.h"

#include "core/base/log.h"

#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kDescriptorsLookAgain{200'000};
constexpr Duration kDescriptorsTellAgain{60'000'000};

} // namespace

DescriptorGuard::DescriptorGuard(Parts parts)
    : parts_(std::move(parts))
    , room_(OpenFilesRoom::kForStarts, parts_.look) {}

bool DescriptorGuard::mayStart() {
    YARD_ASSERT_OWNER(owner_);
    if (isHolding()) return false;
    if (room_.admits(MonoClock::now())) return true;
    short_.set();
    tell();
    parts_.changed();
    return false;
}

std::string DescriptorGuard::reason() const {
    const OpenFiles& seen = room_.lastLook();
    return fmt::format("{} of {} files that the engine may open are open: nothing starts until some are closed",
                       seen.used, seen.limit);
}

void DescriptorGuard::tell() {
    const MonoTime now = MonoClock::now();
    if (told_ && now - *told_ < kDescriptorsTellAgain) return;
    told_ = now;
    logWarning("guard", "{}; 'descriptors' of the console says whose they are", reason());
}

coro::Task<void> DescriptorGuard::watch() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        co_await short_.wait();
        co_await coro::sleepFor(kDescriptorsLookAgain);
        if (!room_.admits(MonoClock::now())) continue;
        short_.clear();
        parts_.changed();
        parts_.wake();
    }
}

} // namespace yard::engine
