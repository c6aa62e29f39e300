#include "core/engine/running/job_tokens.h"

#include "core/coro/timeout.h"
#include "core/session/resource_holds.h"
#include "core/session/shortage.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::engine {

namespace {

constexpr char kToken = '+';
/// The kernel fills a pipe by pages, and what was read off the front of one makes no room in it. In two of them, with half
/// a page of tokens at most, there is always room for one that comes back.
constexpr int kPageBytes = 4096;
constexpr int kPipeBytes = 2 * kPageBytes;
/// Of a pipe: more tokens than this machine has cores.
constexpr int kMostTokens = kPageBytes / 2;
constexpr std::string_view kBlanks = " \t\n";

/// Another open file of the same pipe: what is set on one, such as that reading waits, is not set on the other.
Result<UniqueFd> reopened(int fd, int flags) {
    UniqueFd again(::open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDWR | O_CLOEXEC | flags));
    if (!again) return failErrno("open a pipe of a jobserver", errno);
    return again;
}

struct Ends {
    UniqueFd ours;
    UniqueFd theirs; ///< of a named one none: they open it themselves
};

Result<Ends> openPipe() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC | O_NONBLOCK) != 0) return failErrno("make a pipe for a jobserver", errno);
    const UniqueFd read(fds[0]);
    const UniqueFd write(fds[1]);
    auto ours = reopened(read.get(), O_NONBLOCK);
    if (!ours) return std::unexpected(ours.error());
    auto theirs = reopened(read.get(), 0);
    if (!theirs) return std::unexpected(theirs.error());
    (void)::fcntl(ours->get(), F_SETPIPE_SZ, kPipeBytes);
    return Ends{.ours = std::move(*ours), .theirs = std::move(*theirs)};
}

Result<Ends> openFifo(const std::string& directory, const std::string& path) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return failErrno("make the directory of jobservers", errno);
    ::unlink(path.c_str()); // one that an earlier engine left
    if (::mkfifo(path.c_str(), 0600) != 0) return failErrno("make the named pipe of a jobserver", errno);
    UniqueFd ours(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!ours) return failErrno("open the named pipe of a jobserver", errno);
    return Ends{.ours = std::move(ours), .theirs = {}};
}

/// MAKEFLAGS are cut at white space, and what else a shell or make would change has no place in them.
bool isPlainPath(std::string_view path) {
    return std::ranges::all_of(path, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._+-").find(c) != std::string_view::npos;
    });
}

/// White space behind a backslash is part of a word.
std::size_t wordEnd(std::string_view text, std::size_t at) {
    while (at < text.size() && kBlanks.find(text[at]) == std::string_view::npos) at += text[at] == '\\' ? 2 : 1;
    return std::min(at, text.size());
}

/// Flags that the action was given stay. How many at once, and those of another jobserver, of whoever submitted it, mean
/// nothing here. Ours go before what is no flag any more.
std::string flagsWith(std::string_view given, std::string_view auth) {
    std::string flags;
    std::size_t from = 0;
    bool isCount = false; // that of "-j 8"
    for (std::size_t at = 0;;) {
        from = std::min(given.find_first_not_of(kBlanks, at), given.size());
        const std::size_t end = wordEnd(given, from);
        const std::string_view word = given.substr(from, end - from);
        if (word.empty() || word == "--") break;
        const bool goes = word.starts_with("-j") || word.starts_with("--jobs") ||
                          (isCount && word.find_first_not_of("0123456789") == std::string_view::npos);
        if (!goes) flags += given.substr(at, end - at);
        isCount = word == "-j" || word == "--jobs";
        at = end;
    }
    const std::string_view rest = given.substr(from);
    return fmt::format("{} -j --jobserver-auth={}{}{}", flags, auth, rest.empty() ? "" : " ", rest);
}

void setFlags(runners::Lease& lease, const std::string& auth) {
    std::string flags;
    for (const auto& [name, value] : lease.env)
        if (name == "MAKEFLAGS") flags = value;
    std::erase_if(lease.env, [](const auto& variable) {
        return variable.first == "MAKEFLAGS" || variable.first == "CARGO_MAKEFLAGS" || variable.first == "MFLAGS";
    });
    flags = flagsWith(flags, auth);
    lease.env.emplace_back("MAKEFLAGS", flags);
    // Cargo and rustc read this one first: that of the engine's environment is not theirs.
    lease.env.emplace_back("CARGO_MAKEFLAGS", flags);
}

int unreadIn(int fd) {
    int unread = 0;
    return ::ioctl(fd, FIONREAD, &unread) == 0 ? unread : 0;
}

/// Never waits. How many bytes there were.
int drain(int fd, int most) {
    std::array<char, kPipeBytes> bytes{};
    int taken = 0;
    while (taken < most) {
        const auto want = std::min(bytes.size(), static_cast<std::size_t>(most - taken));
        const ssize_t n = ::read(fd, bytes.data(), want);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        taken += static_cast<int>(n);
    }
    return taken;
}

/// Never waits. False: it is full, which is the doing of a client.
bool put(int fd) {
    ssize_t n = -1;
    do n = ::write(fd, &kToken, 1);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

} // namespace

JobTokens::~JobTokens() {
    for (const auto& [id, pipe] : pipes_)
        if (!pipe.path.empty()) ::unlink(pipe.path.c_str());
}

Result<void> JobTokens::give(runners::AttemptId id, Jobserver kind, int own, runners::Lease& lease) {
    YARD_ASSERT_OWNER(owner_);
    std::string path = fmt::format("{}/{}.{}", parts_.directory, id.lsn.value, id.attempt);
    if (kind != Jobserver::Fifo || lease.sandbox || !isPlainPath(path)) path.clear();
    auto ends = path.empty() ? openPipe() : openFifo(parts_.directory, path);
    if (!ends) return std::unexpected(ends.error());
    Pipe pipe{.end = std::move(ends->ours), .path = path};
    while (pipe.own < std::min(own, kMostTokens) && put(pipe.end.get())) ++pipe.own;
    if (ends->theirs) lease.tokens = std::make_shared<UniqueFd>(std::move(ends->theirs));
    setFlags(lease,
             path.empty() ? fmt::format("{},{}", runners::kTokensReadFd, runners::kTokensWriteFd) : "fifo:" + path);
    pipes_.insert_or_assign(id, std::move(pipe));
    work_.set();
    return {};
}

void JobTokens::started(runners::AttemptId id) {
    const auto at = pipes_.find(id);
    if (at == pipes_.end()) return;
    at->second.isRunning = true;
    parts_.wake(); // the turn that follows deals
}

void JobTokens::ended(runners::AttemptId id) {
    const auto at = pipes_.find(id);
    if (at == pipes_.end()) return;
    bool mayStart = false;
    for (const session::HoldKey key : at->second.lent) mayStart = parts_.session.holds().letGo(key) || mayStart;
    if (!at->second.path.empty()) ::unlink(at->second.path.c_str());
    pipes_.erase(at);
    if (mayStart || !pipes_.empty()) parts_.wake();
}

void JobTokens::afterTurn() {
    if (pipes_.empty()) return;
    const bool isLacking = isWanted();
    if (isLacking) restingLooks_ = kRestingLooks;
    if (isLacking || !parts_.mayGive())
        takeBackAll();
    else if (restingLooks_ == 0)
        deal();
}

bool JobTokens::isWanted() const {
    return parts_.session.shortage().lacksCores() || parts_.session.holds().wantsCores();
}

/// The core is held before the token can be taken.
JobTokens::Lent JobTokens::lend(Pipe& pipe) {
    if (pipe.tokens() >= kMostTokens) return Lent::NoRoom;
    const session::HoldKey key = nextKey_;
    auto& holds = parts_.session.holds();
    if (!holds.take(key, {.milliCores = 1'000, .memoryMb = 0, .named = {}})) {
        (void)holds.letGo(key); // the wish: what others wait for comes first
        return Lent::NoCore;
    }
    nextKey_ = kFirstKey + ((nextKey_ + 1) & ~kKindMask);
    pipe.lent.push_back(key);
    if (put(pipe.end.get())) return Lent::Yes;
    (void)holds.letGo(key);
    pipe.lent.pop_back();
    return Lent::NoRoom;
}

/// What nobody has taken, and was not the action's own in the first place. How many cores that gives back.
int JobTokens::takeOut(Pipe& pipe, int most) {
    const int taken = drain(pipe.end.get(), std::min(most, static_cast<int>(pipe.lent.size())));
    for (int i = 0; i < taken; ++i) {
        (void)parts_.session.holds().letGo(pipe.lent.back());
        pipe.lent.pop_back();
    }
    return taken;
}

void JobTokens::takeBackAll() {
    int taken = 0;
    for (auto& [id, pipe] : pipes_) taken += takeOut(pipe, static_cast<int>(pipe.lent.size()));
    if (taken > 0) parts_.wake();
}

/// In turns, until none is free, or no pipe has room.
void JobTokens::deal() {
    if (std::ranges::none_of(pipes_, [](const auto& one) { return one.second.isRunning; })) return;
    for (std::size_t full = 0; full < pipes_.size();) {
        auto at = pipes_.upper_bound(lastDealt_);
        for (std::size_t passed = 0; passed <= pipes_.size(); ++passed, ++at) {
            if (at == pipes_.end()) at = pipes_.begin();
            if (at->second.isRunning) break;
        }
        if (at == pipes_.end() || !at->second.isRunning) return;
        const Lent lent = lend(at->second);
        if (lent == Lent::NoCore) return;
        full = lent == Lent::NoRoom ? full + 1 : 0;
        lastDealt_ = at->first;
    }
}

/// Nothing is free: one that has lain for a while goes to who has none left to take.
void JobTokens::moveSpare() {
    const auto most = std::ranges::max_element(
        pipes_, {}, [](const auto& one) { return one.second.lent.empty() ? 0 : one.second.spare; });
    if (most == pipes_.end() || most->second.lent.empty() || most->second.spare < 1) return;
    auto at = pipes_.upper_bound(lastDealt_);
    for (std::size_t passed = 0; passed <= pipes_.size(); ++passed, ++at) {
        if (at == pipes_.end()) at = pipes_.begin();
        Pipe& to = at->second;
        if (!to.isRunning || at == most || unreadIn(to.end.get()) > 0) continue;
        if (takeOut(most->second, 1) == 1 && lend(to) == Lent::Yes) lastDealt_ = at->first;
        return;
    }
}

void JobTokens::look() {
    for (auto& [id, pipe] : pipes_) {
        int unread = unreadIn(pipe.end.get());
        // More than it was given: a client wrote what it did not take.
        if (unread > pipe.tokens())
            unread -= drain(pipe.end.get(), std::min(unread - pipe.tokens(), static_cast<int>(kMostRead)));
        const int held = std::max(0, pipe.tokens() - unread);
        pipe.spare = std::min(unread, std::exchange(pipe.lastUnread, unread));
        if (++pipe.sinceTold < kLooksPerTelling || held == pipe.told) continue;
        pipe.told = held;
        pipe.sinceTold = 0;
        parts_.changed(id.lsn);
    }
    if (restingLooks_ > 0) --restingLooks_;
    afterTurn();
    if (!isWanted()) moveSpare();
}

std::optional<int> JobTokens::heldBy(runners::AttemptId id) const {
    const auto at = pipes_.find(id);
    if (at == pipes_.end()) return std::nullopt;
    return std::max(0, at->second.tokens() - unreadIn(at->second.end.get()));
}

coro::Task<void> JobTokens::run() {
    for (;;) {
        if (pipes_.empty()) {
            work_.clear();
            co_await work_.wait();
        }
        co_await coro::sleepFor(kLook);
        look();
    }
}

} // namespace yard::engine
