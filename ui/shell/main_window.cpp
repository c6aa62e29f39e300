#include "ui/shell/main_window.h"

#include "ui/models/engines.h"
#include "ui/models/notices.h"
#include "ui/shell/command_keys.h"
#include "ui/shell/notice_list.h"
#include "ui/shell/palette.h"
#include "ui/shell/question.h"
#include "ui/style/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QJsonArray>
#include <QMenu>
#include <QScreen>
#include <QSettings>
#include <QShortcut>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr QSize kLeast{1100, 700};
constexpr QSize kUsual{1440, 900};
constexpr int kTitleBar = 40; // of most desktops, and more than some
constexpr int kNarrowBelow = 1240;
constexpr std::size_t kMostPlaces = 100;

} // namespace

/// The usual one, or what the screen has beside a title bar, though never less than the least. No window fits a
/// screen smaller than that.
QSize MainWindow::firstSize() const {
    const QSize room = screen()->availableSize();
    if (room.width() < kLeast.width() || room.height() < kLeast.height()) return kUsual;
    return kUsual.boundedTo(room - QSize(0, kTitleBar)).expandedTo(kLeast);
}

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent)
    , specs_(allPages()) {
    setWindowTitle(QStringLiteral("Yardmaster"));
    setMinimumSize(kLeast);
    setAcceptDrops(true);
    makeActions();
    makeDrainMenu();
    makeEngineMenu();
    build();
    makePalette();
    makeNotices();
    resize(firstSize());
    restoreGeometry(QSettings().value("window/geometry").toByteArray());
    narrowByHand_ = QSettings().value("window/narrow").toBool();
    setRailNarrow(narrowByHand_ || width() < kNarrowBelow);
    connect(&Theme::current(), &Theme::changed, this, [this] {
        updateLook();
        for (QWidget* widget : findChildren<QWidget*>()) widget->update();
    });
}

/// The bars and the place of the pages. Heights and fonts are taken here, so a change of them builds anew.
void MainWindow::build() {
    top_ = new TopBar;
    stack_ = new QStackedWidget;
    foot_ = new QWidget;
    status_ = new StatusBar;
    starting_ = new Label({}, Type::Body, Token::Text2);
    startingPage_ = new Surface(Token::Bg1);
    rail_ = new Rail(specs_);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(rail_);
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(stack_, 1);
    auto* footRow = new QVBoxLayout(foot_);
    footRow->setContentsMargins(0, 0, 0, 0);
    right->addWidget(foot_);
    middle->addLayout(right, 1);
    auto* all = new QWidget;
    auto* column = new QVBoxLayout(all);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(top_);
    column->addLayout(middle, 1);
    column->addWidget(status_);
    setCentralWidget(all);
    auto* centred = new QHBoxLayout(startingPage_);
    centred->addStretch(1);
    centred->addWidget(starting_);
    centred->addStretch(1);
    stack_->addWidget(startingPage_);
    connect(rail_, &Rail::chosen, this, [this](const QString& id) { show(id); });
    connect(top_, &TopBar::pauseWanted, this, [this](bool pause) {
        if (commands_) commands_->run(pause ? operations::holdAll() : operations::releaseAll());
    });
    connect(top_, &TopBar::searchWanted, this, [this] { palette_->open(); });
    connect(top_->bell(), &QAbstractButton::clicked, this, [this] { noticeList_->toggle(top_->bell()); });
    connect(top_, &TopBar::submitWanted, this, [this] { openSubmit(); });
    connect(status_, &StatusBar::refusedClicked, this, [this] { show(QStringLiteral("settings"), "engines"); });
    top_->drain()->setMenu(drainMenu_);
    top_->engine()->setMenu(engineMenu_);
}

void MainWindow::remake() {
    QTimer::singleShot(0, this, [this] { // a control of a page may be what asks
        const QString sentence = starting_->text();
        dropPages();
        delete takeCentralWidget();
        build();
        setRailNarrow(narrowByHand_ || width() < kNarrowBelow);
        setStarting(sentence);
        if (!state_) return;
        makePages();
        updateLook();
    });
}

void MainWindow::resetLayout() {
    QSettings settings;
    for (const char* group : {"tables", "splitters", "panels"}) settings.remove(group);
    settings.remove("window/geometry");
    settings.remove("window/narrow");
    narrowByHand_ = false;
    resize(firstSize());
    remake();
}

MainWindow::~MainWindow() {
    dropEngine();
}

void MainWindow::setStarting(const QString& sentence) {
    starting_->setText(sentence);
    stack_->setCurrentWidget(startingPage_);
}

void MainWindow::dropPages() {
    for (auto& [id, page] : made_) {
        page->setActive(false);
        stack_->removeWidget(page);
        delete page;
    }
    made_.clear();
    delete std::exchange(undo_, nullptr);
}

void MainWindow::dropEngine() {
    palette_->setSources({});
    noticeList_->leave();
    notices_->setEngine(nullptr, nullptr);
    dropPages();
    commands_.reset();
    state_.reset();
    link_.reset();
}

void MainWindow::setEngine(std::unique_ptr<EngineLink> link, const QString& kind) {
    dropEngine();
    link_ = std::move(link);
    link_->setShell(engines_->shellOf(link_->address()));
    kind_ = kind;
    state_ = std::make_unique<EngineState>(*link_);
    commands_ = std::make_unique<Commands>(*link_);
    commands_->setAsk([this](const QString& question, const QString& lost, const QString& verb,
                             const QString& keep) { return ask(question, lost, verb, keep); });
    for (const auto signal : {&EngineState::sessionChanged, &EngineState::connectionChanged,
                              &EngineState::queuesChanged, &EngineState::countsChanged, &EngineState::pulse})
        connect(state_.get(), signal, this, &MainWindow::updateLook);
    connect(commands_.get(), &Commands::said, this, &MainWindow::say);
    fillPalette();
    notices_->setEngine(state_.get(), commands_.get());
    updateWatched();
    updateLook();
    if (current_.isEmpty()) current_ = QSettings().value("general/start-page").toString();
    if (current_.isEmpty()) current_ = QSettings().value("window/page").toString();
    makePages();
    emit engineChanged();
}

/// The page that was shown, and what stands at its foot.
void MainWindow::makePages() {
    undo_ = new UndoBar(*commands_);
    foot_->layout()->addWidget(undo_);
    const QString first = std::exchange(current_, {});
    const QString filter = place_ < places_.size() ? places_[place_].filter : QString();
    show(std::ranges::find(specs_, first, &PageSpec::id) != specs_.end() ? first : specs_.front().id, filter);
}

void MainWindow::updateLook() {
    if (!state_) return;
    const QString name = state_->machineName();
    top_->setEngine(name.isEmpty() ? link_->address().host() : name, kind_);
    top_->show(*state_);
    status_->show(*state_);
    rail_->count(*state_);
    updateNotices();
}

Page* MainWindow::page() const {
    const auto found = made_.find(current_);
    return found == made_.end() ? nullptr : found->second;
}

Page* MainWindow::pageOf(const QString& id) {
    if (const auto found = made_.find(id); found != made_.end()) return found->second;
    const auto spec = std::ranges::find(specs_, id, &PageSpec::id);
    if (spec == specs_.end() || !state_) return nullptr;
    Page* page = spec->make(Context{*link_, *state_, *commands_, *this});
    made_[id] = page;
    stack_->addWidget(page);
    for (QAction* action : page->commands())
        action->setShortcut(chosenKeys(commandId(id, action->objectName()), action->shortcut()));
    connect(page, &Page::filterEdited, this, [this, id](const QString& filter) {
        if (id == current_ && place_ < places_.size()) places_[place_].filter = filter;
    });
    return page;
}

void MainWindow::activate(Page* next) {
    if (Page* before = page(); before != nullptr && before != next) before->setActive(false);
    stack_->setCurrentWidget(next);
    next->setActive(isVisible() && !isMinimized());
    next->setFocus();
}

void MainWindow::show(const QString& id, const QString& filter) {
    Page* next = pageOf(id);
    if (next == nullptr) return;
    activate(next);
    current_ = id;
    rail_->setCurrent(id);
    if (!filter.isEmpty()) next->setFilter(filter);
    const Place here{id, next->filter()};
    if (place_ < places_.size() && places_[place_].page == here.page && places_[place_].filter == here.filter)
        return;
    if (!places_.empty()) places_.resize(place_ + 1);
    places_.push_back(here);
    if (places_.size() > kMostPlaces) places_.erase(places_.begin());
    place_ = places_.size() - 1;
    QSettings().setValue("window/page", id);
}

void MainWindow::goBy(int steps) {
    const auto to = static_cast<std::ptrdiff_t>(place_) + steps;
    if (to < 0 || to >= static_cast<std::ptrdiff_t>(places_.size())) return;
    place_ = static_cast<std::size_t>(to);
    const Place place = places_[place_];
    Page* next = pageOf(place.page);
    if (next == nullptr) return;
    activate(next);
    current_ = place.page;
    rail_->setCurrent(current_);
    next->setFilter(place.filter);
}

void MainWindow::showAction(qint64 lsn, const QString& tab) {
    show(QStringLiteral("actions"));
    if (Page* actions = page()) actions->open(lsn, tab);
}

void MainWindow::showThing(const QString& id, qint64 thing) {
    show(id);
    if (Page* shown = page(); shown != nullptr && current_ == id) shown->open(thing);
}

bool MainWindow::ask(const QString& question, const QString& lost, const QString& verb, const QString& keep) {
    return askQuestion(this, question, lost, verb, keep);
}

void MainWindow::say(const QString& sentence, bool bad) {
    status_->say(sentence, bad);
}

QAction* MainWindow::add(const QString& id, const QString& title, const QKeySequence& keys,
                         std::function<void()> act) {
    auto* action = new QAction(title, this);
    action->setObjectName(id);
    action->setShortcut(chosenKeys(id, keys));
    action->setData(keys.toString()); // the default, for the settings
    connect(action, &QAction::triggered, this, std::move(act));
    addAction(action);
    actions_[id] = action;
    return action;
}

void MainWindow::makeActions() {
    int number = 0;
    for (const PageSpec& spec : specs_) {
        const QKeySequence keys =
            spec.id == "settings" ? QKeySequence("Ctrl+,") : QKeySequence(QStringLiteral("Ctrl+%1").arg(++number));
        add("page." + spec.id, tr("Go to %1").arg(spec.title), keys, [this, id = spec.id] { show(id); });
    }
    const auto onPage = [this](auto act) {
        return [this, act] {
            if (Page* current = page()) act(*current);
        };
    };
    add("filter", tr("Filter this page"), QKeySequence("Ctrl+F"), onPage([](Page& p) { p.focusFilter(); }));
    auto* slash = new QShortcut(QKeySequence("/"), this);
    connect(slash, &QShortcut::activated, this, onPage([](Page& p) { p.focusFilter(); }));
    add("submit", tr("Submit…"), QKeySequence("Ctrl+N"), [this] { openSubmit(); });
    add("refresh", tr("Take waiting updates"), QKeySequence("F5"), onPage([](Page& p) { p.takeUpdates(); }));
    add("undo", tr("Undo"), QKeySequence("Ctrl+Z"), [this] {
        const bool waits = commands_ && commands_->waiting() != nullptr;
        if (Page* current = page(); !waits && current != nullptr && current->undo()) return;
        if (commands_) commands_->undo();
    });
    add("back", tr("Back"), QKeySequence("Alt+Left"), [this] { goBy(-1); });
    add("forward", tr("Forward"), QKeySequence("Alt+Right"), [this] { goBy(1); });
    add("newest-failure", tr("Newest failure"), QKeySequence("Ctrl+Shift+F"), [this] { showNewestFailure(); });
    add("copy-yardctl", tr("Copy as yardctl"), QKeySequence("Ctrl+Shift+C"), [this] { copyOperation(false); });
    add("copy-curl", tr("Copy as curl"), QKeySequence("Ctrl+Alt+C"), [this] { copyOperation(true); });
    add("close-innermost", tr("Close what is open"), QKeySequence("Esc"),
        onPage([](Page& p) { p.closeInnermost(); }));
    add("next-pane", tr("Next pane"), QKeySequence("F6"), [this] { focusNextPane(); });
    add("full-screen", tr("Full screen"), QKeySequence("F11"), [this] {
        setWindowState(windowState() ^ Qt::WindowFullScreen); // back to what it was, be it maximised
    });
    add("rail", tr("Narrow or wide rail"), QKeySequence("Ctrl+B"), [this] {
        narrowByHand_ = !narrowByHand_;
        QSettings().setValue("window/narrow", narrowByHand_);
        setRailNarrow(narrowByHand_ || width() < kNarrowBelow);
    });
    add("pause", tr("Pause: hold every queue"), {}, [this] {
        if (commands_) commands_->run(operations::holdAll());
    });
    add("resume", tr("Resume: release every queue"), {}, [this] {
        if (commands_) commands_->run(operations::releaseAll());
    });
    add("quit", tr("Quit"), QKeySequence("Ctrl+Q"), [this] { close(); });
}

void MainWindow::makeDrainMenu() {
    drainMenu_ = new QMenu(this);
    const auto runs = [this](const QString& id, const QString& title, Operation (*operation)(),
                             const QString& question, const QString& lost, const QString& verb) {
        QAction* action = add(id, title, {}, [=, this] {
            if (!commands_) return;
            if (question.isEmpty() || ask(question, lost, verb, tr("Leave it"))) commands_->run(operation());
        });
        drainMenu_->addAction(action);
    };
    runs("session.drain", tr("Drain: no new work, the rest runs to its end"), &operations::drainSession,
         tr("Drain the engine?"),
         tr("It takes no new work from then on; what was submitted runs to its end. Only a restart of the engine "
            "takes new work again."),
         tr("Drain"));
    runs("session.pause", tr("Stop starting: nothing new, nothing starts"), &operations::pauseSession,
         tr("Pause the session?"),
         tr("Nothing is taken and nothing starts from then on; what runs finishes. Only a restart of the engine "
            "ends it. "
            "Pause in the bar holds the queues, and can be released."),
         tr("Pause the session"));
    drainMenu_->addSeparator();
    runs("session.abandon", tr("Abandon…"), &operations::abandonSession, tr("Abandon everything?"),
         tr("All that runs is ended and all that waits is marked abandoned. It can be rescheduled one by one; this "
            "cannot be undone."),
         tr("Abandon everything"));
    runs("session.sunset", tr("Sunset…"), &operations::sunsetSession, tr("End the engine?"),
         tr("What runs is ended and goes back to pending; the engine's process ends."), tr("End the engine"));
}

void MainWindow::copyOperation(bool curl) {
    Page* current = page();
    if (current == nullptr) return;
    const Operation operation = current->asOperation();
    const QString line = curl ? link_->curl(operation.request) : link_->yardctl(operation.yardctl);
    if (operation.request.path.isEmpty() || line.isEmpty())
        return say(curl ? tr("Nothing here to copy as curl.")
                        : tr("yardctl has no command for this; copy it as curl."));
    QApplication::clipboard()->setText(line);
    say(tr("Copied: %1").arg(line));
}

void MainWindow::showNewestFailure() {
    if (!state_) return;
    Request request{"GET", "jobs", {}, {}};
    request.query.addQueryItem("state", "failed");
    request.query.addQueryItem("sort", "-finished"); // an old one may have been tried again
    request.query.addQueryItem("limit", "1");
    sendList(*link_, request, this, [this](const Answer& answer) {
        const QJsonArray jobs = answer.json.value("jobs").toArray();
        if (!answer.ok()) return say(answer.message, true);
        if (jobs.isEmpty()) return say(tr("Nothing has failed."));
        showAction(jobs.first().toObject().value("lsn").toInteger(), "output");
    });
}

/// F6: bar, rail, page and detail in turn, each with its first widget that takes the focus.
void MainWindow::focusNextPane() {
    std::vector<QWidget*> panes{top_, rail_};
    if (Page* current = page()) {
        const auto inner = current->findChildren<QWidget*>(QStringLiteral("pane"));
        panes.insert(panes.end(), inner.begin(), inner.end());
        if (inner.isEmpty()) panes.push_back(current);
    }
    const auto holds = [](QWidget* pane) {
        const QWidget* focus = QApplication::focusWidget();
        return focus != nullptr && (pane == focus || pane->isAncestorOf(focus));
    };
    const auto now = std::ranges::find_if(panes, holds);
    const std::size_t from = now == panes.end() ? panes.size() - 1 : static_cast<std::size_t>(now - panes.begin());
    for (std::size_t step = 1; step <= panes.size(); ++step) {
        QWidget* pane = panes[(from + step) % panes.size()];
        if (!pane->isVisible()) continue;
        if (pane->focusPolicy() != Qt::NoFocus) return pane->setFocus(Qt::TabFocusReason);
        for (QWidget* inside : pane->findChildren<QWidget*>())
            if (inside->isVisible() && inside->isEnabled() && (inside->focusPolicy() & Qt::TabFocus) != 0)
                return inside->setFocus(Qt::TabFocusReason);
    }
}

void MainWindow::setRailNarrow(bool narrow) {
    rail_->setNarrow(narrow);
}

void MainWindow::updateWatched() {
    const bool seen = isVisible() && !isMinimized();
    if (state_) state_->setWatched(seen);
    if (Page* current = page()) current->setActive(seen);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (mayClose_ && !mayClose_(*this)) return event->ignore();
    QSettings().setValue("window/geometry", saveGeometry());
    if (commands_) commands_->sendNow();
    QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::WindowStateChange) updateWatched();
    QMainWindow::changeEvent(event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    setRailNarrow(narrowByHand_ || width() < kNarrowBelow);
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    updateWatched();
}

void MainWindow::hideEvent(QHideEvent* event) {
    QMainWindow::hideEvent(event);
    updateWatched();
}

} // namespace yard::ui
