// One page of the window, and what it may use. A page more is one folder more: it makes its widget from a Context
// and stands as one line in pages.cpp. Owner: ui thread.
//
// A page that is not shown asks the engine for nothing and paints nothing: setActive() tells it.
#pragma once

#include "ui/models/commands.h"
#include "ui/models/engine_state.h"

#include <QKeySequence>
#include <QList>
#include <QString>
#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

QT_BEGIN_NAMESPACE
class QAction;
QT_END_NAMESPACE

namespace yard::ui {

class Engines;

/// A command as its page declares it, before there is a page.
struct CommandSpec {
    QString id;    ///< the settings remember by it: the same in every language, none twice within a page
    QString title; ///< translated
    QKeySequence keys = {};
};

/// A command whose keys can be chosen.
struct Binding {
    QString id;   ///< of all commands of the window and its pages
    QString page; ///< title of the page whose command it is; empty: the window's
    QString title;
    QKeySequence comesWith;
    QKeySequence keys;
};

/// What pages ask of the window around them.
class Navigator {
public:
    virtual ~Navigator() = default;
    /// To a page by its id, with a filter ("state:failed"); remembered for Alt+Left.
    virtual void show(const QString& page, const QString& filter = {}) = 0;
    /// The action in the Actions page with its detail open, at `tab` ("output", "why"; empty: as it was).
    virtual void showAction(qint64 lsn, const QString& tab = {}) = 0;
    /// A page with this one of its things selected: "queues", 7.
    virtual void showThing(const QString& page, qint64 id) = 0;
    /// The form for new work, filled in with `action` (as POST jobs takes it) and `queue`.
    virtual void openSubmit(const QJsonObject& action = {}, qint64 queue = 0) = 0;
    /// The form that registers a worker, filled in from a program, a folder or a descriptor; empty: asks for one.
    virtual void openRegister(const QString& path = {}) { static_cast<void>(path); }
    /// Asks before what cannot be undone. True: do it. `verb` and `keep` name the buttons.
    virtual bool ask(const QString& question, const QString& lost, const QString& verb, const QString& keep) = 0;
    /// A sentence in the status bar.
    virtual void say(const QString& sentence, bool bad = false) = 0;
    /// Every command that can have another key, those of pages that were not shown yet, too. None: there is nothing
    /// to bind.
    virtual std::vector<Binding> bindable() { return {}; }
    /// One of bindable() has these keys from now on.
    virtual void bind(const QString& id, const QKeySequence& keys) {
        static_cast<void>(id);
        static_cast<void>(keys);
    }
    /// Fonts or heights are others: all widgets are made anew, soon; the page that is shown stays the same.
    virtual void remake() {}
    /// Another engine from now on; the pages go with the one before.
    virtual void attach(const QUrl& address, const QByteArray& token) {
        static_cast<void>(address), static_cast<void>(token);
    }
    /// The same with the token that is kept; where there is none, it is asked for.
    virtual void attachTo(const QUrl& address) { static_cast<void>(address); }
    /// Null: there is only the one.
    virtual Engines* engines() { return nullptr; }
    /// A setting of the window itself is another: tray, keeping awake.
    virtual void reviewSettings() {}
    /// How keeping the machine awake goes; empty: there is nothing to say.
    virtual QString sleepNote() const { return {}; }
    /// Columns, splitters, places: as they come.
    virtual void resetLayout() {}
};

struct Context {
    EngineLink& link;
    EngineState& state;
    Commands& commands;
    Navigator& navigator;
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
    Context context_;
};

/// How a page stands in the rail.
struct PageSpec {
    QString id;    ///< "actions"
    QString title; ///< translated
    QString icon;
    std::function<Page*(Context)> make;
    /// Right in the rail: a count; `bad` with the octagon.
    struct Count {
        QString text;
        bool bad = false;
    };
    std::function<Count(const EngineState&)> count = {};
    /// What Page::commands() has once there is a page.
    std::function<std::vector<CommandSpec>()> commands = {};
};

/// In rail order, "settings" last.
std::vector<PageSpec> allPages();

} // namespace yard::ui
