// The routes of docs/api.md over the engine's door: requests to commands, results to answers. A Handler, so tests
// drive it without sockets.
//
// Owner: made and destroyed by main; called on the http thread. Lifetime: the engine outlives it, it outlives the
// Server. What blocks (chunks, files, large bodies to parse) runs on helpers of its own.
#pragma once

#include "core/base/ids.h"
#include "core/engine/engine.h"
#include "core/engine/helper_pool.h"
#include "core/http/auth.h"
#include "core/http/body_budget.h"
#include "core/http/event_hub.h"
#include "core/http/message.h"
#include "core/http/query.h"
#include "core/http/router.h"
#include "core/http/server.h"
#include "core/model/api_address.h"

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

class JsonRequest;

struct ApiOptions {
    std::string prefix{kUsualPrefix}; ///< empty: none; else a slash first and none last
    std::vector<std::string> allowHosts;
    std::size_t maxWatchers = 1'000; ///< of GET events at once; more get 429
};

class Api final : public Handler {
public:
    Api(engine::Engine& engine, ApiOptions options);
    ~Api() override;

    /// The engine is about to end: the session is shown as sunset. Thread-safe.
    void beginSunset() { sunset_ = true; }

    /// Whose figures GET /metrics shows beside the engine's; it outlives its last request. Thread-safe.
    void showServer(const Server& server) { server_.store(&server); }

    void begin() override { engine_.joinThreads(); }
    Admission admit(Request& request) override;
    coro::Task<Response> handle(Request& request) override;

    /// One request of a route, taken apart.
    struct Call {
        Request& request;
        Query query;
        std::optional<QueueRef> queue; ///< below queues/{ref}/
        std::size_t firstCapture = 0;
        /// What the pattern captured, the queue's reference apart.
        const std::string& capture(std::size_t i = 0) const { return request.captures[firstCapture + i]; }
        Lsn lsn() const;
    };
    using RouteHandler = coro::Task<Response> (Api::*)(Call&);
    struct Route {
        RouteSpec spec;
        RouteHandler handler;
    };
    /// All routes, in the order of matching.
    static std::span<const Route> routes();

private:
    // submissions (api_submit.cpp)
    coro::Task<Response> submit(Call& call);
    coro::Task<Result<engine::Submission>> readSubmission(Call& call, bool& isList);
    coro::Task<Response> answerWhenFinished(Call& call, Lsn lsn, Duration wait);
    /// Of a multipart body (api_parts.cpp): stores its chunks, returns the JSON. `share`: holds the JSON's bytes.
    coro::Task<Result<std::string>> readParts(Call& call, BodyShare& share);
    coro::Task<Result<std::string>> readActionPart(BodySource& part, BodyShare& share);

    // actions (api_jobs.cpp)
    coro::Task<Response> getJob(Call& call);
    coro::Task<Response> rescheduleJob(Call& call);
    coro::Task<Response> retireJob(Call& call);
    coro::Task<Response> getSpec(Call& call);
    coro::Task<Response> getWhy(Call& call);
    coro::Task<Response> getSamples(Call& call);
    coro::Task<Response> typeIntoTerminal(Call& call);
    coro::Task<Response> resizeTerminal(Call& call);
    coro::Task<Response> cancelJob(Call& call);
    coro::Task<Response> holdJob(Call& call);
    coro::Task<Response> releaseJob(Call& call);
    coro::Task<Response> cancelJobs(Call& call);
    coro::Task<Response> retryJobs(Call& call);
    coro::Task<Response> retireJobs(Call& call);
    coro::Task<Response> holdJobs(Call& call);
    coro::Task<Response> releaseJobs(Call& call);
    coro::Task<Response> patchJob(Call& call);
    coro::Task<Response> patchJobs(Call& call);
    /// A change of many actions as it was asked for.
    struct BulkAsked {
        engine::BulkDeed deed{};
        bool dryRun = false;
        std::optional<std::int64_t> atMost{};
        bool isBounded() const { return dryRun || atMost; }
        /// Nothing is changed where it would be so many.
        bool stopsAt(std::int64_t count) const { return dryRun || (atMost && count > *atMost); }
    };
    using ForOne = coro::Task<Result<void>> (Api::*)(Call&, const engine::BulkDeed&, Lsn, std::vector<Lsn>&);
    coro::Task<Response> changeJob(Call& call, engine::BulkKind kind, std::string_view answer);
    coro::Task<Response> changeMany(Call& call, engine::BulkKind kind);
    static Result<BulkAsked> readAsked(const JsonRequest& body, engine::BulkKind kind);
    coro::Task<Result<engine::BulkAnswer>> changeAsked(Call& call, const JsonRequest& body, BulkAsked asked);
    coro::Task<Result<void>> changeOne(Call& call, const engine::BulkDeed& deed, Lsn lsn,
                                       std::vector<Lsn>& revived);
    coro::Task<Result<void>> mayChangeOne(Call& call, const engine::BulkDeed& deed, Lsn lsn,
                                          std::vector<Lsn>& revived);
    coro::Task<std::vector<Lsn>> forEach(Call& call, const engine::BulkDeed& deed, std::vector<Lsn> lsns,
                                         ForOne forOne, engine::BulkAnswer& answer);
    coro::Task<void> changeAll(Call& call, const engine::BulkDeed& deed, std::vector<Lsn> lsns,
                               engine::BulkAnswer& answer);
    coro::Task<Result<engine::BulkAnswer>> changeCounted(Call& call, const BulkAsked& asked,
                                                         std::vector<Lsn> chosen, engine::BulkAnswer answer);
    coro::Task<Result<void>> chooseDependents(const engine::BulkDeed& deed, std::vector<Lsn>& chosen,
                                              engine::BulkAnswer& answer);
    coro::Task<Result<engine::BulkAnswer>> changeListed(Call& call, BulkAsked asked, std::vector<Lsn> lsns);
    /// What lives is changed by one operation of the engine, which its next start finishes. Retry and retire, of
    /// what has finished, go page by page, and an action at a time: whether one may be put back (limit of retries,
    /// state of its queue) is decided as it is, each that was counted is kept, and none is taken twice, as a
    /// retired one is gone and one put back is not failed any more. What the end of an engine leaves undone, the
    /// same request finishes.
    coro::Task<Result<engine::BulkAnswer>> changeFiltered(Call& call, BulkAsked asked, std::string_view filter);
    coro::Task<Result<engine::BulkAnswer>> changeFinished(Call& call, BulkAsked asked, engine::ListQuery query);
    /// The action belongs to the queue of the route (or the route has none).
    coro::Task<Result<void>> checkQueue(Call& call, Lsn lsn);
    coro::Task<Result<ActionResult>> waitFor(Request& request, Lsn lsn, Duration wait);

    // lists (api_lists.cpp)
    coro::Task<Response> listJobs(Call& call);
    coro::Task<Response> listLsns(Call& call);
    coro::Task<Response> listRunning(Call& call);
    coro::Task<Response> listCompleted(Call& call);
    coro::Task<Response> listHistory(Call& call);
    coro::Task<Response> listStates(Call& call, std::vector<ActionState> states);

    // output and chunks (api_output.cpp, api_chunks.cpp)
    coro::Task<Response> getStdout(Call& call);
    coro::Task<Response> getStderr(Call& call);
    coro::Task<Response> getStream(Call& call, engine::Stream stream);
    coro::Task<Response> chunkResponse(Hash256 hash, std::uint64_t length, std::uint64_t offset, bool whole);
    coro::Task<Response> getChunk(Call& call);
    coro::Task<Response> putChunk(Call& call);
    /// Reads `source` to its end. Invalid when its bytes are not those of `hash`.
    coro::Task<Result<ChunkRef>> storeChunk(BodySource& source, Hash256 hash, std::optional<std::uint64_t> size);

    // queues (api_queues.cpp)
    coro::Task<Response> listQueues(Call& call);
    coro::Task<Response> createQueue(Call& call);
    coro::Task<Response> getQueue(Call& call);
    coro::Task<Response> configureQueue(Call& call);
    coro::Task<Response> deleteQueue(Call& call);
    coro::Task<Response> holdQueue(Call& call);
    coro::Task<Response> releaseQueue(Call& call);
    coro::Task<Response> drainQueue(Call& call);
    coro::Task<Response> cancelQueue(Call& call);
    /// For routes that only read, a queue that was deleted will do, by its number.
    enum class QueueNeeded : unsigned char { Existing, Known };
    /// NotFound unless the route has no queue or there is such a queue.
    coro::Task<Result<void>> requireQueue(Call& call, QueueNeeded needed = QueueNeeded::Existing);
    coro::Task<Result<engine::ListQuery>> inQueue(Call& call, engine::ListQuery query);

    // workers (api_workers.cpp)
    coro::Task<Response> listWorkers(Call& call);
    coro::Task<Response> listLocks(Call& call); // api_locks.cpp
    coro::Task<Response> listAllWorkers(Call& call);
    coro::Task<Response> getWorker(Call& call);
    coro::Task<Response> registerWorker(Call& call);
    coro::Task<Response> removeWorker(Call& call);

    // session and settings (api_session.cpp, api_settings.cpp)
    coro::Task<engine::SessionView> sessionNow(Call& call);
    coro::Task<Response> getHealth(Call& call);
    coro::Task<Response> getVersion(Call& call);
    coro::Task<Response> getOpenApi(Call& call);
    coro::Task<Response> getSession(Call& call);
    coro::Task<Response> getWaiting(Call& call);
    coro::Task<Response> drainSession(Call& call);
    coro::Task<Response> pauseSession(Call& call);
    coro::Task<Response> sunsetSession(Call& call);
    coro::Task<Response> abandonSession(Call& call);
    coro::Task<Response> moveSession(Call& call, SessionState to);
    coro::Task<Response> getSettings(Call& call);
    coro::Task<Response> getPool(Call& call);
    coro::Task<Response> changePool(Call& call);
    coro::Task<Response> restartPool(Call& call);
    coro::Task<Response> getPoolProcess(Call& call);
    coro::Task<Response> endPoolProcess(Call& call);
    coro::Task<Response> changeSettings(Call& call);
    coro::Task<Response> holdAll(Call& call);
    coro::Task<Response> releaseAll(Call& call);
    // clearing up (api_gc.cpp)
    coro::Task<Response> clearUp(Call& call);

    // figures over time (api_stats.cpp)
    coro::Task<Response> getStats(Call& call);
    coro::Task<Response> getTimelines(Call& call);

    // events (api_events.cpp)
    coro::Task<Response> getEvents(Call& call);

    // figures (api_metrics.cpp)
    coro::Task<Response> getMetrics(Call& call);

    coro::Task<Response> setHeldEverywhere(Call& call, bool held);

    /// Bodies over this are parsed by a helper.
    static constexpr std::size_t kInlineBytes = 1u << 20;
    /// JSON in multipart bodies, of all requests together; other bodies are counted by the server.
    static constexpr std::uint64_t kPartBudget = 32u << 20;

    engine::Engine& engine_;
    const Gate gate_;
    const std::string prefix_;
    const Router router_;
    engine::HelperPool helpers_;
    EventHub events_;
    BodyBudget partBudget_{kPartBudget};
    const WallMicros started_ = wallNow();
    std::atomic<const Server*> server_{nullptr};
    std::atomic<bool> sunset_{false};
};

/// Longest `wait` of a request.
inline constexpr int kMaxWaitSeconds = 300;

/// 200 with this JSON.
Response jsonResponse(std::string body, int status = 200);

} // namespace yard::http
