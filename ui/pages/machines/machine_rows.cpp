#include "ui/pages/machines/machine_rows.h"

#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::ui {

namespace {

struct MachineWords {
    Q_DECLARE_TR_FUNCTIONS(MachineWords)
};

constexpr qint64 kMiB = 1 << 20;

/// Word and sign of a state: docs/machines.md. An icon where no face says it.
struct MachineSign {
    QString word;
    std::optional<DisplayState> face;
    QString icon = {};
};

MachineSign signOf(const QString& state) {
    if (state == "ready") return {MachineWords::tr("Ready"), DisplayState::Completed};
    if (state == "busy") return {MachineWords::tr("Busy"), DisplayState::Running};
    if (state == "draining") return {MachineWords::tr("Draining"), {}, "drain"};
    if (state == "paused") return {MachineWords::tr("Paused"), DisplayState::Held};
    if (state == "silent") return {MachineWords::tr("Silent"), DisplayState::Retry};
    if (state == "lost") return {MachineWords::tr("Lost"), DisplayState::Abandoned};
    if (state == "refused") return {MachineWords::tr("Refused"), DisplayState::Failed};
    if (state == "leaving") return {MachineWords::tr("Leaving"), {}, "unplug"};
    if (state == "connecting") return {MachineWords::tr("Connecting"), DisplayState::Pending};
    return {unturned(state), {}}; // of a later engine
}

QString machineSpan(WallMicros from, WallMicros to) {
    return Format().duration(Duration(std::max<WallMicros>(0, to - from)));
}

/// "3.5 of 16" behind a meter; what is not told is a dash.
Cell usedOf(std::optional<double> used, double all, const QString& usedText, const QString& allText) {
    if (all <= 0) return {Format::unknown()};
    Cell cell{MachineWords::tr("%1 of %2").arg(used ? usedText : Format::unknown(), allText)};
    cell.share = used ? std::clamp(*used / all, 0.0, 1.0) : 0.0;
    return cell;
}

std::vector<Column> machineFigures() {
    return {
        {.id = "slots",
         .title = MachineWords::tr("Slots"),
         .tip = MachineWords::tr("Actions of one core that it can run at once"),
         .kind = CellKind::Number,
         .width = 56,
         .falls = 5,
         .sort = "slots"},
        {.id = "cores",
         .title = MachineWords::tr("Cores"),
         .tip = MachineWords::tr("Taken by actions, of all that it gives"),
         .kind = CellKind::Number,
         .width = 164,
         .sort = "cores"},
        {.id = "memory",
         .title = MachineWords::tr("Memory"),
         .tip = MachineWords::tr("Reserved by actions, of all that it gives"),
         .kind = CellKind::Number,
         .width = 184,
         .falls = 4,
         .sort = "memory"},
        {.id = "gpus",
         .title = MachineWords::tr("GPUs"),
         .tip = MachineWords::tr("Given to actions, of all that it has"),
         .kind = CellKind::Number,
         .width = 104,
         .hidden = true,
         .sort = "gpus"},
        {.id = "running",
         .title = MachineWords::tr("Running"),
         .tip = MachineWords::tr("Actions that run there"),
         .kind = CellKind::Number,
         .width = 68,
         .sort = "running"},
        {.id = "waiting",
         .title = MachineWords::tr("Waiting"),
         .tip = MachineWords::tr("Actions that it was given and has not begun"),
         .kind = CellKind::Number,
         .width = 68,
         .falls = 3,
         .sort = "waiting"},
        {.id = "version",
         .title = MachineWords::tr("Version"),
         .tip = MachineWords::tr("Version of its Yardmaster"),
         .kind = CellKind::Text,
         .width = 72,
         .falls = 1},
    };
}

} // namespace

TakenHere takenHere(const QJsonObject& session) {
    const QJsonObject taken = session.value("machine").toObject().value("taken").toObject();
    TakenHere here;
    if (const QJsonValue cores = taken.value("cores"); cores.isDouble()) here.cores = cores.toDouble();
    if (const QJsonValue memory = taken.value("memory_mb"); memory.isDouble())
        here.memoryBytes = memory.toInteger() * kMiB;
    if (const QJsonValue gpus = taken.value("gpus"); gpus.isDouble()) here.gpus = gpus.toDouble();
    for (const QJsonValue value : session.value("machine").toObject().value("gpus_list").toArray()) {
        const QJsonObject gpu = value.toObject();
        const QString index = unturned(gpu.value("index").toString());
        if (const QString lost = unturned(gpu.value("lost").toString()); !lost.isEmpty())
            here.lostGpus << MachineWords::tr("GPU %1 is lost: %2").arg(index, lost);
    }
    return here;
}

std::vector<MachineInfo> readMachines(const QJsonObject& json) {
    std::vector<MachineInfo> machines;
    for (const QJsonValue value : json.value("machines").toArray()) {
        const QJsonObject each = value.toObject();
        MachineInfo machine{.id = each.value("id").toInteger(),
                            .name = unturned(each.value("name").toString()),
                            .kind = each.value("kind").toString(),
                            .address = unturned(each.value("address").toString()),
                            .state = each.value("state").toString(),
                            .reason = unturned(each.value("reason").toString()),
                            .platform = unturned(each.value("platform").toString()),
                            .version = unturned(each.value("version").toString()),
                            .cores = each.value("cores").toDouble(),
                            .memoryBytes = each.value("memory_bytes").toInteger(),
                            .gpus = each.value("gpus").toDouble(),
                            .slotCount = each.value("slots").toInteger(),
                            .running = each.value("running").toInteger(),
                            .waiting = each.value("waiting").toInteger(),
                            .since = each.value("since").toInteger(),
                            .lostAt = each.value("lost_at").toInteger(),
                            .lifetimeEnds = each.value("lifetime_ends").toInteger(),
                            .hours = unturned(each.value("hours").toString()),
                            .tags = {},
                            .json = each};
        for (const QJsonValue tag : each.value("tags").toArray()) machine.tags << unturned(tag.toString());
        machines.push_back(std::move(machine));
    }
    return machines;
}

std::vector<Column> machineColumns() {
    std::vector<Column> all = {
        {.id = "machine",
         .title = MachineWords::tr("Machine"),
         .tip = MachineWords::tr("Its name, and the way it came"),
         .kind = CellKind::Name,
         .width = 180,
         .sort = "name"},
        {.id = "state",
         .title = MachineWords::tr("State"),
         .tip = MachineWords::tr("What it can take now"),
         .kind = CellKind::State,
         .width = 132,
         .sort = "state"},
        {.id = "since",
         .title = MachineWords::tr("For"),
         .tip = MachineWords::tr("How long it has been in this state"),
         .kind = CellKind::Number,
         .width = 104,
         .falls = 2,
         .sort = "since"},
    };
    std::ranges::move(machineFigures(), std::back_inserter(all));
    all.push_back({.id = "word",
                   .title = MachineWords::tr("Last word"),
                   .tip = MachineWords::tr("What becomes of it next, or why it is as it is"),
                   .kind = CellKind::Text,
                   .width = 140,
                   .stretches = true});
    return all;
}

QString machineStateWords(const MachineInfo& machine, WallMicros now) {
    const QString word = signOf(machine.state).word;
    return machine.state == "silent" && machine.since > 0 ? word + ' ' + machineSpan(machine.since, now) : word;
}

QString machineKindWords(const MachineInfo& machine) {
    if (machine.isLocal()) return MachineWords::tr("this machine");
    if (machine.kind == "ssh") return MachineWords::tr("by ssh");
    if (machine.kind == "linked") return MachineWords::tr("by its address");
    if (machine.kind == "allocated")
        return MachineWords::tr("asked for by %1").arg(machine.json.value("allocator").toString());
    return machine.kind == "joined" ? MachineWords::tr("joined") : unturned(machine.kind);
}

QString machineLastWord(const MachineInfo& machine, WallMicros now) {
    if (machine.state == "silent" && machine.lostAt > 0)
        return MachineWords::tr("counts as lost in %1, then its %Ln action(s) return", nullptr,
                                pluralCount(machine.has()))
            .arg(machineSpan(now, machine.lostAt));
    if (!machine.reason.isEmpty()) return machine.reason;
    if (machine.isStopped())
        return machine.has() == 0
                   ? MachineWords::tr("has nothing, gets nothing new")
                   : MachineWords::tr("gets nothing new; %Ln action(s) left", nullptr, pluralCount(machine.has()));
    if (machine.state == "lost") return MachineWords::tr("what it had runs elsewhere");
    if (machine.state == "connecting" && !machine.isLocal())
        return MachineWords::tr("no link, and nothing of it is out");
    return machine.state == "busy" ? MachineWords::tr("full") : QString();
}

Cell machineCores(const MachineInfo& machine, const TakenHere& taken) {
    const Format format;
    const std::optional<double> used = machine.isLocal() ? taken.cores : std::nullopt;
    return usedOf(used, machine.cores, format.cores(used.value_or(0)), format.cores(machine.cores));
}

Cell machineMemory(const MachineInfo& machine, const TakenHere& taken) {
    const Format format;
    const std::optional<qint64> used = machine.isLocal() ? taken.memoryBytes : std::nullopt;
    return usedOf(used, static_cast<double>(machine.memoryBytes), format.size(used.value_or(0)),
                  format.size(machine.memoryBytes));
}

Cell machineGpus(const MachineInfo& machine, const TakenHere& taken) {
    const Format format;
    const std::optional<double> used = machine.isLocal() ? taken.gpus : std::nullopt;
    Cell cell = usedOf(used, machine.gpus, format.cores(used.value_or(0)), format.cores(machine.gpus));
    if (machine.isLocal()) cell.tip = taken.lostGpus.join('\n');
    return cell;
}

Row machineRow(const MachineInfo& machine, const TakenHere& taken, WallMicros now) {
    const Format format;
    const MachineSign sign = signOf(machine.state);
    Cell name{machine.name};
    name.aside = machineKindWords(machine);
    if (!machine.address.isEmpty()) name.tip = machine.name + QStringLiteral(", ") + machine.address;
    Cell since{machine.since > 0 ? machineSpan(machine.since, now) : Format::unknown()};
    if (machine.since > 0) since.tip = format.exactTime(machine.since, now);
    Row row;
    row.id = machine.row();
    row.cells = {name,
                 {machineStateWords(machine, now), sign.face, sign.icon},
                 since,
                 {format.number(machine.slotCount)},
                 machineCores(machine, taken),
                 machineMemory(machine, taken),
                 machineGpus(machine, taken),
                 {format.number(machine.running)},
                 {format.number(machine.waiting)},
                 {machine.version.isEmpty() ? Format::unknown() : machine.version, {}, {}, {}, Cell::Tone::Dim},
                 {machineLastWord(machine, now), {}, {}, {}, Cell::Tone::Dim}};
    row.keys = {QVariant(),          QVariant(),   -qint64{machine.since}, machine.slotCount, machine.cores,
                machine.memoryBytes, machine.gpus, machine.running,        machine.waiting,   QVariant(),
                QVariant()};
    return row;
}

QString machinesNote(const std::vector<MachineInfo>& machines) {
    QString note = Format().number(static_cast<std::int64_t>(machines.size()));
    const auto in = [&](const char* state) {
        return static_cast<int>(std::ranges::count(machines, QLatin1String(state), &MachineInfo::state));
    };
    const auto add = [&](int count, const QString& words) {
        if (count > 0) note += QStringLiteral(", ") + words;
    };
    add(in("silent"), MachineWords::tr("%Ln silent", nullptr, in("silent")));
    add(in("lost"), MachineWords::tr("%Ln lost", nullptr, in("lost")));
    add(in("refused"), MachineWords::tr("%Ln refused", nullptr, in("refused")));
    return note;
}

} // namespace yard::ui
