// Notices of the window: the bell, the tray, and keeping the machine awake while work runs.
#include "ui/bridge/sleep_guard.h"
#include "ui/models/notices.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_list.h"
#include "ui/shell/tray.h"

#include <QApplication>
#include <QHostAddress>
#include <QSettings>

namespace yard::ui {

void MainWindow::makeNotices() {
    notices_ = new Notices(this);
    noticeList_ = new NoticeList(*this, *notices_);
    tray_ = new Tray(this);
    sleep_ = new SleepGuard(this);
    notices_->setInFront([] { return QApplication::activeWindow() != nullptr; });
    connect(notices_, &Notices::changed, this, [this] { top_->setNotices(notices_->unseen()); });
    connect(notices_, &Notices::told, this, [this](const Notice& notice) {
        if (!tray_->tell(notice)) QApplication::alert(this);
    });
    const auto open = [this](const QString& page, const QString& filter) { show(page, filter); };
    connect(noticeList_, &NoticeList::opened, this, open);
    connect(tray_, &Tray::opened, this, open);
    connect(tray_, &Tray::windowWanted, this, [this] {
        setWindowState(windowState() & ~Qt::WindowMinimized);
        show();
        raise();
        activateWindow();
    });
    connect(tray_, &Tray::holdWanted, this, [this] { actions_.at("pause")->trigger(); });
    connect(tray_, &Tray::releaseWanted, this, [this] { actions_.at("resume")->trigger(); });
    connect(tray_, &Tray::quitWanted, this, [this] { close(); });
    add("notices", tr("Notices"), {}, [this] { noticeList_->toggle(top_->bell()); });
}

void MainWindow::updateNotices() {
    tray_->show(state_.get());
    top_->setNotices(notices_->unseen());
    // Work on another machine goes on while this one sleeps.
    const QString host = link_ ? link_->address().host() : QString();
    const bool here = host == "localhost" || QHostAddress(host).isLoopback();
    const bool runs =
        state_ && state_->isLive() && state_->count(Face::Running) + state_->count(Face::Submitting) > 0;
    sleep_->setWanted(here && runs && QSettings().value("general/keep-awake", true).toBool());
}

void MainWindow::reviewSettings() {
    tray_->update();
    updateNotices();
}

QString MainWindow::sleepNote() const {
    switch (sleep_->state()) {
    case SleepGuard::State::Free:
    case SleepGuard::State::Asking: return {};
    case SleepGuard::State::Kept: return tr("kept awake by %1").arg(sleep_->by());
    case SleepGuard::State::Impossible: return tr("this desktop has no service that would");
    }
    return {};
}

} // namespace yard::ui
