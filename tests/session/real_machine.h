// A machine in virtual time whose attempts take exactly as long as was said, and what is foretold of it.
#pragma once

#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/outlook.h"
#include "core/session/place_commands.h"
#include "core/session/queue_commands.h"
#include "core/session/session.h"

#include <QTest>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace yard::session::test {

inline constexpr Duration kSecond{1'000'000};

/// The machine as it is: each label says how many seconds one takes; label 0 takes forever and nobody knows.
class Real {
public:
    explicit Real(int cores, std::int64_t memoryMb = 0, int slots = 0, int ahead = 0)
        : session(std::make_unique<MachineCapacity>(
                      Resources{.milliCores = 1000 * cores, .memoryMb = memoryMb, .named = {}}),
                  SessionOptions{.slotCount = slots ? slots : cores, .aheadPerSlot = ahead}) {
        session.defineClass(ClassId(0), {});
        (void)session.moveTo(SessionState::Ready, out);
    }
    void queue(std::int64_t id, const QueueConfig& config) { session.queues().add(QueueId(id), config); }
    NewAction action(std::int64_t queue, std::uint32_t seconds) {
        NewAction a;
        a.lsn = Lsn(++lsn);
        a.queue = QueueId(queue);
        a.cls = ClassId(0);
        a.label = LabelId(seconds);
        a.submitTime = lsn;
        return a;
    }
    Lsn add(const NewAction& a) {
        session.intake().add({&a, 1}, now, out);
        return a.lsn;
    }
    void submit(std::int64_t queue, int count, std::uint32_t seconds) {
        for (int i = 0; i < count; ++i) add(action(queue, seconds));
    }
    /// Of one array: they are of the same age.
    void submitArray(std::int64_t queue, int count, std::uint32_t seconds) {
        const std::int64_t age = lsn + 1;
        for (int i = 0; i < count; ++i) {
            NewAction a = action(queue, seconds);
            a.submitTime = age;
            add(a);
        }
    }
    void move(const std::vector<Lsn>& lsns, MoveTo::Where where) {
        while (!session.places().prepare(session.views().live(lsns.front())->queue, 1'000)) {
        }
        const auto plan = session.places().plan(lsns, {.where = where, .before = {}});
        QVERIFY(plan);
        for (const MovePlan::Placed& placed : plan->placed) session.actions().setPlace(placed.lsn, placed.to);
    }
    void turn() {
        while (session.schedule(now, out)) {
        }
        for (const Start& s : out.start) {
            started[s.lsn] = now;
            const auto label = session.views().live(s.lsn)->label.value;
            if (label > 0) ends.push({now + label * kSecond, s.lsn.value, s.attempt});
        }
        out.clear();
    }
    /// Until then, or until nothing more happens.
    void run(MonoTime until = MonoTime::max()) {
        for (turn();; turn()) {
            const auto wake = session.nextWake();
            MonoTime next = ends.empty() ? MonoTime::max() : std::get<0>(ends.top());
            if (wake) next = std::min(next, *wake);
            if (next > until || next == MonoTime::max()) break;
            now = next;
            for (; !ends.empty() && std::get<0>(ends.top()) <= now; ends.pop()) {
                AttemptEnd end;
                end.state = ActionState::Completed;
                const Lsn ended(std::get<1>(ends.top()));
                finished[session.views().live(ended)->queue] = now;
                session.events().ended(ended, std::get<2>(ends.top()), end, now, out);
                while (!out.finish.empty())
                    for (const Finish& f : std::exchange(out.finish, {})) session.events().finishStored(f.lsn, out);
            }
        }
        if (until != MonoTime::max()) now = until;
    }
    Outlook outlook(int most = 2'000) const {
        return {session.outline(most, now), now, [this](const Outlook::Question& asked) -> Outlook::Answer {
                    if (asked.label.value == 0) return {.time = {}, .gap = EstimateGap::NoHistory};
                    const Duration all = asked.label.value * kSecond;
                    const auto begun = asked.runs ? started.find(asked.lsn) : started.end();
                    return {.time = begun == started.end() ? all : all - (now - begun->second)};
                }};
    }
    std::optional<MonoTime> foretold(const Outlook& outlook, Lsn action) const {
        return outlook.startOf(*session.views().live(action));
    }
    std::string gap(std::int64_t queue, const Outlook& outlook) const {
        const Outlook::OfQueue* of = outlook.queue(QueueId(queue));
        if (!of) return "nothing to do";
        return of->finish ? "known" : std::string(name(of->gap));
    }

    using End = std::tuple<MonoTime, std::int64_t, std::uint32_t>;
    Session session;
    Outbox out;
    MonoTime now{kSecond};
    std::int64_t lsn = 0;
    std::map<Lsn, MonoTime> started;
    std::map<QueueId, MonoTime> finished;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
};

using Prepare = std::function<void(Real&)>;

} // namespace yard::session::test
Q_DECLARE_METATYPE(yard::session::test::Prepare)
