// The routes of docs/api.md over the engine's door: requests to commands, results to answers. A Handler, so tests
// drive it without sockets.
//
// Owner: made and destroyed by main; called on the http thread. Lifetime: the engine outlives it, it outlives the
// Server. What blocks (chunks, files, large bodies to parse) runs on helpers of its own.
#pragma once

#include "core/coro/helper_pool.h"
#include "core/engine/engine.h"
#include "core/http/audit.h"
#include "core/http/auth.h"
#include "core/http/body_budget.h"
#include "core/http/event_hub.h"
#include "core/http/join_tokens.h"
#include "core/http/message.h"
#include "core/http/route.h"
#include "core/http/router.h"
#include "core/http/server.h"
#include "core/http/terminal_seats.h"
#include "core/http/tokens.h"
#include "core/http/wrong_tokens.h"
#include "core/model/api_address.h"

#include <atomic>
#include <string>
#include <vector>

namespace yard::http {

struct ApiOptions {
    std::string prefix{kUsualPrefix}; ///< empty: none; else a slash first and none last
    std::vector<std::string> allowHosts;
    std::shared_ptr<tls::ServerTls> tls; ///< of its server; null: plain HTTP
    bool insecure = false;               ///< plain HTTP that others than this machine reach
    std::size_t maxWatchers = 1'000;     ///< of GET events at once; more get 429
    LinkDoor* links = nullptr;           ///< null: GET link is 501
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

private:
    /// JSON in multipart bodies, of all requests together; other bodies are counted by the server.
    static constexpr std::uint64_t kPartBudget = 32u << 20;

    /// The answer where a request does not fit its route.
    static Result<void> checkAgainst(const Route& route, Call& call);
    /// Notes whose token the request shows; the refusal where it is nobody's.
    std::optional<Admission> recognise(Request& request);
    /// The same of who shows a machine's key or a join token: these open `link`, and nothing else.
    std::optional<Admission> recogniseMachine(Request& request, std::string_view bearer, const Error& unknown);

    /// A line of the audit where the route wants one.
    coro::Task<void> note(const RouteSpec& spec, AuditEntry entry, int status);
    /// A thread of its own: what was done is written down, whatever becomes of its request.
    coro::Task<void> noteAlone(AuditEntry entry);

    engine::Engine& engine_;
    const Gate gate_;
    const std::string prefix_;
    const std::shared_ptr<tls::ServerTls> tls_;
    const bool insecure_;
    const Router router_;
    coro::HelperPool helpers_;
    EventHub events_;
    BodyBudget partBudget_{kPartBudget};
    int searches_ = 0; ///< http thread
    const WallMicros started_ = wallNow();
    std::atomic<const Server*> server_{nullptr};
    std::atomic<bool> sunset_{false};
    TerminalSeats seats_{engine_};
    Tokens tokens_;
    JoinTokens joins_;
    Audit audit_;
    WrongTokens wrongTokens_;
    const ApiParts parts_;
};

} // namespace yard::http
