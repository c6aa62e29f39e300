// One HTTP request and its answer as values, and the two ways in which bytes pass piecewise: a BodySource that a
// handler pulls an upload from, and a BodyProducer that the connection pulls a long answer from. Both carry
// back-pressure: who pulls decides the pace. Nothing here knows of sockets, so handlers are tested without one.
//
// Owner: the http thread; a Request lives as long as its handling, a Response until it is written.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/coro/task.h"
#include "core/http/caller.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::linkio {
class ByteStream;
}

namespace yard::http {

enum class Method : unsigned char { Get, Head, Post, Put, Patch, Delete, Options, Other };
/// "GET", …; "?" for Other.
std::string_view name(Method method);
/// Other for a word that no route uses.
Method methodFrom(std::string_view word);

/// Method, target and fields of a request. All text lies in one buffer that is used again by the next request of
/// the same connection: steady traffic allocates nothing here. Views are valid until clear() or the next add.
class RequestHead {
public:
    Method method = Method::Other;
    bool isHttp11 = true;
    bool hasBody = false;                       ///< a length above zero, or chunked
    std::optional<std::uint64_t> contentLength; ///< absent for a chunked body

    void clear();
    void setTarget(std::string_view target);
    void addField(std::string_view fieldName, std::string_view value);

    std::string_view target() const { return std::string_view(text_).substr(0, targetSize_); }
    /// The target up to the question mark, and what follows it.
    std::string_view path() const;
    std::string_view query() const;
    /// Value of the first field with this name (any case); absent when there is none.
    std::optional<std::string_view> field(std::string_view fieldName) const;
    /// How many fields have this name.
    int count(std::string_view fieldName) const;

private:
    struct Field {
        std::uint32_t at;
        std::uint32_t nameSize;
        std::uint32_t valueSize;
    };
    std::string text_;
    std::vector<Field> fields_;
    std::size_t targetSize_ = 0;
};

/// Bytes of a request's body, pulled by its handler. Implemented by the connection.
class BodySource {
public:
    virtual ~BodySource() = default;
    /// The next bytes, valid until the next call; empty at the end. Malformed (bad chunks), Io (the client went
    /// away or stalled).
    virtual coro::Task<Result<std::string_view>> read() = 0;
};

/// Bytes of an answer, pulled by the connection when the client has taken those before. One per answer.
class BodyProducer {
public:
    virtual ~BodyProducer() = default;
    /// The next bytes, valid until the next call; empty at the end. After an error the connection is cut, so that
    /// the client sees that something is missing.
    virtual coro::Task<Result<std::string_view>> next() = 0;
};

/// What a handler may ask of the connection its request came by.
class Link {
public:
    virtual ~Link() = default;
    /// The client has closed its side: nobody waits for this answer. One system call, does not block.
    virtual bool peerGone() = 0;
    /// The server stops: answer with what is known now.
    virtual bool isStopping() const = 0;
    /// True: a stop may interrupt the handler from now on (coro::Interrupted); for long waits. See WaitScope.
    virtual void setInterruptible(bool interruptible) = 0;
    /// Nothing comes or goes by it from now on; it ends by itself soon. Does not block.
    virtual void cut() = 0;
};

/// While it lives a stopping server may interrupt the handler that waits.
class WaitScope {
public:
    explicit WaitScope(Link& link)
        : link_(link) {
        link_.setInterruptible(true);
    }
    WaitScope(const WaitScope&) = delete;
    WaitScope& operator=(const WaitScope&) = delete;
    ~WaitScope() { link_.setInterruptible(false); }

private:
    Link& link_;
};

/// How a request's body is to be taken.
enum class BodyMode : unsigned char {
    Whole, ///< into Request::body, up to Admission::limit
    Stream ///< through Request::source, without limit
};

inline constexpr std::size_t kMaxCaptures = 3;

struct Request {
    RequestHead head;
    std::string body;             ///< BodyMode::Whole
    BodySource* source = nullptr; ///< BodyMode::Stream; borrowed from the connection
    Link* link = nullptr;         ///< borrowed from the connection
    std::uint16_t localPort = 0;  ///< where the server listens
    bool secure = false;          ///< it came by TLS
    std::string peer;             ///< address of the client, without its port; empty: not known
    Presence presence;            ///< who asks, a note of Handler::admit as well
    /// Notes of Handler::admit for Handler::handle: which route it is and what its pattern captured.
    int route = -1;
    std::array<std::string, kMaxCaptures> captures;
};

class WebSocket;

/// Serves a connection that stops being HTTP after its answer (web_socket.h).
class WebSocketHandler {
public:
    virtual ~WebSocketHandler() = default;
    /// Until the connection is over; returns when read() has ended and nothing is being sent any more.
    virtual coro::Task<void> serve(WebSocket& socket) = 0;
};

/// Serves a connection that goes on as bytes of another protocol after its answer.
class StreamHandler {
public:
    virtual ~StreamHandler() = default;
    /// Until the stream is over. It is closed when the server stops, or the token of who asks is removed; then serve()
    /// has to return.
    virtual coro::Task<void> serve(linkio::ByteStream& stream) = 0;
};

struct Response {
    int status = 200;
    std::string body;
    std::string_view contentType = "application/json";            ///< static text; of an empty body as well
    std::vector<std::pair<std::string_view, std::string>> fields; ///< further fields; names are static text
    std::unique_ptr<BodyProducer> producer;                       ///< instead of `body`
    std::optional<std::uint64_t>
        length;         ///< of what the producer gives, or of a body left out for HEAD; else chunked
    bool close = false; ///< the connection ends after this answer
    /// The connection becomes a WebSocket, served by this; everything else of the answer is ignored. Only when
    /// refuseUpgrade() has nothing against it.
    std::unique_ptr<WebSocketHandler> webSocket;
    /// The connection becomes a stream of this protocol, served by this; everything else is ignored.
    std::unique_ptr<StreamHandler> stream;
    std::string_view protocol = {}; ///< static text
};

/// A handler's decision on a request of which only the head was read.
struct Admission {
    std::optional<Response> refusal; ///< the answer, without the body being read
    Duration delay{};                ///< the refusal waits so long
    BodyMode mode = BodyMode::Whole;
    std::uint64_t limit = 0; ///< bytes of a whole body; more is 413
};

/// Requests to answers. All functions run on the http thread, for many connections in turn.
class Handler {
public:
    virtual ~Handler() = default;
    /// The thread has begun; before the first request.
    virtual void begin() {}
    /// Looks at the head; may leave notes in `request`. Must not block.
    virtual Admission admit(Request& request) = 0;
    /// Answers. Exceptions other than coro's become a 500 and a log line.
    virtual coro::Task<Response> handle(Request& request) = 0;
};

/// The words of a status line ("Not Found").
std::string_view reasonPhrase(int status);
/// ASCII letters compared without case.
bool equalsNoCase(std::string_view a, std::string_view b);
/// Whether a list with commas, as of Connection and Upgrade, has this word (any case).
bool hasToken(std::string_view list, std::string_view token);

} // namespace yard::http
