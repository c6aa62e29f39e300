// A desk with a yard, a store and a runner that are played by hand, in a time that is moved by hand.
#pragma once

#include "core/guests/guest_desk.h"
#include "tests/support/show_strings.h"

#include <chrono>
#include <string>
#include <utility>

namespace yard::guests::test {

using namespace std::chrono_literals;
using link::AttemptRef;
using link::GuestEnd;
using link::Kind;

constexpr AttemptRef kOne{.lsn = 1, .attempt = 1};
constexpr AttemptRef kTwo{.lsn = 2, .attempt = 1};
constexpr AttemptRef kThree{.lsn = 3, .attempt = 1};
constexpr GuestLimits kGiven{.milliCores = 2'000, .memoryMb = 1'000, .storeBytes = 1u << 20, .unsandboxed = false};

inline std::string text(AttemptRef id) {
    return ' ' + std::to_string(id.lsn) + '.' + std::to_string(id.attempt);
}

inline std::string command(const std::string& members = {}) {
    return R"({"worker":"exec","argv":["true"],"sandbox":true)" + (members.empty() ? "" : "," + members) + "}";
}

inline link::Lease leaseOf(AttemptRef id, const std::vector<std::string>& inputs = {}, int cores = 1) {
    link::Lease lease;
    lease.id = id;
    lease.spec = command(R"("resources":{"cores":)" + std::to_string(cores) + "}");
    for (const std::string& bytes : inputs) lease.inputs.push_back(Sha256::of(bytes));
    return lease;
}

inline link::Chunk chunkOf(const std::string& whole, std::size_t from = 0, std::size_t count = std::string::npos) {
    return {.hash = Sha256::of(whole), .size = whole.size(), .offset = from, .bytes = whole.substr(from, count)};
}

inline std::string bodyText(const DeskOut::Frame& frame) {
    switch (frame.kind) {
    case Kind::Hello: {
        link::Hello hello;
        if (!get(frame.body, hello)) return " bad";
        std::string held;
        for (const link::Held& one : hello.held) held += text(one.id);
        return held;
    }
    case Kind::Need: {
        link::Need need;
        return get(frame.body, need) ? ' ' + std::to_string(need.hashes.size()) : " bad";
    }
    case Kind::Finished: {
        link::Finished end;
        return get(frame.body, end) ? text(end.id) + " cause " + std::to_string(static_cast<int>(end.cause))
                                    : " bad";
    }
    case Kind::HandedBack: {
        link::AttemptRefs ids;
        if (!get(frame.body, ids)) return " bad";
        std::string all;
        for (const AttemptRef id : ids) all += text(id);
        return all;
    }
    case Kind::Updates: {
        link::Updates updates;
        if (!get(frame.body, updates)) return " bad";
        std::string all;
        for (const link::Update& one : updates)
            all += text(one.id) + ':' + std::to_string(static_cast<int>(one.kind));
        return all;
    }
    case Kind::Refused: {
        link::Refused refused;
        return get(frame.body, refused) ? ' ' + std::to_string(static_cast<int>(refused.cause)) : " bad";
    }
    default: return {};
    }
}

inline const char* kindText(Kind kind) {
    switch (kind) {
    case Kind::Hello: return "Hello";
    case Kind::Refused: return "Refused";
    case Kind::Need: return "Need";
    case Kind::Updates: return "Updates";
    case Kind::Finished: return "Finished";
    case Kind::Renew: return "Renew";
    case Kind::HandedBack: return "HandedBack";
    case Kind::Leaving: return "Leaving";
    default: return "wrong";
    }
}

class Script {
public:
    explicit Script(GuestLimits limits = kGiven)
        : budget(limits) {}

    GuestBudget budget;
    GuestDesk desk{{.runId = "run", .name = "m", .platform = "linux-x86_64", .version = "1", .slots = 4}, budget};
    link::BootTime now{100s};
    DeskOut last; ///< as told() found it

    void connect(std::uint32_t leaseSeconds = 20, link::AttemptRefs held = {}) {
        desk.connected(now);
        welcome(leaseSeconds, std::move(held));
    }
    void welcome(std::uint32_t leaseSeconds = 20, link::AttemptRefs held = {}) {
        yard(Kind::Welcome,
             put(link::Welcome{.protocol = link::kProtocol,
                               .runId = "y",
                               .name = "y",
                               .leaseSeconds = leaseSeconds,
                               .held = std::move(held)}),
             1);
    }
    void yard(Kind kind, const std::string& body, std::uint64_t id = 0) {
        raw(static_cast<std::uint8_t>(kind), body, id);
    }
    void raw(std::uint8_t kind, const std::string& body, std::uint64_t id = 0) {
        desk.frame({.id = id, .kind = kind, .body = body}, now);
    }
    void lease(const link::Lease& lease) { yard(Kind::Lease, put(lease)); }
    /// Leased, prepared and given to the runner; all that was told is forgotten.
    void run(AttemptRef id) {
        lease(leaseOf(id));
        desk.prepared(id, now);
        told();
    }
    void tickAt(Duration sinceStart) {
        now = link::BootTime(100s) + sinceStart;
        desk.tick(now);
    }
    void end(AttemptRef id, GuestEnd cause = GuestEnd::Exited) {
        link::Finished finished;
        finished.cause = cause;
        desk.ended(finished, id, now);
    }

    /// What follows, in words; it is gone afterwards.
    std::string told() {
        std::string all;
        const auto add = [&all](const std::string& word) { all += (all.empty() ? "" : "; ") + word; };
        last = std::exchange(desk.out, {});
        if (last.runUntil) add("until " + std::to_string((*last.runUntil - link::BootTime{}) / 1s));
        for (const auto& end : last.ends) add((end.leaseEnded ? "lease ended" : "end") + text(end.id));
        for (const auto& frame : last.frames) add(kindText(frame.kind) + bodyText(frame));
        for (const auto& lookup : last.lookups)
            add("look up" + text(lookup.id) + " " + std::to_string(lookup.hashes.size()));
        for (const auto& piece : last.pieces) add((piece.isLast ? "last " : "piece ") + piece.chunk.bytes);
        if (!last.abandoned.empty()) add("abandoned " + std::to_string(last.abandoned.size()));
        if (!last.evicted.empty()) add("evicted " + std::to_string(last.evicted.size()));
        for (const auto& attempt : last.prepares) add("prepare" + text(attempt.id));
        for (const AttemptRef id : last.starts) add("start" + text(id));
        for (const link::Follow& follow : last.follows)
            add((follow.isErr ? "follow err" : "follow out") + text(follow.id) + " from " +
                std::to_string(follow.from));
        for (const AttemptRef id : last.dropped) add("dropped" + text(id));
        for (const auto& serve : last.serves) add("serve " + std::to_string(serve.id));
        if (last.closeLink) add("close");
        return all;
    }
    /// The first Finished of what told() found.
    link::Finished finished() const {
        link::Finished end;
        for (const auto& frame : last.frames)
            if (frame.kind == Kind::Finished && get(frame.body, end)) return end;
        return end;
    }
};

} // namespace yard::guests::test
