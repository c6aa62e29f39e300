// The runner of a linked machine: its connection, and what comes over it.
#include "core/runners/link_runner.h"

#include "core/base/log.h"

#include <chrono>
#include <fmt/format.h>
#include <optional>

namespace yard::runners {

// --- the connection

LinkRunner::Connection LinkRunner::opened(LinkOut& out) {
    dropConnection();
    connection_ = &out;
    standing_.opened();
    followState();
    return ++number_;
}

void LinkRunner::closed(Connection connection) {
    if (connection != number_) return;
    connection_ = nullptr; // it ends by itself
    dropConnection();
    followState();
}

void LinkRunner::dropConnection() {
    if (connection_) connection_->end();
    connection_ = nullptr;
    standing_.closed();
    leases_.closed();
    reports_.connect(nullptr);
    ringSoon(); // it accepts nothing any more, and not all who come here follow the state
}

void LinkRunner::roomForBulk(Connection connection) {
    if (connection == number_) reports_.roomForBulk();
}

/// Where it is not taken the connection is over: what was to go by it comes out of what the next Hello names.
void LinkRunner::send(link::Kind kind, std::uint64_t id, std::string_view body) {
    if (connection_ && !connection_->send(kind, id, body)) dropConnection();
}

void LinkRunner::refuse(const link::Refused& refused, std::uint64_t id) {
    logWarning("link", "machine {} is refused: {}", options_.name, refused.sentence);
    standing_.refused(refused.sentence);
    send(link::Kind::Refused, id, link::put(refused));
    if (connection_) connection_->finish();
    connection_ = nullptr;
    dropConnection();
}

// --- what comes

bool LinkRunner::frameCame(Connection connection, const link::Frame& frame) {
    if (connection != number_ || !connection_) return true; // it is being ended
    bool good = false;
    if (standing_.isUp()) {
        tickLeases();
        if (!connection_) return true;
        good = take(frame);
    } else {
        good = greeted(frame);
    }
    standing_.frameCame(host_.bootNow());
    if (!good) dropConnection();
    carryOut();
    followState();
    return good;
}

bool LinkRunner::greeted(const link::Frame& frame) {
    link::Hello hello;
    if (frame.kind != static_cast<std::uint8_t>(link::Kind::Hello) || !link::get(frame.body, hello)) return false;
    std::optional<link::Refused> refusal;
    if (standing_.isRefused())
        refusal = {.cause = link::RefusalCause::Removed, .sentence = standing_.reason()};
    else if (hello.protocol != link::kProtocol)
        refusal = {.cause = link::RefusalCause::Protocol,
                   .sentence = fmt::format("The machine speaks protocol {} of the link, this yard {}: use the same "
                                           "version of Yardmaster on both.",
                                           hello.protocol, link::kProtocol)};
    else
        refusal = host_.refuse(hello);
    if (refusal) {
        refuse(*refusal, frame.id);
        return true;
    }
    link::Welcome welcome;
    welcome.runId = host_.yardRunId();
    welcome.name = host_.yardName();
    welcome.leaseSeconds =
        static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(options_.lease).count());
    welcome.held = leases_.greeted(hello, host_.bootNow(), out_);
    standing_.welcomed();
    send(link::Kind::Welcome, frame.id, link::put(welcome));
    carryOut();
    reports_.connect(connection_);
    for (const link::Held& one : hello.held) {
        reports_.heldThere(one);
        follows_.isThere(one.id); // over the connection before this one nothing more comes
    }
    return true;
}

bool LinkRunner::take(const link::Frame& frame) {
    switch (static_cast<link::Kind>(frame.kind)) {
    case link::Kind::Renew:
        leases_.renewed(host_.bootNow());
        send(link::Kind::Renewed, frame.id, {});
        return true;
    case link::Kind::Updates:
    case link::Kind::Finished:
    case link::Kind::Need:
    case link::Kind::Chunk:
    case link::Kind::HandedBack: return reports_.take(frame);
    case link::Kind::Leaving: return standing_.leavingCame(frame);
    case link::Kind::Refused: return refusedCame(frame);
    case link::Kind::Hello:
    case link::Kind::Welcome:
    case link::Kind::Lease:
    case link::Kind::Settled:
    case link::Kind::Cancel:
    case link::Kind::Follow:
    case link::Kind::Renewed: return false; // a yard says these, or they were said
    }
    return true; // of a later version
}

bool LinkRunner::refusedCame(const link::Frame& frame) {
    link::Refused refused;
    if (!link::get(frame.body, refused)) return false;
    standing_.refused(refused.sentence);
    dropConnection();
    return true;
}

} // namespace yard::runners
