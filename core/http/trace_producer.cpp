#include "core/http/trace_producer.h"

#include "core/base/replace.h"
#include "core/base/sentences.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace yard::http {

namespace {

constexpr std::int64_t kMachine = 1; ///< the process of the counters
/// A worker's process; lanes are threads, from 1.
std::int64_t processOf(std::uint32_t worker) {
    return std::int64_t{worker} + kMachine + 1;
}

/// One event at the end of `out`, with a comma before it.
class TraceEvent {
public:
    TraceEvent(std::string& out, std::string_view phase, std::int64_t process)
        : writer_(out) {
        out += ",\n";
        writer_.openObject();
        writer_.member("ph", phase);
        writer_.member("pid", process);
    }
    ~TraceEvent() { writer_.closeObject(); }
    TraceEvent(const TraceEvent&) = delete;
    TraceEvent& operator=(const TraceEvent&) = delete;
    JsonWriter* operator->() { return &writer_; }

private:
    JsonWriter writer_;
};

void nameIt(std::string& out, std::string_view what, std::int64_t process, std::int64_t thread,
            std::string_view name) {
    TraceEvent event(out, "M", process);
    event->member("tid", thread);
    event->member("name", what);
    event->key("args");
    event->openObject();
    event->member("name", name);
    event->closeObject();
}

std::string nameOf(const timeline::Span& bar, const engine::TimelineView& view) {
    if (const auto label = view.labels.find(bar.label); label != view.labels.end() && !label->second.empty()) {
        std::string name = label->second;
        if (const auto index = view.indices.find(bar.lsn); index != view.indices.end())
            replaceAll(name, "{index}", fmt::format("{}", index->second));
        return name;
    }
    if (const auto command = view.commands.find(bar.lsn); command != view.commands.end()) return command->second;
    if (const auto function = view.functions.find(bar.cls);
        function != view.functions.end() && !function->second.empty())
        return function->second;
    return fmt::format("{}", bar.lsn.value);
}

void writePhase(std::string& out, const timeline::Span& bar, std::int64_t thread, std::string_view name,
                WallMicros from, WallMicros to) {
    if (from == 0 || to < from) return;
    TraceEvent event(out, "X", processOf(bar.worker));
    event->member("tid", thread);
    event->member("ts", from);
    event->member("dur", to - from);
    event->member("name", name);
    event->member("cat", "phase");
}

/// One end of the arrow from an attempt to the next one of its action: `s` where it begins, `f` where it ends. Both are
/// inside of a slice, or viewers draw none.
void writeArrow(std::string& out, const timeline::Span& bar, std::int64_t thread, std::string_view phase,
                std::uint32_t from, WallMicros t) {
    TraceEvent event(out, phase, processOf(bar.worker));
    event->member("tid", thread);
    event->member("ts", t);
    event->member("id", fmt::format("{}.{}", bar.lsn.value, from));
    event->member("name", "retry");
    event->member("cat", "flow");
    if (phase == "f") event->member("bp", "e");
}

/// One end of the arrow to an action from one that it waited for.
void writeWait(std::string& out, std::string_view phase, std::int64_t process, std::int64_t thread, WallMicros t,
               const std::string& id) {
    TraceEvent event(out, phase, process);
    event->member("tid", thread);
    event->member("ts", t);
    event->member("id", id);
    event->member("name", "after");
    event->member("cat", "flow");
    if (phase == "f") event->member("bp", "e");
}

void writeAttempt(std::string& out, const timeline::Span& bar, std::int64_t thread, std::string_view title) {
    {
        TraceEvent event(out, bar.isOpen() ? "B" : "X", processOf(bar.worker));
        event->member("tid", thread);
        event->member("ts", bar.begin);
        if (!bar.isOpen()) event->member("dur", bar.end - bar.begin);
        event->member("name", title);
        event->member("cat", name(bar.state));
        event->key("args");
        event->openObject();
        event->member("lsn", bar.lsn.value);
        event->member("attempt", bar.attempt);
        event->member("state", name(bar.state));
        if (bar.retried) event->member("retried", true);
        event->closeObject();
    }
    if (bar.attempt > 1) writeArrow(out, bar, thread, "f", bar.attempt - 1, bar.begin);
    if (bar.retried && !bar.isOpen())
        writeArrow(out, bar, thread, "s", bar.attempt, std::max(bar.begin, bar.end - 1));
    if (bar.isOpen() || bar.running == 0) return;
    writePhase(out, bar, thread, "preparing", bar.begin, bar.running);
    writePhase(out, bar, thread, "running", bar.running, bar.exited != 0 ? bar.exited : bar.end);
    writePhase(out, bar, thread, "collecting", bar.exited, bar.end);
}

void writeCounter(std::string& out, WallMicros t, std::string_view what,
                  std::initializer_list<std::pair<std::string_view, double>> values) {
    TraceEvent event(out, "C", kMachine);
    event->member("tid", std::int64_t{0});
    event->member("ts", t);
    event->member("name", what);
    event->key("args");
    event->openObject();
    for (const auto& [key, value] : values) event->member(key, std::round(value * 1'000) / 1'000);
    event->closeObject();
}

} // namespace

/// The head, and the counters: they are few.
void TraceProducer::begin() {
    out_ +=
        R"({"displayTimeUnit":"ms","traceEvents":[{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"machine"}})";
    for (const history::StatsView::Row& row : figures_.rows) {
        if (!row.sample) continue;
        const history::StatsSample& sample = *row.sample;
        writeCounter(out_, row.t, "cores", {{"actions", sample.cpuActions}, {"others", sample.cpuOthers}});
        writeCounter(out_, row.t, "memory", {{"bytes", static_cast<double>(sample.memoryBytes)}});
        writeCounter(
            out_, row.t, "actions",
            {{"running", static_cast<double>(sample.running)}, {"pending", static_cast<double>(sample.pending)}});
    }
}

void TraceProducer::noteEnds(const engine::TimelinePart& part) {
    for (const timeline::LaneView& lane : part.view.view.lanes)
        for (const timeline::Span& bar : lane.bars) {
            if (bar.isOpen() || bar.retried) continue;
            if (ends_.size() >= kMostEnds) ends_.clear();
            ends_[bar.lsn] = {.process = processOf(lane.worker),
                              .thread = std::int64_t{lane.slot} + 1,
                              .begin = bar.begin,
                              .end = bar.end};
        }
}

const TraceProducer::End* TraceProducer::lookForLast(const store::LsnRun& run, WallMicros t) {
    const std::int64_t count = std::min({run.count, kMostElements, kMostLooks - looks_});
    const End* last = nullptr;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto one = ends_.find(Lsn(run.first.value + i));
        if (one == ends_.end() || one->second.end > t) continue;
        if (last == nullptr || one->second.end > last->end) last = &one->second;
    }
    looks_ += std::max<std::int64_t>(count, 0);
    return last;
}

const TraceProducer::End* TraceProducer::lastOf(const store::LsnRun& run, WallMicros t) {
    const auto [known, isNew] = latest_.try_emplace({run.first.value, run.count});
    if (isNew) known->second = lookForLast(run, std::numeric_limits<WallMicros>::max());
    const End* last = known->second;
    // What was set back by hand ended again, after what had waited for it.
    return last == nullptr || last->end <= t ? last : lookForLast(run, t);
}

void TraceProducer::writeParents(const engine::TimelinePart& part, const timeline::Span& bar, std::int64_t thread) {
    const auto parents = part.view.parents.find(bar.lsn);
    if (bar.attempt != 1 || parents == part.view.parents.end()) return;
    for (const store::LsnRun& run : parents->second) {
        const End* last = lastOf(run, bar.begin);
        if (last == nullptr) continue;
        const std::string id = fmt::format("{}>{}", run.first.value, bar.lsn.value);
        writeWait(out_, "s", last->process, last->thread, std::max(last->begin, last->end - 1), id);
        writeWait(out_, "f", processOf(bar.worker), thread, bar.begin, id);
    }
}

void TraceProducer::write(const engine::TimelinePart& part) {
    const engine::TimelineView& view = part.view;
    noteEnds(part);
    latest_.clear();
    looks_ = 0;
    for (const timeline::LaneView& lane : view.view.lanes) {
        const auto& worker = view.workers.at(lane.worker);
        if (named_.insert({lane.worker, 0}).second)
            nameIt(out_, "process_name", processOf(lane.worker), 0, worker.name.empty() ? worker.id : worker.name);
        if (named_.insert({lane.worker, lane.slot + 1}).second)
            nameIt(out_, "thread_name", processOf(lane.worker), std::int64_t{lane.slot} + 1,
                   fmt::format("slot {}", lane.slot));
        for (const timeline::Span& bar : lane.bars) {
            writeAttempt(out_, bar, std::int64_t{lane.slot} + 1, nameOf(bar, view));
            writeParents(part, bar, std::int64_t{lane.slot} + 1);
        }
    }
}

coro::Task<Result<std::string_view>> TraceProducer::next() {
    out_.clear();
    if (isEnded_) co_return std::string_view();
    if (!isBegun_) begin();
    isBegun_ = true;
    // A part may have nothing that is wanted; an empty piece would be the end of the answer.
    do {
        if (link_.isStopping() || link_.peerGone()) co_return fail(ErrorKind::NotAccepting, kEngineIsStopping);
        const engine::TimelinePart part = co_await engine_.ask(&engine::TimelineKeeper::part, query_, place_);
        write(part);
        place_ = part.next;
        isEnded_ = !part.more;
    } while (out_.empty() && !isEnded_);
    if (isEnded_) out_ += "\n]}\n";
    co_return std::string_view(out_);
}

} // namespace yard::http
