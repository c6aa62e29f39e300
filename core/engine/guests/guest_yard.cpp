#include "core/engine/guests/guest_yard.h"

#include "core/coro/suspend.h"
#include "core/coro/thread_group.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

/// The other side may say anything.
Duration graceOf(const link::GuestOut::End& end) {
    constexpr std::uint64_t kMost = 3'600'000;
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(end.graceMs, kMost)));
}

} // namespace

GuestYard::GuestYard(Parts parts, guests::GuestDesk::Self self, guests::GuestBudget& budget)
    : parts_(std::move(parts))
    , desk_(std::move(self), budget)
    , store_(parts_.chunks, parts_.helpers, hears()) {}

GuestYard::~GuestYard() {
    isCarrying_ = true; // nothing of what is told now matters any more
    parts_.jobs.forgetAll(*this);
}

GuestStore::Hears GuestYard::hears() {
    return {.lookedUp =
                [this](link::AttemptRef id, guests::LookedUp answer) {
                    desk_.lookedUp(id, std::move(answer), parts_.bootNow());
                    carryOut();
                },
            .stored =
                [this](const Hash256& hash) {
                    desk_.stored(hash, parts_.bootNow());
                    carryOut();
                },
            .notStored =
                [this](const Hash256& hash, std::string_view why) {
                    desk_.notStored(hash, why, parts_.bootNow());
                    carryOut();
                },
            .served = [this](const guests::DeskOut::Serve& serve) { desk_.served(serve); }};
}

// --- the link

coro::Task<GuestYard::Served> GuestYard::serve(linkio::ByteStream& stream) {
    linkio::LinkConnection connection(stream, *this, parts_.limits);
    served_ = {};
    connection_ = &connection;
    coro::ThreadGroup serving;
    serving.spawn("guest results", store_.runServing(connection));
    desk_.connected(parts_.bootNow());
    carryOut();
    std::exception_ptr trouble;
    linkio::LinkEnd end = linkio::LinkEnd::Ended;
    try {
        end = co_await connection.run();
    } catch (...) {
        trouble = std::current_exception();
    }
    connection_ = nullptr;
    store_.linkGone();
    desk_.disconnected();
    carryOut();
    co_await serving.stop();
    if (trouble) std::rethrow_exception(trouble);
    if (served_.why.empty()) served_.why = fmt::format("The link is over: {}.", linkio::name(end));
    co_return std::move(served_);
}

coro::Task<bool> GuestYard::frameCame(const link::Frame& frame) {
    desk_.frame(frame, parts_.bootNow());
    served_.wasUp = served_.wasUp || desk_.isUp();
    carryOut();
    co_await store_.waitForRoom();
    co_return true;
}

void GuestYard::tick() {
    desk_.tick(parts_.bootNow());
    carryOut();
    if (leaveBy_ && connection_ && (desk_.count() == 0 || MonoClock::now() >= *leaveBy_)) connection_->finish();
}

void GuestYard::leave(link::LeavingCause cause, std::string_view sentence) {
    if (leaveBy_) return;
    leaveBy_ = MonoClock::now() + kGoodbye;
    desk_.leave(cause, Duration::zero(), sentence, parts_.bootNow());
    parts_.jobs.endAll(*this, parts_.settings.grace);
    carryOut();
}

/// After what is in the outbox.
void GuestYard::close(std::string why) {
    served_.isRefused = served_.isRefused || !why.empty();
    served_.why = why.empty() ? std::string("The lease ran out.") : std::move(why);
    if (connection_) connection_->finish();
}

// --- what the desk says

/// What is carried out may be answered at once, so there may be more afterwards.
void GuestYard::carryOut() {
    if (isCarrying_) return;
    isCarrying_ = true;
    while (!desk_.out.isEmpty()) carryOut(std::exchange(desk_.out, {}));
    isCarrying_ = false;
}

void GuestYard::carryOut(guests::DeskOut what) {
    if (what.runUntil) parts_.jobs.mayRunUntil(parts_.group, *what.runUntil);
    for (const link::GuestOut::End& end : what.ends) parts_.jobs.end(*this, end.id, graceOf(end));
    if (connection_)
        for (const guests::DeskOut::Frame& frame : what.frames) connection_->send(frame.kind, frame.id, frame.body);
    for (guests::DeskOut::Lookup& lookup : what.lookups) store_.lookUp(std::move(lookup));
    for (guests::DeskOut::Piece& piece : what.pieces) store_.take(std::move(piece));
    for (const Hash256& hash : what.abandoned) store_.abandon(hash);
    // What is evicted has nobody any more: the store clears it up.
    for (guests::GuestAttempt& attempt : what.prepares)
        parts_.jobs.prepare(*this, parts_.group, std::move(attempt));
    for (const link::AttemptRef id : what.starts) parts_.jobs.start(*this, id);
    for (const link::Follow& follow : what.follows) parts_.jobs.follow(*this, follow);
    for (const link::AttemptRef id : what.dropped) {
        results_.erase(id);
        parts_.jobs.drop(*this, id);
    }
    if (connection_)
        for (const guests::DeskOut::Serve& serve : what.serves) store_.serve(serve);
    if (what.closeLink) close(std::move(what.reason));
}

// --- what became of it

void GuestYard::prepared(link::AttemptRef id) {
    desk_.prepared(id, parts_.bootNow());
    carryOut();
}

void GuestYard::notPrepared(link::AttemptRef id, std::string_view why) {
    desk_.notPrepared(id, why, parts_.bootNow());
    carryOut();
}

void GuestYard::update(link::Update update) {
    desk_.update(std::move(update), parts_.bootNow());
    carryOut();
}

void GuestYard::ended(link::AttemptRef id, link::Finished end) {
    if (auto hashes = hashesOf(end); !hashes.empty()) results_[id] = std::move(hashes);
    desk_.ended(std::move(end), id, parts_.bootNow());
    carryOut();
}

void GuestYard::returned(link::AttemptRef id) {
    desk_.returned(id, parts_.bootNow());
    carryOut();
}

coro::Task<void> GuestYard::keepResults() {
    constexpr Duration kLeast = std::chrono::milliseconds(250);
    constexpr Duration kMost = std::chrono::seconds(60);
    for (;;) {
        co_await coro::sleepFor(std::clamp(parts_.settings.chunkGrace / 4, kLeast, kMost));
        std::vector<Hash256> hashes;
        for (const auto& [id, some] : results_) hashes.insert(hashes.end(), some.begin(), some.end());
        desk_.addInputs(hashes);
        if (hashes.empty()) continue;
        // Who is asked for stays.
        (void)co_await parts_.helpers.run(
            [&chunks = parts_.chunks, hashes = std::move(hashes)] { return chunks.missing(hashes); });
    }
}

} // namespace yard::engine
