// What a page may ask of the window around it: to go elsewhere (Navigator), and what only a window can do
// (WindowServices, with the keys and the engines that the settings change). The shell implements them; pages and
// forms know nothing else of it. Owner: ui thread; lifetime: all of them outlive every page and form.
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QKeySequence>
#include <QString>
#include <QUrl>
#include <vector>

namespace yard::ui {

class Engines;

/// Where a page sends people: to another page, or into a form.
class Navigator {
public:
    virtual ~Navigator() = default;
    /// To a page by its id, with a filter ("state:failed"); remembered for Alt+Left.
    virtual void show(const QString& page, const QString& filter = {}) = 0;
    /// The action in the Actions page with its detail open, at `tab` ("output", "why", "outputs/NAME"; empty: as
    /// it was).
    virtual void showAction(qint64 lsn, const QString& tab = {}) = 0;
    /// A page with this one of its things selected: "queues", 7.
    virtual void showThing(const QString& page, qint64 id) = 0;
    /// The form for new work, filled in with `action` (as POST jobs takes it) and `queue`.
    virtual void openSubmit(const QJsonObject& action = {}, qint64 queue = 0) = 0;
    /// The same for a list of actions, as JSON alone.
    virtual void openSubmitList(const QJsonArray& actions, qint64 queue) = 0;
    /// The form that registers a worker, filled in from a program, a folder or a descriptor; empty: asks for one.
    virtual void openRegister(const QString& path = {}) = 0;
    /// The rules of alerts, to be looked at and changed.
    virtual void openAlerts() = 0;
};

/// A command whose keys can be chosen.
struct Binding {
    QString id;   ///< of all commands of the window and its pages
    QString page; ///< title of the page whose command it is; empty: the window's
    QString title;
    QKeySequence comesWith;
    QKeySequence keys;
};

/// The keys of all commands.
class KeyBindings {
public:
    virtual ~KeyBindings() = default;
    /// Every command that can have another key, those of pages that were not shown yet, too.
    virtual std::vector<Binding> bindable() const = 0;
    /// One of bindable() has these keys from now on.
    virtual void bind(const QString& id, const QKeySequence& keys) = 0;
};

/// Which engine the window shows.
class EngineChoice {
public:
    virtual ~EngineChoice() = default;
    virtual Engines& engines() = 0;
    /// Another engine from now on; the pages go with the one before.
    virtual void attach(const QUrl& address, const QByteArray& token) = 0;
    /// The same with the token that is kept; where there is none, it is asked for.
    virtual void attachTo(const QUrl& address) = 0;
};

/// What only the window can do.
class WindowServices {
public:
    virtual ~WindowServices() = default;
    /// Asks before what cannot be undone. True: do it. `verb` and `keep` name the buttons.
    virtual bool ask(const QString& question, const QString& lost, const QString& verb, const QString& keep) = 0;
    /// A sentence in the status bar.
    virtual void say(const QString& sentence, bool bad = false) = 0;
    /// Fonts or heights are others: all widgets are made again, soon; the page that is shown stays the same.
    virtual void remake() = 0;
    /// Columns, splitters, places: as they come.
    virtual void resetLayout() = 0;
    /// A setting of the window itself is another: tray, keeping awake.
    virtual void reviewSettings() = 0;
    /// How keeping the machine awake goes; empty: there is nothing to say.
    virtual QString sleepNote() const = 0;
    virtual KeyBindings& keyBindings() = 0;
    virtual EngineChoice& engineChoice() = 0;
};

/// Into the clipboard; the window says its first line.
void copyText(WindowServices& window, const QString& text);

} // namespace yard::ui
