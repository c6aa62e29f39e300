// The part of Machines that opens links: to machines that were added by their addresses.
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/engine/guests/join.h"
#include "core/engine/machines/machine.h"
#include "core/engine/machines/ssh_link.h"
#include "core/linkio/link_connection.h"
#include "core/model/api_address.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kHelloLimit = std::chrono::seconds(8);

/// The engine's end of a connection on its own loop.
class DialledWire final : public LinkWire {
public:
    explicit DialledWire(linkio::LinkConnection& connection)
        : connection_(&connection) {}
    bool send(link::Kind kind, std::uint64_t id, std::string_view body) override {
        link::Refused refused;
        if (kind == link::Kind::Refused && link::get(body, refused)) refusal_ = refused.sentence;
        return connection_ && connection_->send(kind, id, body);
    }
    bool hasRoomForBulk() const override { return connection_ && connection_->hasRoomForBulk(); }
    void finish() override {
        if (connection_) connection_->finish();
    }
    void end() override {
        if (connection_) connection_->end(linkio::LinkEnd::Ended);
    }
    /// The connection is over.
    void cut() { connection_ = nullptr; }
    /// Why this engine does not want the machine; empty: it does.
    const std::string& refusal() const { return refusal_; }

private:
    linkio::LinkConnection* connection_;
    std::string refusal_;
};

/// What this engine shows to a machine, which knows it again by that. An engine of a backup shows another one: the one
/// that the backup is of may be there still.
std::string keyFor(const std::string& engineId, const std::string& url) {
    return Sha256::of(engineId + ' ' + url).hex().substr(0, 2 * kKeyBytes);
}

/// What a new machine is known by here, and is from then on: never a key that a machine shows which comes by itself,
/// since others can make up what this engine shows.
std::string knownBy(const std::string& shown) {
    return "dialled " + Sha256::of(shown).hex();
}

Result<YardAddress> addressOf(const DialTarget& target) {
    auto address = parseYardAddress(target.url, false, "https://");
    if (!address) {
        address.error().field = "address";
        return address;
    }
    address->fingerprint = target.fingerprint;
    return address;
}

/// One spelling for one engine. Of a host that ssh's configuration names letters count as they are written. Invalid
/// (address).
Result<std::string> spelled(const DialTarget& target) {
    if (isSshUrl(target.url)) {
        const auto ssh = parseSshAddress(target.url);
        if (!ssh) return std::unexpected(ssh.error());
        return ssh->url();
    }
    auto address = addressOf(target);
    if (!address) return std::unexpected(address.error());
    std::ranges::transform(address->host, address->host.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return publishedAddress(address->url(), address->prefix);
}

JoinRequest requestOf(YardAddress address, const DialTarget& target, const std::string& key) {
    return {.yard = std::move(address), .bearer = target.token, .ownKey = key, .path = "guests/link"};
}

} // namespace

/// A link that this engine opened, for who waits to see what becomes of it.
struct Machines::DialledLink {
    bool isOver = false;
    std::string why; ///< one sentence, once it is over
};

/// Brings what a machine says to Machines, as http::MachineDoor does for those that open the link.
class DialledLine final : public linkio::FrameSink {
public:
    DialledLine(Machines& machines, linkio::ByteStream& stream)
        : machines_(machines)
        , connection_(stream, *this)
        , wire_(std::make_shared<DialledWire>(connection_)) {}
    DialledLine(const DialledLine&) = delete;
    DialledLine& operator=(const DialledLine&) = delete;
    ~DialledLine() override { wire_->cut(); }

    /// Why it is over.
    coro::Task<std::string> serve(MachineCaller who) {
        const auto id = co_await machines_.opened(std::move(who), wire_);
        if (!id) co_return id.error().message;
        id_ = *id;
        std::string why;
        std::exception_ptr trouble;
        try {
            const linkio::LinkEnd end = co_await connection_.run();
            why =
                wire_->refusal().empty() ? fmt::format("The link ended: {}.", linkio::name(end)) : wire_->refusal();
        } catch (...) {
            trouble = std::current_exception();
        }
        wire_->cut();
        co_await machines_.closed(id_);
        if (trouble) std::rethrow_exception(trouble);
        co_return why;
    }
    coro::Task<bool> frameCame(const link::Frame& frame) override {
        return machines_.frameCame(id_, {.id = frame.id, .kind = frame.kind, .body = std::string(frame.body)});
    }
    void roomForBulk() override { machines_.parts_.spawn("link room", tellRoom(machines_, id_)); }

private:
    static coro::Task<void> tellRoom(Machines& machines, LineId id) { (void)co_await machines.roomForBulk(id); }

    Machines& machines_;
    linkio::LinkConnection connection_;
    std::shared_ptr<DialledWire> wire_;
    LineId id_ = 0;
};

std::shared_ptr<Machines::Machine> Machines::machineWith(const std::string& key) const {
    const auto at = std::ranges::find_if(machines_, [&](const auto& entry) { return entry.second->key == key; });
    return at == machines_.end() ? nullptr : at->second;
}

/// By its address: its key may be of the engine that this one's backup is of. Null: none so far.
std::shared_ptr<Machines::Machine> Machines::dialledAt(const std::string& url) const {
    const auto at = std::ranges::find_if(
        machines_, [&](const auto& entry) { return entry.second->dial && entry.second->dial->url == url; });
    return at == machines_.end() ? nullptr : at->second;
}

bool Machines::hasLine(const Machine& machine) const {
    return std::ranges::any_of(lines_, [&](const auto& entry) { return entry.second.machine.get() == &machine; });
}

coro::Task<void> Machines::serveDialled(MachineCaller who, std::unique_ptr<linkio::ByteStream> stream,
                                        std::shared_ptr<DialledLink> seen) {
    {
        DialledLine line(*this, *stream);
        seen->why = co_await line.serve(std::move(who));
    }
    if (const std::string said = sshLastLine(stream->lastWords()); !said.empty())
        seen->why += fmt::format(" ({})", said);
    stream.reset(); // what carries it ends before anybody opens the next one
    seen->isOver = true;
    followed_.notifyAll();
}

coro::Task<Joined> Machines::openTo(DialTarget target) {
    const std::string shown = keyFor(parts_.engineId, target.url);
    if (!isSshUrl(target.url)) {
        const auto address = addressOf(target);
        if (!address) co_return std::unexpected(JoinFailure{.isFinal = true, .sentence = address.error().message});
        co_return co_await engine::join(parts_.loop, lookups_, requestOf(*address, target, shown));
    }
    const auto ssh = parseSshAddress(target.url);
    if (!ssh) co_return std::unexpected(JoinFailure{.isFinal = true, .sentence = ssh.error().message});
    co_return co_await joinBySsh(parts_.loop, parts_.helpers,
                                 {.address = *ssh,
                                  .program = parts_.sshProgram,
                                  .key = shown,
                                  .installs = target.installs,
                                  .bundle = parts_.bundle});
}

coro::Task<Result<Dialled>> Machines::dial(DialWanted wanted) {
    YARD_ASSERT_OWNER(owner_);
    auto url = spelled(wanted.target);
    if (!url) co_return std::unexpected(url.error());
    wanted.target.url = std::move(*url);
    const std::shared_ptr<Machine> known = dialledAt(wanted.target.url);
    MachineCaller who{.token = {},
                      .peer = wanted.target.url,
                      .key = known ? known->ownKey() : knownBy(keyFor(parts_.engineId, wanted.target.url)),
                      .mostMilliCores = wanted.mostMilliCores.value_or(0),
                      .dial = wanted.target};
    const std::string key = std::string(kKeyed) + who.key;
    if (wanted.name)
        if (auto fine = checkName(known.get(), *wanted.name); !fine) co_return std::unexpected(fine.error());
    if (known && isSshUrl(wanted.target.url) && hasLine(*known))
        co_return invalid("address",
                          fmt::format("{} is linked already: remove it first to add it otherwise.", known->name));
    auto stream = co_await openTo(wanted.target);
    if (!stream && !stream.error().fingerprint.empty() && wanted.target.fingerprint.empty())
        co_return Dialled{.machine = {}, .fingerprint = std::move(stream.error().fingerprint)};
    if (!stream) co_return invalid("address", std::move(stream.error().sentence));
    const auto seen = std::make_shared<DialledLink>();
    parts_.spawn("link to a machine", serveDialled(std::move(who), std::move(*stream), seen));
    const MonoTime until = parts_.loop.now() + kHelloLimit;
    std::shared_ptr<Machine> machine;
    for (;;) {
        machine = machineWith(key);
        const bool isOver = machine && (machine->answers() || machine->runner->state() == MachineState::Refused);
        if (isOver || seen->isOver || parts_.loop.now() >= until) break;
        co_await coro::comesWithin(std::chrono::milliseconds(200), followed_);
    }
    if (!machine || !machine->answers()) {
        std::string why = machine ? machine->runner->reason() : std::string();
        if (why.empty()) why = seen->isOver ? seen->why : "The engine there took the link and said nothing more.";
        co_return invalid("address", std::move(why));
    }
    dialOn(machine);
    const MachineChange change{
        .name = wanted.name, .mostMilliCores = wanted.mostMilliCores, .mostMemoryMb = wanted.mostMemoryMb};
    auto view = co_await this->change(machine->id.value, change); // and it is in the journal
    if (!view) co_return std::unexpected(view.error());
    co_return Dialled{.machine = std::move(*view), .fingerprint = {}};
}

/// What the journal has is kept linked, each by one.
void Machines::dialOn(const std::shared_ptr<Machine>& machine) {
    if (!machine->dial || machine->isRemoved || std::exchange(machine->isDialled, true)) return;
    parts_.spawn("machine by its address", keepDialled(machine));
}

coro::Task<void> Machines::keepDialled(std::shared_ptr<Machine> machine) {
    unsigned failures = 0;
    co_await coro::sleepFor(waitBeforeNext(1, parts_.reconnectUnit)); // after a start not all at once
    const auto isGone = [&] { return !machine->runner || machine->isRemoved; };
    while (!isGone()) {
        if (hasLine(*machine)) {
            co_await followed_.wait();
            continue;
        }
        auto stream = co_await openTo(*machine->dial);
        if (isGone()) break;
        machine->dialTrouble = stream ? std::string() : stream.error().sentence;
        if (hasLine(*machine)) continue; // somebody gave it again
        if (stream) {
            const MonoTime began = parts_.loop.now();
            const auto seen = std::make_shared<DialledLink>();
            MachineCaller who{
                .token = {}, .peer = machine->dial->url, .key = machine->ownKey(), .dial = machine->dial};
            co_await serveDialled(std::move(who), std::move(*stream), seen);
            machine->dialTrouble = seen->why;
            if (parts_.loop.now() - began > kHelloLimit) failures = 0;
        }
        if (++failures == 1)
            logWarning("link", "machine {} is not linked: {} It is tried again.", machine->name,
                       machine->dialTrouble);
        if (!isGone()) co_await coro::sleepFor(waitBeforeNext(failures, parts_.reconnectUnit));
    }
    machine->isDialled = false;
}

} // namespace yard::engine
