#include "ui/shell/tray.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"

#include <QAction>

#include <algorithm>

namespace yard::ui {

Tray::Tray(QObject* parent)
    : QObject(parent)
    , counts_(menu_.addAction(tr("No engine"))) {
    counts_->setEnabled(false);
    menu_.addSeparator();
    connect(menu_.addAction(tr("Show the window")), &QAction::triggered, this, &Tray::windowWanted);
    hold_ = menu_.addAction(tr("Hold all"));
    release_ = menu_.addAction(tr("Release all"));
    connect(hold_, &QAction::triggered, this, &Tray::holdWanted);
    connect(release_, &QAction::triggered, this, &Tray::releaseWanted);
    menu_.addSeparator();
    connect(menu_.addAction(tr("Quit")), &QAction::triggered, this, &Tray::quitWanted);
    icon_.setIcon(QIcon(":/icons/yard.svg"));
    icon_.setContextMenu(&menu_);
    connect(&icon_, &QSystemTrayIcon::activated, this, [this](QSystemTrayIcon::ActivationReason reason) {
        if (reason == QSystemTrayIcon::Trigger || reason == QSystemTrayIcon::DoubleClick) emit windowWanted();
    });
    connect(&icon_, &QSystemTrayIcon::messageClicked, this, [this] {
        emit windowWanted();
        emit opened(last_.page, last_.filter);
    });
    show(nullptr);
    update();
}

void Tray::update() {
    icon_.setVisible(isTrayWanted() && QSystemTrayIcon::isSystemTrayAvailable());
}

void Tray::show(const EngineState* state) {
    const bool live = state != nullptr && state->isLive();
    hold_->setEnabled(live && !state->allHeld());
    release_->setEnabled(live &&
                         std::ranges::any_of(state->queues(), [](const auto& each) { return each.second.held; }));
    QString text = state == nullptr ? tr("No engine") : tr("No connection");
    if (live) {
        const Format format;
        text = tr("%1 running, %2 failed")
                   .arg(format.number(state->count(DisplayState::Running) + state->count(DisplayState::Submitting)),
                        format.number(state->count(DisplayState::Failed)));
    }
    if (counts_->text() == text) return;
    counts_->setText(text);
    icon_.setToolTip("Yardmaster\n" + text);
}

bool Tray::tell(const Notice& notice) {
    if (!icon_.isVisible() || !QSystemTrayIcon::supportsMessages()) return false;
    last_ = notice;
    icon_.showMessage("Yardmaster", notice.text, icon_.icon());
    return true;
}

} // namespace yard::ui
