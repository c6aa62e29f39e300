#include "core/base/cpu_colocation.h"

#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace yard {

namespace {

constexpr Duration kBetweenLooks{10'000};
/// Of one CPU, of all of them together: above they are let go, below they come together.
constexpr double kMuch = 0.96;
constexpr double kLittle = 0.9;
/// So much, beyond what they at most wait while one of them runs, they wait for somebody else at a turn.
constexpr std::int64_t kLongWait = 150;
constexpr std::int64_t kSomeTurns = 20;
/// Then they stay apart for so long, each time twice as long.
constexpr Duration kFirstBackOff{1'000'000};
constexpr Duration kLongestBackOff{60'000'000};
/// After something else was to be run here.
constexpr Duration kAfterOthers{200'000};

} // namespace

struct CpuColocation::Members {
    struct Member {
        pid_t thread;
        UniqueFd schedstat;
    };
    ThreadMutex mutex;
    std::vector<Member> all YARD_GUARDED_BY(mutex);
    cpu_set_t allowed{}; ///< of all of them, as it was

    /// Nothing where it is not counted.
    std::optional<Use> use() {
        const ThreadLock lock(mutex);
        Use sum{.members = std::ssize(all)};
        for (const Member& member : all) {
            std::array<char, 128> text{};
            const ssize_t size = ::pread(member.schedstat.get(), text.data(), text.size(), 0);
            if (size <= 0) return std::nullopt;
            const char* at = text.data();
            const char* const end = at + size;
            std::array<std::int64_t, 3> numbers{};
            for (std::int64_t& number : numbers) {
                while (at < end && *at == ' ') ++at;
                at = std::from_chars(at, end, number).ptr;
            }
            sum.ran += numbers[0] / 1'000;
            sum.waited += numbers[1] / 1'000;
            sum.turns += numbers[2];
        }
        return sum;
    }

    bool bind(const cpu_set_t& cpus) {
        const ThreadLock lock(mutex);
        return std::ranges::all_of(
            all, [&](const Member& member) { return ::sched_setaffinity(member.thread, sizeof cpus, &cpus) == 0; });
    }
};

struct CpuColocation::Membership {
    std::shared_ptr<Members> members;
    pid_t thread;
    ~Membership() {
        const ThreadLock lock(members->mutex);
        std::erase_if(members->all, [this](const auto& member) { return member.thread == thread; });
    }
};

CpuColocation::CpuColocation()
    : members_(std::make_shared<Members>())
    , backOff_(kFirstBackOff) {
    const bool known = ::sched_getaffinity(0, sizeof members_->allowed, &members_->allowed) == 0;
    // More CPUs than the set has room for, or one: then they stay as they are.
    if (!known || CPU_COUNT(&members_->allowed) < 2) apartUntil_ = MonoTime::max();
}

CpuColocation::~CpuColocation() {
    part();
}

void CpuColocation::join() {
    static thread_local std::unique_ptr<Membership> membership;
    const auto thread = static_cast<pid_t>(::syscall(SYS_gettid));
    UniqueFd schedstat(::open(fmt::format("/proc/self/task/{}/schedstat", thread).c_str(), O_RDONLY | O_CLOEXEC));
    if (!schedstat) return;
    {
        const ThreadLock lock(members_->mutex);
        members_->all.push_back({thread, std::move(schedstat)});
    }
    membership = std::make_unique<Membership>(members_, thread);
}

bool CpuColocation::isCrowded(const Use& use) {
    const std::int64_t forEachOther = use.ran * (use.members - 1);
    return use.turns >= kSomeTurns && use.waited - forEachOther > use.turns * kLongWait;
}

bool CpuColocation::shouldBeTogether(const Use& use, Duration span, bool areTogether) {
    return static_cast<double>(use.ran) < static_cast<double>(span.count()) * (areTogether ? kMuch : kLittle);
}

void CpuColocation::look(MonoTime now, bool may) {
    if (now < lookedAt_ + kBetweenLooks) return;
    lookedAt_ = now;
    if (!may) {
        apartUntil_ = std::max(apartUntil_, now + kAfterOthers);
        return part();
    }
    if (now < apartUntil_ && !cpu_) return;
    const std::optional<Use> use = members_->use();
    if (!use) return part();
    const Use done{.ran = use->ran - last_.ran,
                   .waited = use->waited - last_.waited,
                   .turns = use->turns - last_.turns,
                   .members = use->members};
    const Duration span = now - usedAt_;
    last_ = *use;
    usedAt_ = now;
    // Their own doing, which may be over at the next look: no reason to back off.
    if (!shouldBeTogether(done, span, cpu_.has_value())) return part();
    if (cpu_ && isCrowded(done)) {
        apartUntil_ = now + backOff_;
        backOff_ = std::min(backOff_ * 2, kLongestBackOff);
        return part();
    }
    if (!cpu_) return move(::sched_getcpu());
    if (now > apartUntil_ + kLongestBackOff) backOff_ = kFirstBackOff;
}

void CpuColocation::part() {
    if (cpu_) move(std::nullopt);
}

void CpuColocation::move(std::optional<int> cpu) {
    cpu_set_t cpus = members_->allowed;
    if (cpu) {
        CPU_ZERO(&cpus);
        CPU_SET(*cpu, &cpus);
    }
    cpu_ = cpu;
    if (members_->bind(cpus) || !cpu) return;
    // The machine's owner has changed what is allowed.
    apartUntil_ = MonoTime::max();
    part();
}

} // namespace yard
