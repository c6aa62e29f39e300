#include "tests/runners/fuse_mount.h"
#include "tests/support/waiting.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fuse.h>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace yard::test {
namespace {

constexpr std::size_t kLargestRequest = 256u << 10;
constexpr std::uint64_t kProgramNode = 3;

fuse_attr attributesOf(std::uint64_t node, std::size_t programBytes) {
    fuse_attr attr{};
    attr.ino = node;
    attr.mode = node == kProgramNode ? S_IFREG | 0755 : S_IFDIR | 0755;
    attr.size = node == kProgramNode ? programBytes : 0;
    attr.nlink = 1;
    attr.blksize = 4096;
    return attr;
}

const fuse_in_header& headOf(const std::vector<char>& request) {
    return *reinterpret_cast<const fuse_in_header*>(request.data());
}

} // namespace

FuseMount::FuseMount(std::string directory, std::string script)
    : directory_(std::move(directory))
    , script_(std::move(script))
    , fuse_(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK))
    , stop_(::eventfd(0, EFD_CLOEXEC)) {
    ::mkdir(directory_.c_str(), 0755);
    const std::string options = fmt::format("fd={},rootmode=40000,user_id=0,group_id=0", fuse_.get());
    isThere_ = fuse_ && ::mount("held", directory_.c_str(), "fuse", 0, options.c_str()) == 0;
    if (isThere_) thread_ = std::thread([this] { serve(); });
}

FuseMount::~FuseMount() {
    if (!isThere_) return;
    answer();
    ::umount2(directory_.c_str(), MNT_DETACH);
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
}

void FuseMount::serve() {
    for (;;) {
        pollfd fds[2] = {{fuse_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
        if (::poll(fds, 2, -1) < 0 && errno != EINTR) return;
        if (fds[1].revents != 0) return;
        std::vector<char> request(kLargestRequest);
        const ssize_t got = ::read(fuse_.get(), request.data(), request.size());
        if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOENT)) continue;
        if (got <= 0) return;
        request.resize(static_cast<std::size_t>(got));
        take(std::move(request));
    }
}

void FuseMount::take(std::vector<char> request) {
    const std::uint32_t opcode = headOf(request).opcode;
    if (opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET || opcode == FUSE_INTERRUPT) return;
    const std::scoped_lock lock(mutex_);
    if (answers_ || opcode == FUSE_INIT) return reply(request);
    held_.push_back(std::move(request));
    changed_.notify_all();
}

bool FuseMount::holds(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(kWaitMs), [&] { return held_.size() >= count; });
}

std::size_t FuseMount::held() {
    const std::scoped_lock lock(mutex_);
    return held_.size();
}

void FuseMount::answer() {
    const std::scoped_lock lock(mutex_);
    answers_ = true;
    for (const std::vector<char>& request : std::exchange(held_, {})) reply(request);
}

void FuseMount::hold() {
    const std::scoped_lock lock(mutex_);
    answers_ = false;
}

void FuseMount::send(std::uint64_t unique, int err, const void* body, std::size_t size) {
    fuse_out_header head{};
    head.len = static_cast<std::uint32_t>(sizeof head + size);
    head.error = -err;
    head.unique = unique;
    const iovec parts[2] = {{&head, sizeof head}, {const_cast<void*>(body), size}};
    static_cast<void>(::writev(fuse_.get(), parts, size > 0 ? 2 : 1)); // who asked may be gone
}

void FuseMount::reply(const std::vector<char>& request) {
    const fuse_in_header& head = headOf(request);
    const char* body = request.data() + sizeof head;
    switch (head.opcode) {
    case FUSE_INIT: {
        fuse_init_out out{};
        out.major = FUSE_KERNEL_VERSION;
        out.minor = FUSE_KERNEL_MINOR_VERSION;
        out.max_write = 4096;
        return send(head.unique, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
        fuse_entry_out out{}; // valid for no time: it is asked again each time
        out.nodeid = std::string_view(body).starts_with("program") ? kProgramNode : 2;
        out.attr = attributesOf(out.nodeid, script_.size());
        return send(head.unique, 0, &out, sizeof out);
    }
    case FUSE_GETATTR: {
        fuse_attr_out out{};
        out.attr = attributesOf(head.nodeid, script_.size());
        return send(head.unique, 0, &out, sizeof out);
    }
    case FUSE_OPEN:
    case FUSE_OPENDIR: {
        const fuse_open_out out{};
        return send(head.unique, 0, &out, sizeof out);
    }
    case FUSE_READ: {
        fuse_read_in in{};
        std::memcpy(&in, body, sizeof in);
        const std::string_view rest =
            in.offset < script_.size() ? std::string_view(script_).substr(in.offset, in.size) : std::string_view();
        return send(head.unique, 0, rest.data(), rest.size());
    }
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
    case FUSE_FLUSH: return send(head.unique, 0);
    default: return send(head.unique, ENOSYS);
    }
}

} // namespace yard::test
