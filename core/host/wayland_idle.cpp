#include "core/host/wayland_idle.h"

#include "core/base/environment.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

namespace yard::host {

namespace {

// Numbers of objects: the display's is the protocol's, the others are ours.
constexpr std::uint32_t kDisplay = 1;
constexpr std::uint32_t kRegistry = 2;
constexpr std::uint32_t kSeat = 3;
constexpr std::uint32_t kNotifier = 4;
constexpr std::uint32_t kNotification = 5;
// Requests and events, from wayland.xml and ext-idle-notify-v1.xml.
constexpr std::uint32_t kGetRegistry = 1;
constexpr std::uint32_t kBind = 0;
constexpr std::uint32_t kGetNotification = 1;
constexpr std::uint32_t kDisplayError = 0;
constexpr std::uint32_t kGlobal = 0;
constexpr std::uint32_t kGlobalRemove = 1;
constexpr std::uint32_t kIdled = 0;
constexpr std::uint32_t kResumed = 1;

constexpr std::size_t kHead = 8;
constexpr std::size_t kMostAtOnce = 64u << 10;
/// The compositor has said nothing of idling for so long after it was asked: input comes.
constexpr Duration kPatienceForIdle = WaylandIdle::kIdleAfter + Duration(500'000);

class WaylandMessage {
public:
    WaylandMessage(std::uint32_t object, std::uint32_t opcode)
        : opcode_(opcode) {
        number(object);
        number(0);
    }
    WaylandMessage& number(std::uint32_t value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    WaylandMessage& text(std::string_view value) {
        number(static_cast<std::uint32_t>(value.size() + 1));
        bytes_.append(value);
        bytes_.append(4 - value.size() % 4, '\0'); // the end of the text, and up to a whole word
        return *this;
    }
    std::string_view bytes() {
        const auto head = static_cast<std::uint32_t>(bytes_.size()) << 16 | opcode_;
        std::memcpy(bytes_.data() + 4, &head, sizeof head);
        return bytes_;
    }

private:
    std::string bytes_;
    std::uint32_t opcode_;
};

/// Of what is left of a body; nothing: it is too short.
std::optional<std::uint32_t> takeWord(std::string_view& body) {
    std::uint32_t value = 0;
    if (body.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, body.data(), sizeof value);
    body.remove_prefix(sizeof value);
    return value;
}

std::optional<std::string_view> takeText(std::string_view& body) {
    const auto size = takeWord(body);
    const std::size_t padded = size ? (std::size_t{*size} + 3) / 4 * 4 : 0;
    if (!size || *size == 0 || padded > body.size() || body[*size - 1] != '\0') return std::nullopt;
    const std::string_view text = body.substr(0, *size - 1);
    body.remove_prefix(padded);
    return text;
}

} // namespace

std::unique_ptr<WaylandIdle> WaylandIdle::open() {
    const std::string display = environmentOrEmpty("WAYLAND_DISPLAY");
    const std::string place = environmentOrEmpty("XDG_RUNTIME_DIR");
    if (display.empty() || (display.front() != '/' && place.empty())) return nullptr;
    const std::string path = display.front() == '/' ? display : place + '/' + display;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return nullptr;
    std::memcpy(address.sun_path, path.data(), path.size());
    // One that accepts nobody is not waited for: it is asked again later.
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return nullptr;
    std::unique_ptr<WaylandIdle> idle(new WaylandIdle(std::move(socket)));
    idle->send(WaylandMessage(kDisplay, kGetRegistry).number(kRegistry).bytes());
    return idle;
}

/// A few short ones: one that does not take them is stuck.
void WaylandIdle::send(std::string_view message) {
    const ssize_t sent = ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != static_cast<ssize_t>(message.size())) lost_ = true;
}

void WaylandIdle::process(MonoTime now) {
    std::array<char, 4'096> piece{};
    for (std::size_t taken = 0; !lost_ && taken < kMostAtOnce;) {
        const ssize_t got = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (got <= 0) {
            lost_ = true;
            return;
        }
        taken += static_cast<std::size_t>(got);
        in_.append(piece.data(), static_cast<std::size_t>(got));
        std::size_t at = 0;
        while (!lost_ && in_.size() - at >= kHead) {
            std::array<std::uint32_t, 2> head{};
            std::memcpy(head.data(), in_.data() + at, kHead);
            const std::size_t size = head[1] >> 16;
            if (size < kHead || size % 4 != 0) lost_ = true;
            if (lost_ || in_.size() - at < size) break;
            handle(head[0], head[1] & 0xffff, std::string_view(in_).substr(at + kHead, size - kHead), now);
            at += size;
        }
        in_.erase(0, at);
    }
}

/// Of all else, as what a seat can do, nothing is made.
void WaylandIdle::handle(std::uint32_t object, std::uint32_t opcode, std::string_view body, MonoTime now) {
    if (object == kDisplay && opcode == kDisplayError) {
        lost_ = true;
    } else if (object == kRegistry && opcode == kGlobal) {
        onGlobal(body, now);
    } else if (object == kRegistry && opcode == kGlobalRemove) {
        const auto name = takeWord(body);
        if (!name || *name == seat_ || *name == notifier_) lost_ = true;
    } else if (object == kNotification && opcode == kIdled) {
        isKnown_ = true;
        idleAt_ = now;
    } else if (object == kNotification && opcode == kResumed) {
        isKnown_ = true;
        idleAt_.reset();
    }
}

void WaylandIdle::onGlobal(std::string_view body, MonoTime now) {
    const auto name = takeWord(body);
    const auto interface = takeText(body);
    if (!name || *name == 0 || !interface) {
        lost_ = true;
        return;
    }
    const bool isSeat = *interface == "wl_seat";
    if (!isSeat && *interface != "ext_idle_notifier_v1") return;
    std::uint32_t& known = isSeat ? seat_ : notifier_;
    if (known != 0) return; // the first seat is the person's
    known = *name;
    constexpr std::uint32_t kVersion = 1;
    send(WaylandMessage(kRegistry, kBind)
             .number(known)
             .text(*interface)
             .number(kVersion)
             .number(isSeat ? kSeat : kNotifier)
             .bytes());
    if (seat_ != 0 && notifier_ != 0) ask(now);
}

void WaylandIdle::ask(MonoTime now) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kIdleAfter).count();
    send(WaylandMessage(kNotifier, kGetNotification)
             .number(kNotification)
             .number(static_cast<std::uint32_t>(ms))
             .number(kSeat)
             .bytes());
    asked_ = now;
}

std::optional<courtesy::InputReading> WaylandIdle::reading(MonoTime now) const {
    if (lost_ || !asked_) return std::nullopt;
    if (!isKnown_ && now - *asked_ < kPatienceForIdle) return std::nullopt;
    const Duration idle = idleAt_ ? now - *idleAt_ + kIdleAfter : Duration::zero();
    return courtesy::InputReading{.comesNow = !idleAt_, .idle = idle, .source = "wayland"};
}

} // namespace yard::host
