// What the window tells without being asked: notices behind the bell and in the tray; and keeping the machine awake
// while work runs. Owner: ui thread, the window. Lifetime: as long as the window; the engine comes and goes.
#pragma once

#include "ui/state/notices.h"

namespace yard::ui {

class CommandRegistry;
class EngineAttachment;
class NoticeList;
class SleepGuard;
class Tray;

class WindowNotices final : public QObject {
    Q_OBJECT
public:
    /// The registry has "pause" and "resume" when they are asked for.
    WindowNotices(EngineAttachment& engine, CommandRegistry& registry, QWidget& window);

    /// By the state of the engine.
    void update();
    /// A setting is another.
    void reviewSettings();
    /// How keeping awake goes; empty: there is nothing to say.
    QString sleepNote() const;
    /// Of notices.
    int unseen() const { return notices_->unseen(); }
    /// The list under the bell, or no more.
    void toggleList(QWidget* bell);

signals:
    void unseenChanged(int count);
    /// A notice was opened: what it is about.
    void opened(const QString& page, const QString& filter);
    /// The rules of the engine's alerts are to be shown.
    void rulesWanted();

private:
    void connectTray(CommandRegistry& registry);
    EngineAttachment& engine_;
    QWidget& window_;
    Notices* notices_;
    NoticeList* list_;
    Tray* tray_;
    SleepGuard* sleep_;
};

} // namespace yard::ui
