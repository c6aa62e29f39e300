// The window's commands on the engine as a whole: pause and resume, the session's end, undo, the newest failure,
// what failed tonight, and what is copied as a line. Owner: ui thread, the window. Lifetime: as long as the window;
// without an engine the commands do nothing.
#pragma once

#include "ui/bridge/operation.h"
#include "ui/pages/page.h"

#include <QMenu>

namespace yard::ui {

class CommandRegistry;
class EngineAttachment;
class Navigation;

class EngineCommands final : public QObject {
    Q_OBJECT
public:
    EngineCommands(CommandRegistry& registry, EngineAttachment& engine, Navigation& navigation,
                   WindowServices& services, QWidget& window);
    /// The ways to end the session, for the top bar.
    QMenu* drainMenu() const { return drainMenu_; }
    /// Holds every queue, or releases every one.
    void pause(bool hold);

private:
    /// What is asked before a command of the session.
    struct Question {
        QString question;
        QString lost;
        QString verb;
    };
    void addExample();
    void addDrains();
    void addDrain(const CommandSpec& spec, Operation (*operation)(), const Question& question);
    void undo();
    void showNewestFailure();
    void rerunTonight();
    void copyOperation(bool curl);

    CommandRegistry& registry_;
    EngineAttachment& engine_;
    Navigation& navigation_;
    WindowServices& services_;
    QMenu* drainMenu_;
};

} // namespace yard::ui
