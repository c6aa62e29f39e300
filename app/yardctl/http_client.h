// A plain HTTP/1.1 client for one server: blocking, keep-alive, bodies streamed both ways in constant memory.
// Beast stays in http_client.cpp. One thread uses a client at a time; only interrupt() may come from any other.
// Limits: connecting, each silence on the wire and the size of an answer kept in memory are bounded (Timeouts,
// kMaxKeptBody); what is streamed is bounded by the sink.
#pragma once

#include "core/base/error.h"
#include "core/base/percent.h"
#include "core/model/api_address.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::ctl {

/// Where the API is: parsed from "http://host:port[/prefix]" or "https://…". IPv6 addresses stand in brackets.
struct Endpoint {
    std::string host; ///< without brackets
    std::string port = std::to_string(kUsualPort);
    std::string prefix{kUsualPrefix};
    bool secure = false;     ///< by TLS
    std::string fingerprint; ///< that it has to show; empty: the system's authorities decide
    std::string knownBy;     ///< the file that says so

    /// Invalid with a sentence when it is not such a URL.
    static Result<Endpoint> parse(std::string_view url);
    /// As people write it: http://host:port, https://host:port
    std::string url() const;
    /// The value of the Host header.
    std::string authority() const;
    /// True for localhost and the loopback addresses: the only hosts that get a token nobody named for them.
    bool isLoopback() const;
    /// Invalid: others could read along what goes there.
    Result<void> checkPrivacy(bool insecure) const;
};

struct Timeouts {
    std::chrono::milliseconds connect{5'000};
    /// Longest silence while sending or receiving; 0: none, for streams that may be silent for hours.
    std::chrono::milliseconds silence{30'000};
};

struct HttpRequest {
    std::string method = "GET";
    std::string path; ///< with query, as it goes on the wire
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    int bodyFile = -1; ///< an open file sent from its start instead of `body`; borrowed
    std::uint64_t bodyFileSize = 0;
    Timeouts timeouts{};
    /// May be sent a second time when a kept-alive connection turns out to be dead.
    bool repeatable() const;
};

struct HttpResponse {
    unsigned status = 0;
    std::string body;
    bool ok() const { return status >= 200 && status < 300; }
};

/// Takes the next bytes of a streamed body; an error ends the exchange and is its result.
using BodySink = std::function<Result<void>(std::string_view)>;

/// An answer that is kept whole may have this many bytes; more is TooLarge.
inline constexpr std::size_t kMaxKeptBody = 512u << 20;

class HttpClient {
public:
    HttpClient(Endpoint endpoint, std::string token);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Connects, unless it is connected; the next exchange uses it.
    Result<void> connect();
    /// Sends and waits for the whole answer, whatever its status. Errors (kind Io) are those of the connection.
    Result<HttpResponse> exchange(const HttpRequest& request);
    /// As exchange(), but the body of an answer with status 200 goes to `sink` as it arrives.
    Result<HttpResponse> stream(const HttpRequest& request, const BodySink& sink);
    /// Any thread: the exchange under way and every later one end with an error. For good.
    void interrupt();
    bool isInterrupted() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::ctl
