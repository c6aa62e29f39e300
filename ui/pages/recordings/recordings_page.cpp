#include "ui/pages/recordings/recordings_page.h"

#include "ui/bridge/recording_operations.h"
#include "ui/pages/recordings/recording_download.h"
#include "ui/pages/recordings/recording_forms.h"
#include "ui/pages/recordings/recording_panel.h"
#include "ui/style/format.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QInputDialog>
#include <QJsonArray>
#include <QMenu>
#include <QMimeData>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kRecordingsLookMs = 2'000;
constexpr int kRecordingPanelHeight = 360;

/// Files of recordings, and nothing else; empty: something else is among them.
QStringList recordingFilesOf(const QMimeData& data) {
    QStringList files;
    for (const QUrl& url : data.urls()) {
        if (!url.isLocalFile() || !url.path().endsWith(QStringLiteral(".yrec"))) return {};
        files << url.toLocalFile();
    }
    return files;
}

} // namespace

RecordingsPage::RecordingsPage(Context context)
    : Page(context)
    , head_(new PageHead(tr("Recordings")))
    , stop_(new Button(Button::Kind::Plain, tr("Stop"), "pause"))
    , replay_(new Button(Button::Kind::Plain, tr("Replay…"), "again"))
    , export_(new Button(Button::Kind::Plain, tr("Export…"), "save"))
    , delete_(new Button(Button::Kind::Plain, tr("Delete…"), "close"))
    , badge_(new UpdatesBadge)
    , split_(new QSplitter(Qt::Vertical))
    , table_(new Table("recordings"))
    , rows_(new RowsModel(recordingColumns(), this))
    , panel_(new RecordingPanel(context))
    , empty_(makeEmpty())
    , poll_(
          context.link, kRecordingsLookMs, [] { return operations::lookAtRecordings().request; },
          [this](const Answer& answer) { takeRecordings(answer.json); })
    , replayPoll_(
          context.link, kRecordingsLookMs, [] { return operations::lookAtReplays().request; },
          [this](const Answer& answer) { takeReplays(answer.json); }) {
    QVBoxLayout* inside = makeGround();
    makeHead(inside);
    split_->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    setFocusProxy(table_);
    table_->setAccessibleName(tr("Recordings"));
    split_->addWidget(table_);
    split_->addWidget(panel_);
    split_->setStretchFactor(0, 1);
    split_->setSizes({400, scaled(kRecordingPanelHeight)});
    inside->addWidget(split_, 1);
    inside->addWidget(empty_, 1);
    empty_->hide();
    makeCommands();
    setAcceptDrops(true);
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(table_, &Table::selectionEdited, this, &RecordingsPage::onSelection);
    connect(table_, &Table::opened, this, [this] { showActions_->trigger(); });
    connect(table_, &Table::menuWanted, this, &RecordingsPage::showMenu);
    connect(panel_, &RecordingPanel::closed, this, [this] { closeInnermost(); });
    connect(panel_->again(), &QAbstractButton::clicked, replayAction_, &QAction::trigger);
    connect(panel_->cancel(), &QAbstractButton::clicked, cancelAction_, &QAction::trigger);
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) {
        if (!told_) table_->setMessage(message);
    });
    connect(&context_.state, &EngineState::refreshed, this, &RecordingsPage::look);
    connect(&context_.state, &EngineState::connectionChanged, this, &RecordingsPage::onSelection);
    onSelection();
}

void RecordingsPage::makeHead(QVBoxLayout* column) {
    auto* fresh = new Button(Button::Kind::Plain, tr("Record…"), "recordings");
    auto* open = new Button(Button::Kind::Plain, tr("Open recording…"), "plus");
    auto* shown = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    head_->addRight(badge_);
    head_->addRight(fresh);
    head_->addRight(stop_);
    head_->addSeparator();
    for (Button* button : {open, replay_, export_, delete_}) head_->addRight(button);
    head_->addSeparator();
    head_->addRight(shown);
    column->addWidget(head_);
    connect(badge_, &QAbstractButton::clicked, this, &RecordingsPage::takeUpdates);
    connect(fresh, &QAbstractButton::clicked, this, &RecordingsPage::record);
    connect(open, &QAbstractButton::clicked, this, &RecordingsPage::chooseFile);
    connect(shown, &QAbstractButton::clicked, this,
            [this, shown] { table_->showColumnMenu(shown->mapToGlobal(shown->rect().bottomLeft())); });
}

/// In place of the rows where there is none: one sentence, and the way to have one.
QWidget* RecordingsPage::makeEmpty() {
    auto* empty = new Surface(Token::Bg1);
    auto* column = new QVBoxLayout(empty);
    column->setSpacing(12);
    column->addStretch(1);
    column->addWidget(new Label(tr("Nothing was recorded yet"), Type::Body, Token::Text2), 0, Qt::AlignHCenter);
    auto* fresh = new Button(Button::Kind::Plain, tr("Record…"), "recordings");
    column->addWidget(fresh, 0, Qt::AlignHCenter);
    column->addStretch(1);
    connect(fresh, &QAbstractButton::clicked, this, &RecordingsPage::record);
    return empty;
}

void RecordingsPage::setActive(bool active) {
    poll_.setActive(active);
    replayPoll_.setActive(active);
}

void RecordingsPage::look() {
    poll_.now();
    replayPoll_.now();
}

bool RecordingsPage::isEmpty() const {
    return empty_->isVisible();
}

// --- what the engine tells

void RecordingsPage::takeRecordings(const QJsonObject& json) {
    told_ = true;
    recordings_.clear();
    for (const QJsonValue value : json.value("recordings").toArray()) {
        RecordingInfo one = recordingOf(value.toObject());
        qint64& id = rowIds_[one.name];
        if (id == 0) id = rowIds_.size();
        one.row = id;
        recordings_.push_back(std::move(one));
    }
    // The newest first; sorted otherwise where a header was clicked.
    std::ranges::sort(recordings_, [](const RecordingInfo& a, const RecordingInfo& b) {
        return std::tie(b.started, a.name) < std::tie(a.started, b.name);
    });
    refill();
}

void RecordingsPage::takeReplays(const QJsonObject& json) {
    replays_ = readReplays(json);
    onSelection();
}

void RecordingsPage::refill() {
    const QString own = context_.state.session().value("engine_id").toString();
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    rows.reserve(recordings_.size());
    for (const RecordingInfo& one : recordings_) rows.push_back(recordingRow(one, own, now));
    table_->setMessage({});
    rows_->setRows(std::move(rows));
    head_->setNote(recordingsNote(recordings_));
    split_->setVisible(!recordings_.empty());
    empty_->setVisible(recordings_.empty());
    if (!wanted_.isEmpty()) setFilter(std::exchange(wanted_, {}));
    onSelection();
}

const RecordingInfo* RecordingsPage::selected() const {
    const auto ids = table_->selectedIds();
    const auto found =
        ids.empty() ? recordings_.end() : std::ranges::find(recordings_, ids.front(), &RecordingInfo::row);
    return found == recordings_.end() ? nullptr : &*found;
}

bool RecordingsPage::isOwn(const RecordingInfo& recording) const {
    return recording.engine == context_.state.session().value("engine_id").toString();
}

void RecordingsPage::onSelection() {
    const RecordingInfo* one = selected();
    const QString lost = context_.state.whyBlocked();
    const QString unchosen = !lost.isEmpty() ? lost : one == nullptr ? tr("Select a recording first") : QString();
    const bool isRunning = one != nullptr && one->isRunning();
    const QString notOver = unchosen.isEmpty() && isRunning ? tr("Stop it first") : unchosen;
    const std::array blocked{
        std::tuple(stop_, stopAction_, unchosen.isEmpty() && !isRunning ? tr("It is over already") : unchosen),
        std::tuple(replay_, replayAction_, notOver), std::tuple(export_, exportAction_, notOver),
        std::tuple(delete_, deleteAction_, notOver)};
    for (const auto& [button, action, why] : blocked) {
        button->setBlocked(why);
        setBlocked(action, why);
    }
    panel_->again()->setBlocked(notOver);
    for (QAction* action : {noteAction_, showActions_}) setBlocked(action, notOver);
    setBlocked(timelinesAction_, !notOver.isEmpty() ? notOver
                                 : !isOwn(*one) ? tr("Another engine made it: its times are not in these Timelines")
                                 : one->ended <= one->started ? tr("When it was is not known")
                                                              : QString());
    panel_->setVisible(one != nullptr);
    if (one == nullptr)
        panel_->clear();
    else
        panel_->show(*one, replays_, isOwn(*one));
    const ReplayInfo* run = panel_->replay();
    const bool runs = run != nullptr && run->isRunning();
    setBlocked(cancelAction_, unchosen.isEmpty() && !runs ? tr("No replay of it runs") : unchosen);
}

// --- commands

std::vector<CommandSpec> RecordingsPage::declared() {
    return {{"record", tr("Record…")},
            {"stop", tr("Stop")},
            {"open", tr("Open recording…")},
            {"replay", tr("Replay…"), QKeySequence("Ctrl+R")},
            {"cancel", tr("Cancel the replay")},
            {"show-actions", tr("Show its actions")},
            {"timelines", tr("Open in Timelines")},
            {"note", tr("Write a note…")},
            {"export", tr("Export…")},
            {"delete", tr("Delete…"), QKeySequence("Shift+Del")}};
}

void RecordingsPage::makeCommands() {
    const CommandMaker maker(*this, declared());
    recordAction_ = maker("record", [this] { record(); });
    openAction_ = maker("open", [this] { chooseFile(); });
    stopAction_ = maker("stop", [this] {
        if (const RecordingInfo* one = selected())
            context_.commands.run(operations::stopRecording(one->name), this, [this](const Answer&) { look(); });
    });
    replayAction_ = maker("replay", [this] { replay(); });
    cancelAction_ = maker("cancel", [this] {
        if (const ReplayInfo* run = panel_->replay())
            context_.commands.run(operations::cancelReplay(run->id, run->recording), this,
                                  [this](const Answer&) { look(); });
    });
    timelinesAction_ = maker("timelines", [this] {
        if (const RecordingInfo* one = selected())
            context_.navigator.show("timelines", QStringLiteral("span:%1..%2").arg(one->started).arg(one->ended));
    });
    showActions_ = maker("show-actions", [this] { panel_->setTab(RecordingPanel::Actions); });
    noteAction_ = maker("note", [this] { writeNote(); });
    exportAction_ = maker("export", [this] { chooseTarget(); });
    deleteAction_ = maker("delete", [this] { remove(); });
    connect(stop_, &QAbstractButton::clicked, stopAction_, &QAction::trigger);
    connect(replay_, &QAbstractButton::clicked, replayAction_, &QAction::trigger);
    connect(export_, &QAbstractButton::clicked, exportAction_, &QAction::trigger);
    connect(delete_, &QAbstractButton::clicked, deleteAction_, &QAction::trigger);
}

RecordForm* RecordingsPage::recording() const {
    return findChild<RecordForm*>();
}

ReplayForm* RecordingsPage::replaying() const {
    return findChild<ReplayForm*>();
}

void RecordingsPage::record() {
    if (RecordForm* open = recording()) {
        open->raise();
        return open->activateWindow();
    }
    (new RecordForm(context_, [this] { look(); }, this))->show();
}

void RecordingsPage::replay() {
    const RecordingInfo* one = selected();
    if (one == nullptr) return;
    // One that is open may be for another recording.
    delete replaying();
    (new ReplayForm(context_, one->name, [this] { look(); }, this))->show();
}

void RecordingsPage::chooseFile() {
    const auto path = answered(this, [this] {
        return QFileDialog::getOpenFileName(lastingWindow(this), tr("Open recording"), {},
                                            tr("Recordings (*.yrec)"));
    });
    if (path && !path->isEmpty()) bring(*path);
}

void RecordingsPage::bring(const QString& path) {
    const QString name = recordingNameOf(path);
    if (!isRecordingName(name)) return context_.window.say(tr("%1 is no name of a recording.").arg(path), true);
    context_.window.say(tr("Bringing %1 to the engine…").arg(name));
    context_.link.sendFile(operations::bringRecording(name), path, this, [this, name](const Answer& answer) {
        if (!answer.ok()) return context_.window.say(answer.message, true);
        context_.window.say(tr("%1 is here").arg(name));
        wanted_ = name;
        look();
    });
}

void RecordingsPage::chooseTarget() {
    const RecordingInfo* one = selected();
    if (one == nullptr) return;
    const auto path = answered(this, [this, name = one->name] {
        return QFileDialog::getSaveFileName(lastingWindow(this), tr("Export the recording"), name + ".yrec",
                                            tr("Recordings (*.yrec)"));
    });
    if (path && !path->isEmpty()) saveTo(*path);
}

void RecordingsPage::saveTo(const QString& path) {
    const RecordingInfo* one = selected();
    if (one == nullptr) return;
    new RecordingDownload(
        context_.link, one->name, path,
        [this, path](const QString& problem) {
            context_.window.say(problem.isEmpty() ? tr("Saved as %1").arg(path) : problem, !problem.isEmpty());
        },
        this);
}

void RecordingsPage::writeNote() {
    const RecordingInfo* one = selected();
    if (one == nullptr) return;
    const QString name = one->name;
    bool isMeant = false;
    const auto text = answered(this, [&, note = one->note] {
        return QInputDialog::getText(lastingWindow(this), tr("Note"), tr("Note on %1").arg(name), QLineEdit::Normal,
                                     note, &isMeant);
    });
    if (text && isMeant)
        context_.commands.run(operations::noteRecording(name, text->trimmed()), this,
                              [this](const Answer&) { look(); });
}

void RecordingsPage::remove() {
    const RecordingInfo* one = selected();
    if (one == nullptr) return;
    const QString name = one->name;
    const QString lost =
        tr("%Ln action(s) and %1 of files go with it. This cannot be undone.", nullptr, pluralCount(one->actions))
            .arg(Format().size(one->bytes));
    const auto isMeant = answered(this, [&] {
        return context_.window.ask(tr("Delete %1?").arg(name), lost, tr("Delete %1").arg(name), tr("Keep it"));
    });
    if (!isMeant.value_or(false)) return;
    context_.commands.run(operations::deleteRecording(name), this, [this](const Answer& answer) {
        if (answer.ok()) table_->clearSelection(); // what was selected has gone
        look();
    });
}

void RecordingsPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    menu->addActions({showActions_, timelinesAction_, replayAction_, cancelAction_});
    menu->addSeparator();
    menu->addActions({stopAction_, noteAction_, exportAction_});
    if (const RecordingInfo* one = selected()) {
        const Operation look = operations::lookAtRecordings(one->name);
        QMenu* copies = menu->addMenu(tr("Copy as"));
        const auto add = [&](const QString& title, const QString& text) {
            copies->addAction(title, this, [this, text] { copyText(context_.window, text); });
        };
        add(tr("yardctl"), context_.link.yardctl(look.yardctl));
        add(tr("curl"), context_.link.curl(look.request));
    }
    menu->addSeparator();
    menu->addAction(deleteAction_);
    (void)menu.run(global);
}

void RecordingsPage::dragEnterEvent(QDragEnterEvent* event) {
    if (!recordingFilesOf(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void RecordingsPage::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    for (const QString& file : recordingFilesOf(*event->mimeData())) bring(file);
}

// --- what the window asks

void RecordingsPage::setFilter(const QString& filter) {
    const auto found = std::ranges::find(recordings_, filter, &RecordingInfo::name);
    if (found != recordings_.end()) return table_->selectId(found->row);
    if (!told_) wanted_ = filter;
}

void RecordingsPage::takeUpdates() {
    rows_->takeWaiting();
    look();
}

QList<QAction*> RecordingsPage::commands() const {
    return {recordAction_, stopAction_,      openAction_, replayAction_, cancelAction_,
            showActions_,  timelinesAction_, noteAction_, exportAction_, deleteAction_};
}

QString RecordingsPage::yardctlOf(const QAction* command) const {
    const RecordingInfo* one = selected();
    if (one == nullptr) return {};
    if (command == stopAction_) return operations::stopRecording(one->name).yardctl;
    if (command == replayAction_) return operations::replayRecording(one->name, {}).yardctl;
    if (command == deleteAction_) return operations::deleteRecording(one->name).yardctl;
    if (command == exportAction_) return "yardctl record pull " + shellWord(one->name);
    if (command == showActions_) return "yardctl record export " + shellWord(one->name);
    return {};
}

bool RecordingsPage::closeInnermost() {
    if (!table_->selectionModel()->hasSelection()) return false;
    table_->clearSelection();
    return true;
}

Operation RecordingsPage::asOperation() const {
    const RecordingInfo* one = selected();
    return operations::lookAtRecordings(one != nullptr ? one->name : QString());
}

} // namespace yard::ui
