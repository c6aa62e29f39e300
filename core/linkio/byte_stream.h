// Bytes both ways, in order, whatever carries them: a socket, TLS, the descriptors of a process. The ground under a
// link.
//
// Owner: one loop. One thread reads and one, it may be another, writes. Lifetime: outlives what reads and writes.
#pragma once

#include "core/coro/task.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace yard::linkio {

class ByteStream {
public:
    virtual ~ByteStream() = default;
    /// At least one byte, as many as there are; 0: the end, or it broke. Throws Interrupted.
    virtual coro::Task<std::size_t> read(std::span<char> into) = 0;
    /// All of the bytes, which stay until it returns; false: the other side is gone. Interrupted in the middle,
    /// nobody knows how many went: only close() makes sense then.
    virtual coro::Task<bool> write(std::string_view bytes) = 0;
    /// read() and write() end, those under way as well. May be called again. Does not block.
    virtual void close() = 0;
    /// What the stream itself says of its end, as it came from there; empty: nothing.
    virtual std::string lastWords() const { return {}; }
};

} // namespace yard::linkio
