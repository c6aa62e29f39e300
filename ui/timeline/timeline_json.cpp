#include "ui/timeline/timeline_json.h"

#include "ui/style/paint.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace yard::ui::timeline {

namespace {

DisplayState faceIn(const QJsonValue& word) {
    const QString text = word.toString();
    if (text == QLatin1String("retry")) return DisplayState::Retry;
    return faceOf(text.toStdString(), false, false);
}

Item barOf(const QJsonObject& json, Names& names) {
    Item item;
    item.lsn = json.value("lsn").toInteger();
    item.attempt = static_cast<std::uint32_t>(json.value("n").toInteger(1));
    item.face = faceIn(json.value("state"));
    item.retried = json.value("retried").toBool();
    item.begin = json.value("submitting").toInteger();
    item.running = json.value("running").toInteger();
    item.exited = json.value("exited").toInteger();
    item.end = json.value("end").toInteger();
    QString label = json.value("label").toString();
    if (const QJsonValue index = json.value("index"); index.isDouble())
        label.replace(QLatin1String("{index}"), QString::number(index.toInteger()));
    const QString command = json.value("name").toString();
    const QString function = json.value("function").toString();
    item.name = names.add(!label.isEmpty() ? label : !command.isEmpty() ? command : function);
    return item;
}

void addSteps(const QJsonObject& columns, std::int64_t step, std::vector<Item>& items) {
    const QJsonArray t = columns.value("t").toArray();
    const QJsonArray covered = columns.value("covered").toArray();
    const QJsonArray state = columns.value("state").toArray();
    const QJsonArray count = columns.value("count").toArray();
    const QJsonArray lsn = columns.value("lsn").toArray();
    for (qsizetype i = 0; i < t.size(); ++i) {
        Item item;
        item.isStep = true;
        item.begin = t.at(i).toInteger();
        item.end = item.begin + step;
        item.covered = static_cast<float>(std::clamp(covered.at(i).toDouble(1), 0.0, 1.0));
        item.face = faceIn(state.at(i));
        item.retried = item.face == DisplayState::Retry;
        item.count = static_cast<std::uint32_t>(count.at(i).toInteger());
        item.lsn = lsn.at(i).toInteger();
        if (item.begin > 0) items.push_back(item);
    }
}

std::vector<double> values(const QJsonValue& list, std::size_t count) {
    const QJsonArray array = list.toArray();
    std::vector<double> found(count, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < count && i < static_cast<std::size_t>(array.size()); ++i)
        if (const QJsonValue value = array.at(static_cast<qsizetype>(i)); value.isDouble())
            found[i] = value.toDouble();
    return found;
}

/// By worker its name, and what is in which slot.
using ItemsByGroup = std::map<QString, std::pair<QString, std::map<std::uint32_t, std::vector<Item>>>>;

/// By name.
std::vector<Group> groupsOf(ItemsByGroup items) {
    std::vector<Group> groups;
    for (auto& [worker, entry] : items) {
        Group group{worker, entry.first, {}};
        for (auto& [slot, ofSlot] : entry.second) group.lanes.emplace(slot, Lane(std::move(ofSlot)));
        groups.push_back(std::move(group));
    }
    std::ranges::sort(groups, {}, &Group::name);
    return groups;
}

} // namespace

std::ptrdiff_t Figures::stepAt(WallMicros at) const {
    const auto after = std::ranges::upper_bound(t, at);
    if (after == t.begin()) return -1;
    const std::ptrdiff_t index = after - t.begin() - 1;
    return at - t[static_cast<std::size_t>(index)] < step + step / 2 ? index : -1;
}

Picture pictureOf(const QJsonObject& answer) {
    Picture picture;
    picture.range = {answer.value("from").toInteger(), answer.value("to").toInteger()};
    picture.now = answer.value("now").toInteger();
    picture.step = std::max<std::int64_t>(1, std::llround(answer.value("resolution").toDouble() * 1e6));
    for (const QJsonValue worker : answer.value("workers").toArray()) {
        Group group;
        group.worker = worker["worker"].toString();
        group.name = worker["worker_name"].toString(group.worker);
        for (const QJsonValue lane : worker["lanes"].toArray()) {
            std::vector<Item> items;
            for (const QJsonValue bar : lane["bars"].toArray()) {
                const Item item = barOf(bar.toObject(), *picture.names);
                if (item.begin > 0 && (item.end == 0 || item.end >= item.begin)) items.push_back(item);
            }
            addSteps(lane["columns"].toObject(), picture.step, items);
            // Counted from 0 there, and here as the slots of a worker.
            const qint64 machineSlot = lane["machine_slot"].toInteger(-1) + 1;
            for (Item& item : items) item.machineSlot = static_cast<std::uint32_t>(machineSlot);
            group.lanes.insert_or_assign(static_cast<std::uint32_t>(lane["slot"].toInteger()),
                                         Lane(std::move(items)));
        }
        picture.groups.push_back(std::move(group));
    }
    std::ranges::sort(picture.groups, {}, &Group::name);
    return picture;
}

Figures figuresOf(const QJsonObject& answer, Range asked) {
    Figures figures;
    figures.range = asked;
    figures.step = std::max<std::int64_t>(1, std::llround(answer.value("resolution").toDouble() * 1e6));
    for (const QJsonValue t : answer.value("t").toArray()) figures.t.push_back(t.toInteger());
    const std::size_t count = figures.t.size();
    const QJsonObject series = answer.value("series").toObject();
    figures.cores = values(series.value("cpu_actions"), count);
    const std::vector<double> others = values(series.value("cpu_others"), count);
    for (std::size_t i = 0; i < count; ++i) figures.cores[i] += others[i]; // NaN with either
    figures.memory = values(series.value("memory_bytes"), count);
    figures.pending = values(series.value("pending"), count);
    figures.running = values(series.value("running"), count);
    figures.completed = values(series.value("completed"), count);
    figures.failed = values(series.value("failed"), count);
    return figures;
}

Picture merged(const Picture& older, const Picture& newer) {
    const WallMicros since = newer.range.from;
    Picture all{{older.range.from, std::max(older.range.to, newer.range.to)},
                newer.now,
                older.step,
                {},
                std::make_shared<Names>(*older.names)};
    ItemsByGroup groups;
    for (const Group& group : older.groups) {
        auto& [name, lanes] = groups[group.worker];
        name = group.name;
        for (const auto& [slot, lane] : group.lanes)
            std::ranges::copy_if(lane.items(), std::back_inserter(lanes[slot]), [&](const Item& item) {
                if (item.isStep) return item.begin < since;
                return !item.isOpen() && item.end <= since;
            });
    }
    for (const Group& group : newer.groups) {
        auto& [name, lanes] = groups[group.worker];
        name = group.name;
        for (const auto& [slot, lane] : group.lanes)
            for (Item item : lane.items()) {
                if (item.isStep && item.begin < since) continue; // the older one is whole
                // What ended at the seam came with the older one.
                if (!item.isStep && !item.isOpen() && item.end <= since) continue;
                item.name = all.names->add((*newer.names)[item.name]);
                lanes[slot].push_back(item);
            }
    }
    all.groups = groupsOf(std::move(groups));
    return all;
}

Picture joined(const std::vector<Picture>& pictures) {
    Picture all;
    ItemsByGroup groups;
    std::set<std::tuple<QString, qint64, std::uint32_t>> seen;
    for (const Picture& picture : pictures) {
        all.range.from = all.range.from == 0 ? picture.range.from : std::min(all.range.from, picture.range.from);
        all.range.to = std::max(all.range.to, picture.range.to);
        all.now = std::max(all.now, picture.now);
        all.step = std::max(all.step, picture.step);
        for (const Group& group : picture.groups)
            for (const auto& [slot, lane] : group.lanes)
                for (Item item : lane.items()) {
                    if (!item.isStep && !seen.insert({group.worker, item.lsn, item.attempt}).second) continue;
                    item.name = all.names->add((*picture.names)[item.name]);
                    auto& [name, lanes] = groups[group.worker];
                    name = group.name;
                    lanes[slot].push_back(item);
                }
    }
    all.groups = groupsOf(std::move(groups));
    return all;
}

} // namespace yard::ui::timeline
