#include "core/engine/running/cloud_watch.h"

#include "core/base/log.h"

#include <fmt/format.h>
#include <utility>

namespace yard::engine {

CloudWatch::CloudWatch(Parts parts)
    : parts_(std::move(parts))
    , watch_(parts_.place, {.found = [this](const cloud::Identity& identity) { found(identity); },
                            .notice = [this](const cloud::Notice& notice) { noticed(notice); }}) {}

void CloudWatch::start() {
    YARD_ASSERT_OWNER(owner_);
    if (parts_.mayProbe && parts_.settings.cloudProbe == "on") watch_.start();
}

coro::Task<void> CloudWatch::stop() {
    YARD_ASSERT_OWNER(owner_);
    co_await watch_.stop();
    co_await moves_.stop();
}

void CloudWatch::found(const cloud::Identity& identity) {
    YARD_ASSERT_OWNER(owner_);
    view_ = CloudView{.provider = std::string(cloud::name(identity.provider)),
                      .instance = identity.instance,
                      .type = identity.type,
                      .region = identity.region,
                      .isSpot = identity.isSpot,
                      .notice = {}};
    logInfo("cloud", "this machine is {} of {}, {}{}", identity.instance, view_->provider, identity.type,
            identity.isSpot ? ", spot" : "");
    parts_.changed();
}

void CloudWatch::noticed(const cloud::Notice& notice) {
    YARD_ASSERT_OWNER(owner_);
    if (!view_) return;
    // A warning says less than what is certain by now.
    if (notice.isCertain || !view_->notice || !view_->notice->isCertain)
        view_->notice =
            CloudView::Notice{.what = notice.what, .isCertain = notice.isCertain, .at = notice.at.value_or(0)};
    parts_.changed();
    if (!notice.isCertain) {
        logWarning("cloud", "{} may take this machine away soon ({})", view_->provider, notice.what);
        return;
    }
    logWarning("cloud", "{} takes this machine away ({}); on_termination is {}", view_->provider, notice.what,
               parts_.settings.onTermination);
    if (parts_.settings.onTermination == "ignore") return;
    parts_.leave(fmt::format("the cloud takes that machine away ({})", notice.what));
    const bool drains = parts_.settings.onTermination == "drain";
    moves_.spawn("cloud notice", move(drains ? SessionState::Draining : SessionState::Abandoned));
}

coro::Task<void> CloudWatch::move(SessionState to) {
    if (auto moved = co_await parts_.moveTo(to); !moved) logInfo("cloud", "{}", moved.error().message);
}

} // namespace yard::engine
