#include "core/lease/wire.h"

#include "core/base/byte_parts.h"
#include "core/base/last_output.h"
#include "core/lease/slots.h"
#include "core/locks/lock_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace yard::runners::wire {
namespace {

// Opens a frame when made and writes its length when it goes.
class Writer : public ByteWriter {
public:
    Writer(std::string& out, FrameType type)
        : ByteWriter(out)
        , out_(out)
        , start_(out.size()) {
        out_.append(4, '\0');
        number(type);
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
        const auto length = static_cast<std::uint32_t>(out_.size() - start_ - 4);
        std::memcpy(out_.data() + start_, &length, 4);
    }
    void id(AttemptId value) {
        number(value.lsn.value);
        number(value.attempt);
    }
    void duration(Duration value) { number(value.count()); }
    void time(MonoTime value) { number(value.time_since_epoch().count()); }

private:
    std::string& out_;
    std::size_t start_;
};

class Reader : public ByteReader {
public:
    using ByteReader::ByteReader;
    /// As text(), for what goes to the kernel as a C string.
    std::string cText(std::size_t limit) {
        std::string value = text(limit);
        if (value.find('\0') != std::string::npos) fail();
        return value;
    }
    AttemptId id() {
        AttemptId value;
        value.lsn = Lsn(number<std::int64_t>());
        value.attempt = number<std::uint32_t>();
        if (value.lsn.value <= 0 || value.attempt == 0) fail();
        return value;
    }
    Duration duration() { return Duration(number<std::int64_t>()); }
    MonoTime time() { return MonoTime(Duration(number<std::int64_t>())); }
};

/// Of a list that has no limit of its own: as many as a frame has bytes.
constexpr std::size_t kWhatFits = kMaxFrame;
constexpr std::size_t kMaxPath = 8192;
constexpr std::size_t kMaxMessage = 16384;
constexpr std::size_t kMaxLockName = 128;

void putTimes(Writer& w, const RunTimes& t) {
    w.time(t.submitting);
    w.time(t.running);
    w.time(t.exited);
    w.time(t.ended);
}
RunTimes getTimes(Reader& r) {
    RunTimes t;
    t.submitting = r.time();
    t.running = r.time();
    t.exited = r.time();
    t.ended = r.time();
    return t;
}

void putStream(Writer& w, const StreamResult& s) {
    w.text(s.bytes);
    w.text(s.path);
    if (!s.path.empty() || !s.bytes.empty())
        w.text(std::string_view(reinterpret_cast<const char*>(s.hash.bytes.data()), s.hash.bytes.size()));
    w.number(s.size);
    w.number(s.gap.from);
    w.number(s.gap.to);
    w.number(std::uint8_t{s.truncated});
    w.number(s.err);
}
StreamResult getStream(Reader& r) {
    StreamResult s;
    s.bytes = r.text(std::max(kInlineStreamBytes, kLastOutputBytes));
    s.path = r.text(kMaxPath);
    if (!s.path.empty() || !s.bytes.empty()) {
        const std::string hash = r.text(32);
        if (hash.size() == 32)
            std::memcpy(s.hash.bytes.data(), hash.data(), 32);
        else
            r.fail();
    }
    s.size = r.number<std::uint64_t>();
    s.gap.from = r.number<std::uint64_t>();
    s.gap.to = r.number<std::uint64_t>();
    if (s.gap.from > s.gap.to || s.gap.to > s.size) r.fail();
    s.truncated = r.flag();
    s.err = r.number<int>();
    return s;
}

constexpr std::size_t kMaxBinds = 64;

void putPlan(Writer& w, const sandbox::Plan& plan) {
    w.number(static_cast<std::uint32_t>(plan.binds.size()));
    for (const sandbox::Bind& bind : plan.binds) {
        w.text(bind.from);
        w.text(bind.to);
        w.number(std::uint8_t{bind.writable});
        w.number(std::uint8_t{bind.isolated});
    }
    w.number(static_cast<std::uint32_t>(plan.devices.size()));
    for (const std::string& device : plan.devices) w.text(device);
    w.text(plan.cwd);
    w.text(plan.asked);
    w.number(plan.memoryBytes);
    w.number(plan.tmpBytes);
    w.number(std::uint8_t{plan.network});
    w.number(std::uint8_t{plan.cleanEnvironment});
    w.number(plan.hostUser);
}
std::shared_ptr<const sandbox::Plan> getPlan(Reader& r) {
    auto plan = std::make_shared<sandbox::Plan>();
    const std::size_t binds = r.count(kMaxBinds, 10);
    for (std::size_t i = 0; i < binds && r.isGood(); ++i) {
        sandbox::Bind& bind = plan->binds.emplace_back();
        bind.from = r.cText(kMaxPath);
        bind.to = r.cText(kMaxPath);
        bind.writable = r.flag();
        bind.isolated = r.flag();
        if (!sandbox::isCleanPath(bind.to)) r.fail();
    }
    const std::size_t devices = r.count(sandbox::kMaxDevices, 4);
    for (std::size_t i = 0; i < devices && r.isGood(); ++i) {
        plan->devices.push_back(r.cText(kMaxPath));
        if (!sandbox::isCleanPath(plan->devices.back())) r.fail();
    }
    plan->cwd = r.cText(kMaxPath);
    plan->asked = r.cText(kMaxPath);
    plan->memoryBytes = r.number<std::uint64_t>();
    plan->tmpBytes = r.number<std::uint64_t>();
    plan->network = r.flag();
    plan->cleanEnvironment = r.flag();
    plan->hostUser = r.number<std::uint32_t>();
    return plan;
}

void putDenials(Writer& w, const std::vector<Denial>& denied) {
    w.number(static_cast<std::uint32_t>(denied.size()));
    for (const Denial& one : denied) {
        w.number(one.t);
        w.text(one.what);
        w.text(one.path);
        w.number(one.err);
        w.number(one.pid);
    }
}
std::vector<Denial> getDenials(Reader& r) {
    std::vector<Denial> denied(r.count(kWhatFits, 24));
    for (Denial& one : denied) {
        one.t = r.number<WallMicros>();
        one.what = r.text(kMaxPath);
        one.path = r.text(kMaxPath);
        one.err = r.number<int>();
        one.pid = r.number<int>();
    }
    return denied;
}

template<class T>
void putOptional(Writer& w, const std::optional<T>& value) {
    w.number(std::uint8_t{value.has_value()});
    w.number(value.value_or(T{}));
}
template<class T>
std::optional<T> getOptional(Reader& r) {
    const bool has = r.flag();
    const T value = r.number<T>();
    return has ? std::optional<T>(value) : std::nullopt;
}

} // namespace

void put(std::string& out, const Setup& s) {
    Writer w(out, FrameType::Setup);
    w.number(s.version);
    w.text(s.dataDir);
    w.text(s.ownerToken);
    w.text(s.lockDir);
    w.text(s.group);
    w.number(s.slots);
    w.number(s.spawners);
    w.duration(s.quiet);
    w.number(s.lowWater);
    w.number(std::uint8_t{s.durable});
    w.number(s.enginePid);
}
bool get(std::string_view payload, Setup& s) {
    Reader r(payload);
    s.version = r.number<std::uint32_t>();
    s.dataDir = r.cText(kMaxPath);
    s.ownerToken = r.cText(64);
    s.lockDir = r.cText(kMaxPath);
    s.group = r.cText(kMaxPath);
    s.slots = r.number<std::uint32_t>();
    s.spawners = r.number<std::uint32_t>();
    s.quiet = r.duration();
    s.lowWater = r.number<std::uint32_t>();
    s.durable = r.flag();
    s.enginePid = r.number<std::int32_t>();
    return r.isDone() && s.version == kVersion && s.slots >= 1 && s.slots <= SlotsFile::kMaxSlots &&
           s.spawners >= 1 && s.spawners <= 64;
}

void put(std::string& out, const Hello& h) {
    Writer w(out, FrameType::Hello);
    w.number(h.version);
    w.number(h.pid);
}
bool get(std::string_view payload, Hello& h) {
    Reader r(payload);
    h.version = r.number<std::uint32_t>();
    h.pid = r.number<std::int32_t>();
    return r.isDone() && h.version == kVersion;
}

void put(std::string& out, const Lease& l) {
    Writer w(out, FrameType::Lease);
    w.id(l.id);
    w.number(l.slot.value);
    w.number(l.group);
    w.number(static_cast<std::uint32_t>(l.argv.size()));
    for (const std::string& arg : l.argv) w.text(arg);
    w.number(static_cast<std::uint32_t>(l.env.size()));
    for (const auto& [name, value] : l.env) {
        w.text(name);
        w.text(value);
    }
    w.text(l.cwd);
    w.duration(l.deadline);
    w.duration(l.grace);
    w.number(l.limits.openFiles);
    w.number(l.limits.processes);
    w.number(l.limits.fileBytes);
    w.number(l.limits.dataBytes);
    w.number(std::uint8_t{l.limits.noCoreFiles});
    w.number(static_cast<std::uint32_t>(l.locks.size()));
    for (const std::string& name : l.locks) w.text(name);
    w.number(l.streamBytes);
    w.number(std::uint8_t{l.once});
    w.number(std::uint8_t{l.hurry});
    w.number(std::uint8_t{l.watchOut});
    w.number(std::uint8_t{l.watchErr});
    w.number(std::uint8_t{l.keepsLast});
    w.number(std::uint8_t{l.idlePriority});
    w.number(std::uint8_t{l.sandbox != nullptr});
    if (l.sandbox) putPlan(w, *l.sandbox);
    w.number(l.guestGroup);
    w.number(std::uint8_t{l.engineEnv});
    w.number(l.socket     ? Attachment::Socket
             : l.input    ? Attachment::Input
             : l.terminal ? Attachment::Terminal
                          : Attachment::None);
    w.number(std::uint8_t{l.tokens != nullptr});
}
bool get(std::string_view payload, Lease& l, Attachments& attachments) {
    Reader r(payload);
    l.id = r.id();
    l.slot = SlotId(r.number<std::uint32_t>());
    l.group = r.number<std::uint32_t>();
    const std::size_t args = r.count(kWhatFits, 4);
    l.argv.clear();
    l.argv.reserve(args);
    for (std::size_t i = 0; i < args && r.isGood(); ++i) l.argv.push_back(r.cText(kMaxLeaseText));
    const std::size_t vars = r.count(kWhatFits, 8);
    l.env.clear();
    l.env.reserve(vars);
    for (std::size_t i = 0; i < vars && r.isGood(); ++i) {
        std::string name = r.cText(kMaxLeaseText);
        std::string value = r.cText(kMaxLeaseText);
        l.env.emplace_back(std::move(name), std::move(value));
    }
    l.cwd = r.cText(kMaxPath);
    l.deadline = r.duration();
    l.grace = r.duration();
    l.limits.openFiles = r.number<std::uint64_t>();
    l.limits.processes = r.number<std::uint64_t>();
    l.limits.fileBytes = r.number<std::uint64_t>();
    l.limits.dataBytes = r.number<std::uint64_t>();
    l.limits.noCoreFiles = r.flag();
    const std::size_t locks = r.count(kWhatFits, 4);
    l.locks.clear();
    for (std::size_t i = 0; i < locks && r.isGood(); ++i) {
        l.locks.push_back(r.cText(kMaxLockName));
        if (!locks::isLockName(l.locks.back())) r.fail();
    }
    l.streamBytes = r.number<std::uint64_t>();
    l.once = r.flag();
    l.hurry = r.flag();
    l.watchOut = r.flag();
    l.watchErr = r.flag();
    l.keepsLast = r.flag();
    l.idlePriority = r.flag();
    l.sandbox.reset();
    if (r.flag()) l.sandbox = getPlan(r);
    l.guestGroup = r.number<std::uint32_t>();
    if (l.guestGroup > kMaxGuestGroup) r.fail();
    l.engineEnv = r.flag();
    attachments.first = r.choice(Attachment::None, Attachment::Terminal);
    attachments.hasTokens = r.flag();
    if (attachments.hasTokens && attachments.first == Attachment::Socket) r.fail();
    return r.isDone() && !l.argv.empty() && l.deadline.count() >= 0 && l.grace.count() >= 0;
}

void put(std::string& out, const End& e) {
    Writer w(out, FrameType::End);
    w.id(e.id);
    w.number(e.cause);
    w.duration(e.grace);
}
bool get(std::string_view payload, End& e) {
    Reader r(payload);
    e.id = r.id();
    e.cause = r.choice(StopCause::Cancelled, StopCause::Machine);
    e.grace = r.duration();
    return r.isDone();
}

void put(std::string& out, const EndAll& e) {
    Writer w(out, FrameType::EndAll);
    w.number(e.cause);
    w.duration(e.grace);
}
bool get(std::string_view payload, EndAll& e) {
    Reader r(payload);
    e.cause = r.choice(StopCause::Cancelled, StopCause::Machine);
    e.grace = r.duration();
    return r.isDone();
}

void put(std::string& out, const Watch& v) {
    Writer w(out, FrameType::Watch);
    w.id(v.id);
    w.number(v.stream);
    w.number(std::uint8_t{v.on});
}
bool get(std::string_view payload, Watch& v) {
    Reader r(payload);
    v.id = r.id();
    v.stream = r.choice(Stream::Out, Stream::Err);
    v.on = r.flag();
    return r.isDone();
}

void put(std::string& out, const AskOutput& a) {
    Writer w(out, FrameType::AskOutput);
    w.id(a.id);
    w.number(a.slot.value);
}
bool get(std::string_view payload, AskOutput& a) {
    Reader r(payload);
    a.id = r.id();
    a.slot = SlotId(r.number<std::uint32_t>());
    return r.isDone();
}

void put(std::string& out, const MayRun& m) {
    Writer w(out, FrameType::MayRun);
    w.number(m.guestGroup);
    w.duration(m.until.time_since_epoch());
}
bool get(std::string_view payload, MayRun& m) {
    Reader r(payload);
    m.guestGroup = r.number<std::uint32_t>();
    m.until = BootTime(r.duration());
    return r.isDone() && m.guestGroup >= 1 && m.guestGroup <= kMaxGuestGroup && m.until >= BootTime{};
}

void put(std::string& out, const Freeze& f) {
    Writer w(out, FrameType::Freeze);
    w.id(f.id);
    w.number(std::uint8_t{f.on});
}
bool get(std::string_view payload, Freeze& f) {
    Reader r(payload);
    f.id = r.id();
    f.on = r.flag();
    return r.isDone();
}

void put(std::string& out, AttemptId id, const Started& s) {
    Writer w(out, FrameType::Started);
    w.id(id);
    w.number(s.slot.value);
    w.number(s.pid);
    putTimes(w, s.times);
}
bool get(std::string_view payload, AttemptId& id, Started& s) {
    Reader r(payload);
    id = r.id();
    s.slot = SlotId(r.number<std::uint32_t>());
    s.pid = r.number<int>();
    s.times = getTimes(r);
    return r.isDone();
}

void put(std::string& out, const EndedFrame& f) {
    Writer w(out, FrameType::Ended);
    const Ended& e = f.ended;
    w.id(f.id);
    w.number(e.slot.value);
    w.number(e.cause);
    putOptional(w, e.exitCode);
    putOptional(w, e.signal);
    for (const MeasureInfo& info : kMeasureTable) putOptional(w, e.measures[info.measure]);
    putTimes(w, e.times);
    putStream(w, e.out);
    putStream(w, e.err);
    w.number(e.spawn.step);
    w.number(e.spawn.err);
    w.text(std::string_view(e.spawn.path).substr(0, kMaxPath));
    w.text(std::string_view(e.spawn.message).substr(0, kMaxMessage));
    putDenials(w, e.denied);
    w.number(std::uint8_t{e.hadSurvivors});
    w.number(std::uint8_t{e.overMemory});
    w.number(std::uint8_t{f.moved.has_value()});
    if (f.moved) w.id(*f.moved);
}
bool get(std::string_view payload, EndedFrame& f) {
    Reader r(payload);
    Ended& e = f.ended;
    f.id = r.id();
    e.slot = SlotId(r.number<std::uint32_t>());
    e.cause = r.choice(EndCause::Exited, EndCause::LostRunner);
    e.exitCode = getOptional<int>(r);
    e.signal = getOptional<int>(r);
    for (const MeasureInfo& info : kMeasureTable) e.measures[info.measure] = getOptional<std::int64_t>(r);
    e.times = getTimes(r);
    e.out = getStream(r);
    e.err = getStream(r);
    e.spawn.step = r.choice(SpawnStep::None, SpawnStep::Mark);
    e.spawn.err = r.number<int>();
    e.spawn.path = r.text(kMaxPath);
    e.spawn.message = r.text(kMaxMessage);
    e.denied = getDenials(r);
    e.hadSurvivors = r.flag();
    e.overMemory = r.flag();
    f.moved.reset();
    if (r.flag()) f.moved = r.id();
    return r.isDone();
}

void put(std::string& out, AttemptId id, const StreamAt& at) {
    Writer w(out, FrameType::StreamAt);
    w.id(id);
    w.number(at.stream);
    w.text(at.path);
    w.number(at.size);
    w.number(at.limit);
}
bool get(std::string_view payload, AttemptId& id, StreamAt& at) {
    Reader r(payload);
    id = r.id();
    at.stream = r.choice(Stream::Out, Stream::Err);
    at.path = r.text(kMaxPath);
    at.size = r.number<std::uint64_t>();
    at.limit = r.number<std::uint64_t>();
    return r.isDone();
}

void put(std::string& out, AttemptId id, const LockBusy& busy) {
    Writer w(out, FrameType::LockBusy);
    w.id(id);
    w.text(busy.name);
    w.text(busy.holder ? toText(*busy.holder) : std::string());
}
bool get(std::string_view payload, AttemptId& id, LockBusy& busy) {
    Reader r(payload);
    id = r.id();
    busy.name = r.cText(kMaxLockName);
    busy.holder = locks::parseHolder(r.text(locks::kMaxHolderText));
    return r.isDone() && locks::isLockName(busy.name);
}

void put(std::string& out, AttemptId id, const OutputEnds& ends) {
    Writer w(out, FrameType::OutputEnds);
    w.id(id);
    for (const StreamEnd* end : {&ends.out, &ends.err}) {
        w.number(end->size);
        w.text(end->bytes);
    }
}
bool get(std::string_view payload, AttemptId& id, OutputEnds& ends) {
    Reader r(payload);
    id = r.id();
    for (StreamEnd* end : {&ends.out, &ends.err}) {
        end->size = r.number<std::uint64_t>();
        end->bytes = r.text(kLastOutputBytes);
    }
    return r.isDone();
}

void put(std::string& out, AttemptId id, const Frozen& frozen) {
    Writer w(out, FrameType::Frozen);
    w.id(id);
    w.number(std::uint8_t{frozen.isFrozen});
    w.time(frozen.at);
}
bool get(std::string_view payload, AttemptId& id, Frozen& frozen) {
    Reader r(payload);
    id = r.id();
    frozen.isFrozen = r.flag();
    frozen.at = r.time();
    return r.isDone();
}

void putTakeBack(std::string& out, AttemptId id) {
    Writer(out, FrameType::TakeBack).id(id);
}
void putReturned(std::string& out, AttemptId id) {
    Writer(out, FrameType::Returned).id(id);
}
void putNudge(std::string& out, SlotId slot) {
    Writer(out, FrameType::Nudge).number(slot.value);
}
bool get(std::string_view payload, AttemptId& id) {
    Reader r(payload);
    id = r.id();
    return r.isDone();
}
bool get(std::string_view payload, SlotId& slot) {
    Reader r(payload);
    slot = SlotId(r.number<std::uint32_t>());
    return r.isDone();
}

} // namespace yard::runners::wire
