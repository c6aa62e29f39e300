// Which streams of attempts on a machine are followed here: of those the machine is told, over each connection.
//
// Owner: the engine thread. Lifetime: that of its runner, after its attempts.
#pragma once

#include "core/link/bodies.h"
#include "core/runners/link_attempts.h"
#include "core/runners/link_host.h"

#include <functional>
#include <string>
#include <utility>

namespace yard::runners {

class LinkFollows {
public:
    /// To the machine; nothing where no link is up.
    using Send = std::function<void(const std::string& body)>;
    LinkFollows(LinkHost& host, LinkAttempts& attempts, Send send)
        : host_(host)
        , attempts_(attempts)
        , send_(std::move(send)) {}

    void watch(AttemptId id, Stream stream) {
        LinkAttempts::Attempt* attempt = attempts_.find(refOf(id));
        if (attempt && !std::exchange(attempt->isWatched(stream), true) && !attempt->unsent) tell(id, stream);
    }
    /// What comes all the same is passed over.
    void unwatch(AttemptId id, Stream stream) {
        if (LinkAttempts::Attempt* attempt = attempts_.find(refOf(id))) attempt->isWatched(stream) = false;
    }
    /// The machine has just been given it, or named it over a new connection.
    void isThere(link::AttemptRef ref) {
        LinkAttempts::Attempt* attempt = attempts_.find(ref);
        for (const Stream stream : {Stream::Out, Stream::Err})
            if (attempt && attempt->isWatched(stream)) tell(idOf(ref), stream);
    }

private:
    void tell(AttemptId id, Stream stream) {
        send_(link::put(
            link::Follow{.id = refOf(id), .isErr = stream == Stream::Err, .from = host_.printed(id, stream)}));
    }

    LinkHost& host_;
    LinkAttempts& attempts_;
    Send send_;
};

} // namespace yard::runners
