// Bytes to requests: a push parser over Beast's, with what that lets pass refused here (transfer codings that are
// not exactly `chunked`, repeated lengths, heads whose total size grows line by line, several Host fields). No
// sockets, no waiting: bytes in, head and body pieces out, so that it can be tested and fuzzed alone.
//
// Owner: one connection. Lifetime: one message between two calls of reset().
#pragma once

#include "core/base/error.h"
#include "core/http/message.h"

#include <cstddef>
#include <memory>
#include <string_view>

namespace yard::http {

/// Bytes of request line and fields together (docs/api.md, 4).
inline constexpr std::size_t kMaxHeadBytes = 16 * 1024;

class MessageParser {
public:
    MessageParser();
    ~MessageParser();
    MessageParser(const MessageParser&) = delete;
    MessageParser& operator=(const MessageParser&) = delete;

    /// Begins a new message.
    void reset();
    /// Takes bytes from the front of `in`, fills `head`. True: the head is complete, `in` begins with the body;
    /// false: all that can be used now was taken, call again with what is left and more. Malformed, or
    /// HeadersTooLarge; then the connection cannot go on.
    Result<bool> readHead(std::string_view& in, RequestHead& head);
    /// The connection may carry another request after this one. Once the head is complete.
    bool keepsAlive() const;

    /// For a chunked body, once the head is complete: takes bytes from the front of `in` and returns a piece of the
    /// body, a part of `in`. An empty piece means more bytes are needed, unless isDone(). Malformed.
    Result<std::string_view> readChunked(std::string_view& in);
    /// The last chunk and its trailer have been read.
    bool isDone() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::http
