// The real session with a machine whose attempts end when a test says so. Counts starts, never seconds.
#pragma once

#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/queue_commands.h"
#include "core/session/session.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace yard::session::test {

/// One machine whose attempts all last the same: time goes in rounds.
class Machine {
public:
    explicit Machine(int cores, int ahead = 0, std::int64_t memoryMb = 0)
        : session(std::make_unique<MachineCapacity>(
                      Resources{.milliCores = 1000 * cores, .memoryMb = memoryMb, .named = {}}),
                  SessionOptions{.slotCount = cores, .aheadPerSlot = ahead}) {
        begin();
    }
    Machine(std::unique_ptr<Capacity> machines, const SessionOptions& options)
        : session(std::move(machines), options) {
        begin();
    }
    void defineClass(std::uint32_t id, int cores, std::int64_t memoryMb = 0) {
        Resources need;
        need.milliCores = 1000 * cores;
        need.memoryMb = memoryMb;
        session.defineClass(ClassId(id), need);
    }
    void defineLocking(std::uint32_t id, std::vector<LockId> locks) {
        session.defineClass(ClassId(id), {}, std::move(locks));
    }
    void addQueue(std::int64_t id, double weight = 1) {
        QueueConfig config;
        config.weight = weight;
        session.queues().add(QueueId(id), config);
    }
    Lsn submit(std::int64_t queue = 0, int priority = 0, std::uint32_t cls = 0, bool held = false,
               std::uint32_t label = 0) {
        NewAction a;
        a.lsn = Lsn(++lsn);
        a.queue = QueueId(queue);
        a.cls = ClassId(cls);
        a.priority = priority;
        a.held = held;
        a.label = LabelId(label);
        a.submitTime = lsn;
        session.intake().add({&a, 1}, now, out);
        return a.lsn;
    }
    /// Starts what fits; the starts so far are in `started`. Returns how many there were.
    std::size_t schedule() {
        const std::size_t before = started.size();
        calls = 1;
        while (session.schedule(now, out)) ++calls;
        for (const Start& s : out.start) {
            started.push_back(s);
            running.push_back(s);
        }
        settle();
        return started.size() - before;
    }
    /// All that runs completes.
    void complete() {
        const auto ended = std::exchange(running, {});
        for (const Start& s : ended) session.events().ended(s.lsn, s.attempt, completed(), now, out);
        settle();
    }
    /// Large operations to their end; asserts the bound of each step. Returns the number of steps.
    int steps() {
        int n = 0;
        for (; session.hasMoreWork(); ++n) {
            session.step(out);
            most = std::max(most, out.finish.size());
            settle();
        }
        return n;
    }
    void settle() {
        for (const Finish& f : std::exchange(out.finish, {})) session.events().finishStored(f.lsn, out);
        forgotten.insert(forgotten.end(), out.forgotten.begin(), out.forgotten.end());
        out.clear();
    }
    static AttemptEnd completed() {
        AttemptEnd end;
        end.state = ActionState::Completed;
        end.runTime = Duration{50'000};
        return end;
    }

    /// The attempt that has run longest completes.
    void completeOne() { completeAt(0); }
    void completeAt(std::size_t i) {
        const Start first = running[i];
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        session.events().ended(first.lsn, first.attempt, completed(), now, out);
        settle();
    }
    /// That of this class completes; false: none runs.
    bool completeOf(std::uint32_t cls) {
        for (std::size_t i = 0; i < running.size(); ++i) {
            if (running[i].cls != ClassId(cls)) continue;
            completeAt(i);
            return true;
        }
        return false;
    }
    bool hasStarted(Lsn action) const {
        return std::ranges::any_of(started, [action](const Start& s) { return s.lsn == action; });
    }

    Session session;
    Outbox out;
    MonoTime now{Duration{1}};
    std::int64_t lsn = 0;
    int calls = 0;
    std::size_t most = 0;
    std::vector<Start> started;
    std::vector<Start> running;
    std::vector<QueueId> forgotten;

private:
    void begin() {
        session.defineClass(ClassId(0), {});
        (void)session.moveTo(SessionState::Ready, out);
    }
};

} // namespace yard::session::test
