// One page of the window, and what it may use. A page more is one folder more: it makes its widget from a Context
// and stands as one line in pages.cpp. Owner: ui thread.
//
// A page that is not shown asks the engine for nothing and paints nothing: setActive() tells it.
#pragma once

#include "ui/pages/window_services.h"
#include "ui/state/commands.h"
#include "ui/state/engine_state.h"

#include <QKeySequence>
#include <QList>
#include <QString>
#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

QT_BEGIN_NAMESPACE
class QAction;
class QVBoxLayout;
QT_END_NAMESPACE

namespace yard::ui {

/// A command as its page declares it, before there is a page.
struct CommandSpec {
    QString id;    ///< the settings remember by it: the same in every language, none twice within a page
    QString title; ///< translated
    QKeySequence keys = {};
};

struct Context {
    EngineLink& link;
    EngineState& state;
    Commands& commands;
    Navigator& navigator;
    WindowServices& window;
};

/// A command of `on`, by its keys where the focus is on it or in it; belongs to `on`.
QAction* addCommand(QWidget& on, const CommandSpec& spec, std::function<void()> act);

/// Makes the commands that a page has declared.
class CommandMaker {
public:
    CommandMaker(QWidget& on, std::vector<CommandSpec> declared)
        : on_(on)
        , declared_(std::move(declared)) {}
    /// `id`: one of those declared.
    QAction* operator()(const QString& id, std::function<void()> act) const;

private:
    QWidget& on_;
    std::vector<CommandSpec> declared_;
};
/// Why the command cannot be given now, for people; empty: it can. The palette shows it, menus grey it.
void setBlocked(QAction* command, const QString& why);
QString blockedWhy(const QAction* command);

class Page : public QWidget {
    Q_OBJECT
public:
    explicit Page(Context context, QWidget* parent = nullptr)
        : QWidget(parent)
        , context_(context) {}

    virtual void setActive(bool active) = 0;
    /// The text of the page's filter; what is not one is ignored.
    virtual void setFilter(const QString&) {}
    virtual QString filter() const { return {}; }
    virtual void focusFilter() {}
    /// F5: what waits is shown now.
    virtual void takeUpdates() {}
    /// Selects and opens what has this number, where the page has such things.
    virtual void open(qint64, const QString& = {}) {}
    /// For the palette, menus and the overlay of keys: commands on what is selected, each with its shortcut.
    virtual QList<QAction*> commands() const { return {}; }
    /// What one of commands() would do now as a command of yardctl; empty: it has none.
    virtual QString yardctlOf(const QAction*) const { return {}; }
    /// Ctrl+Z where nothing waits to be sent; false: there was nothing.
    virtual bool undo() { return false; }
    /// Esc: closes what is open; false: there was nothing.
    virtual bool closeInnermost() { return false; }
    /// The operation that Ctrl+Shift+C copies: on what is selected, else what the page shows.
    virtual Operation asOperation() const { return {}; }

signals:
    void filterEdited(const QString& filter);

protected:
    /// The ground that all pages stand on; what the page shows goes into its column.
    QVBoxLayout* makeGround();

    Context context_;
};

/// How a page stands in the rail.
struct PageSpec {
    QString id;    ///< "actions"
    QString title; ///< translated
    QString icon;
    std::function<Page*(Context)> make;
    /// Right in the rail: a count; `bad` with the shape of `face`.
    struct Count {
        QString text;
        bool bad = false;
        DisplayState face = DisplayState::Failed;
    };
    std::function<Count(const EngineState&)> count = {};
    /// What Page::commands() has once there is a page.
    std::function<std::vector<CommandSpec>()> commands = {};
    /// By its place among those that have one: Ctrl+1 and so on.
    bool hasKey = true;
};

/// In rail order, "settings" last.
std::vector<PageSpec> allPages();

} // namespace yard::ui
