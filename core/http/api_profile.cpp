// Profiles of the loops: taken for a time, or started and stopped. For the engine's owner alone, as all of inside/...
#include "core/http/route.h"

#include "core/coro/profiler.h"
#include "core/coro/suspend.h"
#include "core/engine/reading/inside.h"
#include "core/http/error_map.h"
#include "core/http/profile_store.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <exception>

namespace yard::http {

namespace {

constexpr std::int64_t kUsualSeconds = 10;
constexpr std::int64_t kMostSeconds = 600;
constexpr std::size_t kMostText = 200;
/// A request that measures looks this often whether its client is still there.
constexpr Duration kLookWhoMeasures = std::chrono::seconds(1);

struct ProfileWish {
    bool ofEngine = true; ///< else of the loop that asks
    coro::ProfileOptions options{};
};

Result<ProfileWish> wishOf(const JsonRequest& body) {
    ProfileWish wish;
    auto loop = body.word("loop", kMostText);
    if (!loop) return std::unexpected(std::move(loop.error()));
    if (!loop->empty() && *loop != "engine" && *loop != "http")
        return invalid("loop", R"(Give "loop" as engine or http.)");
    wish.ofEngine = *loop != "http";
    auto thread = body.word("filter", kMostText);
    if (!thread) return std::unexpected(std::move(thread.error()));
    auto function = body.word("function", kMostText);
    if (!function) return std::unexpected(std::move(function.error()));
    wish.options = {.thread = std::move(*thread), .function = std::move(*function)};
    return wish;
}

/// Writes it, and says where.
coro::Task<Response> keep(Call& call, Result<profile::Profile> taken) {
    if (!taken) co_return errorResponse(taken.error());
    const auto path = co_await call.helpers.run(
        [profile = std::move(*taken), dataDir = call.engine.dataDir()] { return keepProfile(dataDir, profile); });
    if (!path) co_return errorResponse(path.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("file", *path);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Result<std::uint64_t>> startMeasuring(Call& call, ProfileWish wish) {
    if (!wish.ofEngine) co_return coro::startProfile(std::move(wish.options));
    co_return co_await call.engine.ask(&engine::Inside::startProfile, std::move(wish.options));
}

coro::Task<Result<profile::Profile>> stopMeasuring(Call& call, bool ofEngine, std::optional<std::uint64_t> serial) {
    if (!ofEngine) co_return coro::stopProfile(serial);
    co_return co_await call.engine.ask(&engine::Inside::stopProfile, serial);
}

/// Until the time is over, the client is gone or the server stops.
coro::Task<void> measureFor(Link& link, Duration time) {
    const MonoTime end = MonoClock::now() + time;
    for (;;) {
        const Duration left = end - MonoClock::now();
        if (left <= Duration::zero() || link.isStopping() || link.peerGone()) co_return;
        try {
            WaitScope scope(link);
            co_await coro::sleepFor(std::min(left, kLookWhoMeasures));
        } catch (const coro::Interrupted&) {
            if (!link.isStopping()) throw;
        }
    }
}

coro::Task<Response> takeProfile(Call& call) {
    auto wish = wishOf(call.body);
    if (!wish) co_return errorResponse(wish.error());
    const auto seconds = call.body.integer("seconds", 1, kMostSeconds);
    if (!seconds) co_return errorResponse(seconds.error());
    const Duration time = std::chrono::seconds(seconds->value_or(kUsualSeconds));
    const bool ofEngine = wish->ofEngine;
    Result<std::uint64_t> serial;
    {
        const coro::Uninterruptible whole; // without its number it could not be ended
        serial = co_await startMeasuring(call, std::move(*wish));
    }
    if (!serial) co_return errorResponse(serial.error());
    std::exception_ptr interrupted;
    try {
        co_await measureFor(*call.request.link, time);
    } catch (const coro::Interrupted&) {
        interrupted = std::current_exception();
    }
    Result<profile::Profile> taken;
    {
        const coro::Uninterruptible cleanUp;
        taken = co_await stopMeasuring(call, ofEngine, *serial);
    }
    if (interrupted) std::rethrow_exception(interrupted);
    co_return co_await keep(call, std::move(taken));
}

coro::Task<Response> beginProfile(Call& call) {
    auto wish = wishOf(call.body);
    if (!wish) co_return errorResponse(wish.error());
    const auto started = co_await startMeasuring(call, std::move(*wish));
    co_return started ? jsonResponse("{}") : errorResponse(started.error());
}

coro::Task<Response> endProfile(Call& call) {
    const auto wish = wishOf(call.body);
    if (!wish) co_return errorResponse(wish.error());
    auto taken = co_await stopMeasuring(call, wish->ofEngine, std::nullopt);
    co_return co_await keep(call, std::move(taken));
}

} // namespace

std::span<const Route> profileRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Post, "inside/profile", Global, OptionalJson, Needs::Admin},
         &takeProfile,
         {.id = "takeProfile",
          .summary = "Measure for some seconds what a loop's cooperative threads do; answers at the end",
          .members = "seconds loop filter function",
          .request = "TakeProfile",
          .answers = {{{200, "TakenProfile"}}}}},
        {{Post, "inside/profile/start", Global, OptionalJson, Needs::Admin},
         &beginProfile,
         {.id = "startProfile",
          .summary = "Begin to measure what a loop's cooperative threads do",
          .members = "loop filter function",
          .request = "StartProfile",
          .answers = {{{200, "AnyObject"}}}}},
        {{Post, "inside/profile/stop", Global, OptionalJson, Needs::Admin},
         &endProfile,
         {.id = "stopProfile",
          .summary = "End it and keep what was measured",
          .members = "loop",
          .request = "StopProfile",
          .answers = {{{200, "TakenProfile"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
