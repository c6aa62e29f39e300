#include "core/model/why.h"

#include "core/json/json_writer.h"

#include <array>
#include <utility>

namespace yard {

std::string_view name(WaitKind kind) {
    static constexpr std::array<std::string_view, 13> kNames{
        "hold",      "capacity", "lock",   "dependency", "backoff", "not_before", "limit",
        "no_runner", "start",    "ending", "collecting", "journal", "courtesy"};
    return kNames[std::to_underlying(kind)];
}

void write(JsonWriter& writer, const LockHolderView& holder) {
    writer.openObject();
    writer.member("engine", holder.engine);
    writer.member("lsn", holder.lsn.value);
    writer.member("pid", holder.pid);
    writer.member("data_dir", holder.dataDir);
    writer.closeObject();
}

namespace {

void write(JsonWriter& writer, const CapacityHolder& holder) {
    writer.openObject();
    if (holder.lsn.value > 0) writer.member("lsn", holder.lsn.value);
    if (!holder.name.empty()) writer.member("name", holder.name);
    writer.member("amount", holder.amount);
    writer.closeObject();
}

void write(JsonWriter& writer, const MachineWait& machine) {
    writer.openObject();
    writer.member("name", machine.name);
    writer.member("reason", machine.reason);
    writer.closeObject();
}

void write(JsonWriter& writer, const Wait& wait) {
    writer.openObject();
    writer.member("kind", name(wait.kind));
    if (!wait.of.empty()) writer.member("of", wait.of);
    if (!wait.resource.empty()) writer.member("resource", wait.resource);
    if (wait.need) writer.member("need", *wait.need);
    if (wait.free) writer.member("free", *wait.free);
    if (wait.position) writer.member("position", *wait.position);
    if (!wait.positionIsExact) writer.member("about", true);
    if (wait.keptFor.value > 0) writer.member("kept_for", wait.keptFor.value);
    if (!wait.holders.empty()) {
        writer.key("holders");
        writer.openArray();
        for (const CapacityHolder& holder : wait.holders) write(writer, holder);
        writer.closeArray();
    }
    if (wait.lsn.value > 0) {
        writer.member("lsn", wait.lsn.value);
        writer.member("on", name(wait.on));
        writer.member("state", name(wait.state));
    }
    if (wait.array.value > 0) {
        writer.member("array", wait.array.value);
        writer.member("on", name(wait.on));
        if (wait.unfinished) writer.member("unfinished", *wait.unfinished);
    }
    if (!wait.machines.empty()) {
        writer.key("machines");
        writer.openArray();
        for (const MachineWait& machine : wait.machines) write(writer, machine);
        writer.closeArray();
    }
    if (wait.since > 0) writer.member("since", wait.since);
    if (!wait.path.empty()) writer.member("path", wait.path);
    if (!wait.condition.empty()) writer.member("condition", wait.condition);
    if (!wait.measure.empty()) writer.member("measure", wait.measure);
    if (wait.until > 0) writer.member("until", wait.until);
    if (!wait.name.empty()) writer.member("name", wait.name);
    if (wait.holder) {
        writer.key("holder");
        write(writer, *wait.holder);
    }
    if (!wait.label.empty()) writer.member("label", wait.label);
    if (wait.most) writer.member("most", *wait.most);
    if (wait.running) writer.member("running", *wait.running);
    writer.member("message", wait.message);
    writer.closeObject();
}

} // namespace

void appendJson(std::string& out, const Wait& wait) {
    JsonWriter writer(out);
    write(writer, wait);
}

Wait plainWait(WaitKind kind, std::string message) {
    Wait wait;
    wait.kind = kind;
    wait.message = std::move(message);
    return wait;
}

Wait holdOf(std::string_view of, std::string message) {
    Wait wait = plainWait(WaitKind::Hold, std::move(message));
    wait.of = of;
    return wait;
}

std::string toJson(const Why& why) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("lsn", why.lsn.value);
    writer.member("state", name(why.state));
    writer.key("waits");
    writer.openArray();
    for (const Wait& wait : why.waits) write(writer, wait);
    writer.closeArray();
    writer.closeObject();
    return text;
}

} // namespace yard
