// The socket of one warm process: frames to it and from it, and how much of what it was sent it has read.
//
// Owner: the thread of the warm runner; nothing here blocks. Lifetime: its process's.
// Invariants: bytes leave in the order in which they were put. The process's end is kept here too, until the channel is
// destroyed: what waits there is not dropped when the process dies, so that bytesRead() holds after its death.
#pragma once

#include "core/base/error.h"
#include "core/base/memory_ledger.h"
#include "core/base/owner.h"
#include "core/base/unique_fd.h"
#include "core/runners/warm_frames.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::runners {

class WarmChannel {
public:
    /// Makes both ends. Returns that for the process.
    Result<UniqueFd> open();
    /// The epoll tells of it with this key; write() asks it for room where there is none.
    void watch(int epollFd, std::uint64_t key);
    /// What was not written is dropped.
    void close();
    bool isOpen() const { return static_cast<bool>(socket_); }
    /// Of the process's end; 0: unknown.
    std::uint64_t theirInode() const { return theirInode_; }

    // --- from it
    warm::FrameBuffer::Fill receive() {
        const auto fill = in_.receive(socket_.get());
        count();
        return fill;
    }
    std::optional<warm::Frame> next() { return in_.next(); }
    bool isBroken() const { return in_.isBroken(); }

    // --- to it
    /// False: it is over the limit of a frame, and was not taken.
    bool put(const warm::Request& request);
    /// Put, ever.
    std::uint64_t bytesPut() const { return put_; }
    /// So many wait for it to read that nothing more is to be put.
    bool isFull() const;
    enum class Write : unsigned char {
        Done,    ///< or it will be, when it reads
        HasRoom, ///< it did not read, and does again
        HungUp
    };
    Write write();
    /// The epoll will tell when there is room.
    bool waitsToWrite() const { return waitsToWrite_; }
    /// Of those it was sent, all but what waits at its end.
    std::uint64_t bytesRead() const;

private:
    void count() { held_.set(in_.memoryBytes() + out_.capacity()); }

    UniqueFd socket_;
    UniqueFd theirs_;
    std::uint64_t theirInode_ = 0;
    int epollFd_ = -1;
    std::uint64_t key_ = 0;
    warm::FrameBuffer in_;
    std::string out_;
    std::size_t written_ = 0; ///< of out_
    std::uint64_t put_ = 0;
    std::uint64_t sent_ = 0; ///< of those: given to the kernel
    bool waitsToWrite_ = false;
    ChargedBytes held_{MemoryOwner::Pool};
    OwnerCheck owner_;
};

} // namespace yard::runners
