#include "core/http/closing.h"

#include "core/base/sentences.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"

#include <utility>

namespace yard::http {

Response healthResponse(SessionState session, std::string_view trouble) {
    Response response;
    response.status = isHealthy(session) ? 200 : 503;
    JsonWriter writer(response.body);
    writer.openObject();
    writer.member("healthy", isHealthy(session) && trouble.empty());
    if (!trouble.empty()) writer.member("why", trouble);
    writer.member("session", name(session));
    writer.member("version", YARD_VERSION);
    writer.closeObject();
    return response;
}

Response ClosingHandler::answer(const Request& request) const {
    const RequestHead& head = request.head;
    if (const auto error = gate_.checkPlace(head, request.localPort, request.secure)) return errorResponse(*error);
    const bool reads = head.method == Method::Get || head.method == Method::Head;
    if (reads && head.path() == "/health") return healthResponse(SessionState::Sunset);
    if (!head.field("Authorization")) return errorResponse(tokenMissing());
    const std::string_view bearer = bearerOf(head).value_or("");
    // A machine that heard that it is not known would not come back.
    const auto caller = tokens_.find(bearer);
    const auto machine = joins_.check(bearer);
    if (!caller && !machine && machine.error().kind == ErrorKind::Unauthorized)
        return errorResponse(caller.error());
    return errorResponse(ErrorKind::NotAccepting, kEngineIsStopping);
}

/// Nothing is worth reading a body for.
Admission ClosingHandler::admit(Request& request) {
    Admission admission;
    admission.refusal = answer(request);
    admission.refusal->close = true;
    return admission;
}

coro::Task<Response> ClosingHandler::handle(Request& request) {
    co_return answer(request);
}

} // namespace yard::http
