// A runner without processes: what becomes of a lease is what a test says. It keeps the promises of
// core/lease/runner.h.
//
// Owner: the thread that calls submit() and onReadable(). post() is for any other.
#pragma once

#include "core/base/unique_fd.h"
#include "core/lease/runner.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/eventfd.h>

namespace yard::engine::test {

class FakeRunner final : public runners::Runner {
public:
    using Id = runners::AttemptId;

    explicit FakeRunner(unsigned slots, runners::UpdateSink sink = {})
        : slots_(slots)
        , sink_(std::move(sink)) {}

    struct Out {
        runners::Lease lease;
        bool hasBegun = false;
    };
    std::map<Id, Out> out;              ///< leases without a terminal update
    std::vector<Id> taken;              ///< all that ever came, in order
    std::vector<Id> askedBack;          ///< to be taken back
    std::vector<std::string> toldToEnd; ///< "1 engine_stopped": told to end
    std::vector<Id> acknowledged;       ///< by the journal
    std::vector<std::string> frozen;    ///< "1 on", "1 off": told to stand still, or to go on
    bool endsAtOnce = true;             ///< what is told to end does
    bool runsAtOnce = false;            ///< each lease is run to its end as it comes
    int refuses = 0;                    ///< so many that come next, as one that is full does

    // --- what happens there
    void begin(std::int64_t lsn) {
        Out& one = at(lsn);
        one.hasBegun = true;
        tell(one.lease.id, runners::Started{.slot = one.lease.slot, .pid = 0, .times = timesOf(false)});
    }
    void exit(std::int64_t lsn, int code = 0, const std::string& printed = {}) {
        runners::Ended ended = endOf(at(lsn), runners::EndCause::Exited);
        ended.exitCode = code;
        ended.out.bytes = printed;
        ended.out.size = printed.size();
        if (!printed.empty()) ended.out.hash = Sha256::of(printed);
        end(at(lsn).lease.id, std::move(ended));
    }
    void end(std::int64_t lsn, runners::EndCause cause) { end(at(lsn).lease.id, endOf(at(lsn), cause)); }
    /// It was never started, and never will be.
    void giveBack(std::int64_t lsn) { finish(at(lsn).lease.id, runners::Returned{}); }
    void standStill(std::int64_t lsn, bool on, MonoTime since) {
        tell(at(lsn).lease.id, runners::Frozen{.isFrozen = on, .at = since});
    }
    void move(std::int64_t lsn, SlotId slot) {
        at(lsn).lease.slot = slot;
        tell(at(lsn).lease.id, runners::Moved{slot});
    }
    /// What runs there is lost; what had not begun comes back. Nothing is taken until recover().
    void die() {
        accepts_ = false;
        while (!out.empty()) {
            const Out& one = out.begin()->second;
            if (one.hasBegun)
                end(one.lease.id, endOf(one, runners::EndCause::LostRunner));
            else
                finish(one.lease.id, runners::Returned{});
        }
        signal();
    }
    void recover() {
        accepts_ = true;
        signal();
    }

    // --- from another thread
    void post(std::function<void(FakeRunner&)> job) {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        signal();
    }

    // --- Runner
    std::string_view name() const override { return "fake"; }
    unsigned capacity() const override { return slots_; }
    unsigned free() const override {
        if (!accepts_) return 0;
        std::vector<bool> busy(slots_, false);
        for (const auto& [id, one] : out) busy[one.lease.slot.value] = true;
        return static_cast<unsigned>(std::ranges::count(busy, false));
    }
    bool setFrozen(Id id, bool on) override {
        if (!out.contains(id)) return false;
        frozen.push_back(std::to_string(id.lsn.value) + (on ? " on" : " off"));
        return true;
    }
    bool isAccepting() const override { return accepts_ && !isDown_; }
    void submit(std::vector<runners::Lease> batch) override {
        for (runners::Lease& lease : batch) {
            const Id id = lease.id;
            if (!isAccepting() || lease.slot.value >= slots_ || refuses > 0) {
                refuses -= refuses > 0 ? 1 : 0;
                tell(id, runners::Returned{});
                continue;
            }
            taken.push_back(id);
            out[id] = {std::move(lease), false};
            if (!runsAtOnce) continue;
            begin(id.lsn.value);
            exit(id.lsn.value, 0, "there");
        }
    }
    void takeBack(Id id) override {
        askedBack.push_back(id);
        if (const auto one = out.find(id); one != out.end() && !one->second.hasBegun)
            finish(id, runners::Returned{});
    }
    void end(Id id, runners::StopCause cause, std::optional<Duration>) override {
        const auto one = out.find(id);
        if (one == out.end()) return;
        toldToEnd.push_back(std::to_string(id.lsn.value) + " " + std::string(runners::name(runners::endOf(cause))));
        if (!one->second.hasBegun)
            finish(id, runners::Returned{});
        else if (endsAtOnce)
            end(id, endOf(one->second, runners::endOf(cause)));
    }
    void endAll(runners::StopCause cause, std::optional<Duration> grace) override {
        std::vector<Id> all;
        for (const auto& [id, one] : out) all.push_back(id);
        for (const Id id : all) end(id, cause, grace);
    }
    void watch(Id, runners::Stream) override {}
    void unwatch(Id, runners::Stream) override {}
    void acknowledge(SlotId, Id id) override { acknowledged.push_back(id); }
    int pollFd() const override { return wake_.get(); }
    void onReadable() override {
        eventfd_t count = 0;
        ::eventfd_read(wake_.get(), &count);
        for (const auto& job : takeJobs()) job(*this);
        if (!updates_.empty()) sink_(std::exchange(updates_, {}));
    }
    void shutDown(Duration) override {
        endAll(runners::StopCause::EngineStopped, {});
        isDown_ = true;
    }
    bool isDown() const override { return isDown_; }

private:
    static runners::RunTimes timesOf(bool isOver) {
        const MonoTime now = MonoClock::now();
        runners::RunTimes times;
        times.submitting = times.running = now;
        if (isOver) times.exited = times.ended = now;
        return times;
    }
    static runners::Ended endOf(const Out& one, runners::EndCause cause) {
        runners::Ended ended;
        ended.slot = one.lease.slot;
        ended.cause = cause;
        ended.times.ended = MonoClock::now();
        if (one.hasBegun && cause != runners::EndCause::LostRunner) ended.times = timesOf(true);
        return ended;
    }
    Out& at(std::int64_t lsn) {
        const auto one =
            std::ranges::find_if(out, [lsn](const auto& entry) { return entry.first.lsn.value == lsn; });
        if (one == out.end()) qFatal("action %lld is not out", static_cast<long long>(lsn));
        return one->second;
    }
    void end(Id id, runners::Ended ended) { finish(id, std::move(ended)); }
    void finish(Id id, decltype(runners::Update::what) what) {
        out.erase(id);
        tell(id, std::move(what));
    }
    void tell(Id id, decltype(runners::Update::what) what) {
        updates_.push_back({id, std::move(what)});
        signal();
    }
    void signal() { ::eventfd_write(wake_.get(), 1); }
    std::vector<std::function<void(FakeRunner&)>> takeJobs() {
        const std::lock_guard lock(mutex_);
        return std::exchange(jobs_, {});
    }

    unsigned slots_;
    runners::UpdateSink sink_;
    UniqueFd wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    bool accepts_ = true;
    bool isDown_ = false;
    std::vector<runners::Update> updates_;
    std::mutex mutex_;
    std::vector<std::function<void(FakeRunner&)>> jobs_; ///< guarded by mutex_
};

} // namespace yard::engine::test
