#include "core/host/screen_idle.h"

#include "core/base/environment.h"
#include "core/host/loading.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/uio.h>
#include <utility>
#include <vector>

namespace yard::host {

namespace {

// From xcb.h, xcbext.h and screensaver.h of libxcb 1.15: the few things of it that are needed. They are its ABI.
struct XcbExtension {
    const char* name;
    int globalId;
};
struct XcbProtocolRequest {
    std::size_t count;
    XcbExtension* extension;
    std::uint8_t opcode;
    std::uint8_t isVoid;
};
struct XcbExtensionReply { // xcb_query_extension_reply_t
    std::uint8_t responseType;
    std::uint8_t pad;
    std::uint16_t sequence;
    std::uint32_t length;
    std::uint8_t present;
};
struct XcbScreenIterator {
    const std::uint32_t* screen; ///< of which the first member is the root window
    int left;
    int index;
};
struct XcbIdleRequest { // xcb_screensaver_query_info_request_t
    std::uint8_t majorOpcode = 0;
    std::uint8_t minorOpcode = 0;
    std::uint16_t length = 0;
    std::uint32_t drawable = 0;
};
struct XcbIdleReply { // xcb_screensaver_query_info_reply_t
    std::uint8_t responseType;
    std::uint8_t state;
    std::uint16_t sequence;
    std::uint32_t length;
    std::uint32_t saverWindow;
    std::uint32_t msUntilServer;
    std::uint32_t msSinceInput;
};
struct XcbAtomReply { // xcb_intern_atom_reply_t
    std::uint8_t responseType;
    std::uint8_t pad;
    std::uint16_t sequence;
    std::uint32_t length;
    std::uint32_t atom;
};
struct XcbPropertyReply { // xcb_get_property_reply_t; the value follows
    std::uint8_t responseType;
    std::uint8_t format;
    std::uint16_t sequence;
    std::uint32_t length;
    std::uint32_t type;
    std::uint32_t bytesAfter;
    std::uint32_t valueLength;
    std::array<std::uint8_t, 12> pad;
};
constexpr std::uint32_t kAtomType = 4;
constexpr std::uint32_t kWindowType = 33;
constexpr std::uint32_t kMostStates = 64;
constexpr std::uint8_t kQueryInfo = 1;
constexpr int kRequestChecked = 1;
constexpr int kAnswerWithinMs = 100;

/// The library keeps its number in here, for the life of the program.
XcbExtension screenSaver{.name = "MIT-SCREEN-SAVER", .globalId = 0};

} // namespace

struct ScreenIdle::Xcb : LoadedLibrary {
    Xcb() = default;
    Xcb(const Xcb&) = delete;
    Xcb& operator=(const Xcb&) = delete;
    ~Xcb() {
        if (connection != nullptr) disconnect(connection);
    }
    bool load() {
        return open("libxcb.so.1") && find(connect, "xcb_connect") && find(disconnect, "xcb_disconnect") &&
               find(hasError, "xcb_connection_has_error") && find(fdOf, "xcb_get_file_descriptor") &&
               find(extensionData, "xcb_get_extension_data") && find(setupOf, "xcb_get_setup") &&
               find(screensOf, "xcb_setup_roots_iterator") && find(sendRequest, "xcb_send_request") &&
               find(flush, "xcb_flush") && find(pollForReply, "xcb_poll_for_reply") &&
               find(discardReply, "xcb_discard_reply") && find(internAtom, "xcb_intern_atom") &&
               find(getProperty, "xcb_get_property");
    }
    /// Whether there was an answer within 100 ms; null: it is an error. The caller frees it.
    bool awaitReply(unsigned request, void*& reply) {
        flush(connection);
        void* error = nullptr;
        int answered = pollForReply(connection, request, &reply, &error);
        if (answered == 0) {
            pollfd waits{.fd = fdOf(connection), .events = POLLIN, .revents = 0};
            (void)::poll(&waits, 1, kAnswerWithinMs);
            answered = pollForReply(connection, request, &reply, &error);
        }
        std::free(error);
        return answered != 0;
    }
    /// Null: no answer in time, or an error. The caller frees it.
    void* replyTo(unsigned request) {
        void* reply = nullptr;
        if (!awaitReply(request, reply)) discardReply(connection, request);
        return reply;
    }
    /// 0: it is not known.
    std::uint32_t atom(std::string_view name) {
        void* reply =
            replyTo(internAtom(connection, 0, static_cast<std::uint16_t>(name.size()), name.data()).sequence);
        const std::uint32_t number = reply == nullptr ? 0 : static_cast<const XcbAtomReply*>(reply)->atom;
        std::free(reply);
        return number;
    }
    /// Numbers of 32 bits; nothing: no answer, or no such property.
    std::optional<std::vector<std::uint32_t>> property(std::uint32_t window, std::uint32_t name,
                                                       std::uint32_t type) {
        void* reply = replyTo(getProperty(connection, 0, window, name, type, 0, kMostStates).sequence);
        const auto* const known = static_cast<const XcbPropertyReply*>(reply);
        std::optional<std::vector<std::uint32_t>> values;
        if (known != nullptr && known->format == 32 && known->type == type && known->valueLength <= kMostStates &&
            known->valueLength <= known->length) { // the server counts both, and the reply has `length` words
            values.emplace(known->valueLength);
            std::memcpy(values->data(), known + 1, known->valueLength * sizeof(std::uint32_t));
        }
        std::free(reply);
        return values;
    }

    void* connection = nullptr;
    std::uint32_t root = 0;
    unsigned asked = 0; ///< the request that was not answered yet; 0: none
    void* (*connect)(const char*, int*) = nullptr;
    void (*disconnect)(void*) = nullptr;
    int (*hasError)(void*) = nullptr;
    int (*fdOf)(void*) = nullptr;
    const XcbExtensionReply* (*extensionData)(void*, XcbExtension*) = nullptr;
    const void* (*setupOf)(void*) = nullptr;
    XcbScreenIterator (*screensOf)(const void*) = nullptr;
    unsigned (*sendRequest)(void*, int, iovec*, const XcbProtocolRequest*) = nullptr;
    int (*flush)(void*) = nullptr;
    int (*pollForReply)(void*, unsigned, void**, void**) = nullptr;
    struct Cookie {
        unsigned sequence;
    };
    void (*discardReply)(void*, unsigned) = nullptr;
    Cookie (*internAtom)(void*, std::uint8_t onlyIfExists, std::uint16_t length, const char* name) = nullptr;
    Cookie (*getProperty)(void*, std::uint8_t remove, std::uint32_t window, std::uint32_t property,
                          std::uint32_t type, std::uint32_t offset, std::uint32_t length) = nullptr;
    std::uint32_t activeWindow = 0; ///< atoms, once they were asked for; 0: they are not known
    std::uint32_t windowState = 0;
    std::uint32_t fullScreen = 0;
};

ScreenIdle::ScreenIdle(std::unique_ptr<Xcb> xcb)
    : xcb_(std::move(xcb)) {}
ScreenIdle::~ScreenIdle() = default;

std::unique_ptr<ScreenIdle> ScreenIdle::open() {
    // XWayland sees input of its own programs alone: a person at others would count as away.
    if (environmentOrEmpty("DISPLAY").empty() || !environmentOrEmpty("WAYLAND_DISPLAY").empty()) return nullptr;
    auto xcb = std::make_unique<Xcb>();
    if (!xcb->load()) return nullptr;
    xcb->connection = xcb->connect(nullptr, nullptr);
    if (xcb->hasError(xcb->connection) != 0) return nullptr;
    const XcbExtensionReply* known = xcb->extensionData(xcb->connection, &screenSaver);
    const XcbScreenIterator screens = xcb->screensOf(xcb->setupOf(xcb->connection));
    if (known == nullptr || known->present == 0 || screens.left == 0) return nullptr;
    xcb->root = *screens.screen;
    return std::unique_ptr<ScreenIdle>(new ScreenIdle(std::move(xcb)));
}

bool ScreenIdle::isLost() const {
    return xcb_->hasError(xcb_->connection) != 0;
}

std::optional<bool> ScreenIdle::isFullScreen() {
    if (xcb_->fullScreen == 0) {
        xcb_->activeWindow = xcb_->atom("_NET_ACTIVE_WINDOW");
        xcb_->windowState = xcb_->atom("_NET_WM_STATE");
        xcb_->fullScreen = xcb_->atom("_NET_WM_STATE_FULLSCREEN");
        if (xcb_->activeWindow == 0 || xcb_->windowState == 0) xcb_->fullScreen = 0;
    }
    if (xcb_->fullScreen == 0) return std::nullopt;
    const auto active = xcb_->property(xcb_->root, xcb_->activeWindow, kWindowType);
    if (!active || active->empty()) return std::nullopt; // there is no window manager
    if (active->front() == 0) return false;
    const auto states = xcb_->property(active->front(), xcb_->windowState, kAtomType);
    return states && std::ranges::find(*states, xcb_->fullScreen) != states->end();
}

std::optional<Duration> ScreenIdle::look() {
    if (xcb_->asked == 0) {
        static constexpr XcbProtocolRequest kRequest{
            .count = 2, .extension = &screenSaver, .opcode = kQueryInfo, .isVoid = 0};
        XcbIdleRequest request;
        request.drawable = xcb_->root;
        // The library writes the length of the request into it, and uses two parts before the first.
        std::array<iovec, 4> parts{};
        parts[2] = {.iov_base = &request, .iov_len = sizeof request};
        xcb_->asked = xcb_->sendRequest(xcb_->connection, kRequestChecked, &parts[2], &kRequest);
    }
    void* reply = nullptr;
    if (!xcb_->awaitReply(xcb_->asked, reply)) return std::nullopt;
    xcb_->asked = 0;
    std::optional<Duration> idle;
    if (reply != nullptr) idle = std::chrono::milliseconds(static_cast<const XcbIdleReply*>(reply)->msSinceInput);
    std::free(reply);
    return idle;
}

} // namespace yard::host
