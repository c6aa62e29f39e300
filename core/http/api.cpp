// The way of a request to its route.
#include "core/http/api.h"

#include "core/base/log.h"
#include "core/base/parsed_number.h"
#include "core/base/text.h"
#include "core/coro/thread.h"
#include "core/http/error_map.h"
#include "core/http/handler_steps.h"
#include "core/http/multipart.h"
#include "core/http/permission.h"
#include "core/json/json_reader.h"

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
constexpr std::size_t kMostLoggedPath = 200;

std::vector<RouteSpec> specs() {
    std::vector<RouteSpec> specs;
    for (const Route& route : allRoutes()) specs.push_back(route.spec);
    return specs;
}

bool isOfType(std::string_view contentType, std::string_view wanted) {
    std::string_view type = contentType.substr(0, contentType.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    return equalsNoCase(type, wanted);
}

Admission refusal(Response response) {
    Admission admission;
    admission.refusal = std::move(response);
    return admission;
}

/// It ends or removes what others may miss; people ask who it was.
bool isDestroying(const RouteSpec& spec, const JsonRequest& body) {
    if (spec.needs != Needs::Operate && spec.needs != Needs::Admin) return false;
    return spec.method == Method::Delete || spec.pattern == "objects/delete" || spec.pattern == "abandon" ||
           spec.pattern == "cancel" || body.flag("force").value_or(false);
}

} // namespace

std::span<const Route> allRoutes() {
    static const std::vector<Route> kAll = [] {
        // What its path shares with another row of the same method comes first where both fit: jobs/{lsn}, jobs/{worker}.
        std::vector<Route> all;
        for (const std::span<const Route> routes :
             {sessionRoutes(), metricsRoutes(),    listRoutes(),         searchRoutes(),  bulkRoutes(),
              movingRoutes(),  jobRoutes(),        annotationRoutes(),   outputRoutes(),  submitRoutes(),
              queueRoutes(),   workerRoutes(),     lockRoutes(),         chunkRoutes(),   timelineRoutes(),
              statsRoutes(),   accountingRoutes(), graphRoutes(),        failureRoutes(), scheduleRoutes(),
              poolRoutes(),    settingsRoutes(),   gcRoutes(),           tokenRoutes(),   eventRoutes(),
              linkRoutes(),    guestRoutes(),      machineTokenRoutes(), machineRoutes(), kindRoutes(),
              insideRoutes(),  logRoutes(),        profileRoutes(),      attemptRoutes(), objectRoutes(),
              alertRoutes(),   courtesyRoutes(),   recordingRoutes(),    replayRoutes(),  allocatorRoutes(),
              auditRoutes()})
            all.insert(all.end(), routes.begin(), routes.end());
        return all;
    }();
    return kAll;
}

Api::Api(engine::Engine& engine, ApiOptions options)
    : engine_(engine)
    , gate_(engine.token(), std::move(options.allowHosts))
    , prefix_(std::move(options.prefix))
    , tls_(std::move(options.tls))
    , insecure_(options.insecure)
    , router_(specs(), prefix_)
    , helpers_(kHelpers)
    , events_(engine, options.maxWatchers)
    , tokens_(engine.token(), engine.dataDir() + std::string(Tokens::kFile))
    , joins_(engine.dataDir() + std::string(JoinTokens::kFile), &engine.pilotTickets())
    , audit_(engine.dataDir() + std::string(Audit::kDirectory))
    , parts_{.engine = engine_,
             .helpers = helpers_,
             .events = events_,
             .seats = seats_,
             .tokens = tokens_,
             .audit = audit_,
             .joins = joins_,
             .links = options.links,
             .partBudget = partBudget_,
             .searches = searches_,
             .prefix = prefix_,
             .tls = tls_.get(),
             .insecure = insecure_,
             .started = started_,
             .server = server_,
             .sunset = sunset_} {}

Api::~Api() {
    helpers_.stop();
}

Admission Api::admit(Request& request) {
    const RequestHead& head = request.head;
    if (const auto error = gate_.checkPlace(head, request.localPort, request.secure))
        return refusal(errorResponse(*error));
    const Router::Match match = router_.match(head.method, head.path(), request.captures);
    const Route* route = match.route < 0 ? nullptr : &allRoutes()[static_cast<std::size_t>(match.route)];
    request.presence.leave();
    if (!route || route->spec.scope != Scope::Open)
        if (auto unknown = recognise(request)) return std::move(*unknown);
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
    if (const Caller* caller = request.presence.caller())
        if (const auto error = refuseByRight(*caller, route->spec.needs)) return refusal(errorResponse(*error));
    request.route = match.route * 2 + (match.inQueue ? 1 : 0);

    Admission admission;
    const BodyKind body = route->spec.body;
    const std::string_view type = head.field("Content-Type").value_or("");
    // What is typed into a program is meant as that: no form, and no JSON that was to go elsewhere.
    if (body == BodyKind::Keys && head.hasBody && !isOfType(type, "application/octet-stream"))
        return refusal(
            errorResponse(ErrorKind::UnsupportedType,
                          "Send the keys as they are, with \"Content-Type: application/octet-stream\"."));
    if (body == BodyKind::Stream || body == BodyKind::Keys) {
        admission.mode = BodyMode::Stream;
        return admission;
    }
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
    if (head.hasBody && !isOfType(type, "application/json"))
        return refusal(
            errorResponse(ErrorKind::UnsupportedType, "Send JSON, with \"Content-Type: application/json\"."));
    admission.limit = body == BodyKind::None ? 0 : body == BodyKind::OptionalJson ? kMaxOptionalJson : kMaxJson;
    return admission;
}

std::optional<Admission> Api::recognise(Request& request) {
    const auto token = bearerOf(request.head);
    if (!token && !request.head.field("Authorization")) return refusal(errorResponse(tokenMissing()));
    auto caller = tokens_.find(token.value_or(""));
    if (caller) {
        request.presence.enter(std::move(*caller), request.link);
        return std::nullopt;
    }
    return recogniseMachine(request, token.value_or(""), caller.error());
}

std::optional<Admission> Api::recogniseMachine(Request& request, std::string_view bearer, const Error& unknown) {
    const auto machine = joins_.check(bearer);
    const bool isLink = request.head.path() == prefix_ + "/link" && request.head.method == Method::Get;
    if (machine && isLink) {
        request.presence.enter(joins_.joining(), request.link);
        return std::nullopt;
    }
    if (machine)
        return refusal(errorResponse(ErrorKind::Forbidden,
                                     "With this machines join this engine; it opens nothing else of the API."));
    if (isLink && machine.error().kind != ErrorKind::Unauthorized) return refusal(errorResponse(machine.error()));
    Admission refused = refusal(errorResponse(isLink ? machine.error() : unknown));
    refused.delay = wrongTokens_.note(request.peer, MonoClock::now());
    return refused;
}

coro::Task<Response> Api::handle(Request& request) {
    const Route& route = allRoutes()[static_cast<std::size_t>(request.route / 2)];
    auto query = Query::parse(request.head.query());
    if (!query) co_return errorResponse(query.error());
    const bool needsJson = route.spec.body == BodyKind::Json || route.spec.body == BodyKind::JsonOrParts;
    if (needsJson && !request.source && request.body.empty())
        co_return errorResponse(ErrorKind::Malformed, "Send a JSON body.");
    Call call{.api = parts_,
              .engine = engine_,
              .helpers = helpers_,
              .request = request,
              .query = std::move(*query),
              .queue = {},
              .body = {}};
    if (request.route % 2 == 1) {
        call.queue = parseQueueRef(request.captures[0]);
        call.firstCapture = 1;
        if (!call.queue)
            co_return errorResponse(ErrorKind::NotFound,
                                    "There is no such queue; name it by its number or its token.");
    }
    if (const auto fits = checkAgainst(route, call); !fits) co_return errorResponse(fits.error());
    if (const auto reached = co_await checkReach(call, route.spec.needs, route.isOfAction()); !reached)
        co_return errorResponse(reached.error());
    if (call.queue && route.isOfAction())
        if (const auto inQueue = co_await checkQueue(call, call.lsn()); !inQueue)
            co_return errorResponse(inQueue.error());
    const auto caller = request.presence.share(); // it may remove its own token
    AuditEntry entry;
    if (isAudited(route.spec)) // what the handler takes is gone afterwards
        entry = {.t = wallNow(),
                 .who = !caller || caller->name.empty() ? std::string(kAuditOwner) : caller->name,
                 .from = request.peer,
                 .method = std::string(name(request.head.method)),
                 .path = std::string(shortened(request.head.path(), kMostAuditText)),
                 .body = auditedBody(route.spec, request.body)};
    Response response = co_await route.handler(call);
    co_await note(route.spec, std::move(entry), response.status);
    if (isDestroying(route.spec, call.body))
        logInfo("http", "{} {} by {}: {}", name(request.head.method),
                shortened(request.head.path(), kMostLoggedPath),
                !caller || caller->name.empty() ? "the owner" : caller->name, response.status);
    co_return response;
}

coro::Task<void> Api::note(const RouteSpec& spec, AuditEntry entry, int status) {
    if (!isAudited(spec)) co_return;
    entry.result = status;
    const coro::ThreadRef noting = coro::spawn("audit", noteAlone(std::move(entry)));
    try {
        co_await noting.join();
    } catch (const coro::Interrupted&) { // a request that interrupted itself has its answer all the same
    }
}

coro::Task<void> Api::noteAlone(AuditEntry entry) {
    (void)co_await audit_.note(std::move(entry), helpers_);
}

Result<void> Api::checkAgainst(const Route& route, Call& call) {
    const RouteTerms& terms = route.terms;
    if (auto known = call.query.allowOnly(terms.query); !known) return known;
    if (route.spec.body == BodyKind::None || terms.members == kReadsItself) return {};
    auto body = JsonRequest::parse(call.request.body, terms.members, terms.rawMember);
    if (!body) return std::unexpected(std::move(body.error()));
    call.body = std::move(*body);
    return {};
}

std::int64_t Call::number(std::size_t i) const {
    return parsedNumber<std::int64_t>(capture(i)).value_or(0);
}

Lsn Call::lsn() const {
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
