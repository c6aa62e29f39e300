#include "core/launcher/launcher_pump.h"

#include "core/base/kept_stream.h"
#include "core/base/last_output.h"
#include "core/base/thread_name.h"
#include "core/lease/left_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace yard::runners {
namespace {
constexpr Duration kReportEvery{50'000}; // 20 a second
// Of a terminal: who types waits for the echo.
constexpr Duration kTerminalReportEvery{4'000};
constexpr std::size_t kBuffer = 256u << 10;
} // namespace

std::size_t bytesInPipe(int fd) {
    int available = 0;
    return ::ioctl(fd, FIONREAD, &available) == 0 && available > 0 ? static_cast<std::size_t>(available) : 0;
}

std::size_t readWaiting(StreamEndpoint from, char* into, std::size_t limit) {
    const std::size_t available = from.isTerminal ? limit : std::min(bytesInPipe(from.fd), limit);
    if (available == 0) return 0;
    const ssize_t n = ::read(from.fd, into, available);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
}

struct Pump::Flow {
    Adopt from;
    std::string path;
    UniqueFd file;
    Sha256 hash;
    std::string head; // kept bytes while there is no file
    LastOutput last;  // of a stream that keepsLast
    StreamResult result;
    GapPuncher gap;
    std::uint64_t dropped = 0; // where the middle cannot be given back: what came after the file was full
    bool isFull = false;
    std::uint64_t reported = 0;
    MonoTime reportedAt{};   // of a terminal
    std::uint64_t taken = 0; // bytes read here
    MonoTime reportAt = MonoTime::max();
    bool inEpoll = false;
};

Pump::Pump(UpdateSender& updates, std::string directory)
    : updates_(updates)
    , directory_(std::move(directory))
    , inbox_(epoll_)
    , buffer_(kBuffer)
    , thread_([this] { run(); }) {}

Pump::~Pump() {
    post(Stop{});
    thread_.join();
}

void Pump::run() {
    nameThisThread("pump");
    while (!stopping_) {
        for (auto& message : inbox_.take()) {
            if (auto* a = std::get_if<Adopt>(&message)) {
                adopt(std::move(*a));
            } else if (auto* f = std::get_if<Finish>(&message)) {
                finish(f->key);
            } else if (auto* w = std::get_if<Watch>(&message)) {
                watch(w->key, w->on);
            } else if (const auto* t = std::get_if<Tell>(&message)) {
                tell(*t);
            } else if (const auto* k = std::get_if<KeepAll>(&message)) {
                keepAll();
                k->done();
            } else {
                stopping_ = true;
            }
        }
        for (const epoll_event& event : epoll_.wait(stopping_ ? MonoTime{} : nextReport())) {
            const std::uint64_t key = event.data.u64; // a copy: the struct is packed
            const auto it = flows_.find(key);
            if (it == flows_.end()) continue;
            Flow& flow = *it->second;
            if (!readSome(flow, kBuffer) && (event.events & (EPOLLHUP | EPOLLERR))) {
                // All writers are gone before the action is: nothing more comes, and level-triggered it would spin.
                epoll_.remove(flow.from.pipe.get());
                flow.inEpoll = false;
            }
        }
        const MonoTime now = MonoClock::now();
        for (auto& [key, flow] : flows_)
            if (flow->reportAt <= now) report(*flow, now);
    }
}

MonoTime Pump::nextReport() const {
    MonoTime at = MonoTime::max();
    for (const auto& [key, flow] : flows_) at = std::min(at, flow->reportAt);
    return at;
}

void Pump::adopt(Adopt from) {
    auto flow = std::make_unique<Flow>();
    flow->path = directory_ + "/" + streamName(from.id, from.stream);
    flow->from = std::move(from);
    flow->head = std::move(flow->from.head);
    flow->result.size = flow->head.size();
    Flow& f = *flow;
    const Key key = f.from.key;
    flows_[key] = std::move(flow);
    f.inEpoll = epoll_.add(f.from.pipe.get(), EPOLLIN, key);
    if (f.from.keepsLast) return f.last.append(std::exchange(f.head, {}));
    if (f.head.size() > kInlineStreamBytes) openFile(f);
    if (f.from.watched) watch(key, true);
}

void Pump::watch(Key key, bool on) {
    const auto it = flows_.find(key);
    if (it == flows_.end()) return;
    Flow& flow = *it->second;
    if (flow.from.keepsLast) return;
    flow.from.watched = on;
    flow.reportAt = MonoTime::max();
    if (!on) return;
    openFile(flow);
    // A new follower needs the path at once, however little there is.
    if (flow.file) {
        flow.reported = flow.result.size + 1;
        report(flow, MonoClock::now());
    }
}

void Pump::keepAll() {
    for (auto& [key, flow] : flows_) {
        if (flow->from.keepsLast) continue;
        readLeftover(*flow);
        openFile(*flow);
    }
}

void Pump::openFile(Flow& flow) {
    if (flow.file || flow.result.err != 0) return;
    ::unlink(flow.path.c_str());
    flow.file.reset(::open(flow.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!flow.file) {
        flow.result.err = errno;
        flow.result.truncated = true;
        flow.head.resize(std::min(flow.head.size(), kInlineStreamBytes));
        flow.result.size = flow.head.size();
        return;
    }
    const std::string head = std::move(flow.head);
    flow.head.clear();
    flow.result.size = 0;
    write(flow, head);
}

void Pump::write(Flow& flow, std::string_view bytes) {
    while (!bytes.empty() && flow.result.err == 0) {
        const ssize_t n = ::write(flow.file.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            flow.result.err = n < 0 ? errno : EIO;
            flow.result.truncated = true;
            if (flow.result.err == ENOSPC || flow.result.err == EDQUOT) giveBackDisk(flow);
            return;
        }
        // Only what is in the file is hashed and counted, so a cut file is still what its name says.
        const auto done = bytes.substr(0, static_cast<std::size_t>(n));
        flow.result.size += done.size();
        bytes.remove_prefix(done.size());
        if (flow.from.limit != 0 && flow.result.size > flow.from.limit)
            keepWithinLimit(flow);
        else
            flow.hash.update(done);
    }
}

/// Who keeps the stream puts its halves together, and hashes that.
void Pump::keepWithinLimit(Flow& flow) {
    flow.result.truncated = true;
    flow.isFull = !flow.gap.punch(flow.file.get(), flow.result.size, flow.from.limit);
}

/// The disk is full, likely of this: all but the beginning goes, so that the journal can say so and others can go
/// on.
void Pump::giveBackDisk(Flow& flow) {
    std::string head(kInlineStreamBytes, '\0');
    const ssize_t got = ::pread(flow.file.get(), head.data(), head.size(), 0);
    head.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (::ftruncate(flow.file.get(), static_cast<off_t>(head.size())) != 0) return;
    flow.hash = Sha256();
    flow.hash.update(head);
    flow.result.size = head.size();
}

void Pump::keep(Flow& flow, std::string_view bytes) {
    if (flow.from.keepsLast) return flow.last.append(bytes);
    if (flow.isFull) flow.dropped += bytes.size();
    if (flow.isFull || flow.result.err != 0) return;
    if (!flow.file && flow.head.size() + bytes.size() > kInlineStreamBytes) openFile(flow);
    if (flow.file) {
        write(flow, bytes);
    } else if (flow.result.err == 0) {
        flow.head.append(bytes);
        flow.result.size = flow.head.size();
    } else {
        // No file can be made: what still fits inline is better than nothing.
        const std::size_t room = kInlineStreamBytes - std::min(flow.head.size(), kInlineStreamBytes);
        flow.head.append(bytes.substr(0, room));
        flow.result.size = flow.head.size();
    }
}

bool Pump::readSome(Flow& flow, std::size_t limit) {
    const std::size_t n =
        readWaiting({flow.from.pipe.get(), flow.from.isTerminal}, buffer_.data(), std::min(limit, buffer_.size()));
    if (n == 0) return false;
    flow.taken += n;
    keep(flow, std::string_view(buffer_.data(), n));
    if (flow.from.watched && flow.reportAt == MonoTime::max() && flow.file) reportSoon(flow);
    return true;
}

void Pump::reportSoon(Flow& flow) {
    const MonoTime now = MonoClock::now();
    if (flow.from.isTerminal)
        flow.reportAt = std::max(now, flow.reportedAt + kTerminalReportEvery);
    else
        flow.reportAt = now + (flow.reported == 0 ? Duration::zero() : kReportEvery);
}

void Pump::report(Flow& flow, MonoTime now) {
    flow.reportAt = MonoTime::max();
    if (!flow.from.watched || !flow.file || flow.result.size == flow.reported) return;
    flow.reported = flow.result.size;
    flow.reportedAt = now;
    updates_.put(flow.from.id, StreamAt{flow.from.stream, flow.path, flow.result.size, flow.from.limit});
    updates_.flushIfDue(now);
}

/// What is there now, not until the end: somebody may go on writing.
void Pump::readLeftover(Flow& flow) {
    // Of a terminal each read may give less than there is.
    std::size_t left =
        flow.from.isTerminal ? kMaxLeftover : std::min(bytesInPipe(flow.from.pipe.get()), kMaxLeftover);
    while (left > 0) {
        const std::uint64_t before = flow.taken;
        if (!readSome(flow, std::min(left, buffer_.size()))) break;
        left -= std::min<std::uint64_t>(left, flow.taken - before);
    }
}

std::optional<StreamEnd> Pump::endOf(Key key) {
    const auto it = flows_.find(key);
    if (it == flows_.end()) return {};
    // Whoever asks may have seen the answer that these lines belong to.
    readLeftover(*it->second);
    const LastOutput& last = it->second->last;
    return StreamEnd{last.total(), std::string(last.text())};
}

void Pump::tell(const Tell& tell) {
    auto out = endOf(tell.out);
    auto err = endOf(tell.err);
    if (!out || !err) return; // its Ended has them
    updates_.put(tell.id, {std::move(*out), std::move(*err)});
    updates_.flushIfDue(MonoClock::now());
}

void Pump::finish(Key key) {
    const auto it = flows_.find(key);
    if (it == flows_.end()) return;
    Flow& flow = *it->second;
    readLeftover(flow);
    if (flow.inEpoll) epoll_.remove(flow.from.pipe.get());
    flow.from.pipe.reset();
    report(flow, MonoClock::now());
    StreamResult result = std::move(flow.result);
    if (flow.from.keepsLast) {
        result.bytes = flow.last.text();
        result.size = flow.last.total();
        result.truncated = result.size > result.bytes.size();
    } else if (flow.file) {
        result.path = flow.path;
        result.gap =
            flow.isFull ? StreamGap{result.size, result.size + flow.dropped} : gapOf(result.size, flow.from.limit);
        result.size += flow.dropped;
        if (result.gap.empty()) result.hash = flow.hash.finish();
        flow.file.reset();
    } else {
        result.bytes = std::move(flow.head);
    }
    const auto done = std::move(flow.from.done);
    flows_.erase(it);
    done(std::move(result));
}

} // namespace yard::runners
