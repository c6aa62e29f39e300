#include "ui/pages/machines/machines_page.h"

#include "ui/bridge/machine_operations.h"
#include "ui/pages/machines/add_machine.h"
#include "ui/pages/machines/allocator_form.h"
#include "ui/pages/machines/allocator_strip.h"
#include "ui/pages/machines/machine_address.h"
#include "ui/pages/machines/machine_dialogs.h"
#include "ui/pages/machines/machine_panel.h"
#include "ui/style/format.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QJsonDocument>
#include <QMenu>
#include <QMimeData>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kMachinesLookMs = 2'000;
constexpr int kPanelHeight = 230;

} // namespace

MachinesPage::MachinesPage(Context context)
    : Page(context)
    , head_(new PageHead(tr("Machines")))
    , drain_(new Button(Button::Kind::Plain, tr("Drain"), "drain"))
    , resume_(new Button(Button::Kind::Plain, tr("Resume"), "release"))
    , pause_(new Button(Button::Kind::Plain, tr("Pause"), "pause"))
    , remove_(new Button(Button::Kind::Plain, tr("Remove…"), "close"))
    , badge_(new UpdatesBadge)
    , split_(new QSplitter(Qt::Vertical))
    , table_(new Table("machines"))
    , rows_(new RowsModel(machineColumns(), this))
    , panel_(new MachinePanel)
    , alone_(makeAlone())
    , allocators_(new AllocatorStrip(context))
    , poll_(
          context.link, kMachinesLookMs, [] { return operations::lookAtMachines().request; },
          [this](const Answer& answer) { take(answer.json); }) {
    setAcceptDrops(true);
    QVBoxLayout* inside = makeGround();
    makeHead(inside);
    split_->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    setFocusProxy(table_);
    table_->setAccessibleName(tr("Machines"));
    split_->addWidget(table_);
    split_->addWidget(panel_);
    split_->setStretchFactor(0, 1);
    split_->setSizes({500, scaled(kPanelHeight)});
    inside->addWidget(split_, 1);
    inside->addWidget(alone_);
    inside->addWidget(allocators_);
    alone_->hide();
    makeCommands();
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(table_, &Table::selectionEdited, this, &MachinesPage::onSelection);
    connect(table_, &Table::opened, this, [this] { showActions_->trigger(); });
    connect(table_, &Table::menuWanted, this, &MachinesPage::showMenu);
    connect(panel_->actions(), &QAbstractButton::clicked, showActions_, &QAction::trigger);
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) {
        if (!told_) table_->setMessage(message);
    });
    connect(&context_.state, &EngineState::refreshed, &poll_, &Poll::now);
    connect(&context_.state, &EngineState::connectionChanged, this, &MachinesPage::onSelection);
    onSelection();
}

void MachinesPage::makeHead(QVBoxLayout* column) {
    auto* fresh = new Button(Button::Kind::Plain, tr("Add machine…"), "plus");
    auto* shown = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    head_->addRight(badge_);
    head_->addRight(fresh);
    head_->addSeparator();
    for (Button* button : {drain_, resume_, pause_, remove_}) head_->addRight(button);
    head_->addSeparator();
    head_->addRight(shown);
    column->addWidget(head_);
    connect(badge_, &QAbstractButton::clicked, this, &MachinesPage::takeUpdates);
    connect(fresh, &QAbstractButton::clicked, this, &MachinesPage::add);
    connect(shown, &QAbstractButton::clicked, this,
            [this, shown] { table_->showColumnMenu(shown->mapToGlobal(shown->rect().bottomLeft())); });
}

/// No other machine: one sentence, and the way to have one.
QWidget* MachinesPage::makeAlone() {
    auto* alone = new QWidget;
    auto* column = new QVBoxLayout(alone);
    column->setContentsMargins(16, 16, 16, 40);
    column->setSpacing(12);
    column->addWidget(new Label(tr("No other machine runs actions for this engine"), Type::Body, Token::Text2), 0,
                      Qt::AlignHCenter);
    auto* fresh = new Button(Button::Kind::Plain, tr("Add machine…"), "plus");
    column->addWidget(fresh, 0, Qt::AlignHCenter);
    connect(fresh, &QAbstractButton::clicked, this, &MachinesPage::add);
    return alone;
}

void MachinesPage::setActive(bool active) {
    allocators_->setActive(active);
    poll_.setActive(active);
}

bool MachinesPage::isAlone() const {
    return alone_->isVisible();
}

void MachinesPage::take(const QJsonObject& json) {
    told_ = true;
    context_.state.tellMachines(json);
    machines_ = readMachines(json);
    const TakenHere taken = takenHere(context_.state.session());
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    rows.reserve(machines_.size());
    for (const MachineInfo& machine : machines_) rows.push_back(machineRow(machine, taken, now));
    table_->setMessage({});
    rows_->setRows(std::move(rows));
    head_->setNote(machinesNote(machines_));
    alone_->setVisible(machines_.size() == 1);
    if (!wanted_.isEmpty()) setFilter(std::exchange(wanted_, {}));
    onSelection();
}

const MachineInfo* MachinesPage::selected() const {
    const auto ids = table_->selectedIds();
    const auto found = ids.empty() ? machines_.end() : std::ranges::find(machines_, ids.front(), &MachineInfo::row);
    return found == machines_.end() ? nullptr : &*found;
}

void MachinesPage::onSelection() {
    const MachineInfo* machine = selected();
    const QString unchosen = machine == nullptr ? tr("Select a machine first") : QString();
    const QString lost = context_.state.whyBlocked();
    const bool isLocal = machine != nullptr && machine->isLocal();
    const QString steered = !lost.isEmpty() ? lost
                            : isLocal       ? tr("This is the engine's own machine: pause or drain the engine")
                                            : unchosen;
    const QString state = machine != nullptr ? machine->state : QString();
    const bool mayResume = machine != nullptr && (machine->isStopped() || state == "refused");
    const auto orElse = [&](const QString& more) { return steered.isEmpty() ? more : steered; };
    const std::array blocked{
        std::tuple(drain_, drainAction_, orElse(state == "draining" ? tr("It is drained already") : QString())),
        std::tuple(resume_, resumeAction_, orElse(mayResume ? QString() : tr("It gets work as it is"))),
        std::tuple(pause_, pauseAction_, orElse(state == "paused" ? tr("It is paused already") : QString())),
        std::tuple(remove_, removeAction_, steered)};
    for (const auto& [button, action, why] : blocked) {
        button->setBlocked(why);
        setBlocked(action, why);
    }
    setBlocked(hoursAction_, steered);
    setBlocked(addAllocator_, lost);
    setBlocked(showActions_, unchosen);
    setBlocked(copyAddress_,
               machine != nullptr && machine->address.isEmpty() ? tr("It has no link now") : unchosen);
    panel_->setVisible(machine != nullptr);
    if (machine != nullptr) panel_->show(*machine, takenHere(context_.state.session()), wallNow());
}

std::vector<CommandSpec> MachinesPage::declared() {
    return {{"add", tr("Add machine…")},
            {"drain", tr("Drain")},
            {"resume", tr("Resume")},
            {"pause", tr("Pause")},
            {"hours", tr("Hours…")},
            {"add-allocator", tr("Add allocator…")},
            {"show-actions", tr("Show actions")},
            {"copy-address", tr("Copy address")},
            {"remove", tr("Remove…"), QKeySequence("Shift+Del")}};
}

void MachinesPage::makeCommands() {
    const CommandMaker maker(*this, declared());
    const auto make = [&, this](const QString& id, auto act) {
        return maker(id, [this, act] {
            if (const MachineInfo* machine = selected()) act(*machine);
        });
    };
    const auto steer = [&, this](const QString& id, Operation (*operation)(qint64, const QString&)) {
        return make(id, [this, operation](const MachineInfo& machine) {
            context_.commands.run(operation(machine.id, machine.name), this,
                                  [this](const Answer&) { poll_.now(); });
        });
    };
    addAction_ = maker("add", [this] { add(); });
    drainAction_ = steer("drain", &operations::drainMachine);
    resumeAction_ = steer("resume", &operations::resumeMachine);
    pauseAction_ = steer("pause", &operations::pauseMachine);
    showActions_ = make("show-actions", [this](const MachineInfo& machine) {
        context_.navigator.show("actions", "machine:" + machine.name);
    });
    copyAddress_ = make("copy-address",
                        [](const MachineInfo& machine) { QApplication::clipboard()->setText(machine.address); });
    addAllocator_ = maker("add-allocator", [this] { addAllocator(); });
    hoursAction_ = make("hours", [this](const MachineInfo& machine) { setHours(machine); });
    removeAction_ = make("remove", [this](const MachineInfo&) { remove(); });
    connect(drain_, &QAbstractButton::clicked, drainAction_, &QAction::trigger);
    connect(resume_, &QAbstractButton::clicked, resumeAction_, &QAction::trigger);
    connect(pause_, &QAbstractButton::clicked, pauseAction_, &QAction::trigger);
    connect(remove_, &QAbstractButton::clicked, removeAction_, &QAction::trigger);
}

/// Whatever it has: a machine that was removed has to join again.
void MachinesPage::remove() {
    const MachineInfo* machine = selected();
    if (machine == nullptr) return;
    const qint64 id = machine->id;
    const QString name = machine->name;
    const qint64 has = machine->has();
    const QString lost =
        has == 0 ? tr("It runs nothing. It has to join again to get work.")
                 : tr("%Ln action(s) that it has end there and run elsewhere. It has to join again to get work.",
                      nullptr, pluralCount(has));
    const auto isMeant = answered(this, [&] {
        return context_.window.ask(tr("Remove %1?").arg(name), lost, tr("Remove %1").arg(name), tr("Keep it"));
    });
    if (!isMeant.value_or(false)) return;
    context_.commands.run(operations::removeMachine(id, name, has > 0), this, [this](const Answer& answer) {
        if (answer.ok()) table_->clearSelection(); // what was selected has gone
        poll_.now();
    });
}

void MachinesPage::add() {
    if (AddMachine* open = adding()) {
        open->raise();
        open->activateWindow();
        return;
    }
    auto* form = new AddMachine(context_, this);
    connect(form, &AddMachine::allocatorWanted, this, &MachinesPage::addAllocator);
    form->show();
}

void MachinesPage::addAllocator() {
    auto* dialog = new AllocatorDialog(context_, {}, this);
    connect(dialog->form(), &AllocatorForm::saved, allocators_, &AllocatorStrip::lookNow);
    dialog->show();
}

void MachinesPage::setHours(const MachineInfo& machine) {
    auto* dialog = new MachineHours(context_, machine, this);
    connect(dialog, &MachineHours::saved, &poll_, &Poll::now);
    dialog->show();
}

/// One line that can be the address of a machine.
static bool isMachineAddress(const QString& text) {
    const QString address = text.trimmed();
    return (address.startsWith("ssh://") || address.startsWith("https://")) && !address.contains(QChar('\n'));
}

void MachinesPage::dragEnterEvent(QDragEnterEvent* event) {
    if (isMachineAddress(event->mimeData()->text())) event->acceptProposedAction();
}

void MachinesPage::dropEvent(QDropEvent* event) {
    const QString text = event->mimeData()->text();
    if (!isMachineAddress(text)) return;
    event->acceptProposedAction();
    add();
    adding()->choose(AddMachine::Way::Address);
    adding()->address()->setAddress(text);
}

AddMachine* MachinesPage::adding() const {
    return findChild<AddMachine*>();
}

void MachinesPage::addCopyAs(QMenu& menu, const MachineInfo& machine) {
    const auto add = [&](const QString& title, const QString& text) {
        menu.addAction(title, this, [this, text] { copyText(context_.window, text); });
    };
    const Operation look = operations::lookAtMachines(machine.id);
    add(tr("yardctl"), context_.link.yardctl(look.yardctl));
    add(tr("curl"), context_.link.curl(look.request));
    add(tr("JSON"), QString::fromUtf8(QJsonDocument(machine.json).toJson(QJsonDocument::Indented)));
}

void MachinesPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    menu->addAction(showActions_);
    menu->addSeparator();
    menu->addActions({drainAction_, resumeAction_, pauseAction_, hoursAction_});
    menu->addSeparator();
    menu->addAction(addAllocator_);
    menu->addSeparator();
    menu->addAction(copyAddress_);
    if (const MachineInfo* machine = selected()) addCopyAs(*menu->addMenu(tr("Copy as")), *machine);
    menu->addSeparator();
    menu->addAction(removeAction_);
    (void)menu.run(global);
}

void MachinesPage::setFilter(const QString& filter) {
    const auto found = std::ranges::find(machines_, filter, &MachineInfo::name);
    if (found != machines_.end()) return table_->selectId(found->row());
    if (!told_) wanted_ = filter;
}

void MachinesPage::open(qint64 machine, const QString&) {
    const auto found = std::ranges::find(machines_, machine, &MachineInfo::id);
    if (found != machines_.end()) table_->selectId(found->row());
}

void MachinesPage::takeUpdates() {
    rows_->takeWaiting();
    poll_.now();
}

QList<QAction*> MachinesPage::commands() const {
    return {addAction_,    drainAction_, resumeAction_, pauseAction_, hoursAction_,
            addAllocator_, showActions_, copyAddress_,  removeAction_};
}

QString MachinesPage::yardctlOf(const QAction* command) const {
    const MachineInfo* machine = selected();
    if (machine == nullptr) return {};
    if (command == drainAction_) return operations::drainMachine(machine->id, machine->name).yardctl;
    if (command == resumeAction_) return operations::resumeMachine(machine->id, machine->name).yardctl;
    if (command == pauseAction_) return operations::pauseMachine(machine->id, machine->name).yardctl;
    if (command == removeAction_)
        return operations::removeMachine(machine->id, machine->name, machine->has() > 0).yardctl;
    return {};
}

bool MachinesPage::closeInnermost() {
    return dropSelection(*table_);
}

Operation MachinesPage::asOperation() const {
    const MachineInfo* machine = selected();
    return operations::lookAtMachines(machine != nullptr ? std::optional(machine->id) : std::nullopt);
}

} // namespace yard::ui
