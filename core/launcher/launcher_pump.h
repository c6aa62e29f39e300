// The launcher's pump: the one thread that writes output to disk, so that a spawner never waits for one. A stream
// comes here when it has grown past what travels inline, or is watched; its bytes go from the pipe through SHA-256
// into chunks/tmp/, in constant memory. When the disk is full the rest is read and dropped: the action does not
// block on it. Of one longer than its limit the middle goes. Of a stream that keeps its end alone no file is made:
// the last of it stays in memory, and is told when asked.
//
// Owner: its own thread. Any thread may post. Each stream that was adopted and finished gives exactly one result to
// the spawner that handed it over.
#pragma once

#include "core/base/hash.h"
#include "core/base/unique_fd.h"
#include "core/launcher/epoll_set.h"
#include "core/launcher/update_sender.h"
#include "core/lease/runner.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

namespace yard::runners {

/// What a pipe can hold at most (fs.pipe-max-size is 1 MiB; a child may have raised its own): more than that after
/// the end is a writer that does not count.
inline constexpr std::size_t kMaxLeftover = 2u << 20;
/// Bytes waiting in a pipe; 0 also when asking fails.
std::size_t bytesInPipe(int fd);
/// Where a stream is read without blocking: a pipe, or the master of a terminal. That one is non-blocking, and does
/// not know how much it has: the kernel hands part of it over only when it is read.
struct StreamEndpoint {
    int fd = -1;
    bool isTerminal = false;
};
/// Reads at most `limit` bytes of what is there. 0: nothing now, or nothing any more.
std::size_t readWaiting(StreamEndpoint from, char* into, std::size_t limit);

class Pump {
public:
    using Key = std::uint64_t; ///< given by the spawner, unique among living streams
    struct Adopt {
        Key key = 0;
        AttemptId id;
        Stream stream = Stream::Out;
        UniqueFd pipe;
        bool isTerminal = false; ///< `pipe` is its master; somebody looks on: growth is reported at once
        std::string head;        ///< read so far
        std::uint64_t limit = 0; ///< Lease::streamBytes
        bool watched = false;
        bool keepsLast = false;                 ///< the end alone, in memory; not watched, no limit
        std::function<void(StreamResult)> done; ///< called on the pump's thread, posts to the spawner
    };
    struct Finish {
        Key key = 0; ///< no writer is left that counts: read what is there, close, answer
    };
    struct Watch {
        Key key = 0;
        bool on = true;
    };
    /// The end of two streams with keepsLast is told; nothing of one that was finished.
    struct Tell {
        AttemptId id;
        Key out = 0;
        Key err = 0;
    };
    /// What came of all streams so far goes into files, and what comes from then on; then `done` is called.
    struct KeepAll {
        std::function<void()> done;
    };
    struct Stop {};

    Pump(UpdateSender& updates, std::string directory);
    ~Pump();
    using Message = std::variant<Adopt, Finish, Watch, Tell, KeepAll, Stop>;
    void post(Message message) { inbox_.post(std::move(message)); }

private:
    struct Flow;
    void run();
    void adopt(Adopt adopt);
    void finish(Key key);
    void watch(Key key, bool on);
    void tell(const Tell& tell);
    void keepAll();
    std::optional<StreamEnd> endOf(Key key);
    void readLeftover(Flow& flow);
    bool readSome(Flow& flow, std::size_t limit);
    void keep(Flow& flow, std::string_view bytes);
    void openFile(Flow& flow);
    void write(Flow& flow, std::string_view bytes);
    void keepWithinLimit(Flow& flow);
    void giveBackDisk(Flow& flow);
    void report(Flow& flow, MonoTime now);
    void reportSoon(Flow& flow);
    MonoTime nextReport() const;

    UpdateSender& updates_;
    const std::string directory_;
    EpollSet epoll_;
    Inbox<Message> inbox_;
    std::unordered_map<Key, std::unique_ptr<Flow>> flows_;
    std::vector<char> buffer_;
    bool stopping_ = false;
    std::thread thread_; // last: everything above exists when it starts
};

} // namespace yard::runners
