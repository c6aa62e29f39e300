#include "ui/shell/main_window.h"

#include "ui/shell/bars.h"
#include "ui/shell/command_keys.h"
#include "ui/shell/command_registry.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/engine_commands.h"
#include "ui/shell/engine_menu.h"
#include "ui/shell/key_overlay.h"
#include "ui/shell/navigation.h"
#include "ui/shell/palette.h"
#include "ui/shell/question.h"
#include "ui/shell/rail.h"
#include "ui/shell/window_notices.h"
#include "ui/style/theme.h"

#include <QApplication>
#include <QCloseEvent>
#include <QScreen>
#include <QSettings>
#include <QShortcut>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr QSize kLeast{1100, 700};
constexpr QSize kWindowUsual{1440, 900};
constexpr int kTitleBar = 40; // of most desktops, and more than some
constexpr int kNarrowBelow = 1240;

} // namespace

/// The usual one, or what the screen has beside a title bar, though never less than the least. No window fits a
/// screen smaller than that.
QSize MainWindow::firstSize() const {
    const QSize room = screen()->availableSize();
    if (room.width() < kLeast.width() || room.height() < kLeast.height()) return kWindowUsual;
    return kWindowUsual.boundedTo(room - QSize(0, kTitleBar)).expandedTo(kLeast);
}

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent)
    , engine_(new EngineAttachment(this))
    , navigation_(new Navigation(*engine_, *this, *this))
    , registry_(new CommandRegistry(*engine_, *navigation_, *this))
    , engineCommands_(new EngineCommands(*registry_, *engine_, *navigation_, *this, *this))
    , palette_(new Palette(*this))
    , keys_(new KeyOverlay(*this))
    , notices_(new WindowNotices(*engine_, *registry_, *this)) {
    setWindowTitle(QStringLiteral("Yardmaster"));
    setMinimumSize(kLeast);
    setAcceptDrops(true);
    addCommands();
    build();
    resize(firstSize());
    restoreGeometry(QSettings().value("window/geometry").toByteArray());
    narrowByHand_ = QSettings().value("window/narrow").toBool();
    updateRail();
    connect(engine_, &EngineAttachment::detaching, this, &MainWindow::onDetaching);
    connect(engine_, &EngineAttachment::attached, this, &MainWindow::onAttached);
    connect(engine_, &EngineAttachment::changed, this, &MainWindow::updateLook);
    connect(engine_, &EngineAttachment::said, this, &MainWindow::say);
    connect(engine_, &EngineAttachment::tokenWanted, this, &MainWindow::showEngines);
    // Not within the change of state that it comes with: the question has a loop of its own.
    connect(engine_, &EngineAttachment::trustWanted, this, &MainWindow::askTrust, Qt::QueuedConnection);
    connect(navigation_, &Navigation::shown, this, [this](const QString& id) { rail_->setCurrent(id); });
    connect(notices_, &WindowNotices::unseenChanged, this, [this](int count) { top_->setNotices(count); });
    connect(notices_, &WindowNotices::opened, navigation_, &Navigation::show);
    connect(notices_, &WindowNotices::rulesWanted, navigation_, &Navigation::openAlerts);
    connect(&Theme::current(), &Theme::changed, this, [this] {
        updateLook();
        for (QWidget* widget : findChildren<QWidget*>()) widget->update();
    });
}

/// The bars and the place of the pages. Heights and fonts are taken here, so a change of them builds again.
void MainWindow::build() {
    top_ = new TopBar;
    top_->setObjectName("top-bar");
    stack_ = new QStackedWidget;
    navigation_->setStack(stack_);
    status_ = new StatusBar;
    status_->setObjectName("status-bar");
    starting_ = new Label({}, Type::Body, Token::Text2);
    startingPage_ = new Surface(Token::Bg1);
    rail_ = new Rail(navigation_->pages());
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(rail_);
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(stack_, 1);
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
    connect(rail_, &Rail::chosen, navigation_, [this](const QString& id) { navigation_->show(id); });
    connect(top_, &TopBar::pauseWanted, engineCommands_, &EngineCommands::pause);
    connect(top_, &TopBar::searchWanted, this, [this] { palette_->open(); });
    connect(top_->bell(), &QAbstractButton::clicked, this, [this] { notices_->toggleList(top_->bell()); });
    connect(top_, &TopBar::submitWanted, this, [this] { navigation_->openSubmit(); });
    connect(status_, &StatusBar::refusedClicked, this, &MainWindow::showEngines);
    connect(status_, &StatusBar::untrustedClicked, this, &MainWindow::askTrust);
    top_->drain()->setMenu(engineCommands_->drainMenu());
    auto* engines = new EngineMenu(*engine_, top_);
    connect(engines, &EngineMenu::otherWanted, this, &MainWindow::showEngines);
    connect(engines, &EngineMenu::exampleUnwanted, registry_->own(QStringLiteral("example.remove")),
            &QAction::trigger);
    top_->engine()->setMenu(engines);
}

void MainWindow::remake() {
    QTimer::singleShot(0, this, [this] { // a control of a page may be what asks
        const QString sentence = starting_->text();
        dropPages();
        delete takeCentralWidget();
        build();
        updateRail();
        setStarting(sentence);
        if (engine_->state() == nullptr) return;
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
    engine_->drop();
}

void MainWindow::setStarting(const QString& sentence) {
    starting_->setText(sentence);
    stack_->setCurrentWidget(startingPage_);
}

void MainWindow::dropPages() {
    navigation_->dropPages();
    delete std::exchange(undo_, nullptr);
}

/// The engine goes; it is there until this returns.
void MainWindow::onDetaching() {
    palette_->setSources({});
    dropPages();
}

void MainWindow::onAttached() {
    engine_->commands()->setAsk([this](const QString& question, const QString& lost, const QString& verb,
                                       const QString& keep) { return ask(question, lost, verb, keep); });
    fillPalette();
    updateWatched();
    updateLook();
    makePages();
}

/// The page that was shown, and what stands at its foot.
void MainWindow::makePages() {
    undo_ = new UndoBar(*engine_->commands(), *stack_);
    navigation_->restore();
}

void MainWindow::updateLook() {
    if (engine_->state() == nullptr) return;
    const QString name = engine_->state()->machineName();
    top_->setEngine(name.isEmpty() ? engine_->link()->address().host() : name, engine_->kind());
    top_->show(*engine_->state());
    status_->show(*engine_->state());
    rail_->count(*engine_->state());
    top_->setNotices(notices_->unseen());
    notices_->update();
}

void MainWindow::showEngines() {
    navigation_->show(QStringLiteral("settings"), QStringLiteral("engines"));
}

/// Another key than the known one is not offered: who knows better removes what is known.
void MainWindow::askTrust() {
    const EngineAttachment::Stranger met = engine_->stranger();
    if (met.shown.isEmpty()) return;
    const QUrl address = engine_->link()->address();
    const QString place = address.authority();
    if (!met.known.isEmpty())
        return say(
            tr("%1 shows the fingerprint %2, and %3 is known: the engine was set up again, or somebody is in "
               "between. Nothing is sent to it.")
                .arg(place, QString::fromLatin1(met.shown), QString::fromLatin1(met.known)),
            true);
    const bool trusts =
        ask(tr("Trust the engine at %1?").arg(place),
            tr("Its fingerprint is %1. Compare it with what the engine printed when it started. From "
               "now on another one is refused.")
                .arg(QString::fromLatin1(met.shown)),
            tr("Trust"), tr("Do not trust"));
    if (!trusts) return;
    // While people read, the window may have gone to another engine, or this one may show another key.
    const EngineAttachment::Stranger now = engine_->stranger();
    if (engine_->link() == nullptr || engine_->link()->address() != address || now.shown != met.shown)
        return say(
            tr("The engine at %1 is not the one that was asked about any more: nothing is trusted.").arg(place),
            true);
    engine_->trust();
}

bool MainWindow::ask(const QString& question, const QString& lost, const QString& verb, const QString& keep) {
    return askQuestion(this, question, lost, verb, keep);
}

void MainWindow::reviewSettings() {
    notices_->reviewSettings();
}

QString MainWindow::sleepNote() const {
    return notices_->sleepNote();
}

KeyBindings& MainWindow::keyBindings() {
    return *registry_;
}

EngineChoice& MainWindow::engineChoice() {
    return *engine_;
}

void MainWindow::say(const QString& sentence, bool bad) {
    status_->say(sentence, bad);
}

/// Those of the pages and of the window itself; what is done to the engine is in EngineCommands.
void MainWindow::addCommands() {
    int number = 0;
    for (const PageSpec& spec : navigation_->pages()) {
        const QString place = spec.hasKey ? pageKey(++number) : QString();
        const QKeySequence keys = spec.id == "settings" ? QKeySequence("Ctrl+,")
                                  : place.isEmpty()     ? QKeySequence()
                                                        : QKeySequence("Ctrl+" + place);
        registry_->add({"page." + spec.id, tr("Go to %1").arg(spec.title), keys},
                       [this, id = spec.id] { navigation_->show(id); });
    }
    registry_->add({"back", tr("Back"), QKeySequence("Alt+Left")}, [this] { navigation_->goBy(-1); });
    registry_->add({"forward", tr("Forward"), QKeySequence("Alt+Right")}, [this] { navigation_->goBy(1); });
    addPageCommands();
    addWindowCommands();
    registry_->addForEngine({"submit", tr("Submit…"), QKeySequence("Ctrl+N")},
                            [this] { navigation_->openSubmit(); });
    registry_->addForEngine({"register", tr("Register a worker…")}, [this] { navigation_->openRegister(); });
    registry_->addForEngine({"alerts", tr("Alerts…")}, [this] { navigation_->openAlerts(); });
    registry_->add({"attach", tr("Attach an engine…")}, [this] { showEngines(); });
    registry_->add({"settings.keys", tr("Change keys…")},
                   [this] { navigation_->show(QStringLiteral("settings"), "keys"); });
}

/// Of whichever page is shown.
void MainWindow::addPageCommands() {
    const auto onPage = [this](auto act) {
        return [this, act] {
            if (Page* current = navigation_->page()) act(*current);
        };
    };
    const auto focusFilter = onPage([](Page& page) { page.focusFilter(); });
    registry_->add({"filter", tr("Filter this page"), QKeySequence("Ctrl+F")}, focusFilter);
    auto* slash = new QShortcut(QKeySequence("/"), this);
    connect(slash, &QShortcut::activated, this, focusFilter);
    registry_->add({"refresh", tr("Take waiting updates"), QKeySequence("F5")},
                   onPage([](Page& page) { page.takeUpdates(); }));
    registry_->add({"close-innermost", tr("Close what is open"), QKeySequence("Esc")},
                   onPage([](Page& page) { page.closeInnermost(); }));
}

/// Of its bars and what lies over it.
void MainWindow::addWindowCommands() {
    registry_->add({"next-pane", tr("Next pane"), QKeySequence("F6")}, [this] { focusNextPane(); });
    registry_->add({"full-screen", tr("Full screen"), QKeySequence("F11")}, [this] {
        setWindowState(windowState() ^ Qt::WindowFullScreen); // back to what it was, be it maximised
    });
    registry_->add({"rail", tr("Narrow or wide rail"), QKeySequence("Ctrl+B")}, [this] {
        narrowByHand_ = !narrowByHand_;
        QSettings().setValue("window/narrow", narrowByHand_);
        updateRail();
    });
    registry_->add({"palette", tr("Search, or run a command"), QKeySequence("Ctrl+K")},
                   [this] { palette_->toggle(); });
    registry_->add({"keys", tr("Keys of this page"), QKeySequence("F1")}, [this] {
        if (keys_->isVisible()) return keys_->leave();
        keys_->open(registry_->keyGroups());
    });
    registry_->add({"notices", tr("Notices")}, [this] { notices_->toggleList(top_->bell()); });
    registry_->add({"reset-layout", tr("Reset layout")}, [this] { resetLayout(); });
    registry_->add({"quit", tr("Quit"), QKeySequence("Ctrl+Q")}, [this] { close(); });
}

void MainWindow::fillPalette() {
    const Context context = navigation_->context();
    std::vector<std::unique_ptr<PaletteSource>> sources;
    sources.push_back(std::make_unique<NumberSource>(context));
    sources.push_back(std::make_unique<QueueSource>(context));
    sources.push_back(std::make_unique<WorkerSource>(context));
    sources.push_back(std::make_unique<LockSource>(context));
    sources.push_back(
        std::make_unique<CommandSource>([this](bool everyPage) { return registry_->entries(everyPage); }));
    sources.push_back(std::make_unique<SearchSource>(context));
    palette_->setSources(std::move(sources));
}

/// F6: bar, rail, page and detail in turn, each with its first widget that takes the focus.
void MainWindow::focusNextPane() {
    std::vector<QWidget*> panes{top_, rail_};
    if (Page* current = navigation_->page()) {
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

void MainWindow::updateRail() {
    rail_->setNarrow(narrowByHand_ || width() < kNarrowBelow);
}

void MainWindow::updateWatched() {
    const bool seen = isVisible() && !isMinimized();
    if (engine_->state() != nullptr) engine_->state()->setWatched(seen);
    navigation_->setSeen(seen);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (mayClose_ && !mayClose_(*this)) return event->ignore();
    QSettings().setValue("window/geometry", saveGeometry());
    if (engine_->commands() != nullptr) engine_->commands()->sendNow();
    QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::WindowStateChange) updateWatched();
    QMainWindow::changeEvent(event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    updateRail();
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
