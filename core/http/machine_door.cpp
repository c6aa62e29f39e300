#include "core/http/machine_door.h"

#include "core/base/log.h"
#include "core/coro/loop.h"
#include "core/engine/machines/machines.h"
#include "core/linkio/link_connection.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

namespace {

using engine::LineId;
using engine::Machines;

/// On their way from the engine's thread to the connection: more control means that it stands still.
constexpr std::size_t kMostControl = 16u << 20;
/// Chunks wait with the engine then.
constexpr std::size_t kMostBulk = 512u << 10;

/// The engine's end of one connection: calls of its thread are carried to the loop of the socket.
///
/// Owner: both. The atomics are for any thread; connection and waiting chunks are the loop's, and it cuts them off when the
/// connection goes.
class Wire final : public engine::LinkWire, public std::enable_shared_from_this<Wire> {
public:
    explicit Wire(linkio::LinkConnection& connection)
        : connection_(&connection)
        , mailbox_(coro::currentLoop().mailbox()) {}

    // --- engine thread
    bool send(link::Kind kind, std::uint64_t id, std::string_view body) override {
        if (isOver_) return false;
        std::atomic<std::size_t>& underWay = link::isBulk(kind) ? bulk_ : control_;
        if (!link::isBulk(kind) && control_ + body.size() > kMostControl) {
            end();
            return false;
        }
        underWay += body.size();
        return onLoop(
            [kind, id, body = std::string(body)](Wire& wire) mutable { wire.put(kind, id, std::move(body)); });
    }
    bool hasRoomForBulk() const override {
        if (bulk_ < kMostBulk) return true;
        isAwaited_ = true;
        return bulk_ < kMostBulk; // what went meanwhile told nobody
    }
    void finish() override {
        if (isOver_.exchange(true)) return;
        (void)onLoop([](Wire& wire) {
            if (wire.connection_) wire.connection_->finish();
        });
    }
    void end() override {
        isOver_ = true;
        (void)onLoop([](Wire& wire) {
            if (wire.connection_) wire.connection_->end(linkio::LinkEnd::Ended);
        });
    }

    // --- the loop
    /// The connection is over.
    void cut() {
        isOver_ = true;
        connection_ = nullptr;
        chunks_.clear();
    }
    /// Chunks that wait go on. True: the engine waits for room, and there is some.
    bool pump() {
        while (connection_ && !chunks_.empty()) {
            const Waiting& next = chunks_.front();
            if (!connection_->send(link::Kind::Chunk, next.id, next.body)) break;
            bulk_ -= next.body.size();
            chunks_.pop_front();
        }
        return bulk_ < kMostBulk && isAwaited_.exchange(false);
    }
    std::function<void()> roomForBulk; ///< the engine is to be told

private:
    struct Waiting {
        std::uint64_t id;
        std::string body;
    };
    template<class Call>
    bool onLoop(Call call) {
        return mailbox_->post(coro::Band::Updates,
                              [self = shared_from_this(), call = std::move(call)]() mutable { call(*self); });
    }
    void put(link::Kind kind, std::uint64_t id, std::string body) {
        if (link::isBulk(kind)) {
            chunks_.push_back({.id = id, .body = std::move(body)});
            if (pump() && roomForBulk) roomForBulk();
            return;
        }
        control_ -= body.size();
        if (connection_) (void)connection_->send(kind, id, body);
    }

    linkio::LinkConnection* connection_;
    const std::shared_ptr<coro::Mailbox> mailbox_;
    std::deque<Waiting> chunks_;
    std::atomic<std::size_t> control_{0};
    std::atomic<std::size_t> bulk_{0};
    mutable std::atomic<bool> isAwaited_{false};
    std::atomic<bool> isOver_{false};
};

/// Brings what comes to the engine, one frame after another.
class Line final : public linkio::FrameSink {
public:
    Line(engine::Engine& engine, linkio::ByteStream& stream)
        : engine_(engine)
        , loop_(coro::currentLoop())
        , connection_(stream, *this)
        , wire_(std::make_shared<Wire>(connection_)) {
        wire_->roomForBulk = [this] { tellRoom(); };
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line() override {
        wire_->roomForBulk = {};
        wire_->cut();
        // Not waited for: who stops the server waits for this one.
        if (id_ != 0 && !loop_.isShuttingDown()) loop_.spawn("link closed", tellClosed(engine_, id_));
    }

    coro::Task<void> serve(LinkOpener opener) {
        const auto id = co_await engine_.ask(&Machines::opened,
                                             engine::MachineCaller{.token = std::move(opener.token),
                                                                   .peer = opener.peer,
                                                                   .key = std::move(opener.key),
                                                                   .mostMilliCores = opener.maxCores * 1'000},
                                             wire_);
        if (!id) {
            logWarning("http", "a link from {} is not taken: {}", opener.peer, id.error().message);
            co_return;
        }
        id_ = *id;
        const linkio::LinkEnd end = co_await connection_.run();
        logDebug("http", "the link from {} is over: {}", opener.peer, linkio::name(end));
    }

    coro::Task<bool> frameCame(const link::Frame& frame) override {
        co_return co_await engine_.ask(
            &Machines::frameCame, id_,
            engine::LinkFrame{.id = frame.id, .kind = frame.kind, .body = std::string(frame.body)});
    }
    void roomForBulk() override {
        if (wire_->pump()) tellRoom();
    }

private:
    /// Also by what the engine posted, which is of no thread.
    void tellRoom() { loop_.spawn("link room", tellRoomFor(engine_, id_)); }
    static coro::Task<void> tellRoomFor(engine::Engine& engine, LineId id) {
        co_await engine.ask(&Machines::roomForBulk, id);
    }
    static coro::Task<void> tellClosed(engine::Engine& engine, LineId id) {
        co_await engine.ask(&Machines::closed, id);
    }

    engine::Engine& engine_;
    coro::Loop& loop_;
    linkio::LinkConnection connection_;
    std::shared_ptr<Wire> wire_;
    LineId id_ = 0;
};

} // namespace

bool MachineDoor::isFull() const {
    return open_ >= engine::kMostMachines;
}

coro::Task<void> MachineDoor::serve(linkio::ByteStream& stream, LinkOpener opener) {
    if (isFull()) co_return stream.close();
    ++open_;
    std::exception_ptr trouble;
    try {
        Line line(engine_, stream);
        co_await line.serve(std::move(opener));
    } catch (...) {
        trouble = std::current_exception();
    }
    --open_;
    if (trouble) std::rethrow_exception(trouble);
}

} // namespace yard::http
