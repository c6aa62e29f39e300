// Routes of the API. A route is one row: method and path, its handler, what it takes and answers. From the row follow
// the matching, the checks before the handler, and /openapi.json. Rows stand in the file of their handlers.
//
// Rows are immutable. A Call belongs to the http thread and lives as long as its handler.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/coro/helper_pool.h"
#include "core/engine/engine.h"
#include "core/http/body_budget.h"
#include "core/http/json_request.h"
#include "core/http/message.h"
#include "core/http/query.h"
#include "core/http/request_limits.h"
#include "core/http/router.h"

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace yard::tls {
class ServerTls;
}

namespace yard::http {

class Audit;
class EventHub;
class JoinTokens;
class LinkDoor;
class Server;
class TerminalSeats;
class Tokens;

/// What handlers use beside the request. Borrowed from the Api, which outlives every call.
struct ApiParts {
    engine::Engine& engine;
    coro::HelperPool& helpers; ///< for what blocks
    EventHub& events;
    TerminalSeats& seats;
    Tokens& tokens;
    Audit& audit;
    JoinTokens& joins;
    LinkDoor* links; ///< null: nobody takes them
    BodyBudget& partBudget;
    int& searches; ///< GET jobs/search under way
    const std::string& prefix;
    const tls::ServerTls* tls; ///< null: plain HTTP
    bool insecure;             ///< plain HTTP that others than this machine reach
    WallMicros started;
    const std::atomic<const Server*>& server; ///< null: none was shown
    std::atomic<bool>& sunset;                ///< the engine is about to end
};

/// One request of a route, taken apart and checked against its row.
struct Call {
    const ApiParts& api;
    engine::Engine& engine;
    coro::HelperPool& helpers;
    Request& request;
    Query query;
    std::optional<QueueRef> queue; ///< below queues/{ref}/
    JsonRequest body;              ///< members of the row; without any where the handler reads the body itself
    std::size_t firstCapture = 0;

    /// What the pattern captured, the queue's reference apart.
    const std::string& capture(std::size_t i = 0) const { return request.captures[firstCapture + i]; }
    /// The same as a number. 0 where it is none: nothing has that number.
    std::int64_t number(std::size_t i = 0) const;
    Lsn lsn() const;
};
using RouteHandler = coro::Task<Response> (*)(Call&);

/// One answer of success.
struct DescribedAnswer {
    int status = 0; ///< 0: none
    std::string_view schema =
        {}; ///< name of a schema, behind "ndjson:" that of each line; "bytes" or "text" for what is no JSON; empty: no body
    bool orCsv = false; ///< or as text/csv, where that is asked for
};

/// In `members`: the handler takes any body, and checks it.
inline constexpr std::string_view kReadsItself = "*";

/// What a route takes and answers. The same row describes it below queues/{ref}/ when its scope says so.
struct RouteTerms {
    std::string_view id = {}; ///< operationId; "InQueue" is added below queues/{ref}/
    std::string_view summary = {};
    /// Parameters with blanks between; others are 400. "limit=part": described as "part" (openapi_parameters.cpp).
    std::string_view query = {};
    std::string_view members = {};          ///< of a JSON body, with blanks between; others are 422
    std::string_view rawMember = {};        ///< the one of `members` that is kept as JSON text
    std::string_view request = "NoMembers"; ///< schema of a body; "bytes" for what is no JSON
    bool isOnce = false;                    ///< it takes an Idempotency-Key
    std::array<DescribedAnswer, 3> answers = {};
    /// HEAD finds the route of GET. With an id it is described, too.
    struct Head {
        std::string_view id;
        std::string_view summary;
    } head = {};
    /// OpenAPI has one operation for paths that differ in the names of their parts only: this row is told by the
    /// row of that pattern.
    std::string_view toldBy = {};
};

struct Route {
    RouteSpec spec;
    RouteHandler handler;
    RouteTerms terms;
    /// Of one action: below queues/{ref}/ it has to be in that queue.
    bool isOfAction() const { return spec.pattern.starts_with("jobs/{lsn}"); }
};

/// All routes, in the order of matching.
std::span<const Route> allRoutes();

// Those of each file, in the order of `allRoutes`.
std::span<const Route> sessionRoutes();
std::span<const Route> metricsRoutes();
std::span<const Route> listRoutes();
std::span<const Route> searchRoutes();
std::span<const Route> bulkRoutes();
std::span<const Route> movingRoutes();
std::span<const Route> jobRoutes();
std::span<const Route> outputRoutes();
std::span<const Route> submitRoutes();
std::span<const Route> queueRoutes();
std::span<const Route> annotationRoutes();
std::span<const Route> workerRoutes();
std::span<const Route> lockRoutes();
std::span<const Route> chunkRoutes();
std::span<const Route> timelineRoutes();
std::span<const Route> statsRoutes();
std::span<const Route> accountingRoutes();
std::span<const Route> failureRoutes();
std::span<const Route> scheduleRoutes();
std::span<const Route> graphRoutes();
std::span<const Route> kindRoutes();
std::span<const Route> auditRoutes();
std::span<const Route> recordingRoutes();
std::span<const Route> replayRoutes();
std::span<const Route> poolRoutes();
std::span<const Route> settingsRoutes();
std::span<const Route> gcRoutes();
std::span<const Route> guestRoutes();
std::span<const Route> tokenRoutes();
std::span<const Route> eventRoutes();
std::span<const Route> linkRoutes();
std::span<const Route> machineTokenRoutes();
std::span<const Route> objectRoutes();
std::span<const Route> alertRoutes();
std::span<const Route> courtesyRoutes();
std::span<const Route> attemptRoutes();
std::span<const Route> insideRoutes();
std::span<const Route> logRoutes();
std::span<const Route> profileRoutes();
std::span<const Route> machineRoutes();
std::span<const Route> allocatorRoutes();

/// Bodies over this are parsed by a helper.
inline constexpr std::size_t kInlineBytes = 1u << 20;

/// 200 with this JSON.
Response jsonResponse(std::string body, int status = 200);

} // namespace yard::http
