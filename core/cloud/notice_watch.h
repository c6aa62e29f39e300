// Finds out once whether this machine is a cloud's, and then watches for the notice that it is taken away.
//
// Owner: the loop's OS thread. Lifetime: stop() before destruction. Each service is asked at most once at a time; a
// failing one is asked again after kRetry. A notice is told once; another one later, as when an action changes, again.
#pragma once

#include "core/cloud/metadata_client.h"
#include "core/coro/thread_group.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace yard::cloud {

class NoticeWatch {
public:
    static constexpr Duration kProbe = std::chrono::seconds(1);     ///< for each of the questions at the start
    static constexpr Duration kRetry = std::chrono::seconds(10);    ///< after an answer that is none
    static constexpr Duration kAnswer = std::chrono::seconds(5);    ///< for each question later
    static constexpr Duration kLongPoll = std::chrono::seconds(60); ///< Google answers at a change or after this

    /// How often the others are asked: AWS and Azure, as their papers say.
    struct Pace {
        Duration aws = std::chrono::seconds(5);
        Duration azure = std::chrono::seconds(1);
    };
    struct Told {
        std::function<void(const Identity&)> found; ///< once at most
        std::function<void(const Notice&)> notice;
    };

    NoticeWatch(Place place, Told told)
        : NoticeWatch(std::move(place), std::move(told), Pace{}) {}
    NoticeWatch(Place place, Told told, Pace pace);

    /// Begins on the current loop. Nothing is told where no service answers.
    void start();
    coro::Task<void> stop() { return threads_.stop(); }

private:
    coro::Task<void> run();
    coro::Task<std::optional<Identity>> findAws();
    coro::Task<std::optional<Identity>> findAzure();
    coro::Task<std::optional<Identity>> findGcp();
    coro::Task<void> watchAws();
    coro::Task<void> watchAzure(std::string host);
    using GcpReader = Result<std::optional<Notice>> (*)(const Answer&);
    coro::Task<void> watchGcp(std::string_view path, GcpReader read);
    coro::Task<Result<Answer>> askAws(std::string_view path);
    void tell(const std::optional<Notice>& notice, std::optional<Notice>& last) const;

    MetadataClient client_;
    Told told_;
    Pace pace_;
    std::string awsToken_;
    coro::ThreadGroup threads_;
};

} // namespace yard::cloud
