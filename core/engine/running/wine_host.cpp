#include "core/engine/running/wine_host.h"

#include "core/base/log.h"
#include "core/engine/state/workers.h"
#include "core/sandbox/plan.h"

#include <fmt/format.h>

namespace yard::engine {

WineHost::WineHost(Parts parts)
    : parts_(std::move(parts))
    , found_(parts_.find()) {}

bool WineHost::look() {
    YARD_ASSERT_OWNER(owner_);
    std::optional<wine::Installation> found = parts_.find();
    const bool changed = found.has_value() != found_.has_value();
    found_ = std::move(found);
    return changed;
}

std::string WineHost::hostOf(const std::string& platform) const {
    return platform == wine::kPlatform && found_ ? std::string(thisPlatform()) : platform;
}

std::string WineHost::whyNot(const std::string& platform) const {
    if (platform != wine::kPlatform || found_) return {};
    return fmt::format("{}; install it and start the engine again", wine::kHowToInstall);
}

Result<void> WineHost::mayRegister(const WorkerDescriptor& worker) const {
    if (worker.platform != wine::kPlatform || thisPlatform() != "linux-x86_64") return refuseForeign(worker);
    if (worker.mode == WorkerMode::Warm)
        return invalid("mode",
                       "A worker for Windows has a process for each action: a warm one cannot be reached there. "
                       "Remove \"mode\".");
    if (!parts_.isSandboxed)
        return fail(ErrorKind::WrongState,
                    "Workers for Windows run in a sandbox alone: start the engine without --no-sandbox.");
    return {};
}

coro::Task<Result<std::string>> WineHost::prefix() {
    YARD_ASSERT_OWNER(owner_);
    const std::uint64_t before = tries_;
    auto guard = co_await mutex_.lock();
    if (!found_) co_return fail(ErrorKind::WrongState, std::string(wine::kHowToInstall));
    if (!parts_.isSandboxed)
        co_return fail(ErrorKind::WrongState,
                       "Workers for Windows run in a sandbox alone, and this engine was started "
                       "with --no-sandbox");
    if (!ready_.empty() && readyVersion_ == found_->version) co_return ready_;
    if (failed_ && tries_ != before) co_return std::unexpected(*failed_);
    if (!maker_) maker_.emplace(1);
    const wine::TemplateOrder order{.directory = parts_.directory,
                                    .wine = *found_,
                                    .hostUser = sandbox::hostUserOf(sandbox::kMostHostUsers - 1),
                                    .removesOthers = ready_.empty(),
                                    .stop = stop_.get_token()};
    auto made = co_await maker_->run([make = parts_.make, order] { return make(order); });
    ++tries_;
    failed_.reset();
    if (made) {
        ready_ = *made;
        readyVersion_ = order.wine.version;
    } else {
        failed_ = made.error();
        logWarning("engine", "{}", made.error().message);
    }
    co_return made;
}

} // namespace yard::engine
