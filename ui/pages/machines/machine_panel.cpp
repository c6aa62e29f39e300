#include "ui/pages/machines/machine_panel.h"

#include "ui/style/format.h"

namespace yard::ui {

MachinePanel::MachinePanel(QWidget* parent)
    : QWidget(parent)
    , machine_(new Panel({}, false))
    , about_(new Facts)
    , connection_(new Facts)
    , actions_(new Button(Button::Kind::Plain, tr("Show actions"), "actions")) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(1);
    machine_->addToHead(actions_);
    machine_->setTitleElides(true);
    machine_->setBody(scrolling(about_));
    auto* connection = new Panel(tr("Connection"), false);
    connection->setBody(scrolling(connection_));
    row->addWidget(machine_, 1);
    row->addWidget(connection, 1);
    setObjectName("pane");
}

void MachinePanel::show(const MachineInfo& machine, const TakenHere& taken, WallMicros now) {
    const Format format;
    const auto text = [](const QString& value) { return value.isEmpty() ? Format::unknown() : value; };
    const auto used = [](const QString& what, const Cell& cell) {
        return Fact{what, cell.text, Fact::Tone::Normal, cell.share > 0 ? cell.share : std::nullopt};
    };
    machine_->setTitle(machine.name);
    machine_->setNote(machineKindWords(machine));
    machine_->setIcon(QStringLiteral("machines"));
    std::vector<Fact> about{{tr("Platform"), text(machine.platform)},
                            {tr("Version"), text(machine.version)},
                            {tr("Slots"), format.number(machine.slotCount)},
                            used(tr("Cores"), machineCores(machine, taken)),
                            used(tr("Memory"), machineMemory(machine, taken))};
    if (machine.gpus > 0) about.push_back(used(tr("GPUs"), machineGpus(machine, taken)));
    if (machine.isLocal())
        for (const QString& lost : taken.lostGpus) about.push_back({tr("GPU"), lost, Fact::Tone::Alert});
    about.push_back({tr("Tags"), text(machine.tags.join(QStringLiteral(", ")))});
    about_->set(std::move(about));
    const bool isOff = machine.state == "lost" || machine.state == "refused";
    std::vector<Fact> facts{
        {tr("State"), machineStateWords(machine, now), isOff ? Fact::Tone::Alert : Fact::Tone::Normal},
        {tr("Since"), machine.since > 0 ? format.time(machine.since, now) : Format::unknown()},
        {tr("Address"), machine.isLocal() ? tr("this machine") : text(machine.address)},
        {tr("Running"), format.number(machine.running)},
        {tr("Waiting"), format.number(machine.waiting)}};
    if (!machine.hours.isEmpty()) facts.push_back({tr("Hours"), machine.hours});
    if (machine.lifetimeEnds > 0) facts.push_back({tr("Leaves"), format.coming(machine.lifetimeEnds, now)});
    if (machine.lostAt > 0) facts.push_back({tr("Counts as lost"), format.coming(machine.lostAt, now)});
    if (const QString word = machineLastWord(machine, now); !word.isEmpty())
        facts.push_back({tr("Last word"), word, Fact::Tone::Dim});
    connection_->set(std::move(facts));
}

} // namespace yard::ui
