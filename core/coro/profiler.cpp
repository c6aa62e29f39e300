#include "core/coro/profiler.h"

#include "core/base/allocation_count.h"
#include "core/coro/await_chain.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"
#include "core/profile/profile_file.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <deque>
#include <sys/resource.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::coro {

namespace {

using profile::Cost;
using profile::kCostParts;
using profile::kNoParent;

// A file of a profile may have more of each.
constexpr std::size_t kMostFunctions = 20'000;
constexpr std::size_t kMostNodes = 20'000;
constexpr std::uint32_t kDeepest = 256;
constexpr std::size_t kMostSlices = 100'000;
static_assert(kMostFunctions <= profile::kMostFunctions && kMostNodes <= profile::kMostNodes &&
              kDeepest <= profile::kDeepest && kMostSlices <= profile::kMostSlices);
constexpr std::int64_t kUsageEvery = 50'000; // nanoseconds
constexpr std::size_t kMostShared = 4'096;   // places among which one reading is shared out

std::uint64_t nextSerial() noexcept {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

std::int64_t nanosNow() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

std::uint64_t allocatedNow() noexcept {
    if constexpr (detail::kHasProfiler)
        return allocatedByThisThread();
    else
        return 0;
}

std::uint64_t microsOf(const timeval& time) noexcept {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

Cost usageNow() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    Cost cost;
    cost.userMicros = microsOf(usage.ru_utime);
    cost.systemMicros = microsOf(usage.ru_stime);
    cost.voluntarySwitches = static_cast<std::uint64_t>(usage.ru_nvcsw);
    cost.involuntarySwitches = static_cast<std::uint64_t>(usage.ru_nivcsw);
    cost.minorFaults = static_cast<std::uint64_t>(usage.ru_minflt);
    cost.majorFaults = static_cast<std::uint64_t>(usage.ru_majflt);
    return cost;
}

/// What of `whole` falls to a part of the time; what is left over stays in `whole` for the next.
void shareOut(std::uint64_t& whole, std::uint64_t& to, double part) {
    if (whole == 0) return;
    const auto share = std::min(whole, static_cast<std::uint64_t>(std::llround(static_cast<double>(whole) * part)));
    to += share;
    whole -= share;
}

std::string withoutNumbers(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const bool isDigit = c >= '0' && c <= '9';
        if (isDigit && text.ends_with('#')) continue;
        text += isDigit ? '#' : c;
    }
    return text;
}

} // namespace

class Profiler final : public SwitchObserver, public detail::FunctionObserver {
public:
    Profiler(Loop& loop, ProfileOptions options);
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;
    ~Profiler() override;

    void switchedIn(const Thread& thread, MonoTime at) override;
    void switchedOut(const Thread& thread, MonoTime at, Duration ran) override;
    void postedBegins() override { outside(kLoopItself); }
    void postedEnds() override { outside(kPostedFunctions); }
    void fallsAsleep() override { outside(kLoopItself); }
    void wakesUp() override { outside_ = nanosNow(); } // what it slept is nobody's
    void entered(const detail::PromiseBase& callee) noexcept override;
    void enteredPart(const char* name, const std::source_location& where) noexcept override;
    void left() noexcept override;

    profile::Profile take();
    std::uint64_t serial() const { return serial_; }

private:
    static constexpr std::uint32_t kNowhere = kNoParent;

    static constexpr const char* kLoopItself = "(the loop itself)";
    static constexpr const char* kProfilerItself = "(the profiler itself)";
    static constexpr const char* kPostedFunctions = "(functions that were posted)";

    void resume(const Thread& thread);
    /// What passed since the last turn, or the last call of this, belongs to no thread.
    void outside(const char* what) { outside(what, nanosNow()); }
    void outside(const char* what, std::int64_t now);
    /// The time since the last look belongs to where it is now.
    void account();
    void readUsage();
    std::uint32_t placeOf(const Thread& thread);
    std::uint32_t child(std::uint32_t parent, std::uint32_t function);
    std::uint32_t functionOf(const detail::PromiseBase& promise);
    std::uint32_t partOf(const char* name, const std::source_location& where);
    void enter(std::uint32_t function) noexcept;
    std::uint32_t intern(std::string name, std::string file, std::uint32_t line);

    const std::uint64_t serial_ = nextSerial();
    Loop& loop_;
    ProfileOptions options_;
    profile::Profile profile_;
    std::vector<std::uint32_t> depths_;                         ///< of the nodes
    std::unordered_map<std::uint64_t, std::uint32_t> children_; ///< parent and function
    std::unordered_map<const char*, std::uint32_t> byPointer_;  ///< the compiler's texts
    std::unordered_map<std::string, std::uint32_t> byName_;
    std::unordered_map<std::uint64_t, std::uint32_t> parked_;   ///< threads: the place they come back to
    std::vector<std::pair<std::uint32_t, std::int64_t>> since_; ///< places and nanoseconds since the last usage
    std::deque<profile::Slice> slices_;
    std::int64_t begin_ = nanosNow();
    std::int64_t last_ = begin_;
    std::int64_t lastUsage_ = 0;
    std::int64_t outside_ = 0;    ///< since when no thread has its turn
    std::uint64_t allocated_ = 0; ///< by the OS thread, when this one was done the last time
    std::int64_t sliceStart_ = 0;
    Cost usage_{};
    std::uint32_t at_ = kNowhere;
    std::uint32_t root_ = kNowhere;
    std::uint32_t beyond_ = 0; ///< calls that have no place of their own and have not returned
};

Profiler::Profiler(Loop& loop, ProfileOptions options)
    : loop_(loop)
    , options_(std::move(options)) {
    profile_.loop = loop.name();
    profile_.began = wallNow();
    resume(currentThread());
    readUsage();
    detail::functionObserver = this;
    loop_.meter().setObserver(this);
}

Profiler::~Profiler() {
    if (detail::functionObserver == this) detail::functionObserver = nullptr;
    loop_.meter().setObserver(nullptr);
}

std::uint32_t Profiler::intern(std::string name, std::string file, std::uint32_t line) {
    std::string key = name + '\n' + file;
    if (const auto known = byName_.find(key); known != byName_.end()) return known->second;
    if (profile_.functions.size() == kMostFunctions) return kNowhere;
    const auto function = static_cast<std::uint32_t>(profile_.functions.size());
    profile_.functions.push_back({.name = std::move(name), .file = std::move(file), .line = line});
    byName_.emplace(std::move(key), function);
    return function;
}

std::uint32_t Profiler::functionOf(const detail::PromiseBase& promise) {
    const char* text = promise.at.function_name();
    if (const auto known = byPointer_.find(text); known != byPointer_.end()) return known->second;
    const std::uint32_t function =
        intern(functionName(text), fileInTree(promise.at.file_name()), promise.at.line());
    byPointer_.emplace(text, function);
    return function;
}

std::uint32_t Profiler::child(std::uint32_t parent, std::uint32_t function) {
    const std::uint64_t key = std::uint64_t{parent} << 32 | function;
    if (const auto known = children_.find(key); known != children_.end()) return known->second;
    const std::uint32_t depth = parent == kNoParent ? 1 : depths_[parent] + 1;
    if (function == kNowhere || profile_.nodes.size() == kMostNodes || depth > kDeepest) return kNowhere;
    const auto node = static_cast<std::uint32_t>(profile_.nodes.size());
    profile_.nodes.push_back({.function = function, .parent = parent, .self = {}});
    depths_.push_back(depth);
    children_.emplace(key, node);
    return node;
}

/// By its chain of calls, outermost first. Those without a place are beyond: they return before the others.
std::uint32_t Profiler::placeOf(const Thread& thread) {
    std::uint32_t place = child(kNoParent, intern(withoutNumbers(thread.name()), {}, 0));
    std::vector<const detail::PromiseBase*> calls;
    for (const detail::PromiseBase* at = detail::runningFunction; at; at = at->awaitedBy) calls.push_back(at);
    for (; place != kNowhere && !calls.empty(); calls.pop_back()) {
        const std::uint32_t next = child(place, functionOf(*calls.back()));
        if (next == kNowhere) break;
        place = next;
    }
    beyond_ = static_cast<std::uint32_t>(calls.size());
    return place;
}

void Profiler::resume(const Thread& thread) {
    at_ = root_ = kNowhere;
    beyond_ = 0;
    if (options_.thread.empty() || thread.name().contains(options_.thread)) {
        const auto parked = parked_.find(thread.id());
        at_ = parked != parked_.end() ? parked->second : placeOf(thread);
    }
    if (at_ == kNowhere) {
        if (!since_.empty()) readUsage(); // what this one uses is not of those before
        return;
    }
    // What the OS thread used in between, asleep or for posted functions, is nobody's.
    if (since_.empty() || nanosNow() - last_ >= kUsageEvery) {
        since_.clear();
        usage_ = usageNow();
        lastUsage_ = nanosNow();
    }
    root_ = at_;
    while (profile_.nodes[root_].parent != kNoParent) root_ = profile_.nodes[root_].parent;
    ++profile_.nodes[root_].self.calls;
    if (thread.runs() == 0 && at_ != root_) ++profile_.nodes[at_].self.calls; // its body begins
    last_ = sliceStart_ = nanosNow();
    allocated_ = allocatedNow();
}

void Profiler::account() {
    if (at_ == kNowhere) return;
    const std::int64_t now = nanosNow();
    const std::int64_t ran = now - last_;
    last_ = now;
    profile_.nodes[at_].self.wallNanos += static_cast<std::uint64_t>(ran);
    profile_.nodes[at_].self.allocatedBytes += allocatedNow() - allocated_;
    if (since_.empty() || since_.back().first != at_)
        since_.emplace_back(at_, ran);
    else
        since_.back().second += ran;
    if (since_.size() >= kMostShared) readUsage();
    allocated_ = allocatedNow(); // what was noted here is nobody's
}

void Profiler::readUsage() {
    const Cost now = usageNow();
    Cost spent = now;
    for (const auto part : kCostParts) spent.*part -= usage_.*part;
    usage_ = now;
    lastUsage_ = last_;
    std::int64_t whole = 0;
    for (const auto& [node, ran] : since_) whole += ran;
    for (const auto& [node, ran] : since_) {
        if (whole <= 0) break;
        const double share = static_cast<double>(ran) / static_cast<double>(whole);
        whole -= ran;
        Cost& self = profile_.nodes[node].self;
        for (const auto part : kCostParts) shareOut(spent.*part, self.*part, share);
    }
    since_.clear();
}

void Profiler::outside(const char* what, std::int64_t now) {
    const std::int64_t passed = now - std::exchange(outside_, now);
    if (!options_.thread.empty()) return; // of those who were asked for
    const std::uint32_t node = child(kNoParent, intern(what, {}, 0));
    if (node == kNowhere) return;
    ++profile_.nodes[node].self.calls;
    profile_.nodes[node].self.wallNanos += static_cast<std::uint64_t>(passed);
}

void Profiler::switchedIn(const Thread& thread, MonoTime) {
    outside(kLoopItself);
    resume(thread);
    if (at_ != kNowhere) outside(kProfilerItself, last_); // from then on it is the thread's
}

void Profiler::switchedOut(const Thread& thread, MonoTime, Duration) {
    account();
    if (root_ != kNowhere) {
        if (slices_.size() == kMostSlices) {
            slices_.pop_front();
            ++profile_.slicesLeftOut;
        }
        slices_.push_back({.node = root_,
                           .startMicros = static_cast<std::uint64_t>((sliceStart_ - begin_) / 1000),
                           .ranMicros = static_cast<std::uint32_t>((last_ - sliceStart_) / 1000)});
    }
    if (!thread.hasEnded() && at_ != kNowhere && beyond_ == 0)
        parked_.insert_or_assign(thread.id(), at_);
    else
        parked_.erase(thread.id()); // one that goes on is found by its chain again
    if (!since_.empty() && (last_ - lastUsage_ >= kUsageEvery || !loop_.hasReady())) readUsage();
    outside_ = at_ != kNowhere ? last_ : nanosNow();
    at_ = root_ = kNowhere;
    outside(kProfilerItself);
}

std::uint32_t Profiler::partOf(const char* name, const std::source_location& where) {
    if (const auto known = byPointer_.find(name); known != byPointer_.end()) return known->second;
    const std::uint32_t function = intern(name, fileInTree(where.file_name()), where.line());
    byPointer_.emplace(name, function);
    return function;
}

void Profiler::entered(const detail::PromiseBase& callee) noexcept {
    if (at_ == kNowhere) return;
    account();
    enter(functionOf(callee));
}

void Profiler::enteredPart(const char* name, const std::source_location& where) noexcept {
    if (at_ == kNowhere) return;
    account();
    enter(partOf(name, where));
}

void Profiler::enter(std::uint32_t function) noexcept {
    const std::uint32_t next = beyond_ > 0 ? kNowhere : child(at_, function);
    if (next == kNowhere) {
        ++beyond_;
        ++profile_.callsLeftOut;
        allocated_ = allocatedNow();
        return;
    }
    at_ = next;
    ++profile_.nodes[at_].self.calls;
    allocated_ = allocatedNow();
}

void Profiler::left() noexcept {
    if (at_ == kNowhere) return;
    account();
    if (beyond_ > 0)
        --beyond_;
    else if (profile_.nodes[at_].parent != kNoParent)
        at_ = profile_.nodes[at_].parent;
}

profile::Profile Profiler::take() {
    account();
    readUsage();
    profile_.lastedMicros = static_cast<std::uint64_t>((nanosNow() - begin_) / 1000);
    profile_.slices.assign(slices_.begin(), slices_.end());
    return profile::within(profile_, options_.function);
}

void LoopMeter::ProfilerEnd::operator()(Profiler* profiler) const {
    delete profiler;
}

Result<std::uint64_t> startProfile(ProfileOptions options) {
    Loop& loop = currentLoop();
    LoopMeter& meter = loop.meter();
    if (meter.profiler())
        return fail(ErrorKind::WrongState, "A profile of this loop is being taken already; stop it first.");
    meter.profiler().reset(new Profiler(loop, std::move(options)));
    return meter.profiler()->serial();
}

Result<profile::Profile> stopProfile(std::optional<std::uint64_t> serial) {
    LoopMeter& meter = currentLoop().meter();
    if (serial && (!meter.profiler() || meter.profiler()->serial() != *serial))
        return fail(ErrorKind::WrongState, "Another has stopped this profile.");
    if (!meter.profiler())
        return fail(ErrorKind::WrongState, "No profile of this loop is being taken; start one first.");
    profile::Profile taken = meter.profiler()->take();
    meter.profiler().reset();
    return taken;
}

} // namespace yard::coro
