#include "ui/shell/window_notices.h"

#include "ui/bridge/pinning.h"
#include "ui/desktop/sleep_guard.h"
#include "ui/shell/command_registry.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/notice_list.h"
#include "ui/shell/tray.h"
#include "ui/state/preferences.h"

#include <QAction>
#include <QApplication>

namespace yard::ui {

WindowNotices::WindowNotices(EngineAttachment& engine, CommandRegistry& registry, QWidget& window)
    : QObject(&window)
    , engine_(engine)
    , window_(window)
    , notices_(new Notices(this))
    , list_(new NoticeList(window, *notices_))
    , tray_(new Tray(this))
    , sleep_(new SleepGuard(this)) {
    notices_->setObjectName("notices");
    tray_->setObjectName("tray");
    sleep_->setObjectName("sleep-guard");
    notices_->setInFront([] { return QApplication::activeWindow() != nullptr; });
    connect(notices_, &Notices::changed, this, [this] { emit unseenChanged(notices_->unseen()); });
    connect(notices_, &Notices::told, this, [this](const Notice& notice) {
        if (!tray_->tell(notice)) QApplication::alert(&window_);
    });
    connect(list_, &NoticeList::opened, this, &WindowNotices::opened);
    connect(list_, &NoticeList::rulesWanted, this, &WindowNotices::rulesWanted);
    connect(&engine_, &EngineAttachment::detaching, this, [this] {
        list_->leave();
        notices_->setEngine(nullptr, nullptr);
    });
    connect(&engine_, &EngineAttachment::attached, this,
            [this] { notices_->setEngine(engine_.state(), engine_.commands()); });
    connectTray(registry);
}

void WindowNotices::connectTray(CommandRegistry& registry) {
    connect(tray_, &Tray::opened, this, &WindowNotices::opened);
    connect(tray_, &Tray::windowWanted, &window_, [&window = window_] {
        window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
        window.show();
        window.raise();
        window.activateWindow();
    });
    connect(tray_, &Tray::holdWanted, &registry, [&registry] { registry.own("pause")->trigger(); });
    connect(tray_, &Tray::releaseWanted, &registry, [&registry] { registry.own("resume")->trigger(); });
    connect(tray_, &Tray::quitWanted, &window_, &QWidget::close);
}

void WindowNotices::toggleList(QWidget* bell) {
    list_->toggle(bell);
}

void WindowNotices::update() {
    const EngineState* state = engine_.state();
    tray_->show(state);
    // Work on another machine goes on while this one sleeps.
    const bool here = engine_.link() != nullptr && isLoopback(engine_.link()->address());
    const bool runs = state != nullptr && state->isLive() &&
                      state->count(DisplayState::Running) + state->count(DisplayState::Submitting) > 0;
    sleep_->setWanted(here && runs && preference("keep-awake", true).toBool());
}

void WindowNotices::reviewSettings() {
    tray_->update();
    update();
}

QString WindowNotices::sleepNote() const {
    switch (sleep_->state()) {
    case SleepGuard::State::Free:
    case SleepGuard::State::Asking: return {};
    case SleepGuard::State::Kept: return tr("kept awake by %1").arg(sleep_->by());
    case SleepGuard::State::Impossible: return tr("this desktop has no service that would");
    }
    return {};
}

} // namespace yard::ui
