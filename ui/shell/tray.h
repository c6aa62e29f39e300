// The icon in the desktop's tray, where there is one: counts, Hold all and Release all, notices. Owner: ui thread.
#pragma once

#include "ui/state/notices.h"

#include <QMenu>
#include <QObject>
#include <QSystemTrayIcon>

namespace yard::ui {

class Tray final : public QObject {
    Q_OBJECT
public:
    explicit Tray(QObject* parent = nullptr);

    /// By the settings, and where the desktop has a tray.
    void update();
    /// Null: no engine.
    void show(const EngineState* state);
    /// False: there is no tray to tell it.
    bool tell(const Notice& notice);
    QMenu* menu() { return &menu_; }
    QString counts() const { return counts_->text(); }

signals:
    void windowWanted();
    void holdWanted();
    void releaseWanted();
    void quitWanted();
    /// A notice was clicked.
    void opened(const QString& page, const QString& filter);

private:
    QMenu menu_;
    QAction* counts_;
    QAction* hold_;
    QAction* release_;
    QSystemTrayIcon icon_;
    Notice last_;
};

} // namespace yard::ui
