#include "core/cloud/notice_watch.h"

#include "core/coro/suspend.h"

#include <algorithm>

namespace yard::cloud {

namespace {
constexpr unsigned kUnauthorized = 401;
} // namespace

NoticeWatch::NoticeWatch(Place place, Told told, Pace pace)
    : client_(std::move(place))
    , told_(std::move(told))
    , pace_(pace) {}

void NoticeWatch::start() {
    threads_.spawn("cloud", run());
}

void NoticeWatch::tell(const std::optional<Notice>& notice, std::optional<Notice>& last) const {
    if (notice && notice != last) told_.notice(*notice);
    last = notice;
}

/// One service after the other: where one is there the others are not, and where none is this ends after three times
/// kProbe at most.
coro::Task<void> NoticeWatch::run() {
    std::optional<Identity> identity = co_await findAws();
    if (!identity) identity = co_await findAzure();
    if (!identity) identity = co_await findGcp();
    if (!identity) co_return;
    told_.found(*identity);
    switch (identity->provider) {
    case Provider::Aws: co_await watchAws(); break;
    case Provider::Azure: co_await watchAzure(identity->host); break;
    case Provider::Gcp:
        threads_.spawn("cloud maintenance", watchGcp(kGcpMaintenance, &readGcpMaintenance));
        co_await watchGcp(kGcpPreempted, &readGcpPreempted);
        break;
    }
}

/// A token that ran out is asked for again, once for each question.
coro::Task<Result<Answer>> NoticeWatch::askAws(std::string_view path) {
    for (const bool isSecond : {false, true}) {
        if (awsToken_.empty()) {
            const auto answer = co_await client_.ask(cloud::awsToken(), kProbe);
            if (!answer) co_return std::unexpected(answer.error());
            auto token = readAwsWord(*answer);
            if (!token) co_return std::unexpected(std::move(token.error()));
            awsToken_ = std::move(*token);
        }
        auto answer = co_await client_.ask(awsItem(awsToken_, path), kProbe);
        if (!answer || answer->status != kUnauthorized || isSecond) co_return answer;
        awsToken_.clear();
    }
    co_return Answer{};
}

coro::Task<std::optional<Identity>> NoticeWatch::findAws() {
    Identity identity{.provider = Provider::Aws, .instance = {}, .type = {}, .region = {}, .host = {}};
    const auto word = [](const Result<Answer>& answer) {
        return answer ? readAwsWord(*answer).value_or(std::string()) : std::string();
    };
    identity.instance = word(co_await askAws(kAwsInstance));
    if (identity.instance.empty()) co_return std::nullopt;
    identity.type = word(co_await askAws(kAwsType));
    identity.region = word(co_await askAws(kAwsRegion));
    identity.isSpot = word(co_await askAws(kAwsLifeCycle)) == "spot";
    co_return identity;
}

coro::Task<std::optional<Identity>> NoticeWatch::findAzure() {
    const auto answer = co_await client_.ask(azureInstance(), kProbe);
    if (!answer) co_return std::nullopt;
    auto identity = readAzureInstance(*answer);
    if (!identity) co_return std::nullopt;
    co_return *identity;
}

coro::Task<std::optional<Identity>> NoticeWatch::findGcp() {
    const auto answer = co_await client_.ask(gcpInstance(), kProbe);
    if (!answer) co_return std::nullopt;
    auto identity = readGcpInstance(*answer);
    if (!identity) co_return std::nullopt;
    co_return *identity;
}

coro::Task<void> NoticeWatch::watchAws() {
    std::optional<Notice> lastAction;
    std::optional<Notice> lastRebalance;
    while (true) {
        const auto action = co_await askAws(kAwsAction);
        if (action)
            if (const auto notice = readAwsAction(*action)) tell(*notice, lastAction);
        const auto rebalance = co_await askAws(kAwsRebalance);
        if (rebalance)
            if (const auto notice = readAwsRebalance(*rebalance)) tell(*notice, lastRebalance);
        co_await coro::sleepFor(action && rebalance ? pace_.aws : std::max(pace_.aws, kRetry));
    }
}

coro::Task<void> NoticeWatch::watchAzure(std::string host) {
    std::optional<Notice> last;
    while (true) {
        const auto answer = co_await client_.ask(azureEvents(), kAnswer);
        const auto notice = answer ? readAzureEvents(*answer, host) : std::unexpected(answer.error());
        if (notice) tell(*notice, last);
        co_await coro::sleepFor(notice ? pace_.azure : std::max(pace_.azure, kRetry));
    }
}

coro::Task<void> NoticeWatch::watchGcp(std::string_view path, GcpReader read) {
    std::optional<Notice> last;
    std::string etag;
    while (true) {
        const auto answer = co_await client_.ask(gcpItem(path, etag, kLongPoll), kLongPoll + kAnswer);
        const auto notice = answer ? read(*answer) : std::unexpected(answer.error());
        if (notice) {
            tell(*notice, last);
            etag = answer->etag;
        } else {
            etag.clear();
        }
        // A service that gives no mark answers at once each time: it is asked as often as one that failed.
        if (etag.empty()) co_await coro::sleepFor(kRetry);
    }
}

} // namespace yard::cloud
