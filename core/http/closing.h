// Who answers while the engine ends: /health says 503 and why, anything else that the engine is stopping. Needs no
// engine. Owner: made by main before the Server that it answers for, and outlives it; called on that server's
// thread.
#pragma once

#include "core/http/auth.h"
#include "core/http/join_tokens.h"
#include "core/http/message.h"
#include "core/http/tokens.h"
#include "core/model/states.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

/// The answer of /health: 200, or 503 when the session is abandoned or sunset. `trouble`: the engine serves, and cannot
/// do its work. That is 200 as well: whoever restarts an engine at a 503 would lose what it holds in memory until the
/// disk has room.
Response healthResponse(SessionState session, std::string_view trouble = {});

class ClosingHandler final : public Handler {
public:
    /// Reads the tokens of others, and those of machines, from these files, which blocks; empty: there are none.
    ClosingHandler(std::string token, std::vector<std::string> allowHosts, std::string tokensFile = {},
                   std::string machinesFile = {}, engine::PilotTickets* pilots = nullptr)
        : gate_(token, std::move(allowHosts))
        , tokens_(std::move(token), std::move(tokensFile))
        , joins_(std::move(machinesFile), pilots) {}

    Admission admit(Request& request) override;
    coro::Task<Response> handle(Request& request) override;

private:
    Response answer(const Request& request) const;

    const Gate gate_;
    const Tokens tokens_;
    const JoinTokens joins_;
};

} // namespace yard::http
