// The table of routes, and the way of a request through it.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/multipart.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace yard::http {

namespace {

/// JSON bodies of any kind (docs/api.md, 4); optional ones hold a few members.
constexpr std::uint64_t kMaxJson = kMaxJsonBody;
constexpr std::uint64_t kMaxOptionalJson = 1u << 20;
constexpr int kHelpers = 2;

std::vector<RouteSpec> specs() {
    std::vector<RouteSpec> specs;
    for (const Api::Route& route : Api::routes()) specs.push_back(route.spec);
    return specs;
}

bool isJson(std::string_view contentType) {
    std::string_view type = contentType.substr(0, contentType.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    return equalsNoCase(type, "application/json");
}

Admission refusal(Response response) {
    Admission admission;
    admission.refusal = std::move(response);
    return admission;
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const Api::Route> Api::routes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "health", Open}, &Api::getHealth},
        {{Get, "version", Root}, &Api::getVersion},
        {{Get, "metrics", Root}, &Api::getMetrics},
        {{Get, "openapi.json", Root}, &Api::getOpenApi},

        {{Post, "jobs", Both, JsonOrParts}, &Api::submit},
        {{Get, "jobs", Both}, &Api::listJobs},
        {{Patch, "jobs", Both, Json}, &Api::patchJobs},
        {{Get, "jobs/lsns", Both}, &Api::listLsns},
        {{Get, "jobs/history", Both}, &Api::listHistory},
        {{Get, "jobs/running", Both}, &Api::listRunning},
        {{Get, "jobs/completed", Both}, &Api::listCompleted},
        {{Post, "jobs/cancel", Both, Json}, &Api::cancelJobs},
        {{Post, "jobs/retry", Both, Json}, &Api::retryJobs},
        {{Post, "jobs/retire", Both, Json}, &Api::retireJobs},
        {{Post, "jobs/hold", Both, Json}, &Api::holdJobs},
        {{Post, "jobs/release", Both, Json}, &Api::releaseJobs},
        {{Get, "jobs/{lsn}", Both}, &Api::getJob},
        {{Post, "jobs/{lsn}", Both, OptionalJson}, &Api::rescheduleJob},
        {{Delete, "jobs/{lsn}", Both, OptionalJson}, &Api::retireJob},
        {{Patch, "jobs/{lsn}", Both, Json}, &Api::patchJob},
        {{Post, "jobs/{worker}", Both, JsonOrParts}, &Api::submit},
        {{Get, "jobs/{lsn}/spec", Both}, &Api::getSpec},
        {{Get, "jobs/{lsn}/stdout", Both}, &Api::getStdout},
        {{Get, "jobs/{lsn}/stderr", Both}, &Api::getStderr},
        {{Get, "jobs/{lsn}/why", Both}, &Api::getWhy},
        {{Get, "jobs/{lsn}/samples", Both}, &Api::getSamples},
        {{Post, "jobs/{lsn}/terminal", Both, Stream}, &Api::typeIntoTerminal},
        {{Patch, "jobs/{lsn}/terminal", Both, Json}, &Api::resizeTerminal},
        {{Post, "jobs/{lsn}/cancel", Both, OptionalJson}, &Api::cancelJob},
        {{Post, "jobs/{lsn}/hold", Both, OptionalJson}, &Api::holdJob},
        {{Post, "jobs/{lsn}/release", Both, OptionalJson}, &Api::releaseJob},

        {{Get, "history", Queue}, &Api::listHistory},
        {{Get, "running", Queue}, &Api::listRunning},
        {{Get, "completed", Queue}, &Api::listCompleted},
        {{Get, "queues", Global}, &Api::listQueues},
        {{Post, "queues", Global, OptionalJson}, &Api::createQueue},
        {{Get, "", Queue}, &Api::getQueue},
        {{Delete, "", Queue, OptionalJson}, &Api::deleteQueue},
        {{Patch, "", Queue, Json}, &Api::configureQueue},
        {{Post, "hold", Queue, OptionalJson}, &Api::holdQueue},
        {{Post, "release", Queue, OptionalJson}, &Api::releaseQueue},
        {{Post, "drain", Queue, OptionalJson}, &Api::drainQueue},
        {{Post, "cancel", Queue, OptionalJson}, &Api::cancelQueue},

        {{Get, "workers", Both}, &Api::listWorkers},
        {{Get, "workers/all", Both}, &Api::listAllWorkers},
        {{Get, "workers/{worker}", Both}, &Api::getWorker},
        {{Post, "workers/{worker}", Both, Json}, &Api::registerWorker},
        {{Delete, "workers/{worker}", Both, OptionalJson}, &Api::removeWorker},

        {{Get, "locks", Global}, &Api::listLocks},

        {{Get, "chunks/{hash}", Global}, &Api::getChunk},
        {{Put, "chunks/{hash}", Global, Stream}, &Api::putChunk},

        {{Get, "session", Global}, &Api::getSession},
        {{Get, "session/waiting", Global}, &Api::getWaiting},
        {{Post, "session/drain", Global, OptionalJson}, &Api::drainSession},
        {{Post, "session/pause", Global, OptionalJson}, &Api::pauseSession},
        {{Post, "session/sunset", Global, OptionalJson}, &Api::sunsetSession},
        {{Post, "abandon", Global, OptionalJson}, &Api::abandonSession},
        {{Post, "hold", Global, OptionalJson}, &Api::holdAll},
        {{Post, "release", Global, OptionalJson}, &Api::releaseAll},

        {{Get, "timelines", Global}, &Api::getTimelines},
        {{Get, "stats", Global}, &Api::getStats},
        {{Get, "pool", Global}, &Api::getPool},
        {{Patch, "pool", Global, Json}, &Api::changePool},
        {{Post, "pool/{worker}/restart", Global, OptionalJson}, &Api::restartPool},
        {{Get, "pool/processes/{id}", Global}, &Api::getPoolProcess},
        {{Delete, "pool/processes/{id}", Global, OptionalJson}, &Api::endPoolProcess},
        {{Get, "settings", Global}, &Api::getSettings},
        {{Patch, "settings", Global, Json}, &Api::changeSettings},
        {{Post, "gc", Global, OptionalJson}, &Api::clearUp},
        {{Get, "events", Global}, &Api::getEvents},
    };
    return kRoutes;
}

Api::Api(engine::Engine& engine, ApiOptions options)
    : engine_(engine)
    , gate_(engine.token(), std::move(options.allowHosts))
    , prefix_(std::move(options.prefix))
    , router_(specs(), prefix_)
    , helpers_(kHelpers)
    , events_(engine, options.maxWatchers) {}

Api::~Api() {
    helpers_.stop();
}

Admission Api::admit(Request& request) {
    const RequestHead& head = request.head;
    if (const auto error = gate_.checkPlace(head, request.localPort)) return refusal(errorResponse(*error));
    const Router::Match match = router_.match(head.method, head.path(), request.captures);
    const Route* route = match.route < 0 ? nullptr : &routes()[static_cast<std::size_t>(match.route)];
    if (!route || route->spec.scope != Scope::Open)
        if (const auto error = gate_.checkToken(head)) return refusal(errorResponse(*error));
    if (!route) {
        if (match.methods == 0)
            return refusal(errorResponse(ErrorKind::NotFound,
                                         "There is no such route: GET /openapi.json lists those there are."));
        Response response;
        if (head.method == Method::Options)
            response.status = 204;
        else
            response = errorResponse(ErrorKind::MethodNotAllowed,
                                     fmt::format("This route takes {}.", Router::allowed(match.methods)));
        response.fields.emplace_back("Allow", Router::allowed(match.methods));
        return refusal(std::move(response));
    }
    request.route = match.route * 2 + (match.inQueue ? 1 : 0);

    Admission admission;
    const BodyKind body = route->spec.body;
    if (body == BodyKind::Stream) {
        admission.mode = BodyMode::Stream;
        return admission;
    }
    const std::string_view type = head.field("Content-Type").value_or("");
    if (body == BodyKind::JsonOrParts && head.hasBody) {
        const auto boundary = multipartBoundary(type);
        if (!boundary) return refusal(errorResponse(boundary.error()));
        if (*boundary) {
            admission.mode = BodyMode::Stream;
            return admission;
        }
    }
    if (body == BodyKind::None && head.hasBody)
        return refusal(errorResponse(ErrorKind::Malformed, "This route takes no body."));
    if (head.hasBody && !isJson(type))
        return refusal(
            errorResponse(ErrorKind::UnsupportedType, "Send JSON, with \"Content-Type: application/json\"."));
    admission.limit = body == BodyKind::None ? 0 : body == BodyKind::OptionalJson ? kMaxOptionalJson : kMaxJson;
    return admission;
}

coro::Task<Response> Api::handle(Request& request) {
    const Route& route = routes()[static_cast<std::size_t>(request.route / 2)];
    auto query = Query::parse(request.head.query());
    if (!query) co_return errorResponse(query.error());
    const bool needsJson = route.spec.body == BodyKind::Json || route.spec.body == BodyKind::JsonOrParts;
    if (needsJson && !request.source && request.body.empty())
        co_return errorResponse(ErrorKind::Malformed, "Send a JSON body.");
    Call call{.request = request, .query = std::move(*query), .queue = {}};
    if (request.route % 2 == 1) {
        call.queue = parseQueueRef(request.captures[0]);
        call.firstCapture = 1;
        if (!call.queue)
            co_return errorResponse(ErrorKind::NotFound,
                                    "There is no such queue; name it by its number or its token.");
    }
    co_return co_await (this->*route.handler)(call);
}

Lsn Api::Call::lsn() const {
    std::int64_t value = 0;
    const std::string& digits = capture();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // A number that no action can have.
    if (error == std::errc::result_out_of_range) value = std::numeric_limits<std::int64_t>::max();
    return Lsn(value);
}

Response jsonResponse(std::string body, int status) {
    Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

} // namespace yard::http
