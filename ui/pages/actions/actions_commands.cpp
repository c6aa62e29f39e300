#include "ui/pages/actions/actions_commands.h"

#include "ui/pages/action_entries.h"
#include "ui/pages/actions/actions_choice.h"
#include "ui/pages/actions/actions_lists.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/pages/actions/resubmit.h"
#include "ui/state/reproduction.h"
#include "ui/widgets/mark_menu.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>

#include <algorithm>

namespace yard::ui {

ActionsCommands::ActionsCommands(Context context, QWidget& page, const ActionsChoice& choice,
                                 const ActionsLists& lists, const DetailPanel& panel)
    : QObject(&page)
    , context_(context)
    , page_(page)
    , choice_(choice)
    , lists_(lists)
    , panel_(panel) {
    make();
    connect(lists.folded(), &FoldedList::editWanted, this, &ActionsCommands::edit);
    connect(&panel, &DetailPanel::editWanted, this, &ActionsCommands::edit);
    connect(&panel, &DetailPanel::rescheduleWanted, this,
            [this](qint64 lsn) { context_.commands.change(reschedulingOf(Target::of({lsn}))); });
}

std::vector<CommandSpec> ActionsCommands::declared() {
    return {{"reschedule", tr("Reschedule"), QKeySequence("Ctrl+R")},
            {"cancel", tr("Cancel"), QKeySequence("Ctrl+Del")},
            {"retire", tr("Retire"), QKeySequence("Shift+Del")},
            {"hold", tr("Hold or release"), QKeySequence("Ctrl+H")},
            {"move", tr("Move to queue…")},
            {"priority", tr("Set priority…")},
            {"place-top", tr("Move to the top"), QKeySequence("Alt+Home")},
            {"place-up", tr("Move up"), QKeySequence("Alt+Up")},
            {"place-down", tr("Move down"), QKeySequence("Alt+Down")},
            {"place-bottom", tr("Move to the bottom"), QKeySequence("Alt+End")},
            {"edit", tr("Edit and resubmit"), QKeySequence("Ctrl+E")},
            {"compare", tr("Compare with the last good one"), QKeySequence("Ctrl+D")},
            {"log", tr("Log"), QKeySequence("Ctrl+L")},
            {"again-failed", tr("Reschedule what failed of an array or a list"), QKeySequence("Ctrl+Shift+R")},
            {"fold", tr("Arrays folded")},
            {"own-window", tr("Open in a window of its own"), QKeySequence("Ctrl+Shift+Return")},
            {"reproduce", tr("Open in a terminal, to run it again"), QKeySequence("Ctrl+Shift+E")},
            {"search-output", tr("Search in output…"), QKeySequence("Ctrl+Shift+L")}};
}

void ActionsCommands::make() {
    const CommandMaker maker(page_, declared());
    const auto make = [&](const QString& id, auto act) { actions_[id] = maker(id, act); };
    make("reschedule", [this] { reschedule(); });
    make("cancel", [this] { cancel(); });
    make("retire", [this] { retire(); });
    make("hold", [this] { holdOrRelease(); });
    make("move", [this] { moveToQueue(); });
    make("priority", [this] { setPriority(); });
    for (const char* where : {"top", "up", "down", "bottom"})
        make(QStringLiteral("place-") + where, [this, where] { place(where); });
    make("edit", [this] { edit(choice_.single()); });
    make("again-failed", [this] { lists_.folded()->rescheduleFailed(); });
    make("fold", [this] { emit foldWanted(); });
    make("compare", [this] {
        if (choice_.single() != 0) emit openWanted(choice_.single(), "history", false);
    });
    make("log", [this] {
        if (choice_.single() != 0) emit openWanted(choice_.single(), "output", true);
    });
    make("own-window", [this] { emit ownWindowWanted(choice_.single()); });
    make("reproduce", [this] {
        if (choice_.single() == 0) return;
        const QString problem = reproduceInTerminal(context_.link, choice_.single());
        if (!problem.isEmpty()) context_.window.say(problem, true);
    });
    make("search-output", [this] { emit searchWanted(); });
    for (int tab = 0; tab < DetailPanel::kTabs; ++tab)
        addCommand(page_,
                   {QStringLiteral("tab%1").arg(tab), tr("Tab %1").arg(tab + 1),
                    QKeySequence(QStringLiteral("Alt+%1").arg(tab + 1))},
                   [this, tab] { emit tabWanted(tab); });
}

QList<QAction*> ActionsCommands::all() const {
    QList<QAction*> all;
    for (const auto& [id, action] : actions_) all << action;
    return all;
}

QAction* ActionsCommands::action(const char* id) const {
    return actions_.at(QString::fromLatin1(id));
}

QList<QAction*> ActionsCommands::places() const {
    return {action("place-top"), action("place-up"), action("place-down"), action("place-bottom")};
}

QString ActionsCommands::yardctlOf(const QAction* command) const {
    const Target all = choice_.target();
    if (all.isEmpty()) return {};
    const QString id = command->objectName();
    if (id == "reschedule") return operations::reschedule(choice_.againTarget()).yardctl;
    if (id == "cancel") return operations::cancel(all).yardctl;
    if (id == "retire") return operations::retire(all).yardctl;
    if (id == "hold") return operations::hold(all).yardctl;
    if (id.startsWith("place-")) return operations::place(all, id.mid(6)).yardctl;
    if (id == "reproduce" && choice_.single() != 0) return reproduceLine(choice_.single());
    if (id == "log" && choice_.single() != 0) return QStringLiteral("yardctl logs %1").arg(choice_.single());
    return {};
}

void ActionsCommands::review() {
    const Target chosen = choice_.target();
    // Of all that match it is not known what can be done to each; of arrays as one row how many stand how.
    const bool isMany = choice_.isMany();
    const std::vector<ActionRow> stands = choice_.standing();
    const QString none = chosen.lsns.empty() && !isMany ? tr("Select an action first") : QString();
    const QString dead = context_.state.isLive() ? none : context_.state.whyBlocked();
    const auto why = [&](bool (*can)(const ActionRow&), const QString& reason) {
        const auto may = [&](qint64 lsn) {
            const ActionRow* row = choice_.row(lsn);
            return row == nullptr || can(*row);
        };
        const bool isUnknown = isMany && stands.empty();
        const bool isPossible = std::ranges::any_of(chosen.lsns, may) || std::ranges::any_of(stands, can);
        return !dead.isEmpty() || isUnknown || isPossible ? dead : reason;
    };
    const auto isPending = [](const ActionRow& row) { return row.isPending(); };
    const QString started = tr("Only what waits can be changed so");
    setBlocked(action("reschedule"),
               why([](const ActionRow& row) { return row.canGoAgain(); },
                   tr("Only what failed or was abandoned runs again; edit and resubmit the rest")));
    setBlocked(action("cancel"),
               why([](const ActionRow& row) { return !row.isFinal(); }, tr("It has ended already")));
    setBlocked(action("retire"),
               why([](const ActionRow& row) { return row.isFinal(); }, tr("Only what has ended can be retired")));
    for (const char* id : {"hold", "move", "priority", "place-top", "place-up", "place-down", "place-bottom"})
        setBlocked(action(id), why(isPending, started));
    setBlocked(action("again-failed"),
               lists_.isFolded() ? lists_.folded()->whyNotAgain() : tr("Fold arrays first"));
    const bool isOne = choice_.single() != 0;
    setBlocked(action("edit"), !isOne && dead.isEmpty() ? tr("Select one action") : dead);
    for (const char* id : {"compare", "log", "own-window"})
        setBlocked(action(id), isOne ? QString() : tr("Select one action"));
    const auto hasBegun = [](const ActionRow& row) { return row.submitting != 0; };
    setBlocked(action("reproduce"), !isOne ? tr("Select one action") : why(hasBegun, tr("It has not begun yet")));
    whyNothing_ = dead;
}

void ActionsCommands::showMenu(const QPoint& global, const QString& title) {
    Transient<QMenu> menu(&page_);
    if (!title.isEmpty()) menu->addAction(title)->setEnabled(false);
    if (lists_.isFolded()) lists_.folded()->addTo(*menu);
    const qint64 lsn = choice_.single();
    menu->addAction(tr("Open"), this, [this, lsn] { emit openWanted(lsn, {}, true); })->setEnabled(lsn != 0);
    menu->addActions({action("log"), action("reschedule"), action("edit"), action("compare"), action("reproduce"),
                      action("own-window"), action("search-output")});
    menu->addSeparator();
    menu->addActions({action("hold"), action("move"), action("priority")});
    menu->addMenu(tr("Place in the queue"))->addActions(places());
    menu->addSeparator();
    addMarks(*menu, choice_.target().isEmpty() || !context_.state.whyBlocked().isEmpty());
    menu->addSeparator();
    menu->addActions({action("cancel"), action("retire")});
    menu->addSeparator();
    const ActionRow* one = lsn == 0 ? nullptr : choice_.row(lsn);
    const ActionRow row = one != nullptr ? *one : actionRowOf(panel_.action());
    const bool isKnown = lsn != 0 && row.lsn == lsn;
    if (isKnown) addPlaces(*menu, context_, &page_, row);
    const Target target = choice_.target();
    if (!target.isEmpty()) addCopyAs(*menu, context_, &page_, target, isKnown ? &row : nullptr);
    (void)menu.run(global);
}

/// What people note on actions.
void ActionsCommands::addMarks(QMenu& menu, bool isBlocked) {
    addMarkMenu(menu, [this](Mark mark) {
        context_.commands.change(markingOf(choice_.target(), mark));
    })->setEnabled(!isBlocked);
    menu.addAction(tr("Comment…"), this, &ActionsCommands::comment)
        ->setEnabled(!isBlocked && choice_.single() != 0);
}

void ActionsCommands::comment() {
    const qint64 lsn = choice_.single();
    const auto text = answered(&page_, [this] { return askForComment(lastingWindow(&page_)); });
    if (lsn != 0 && text && !text->isEmpty()) context_.commands.run(operations::comment(lsn, *text));
}

void ActionsCommands::reschedule() {
    context_.commands.change(reschedulingOf(choice_.againTarget()));
}

void ActionsCommands::cancel() {
    context_.commands.change(choice_.asSeen(cancellingOf(choice_.target())));
}

void ActionsCommands::retire() {
    context_.commands.change(choice_.asSeen(retiringOf(choice_.target())));
}

void ActionsCommands::holdOrRelease() {
    const Target all = choice_.target();
    context_.commands.change(choice_.isHeld() ? releasingOf(all) : holdingOf(all));
}

void ActionsCommands::moveToQueue() {
    const Target all = choice_.target();
    if (all.isEmpty()) return;
    QStringList names;
    std::vector<qint64> ids;
    for (const auto& [id, queue] : context_.state.queues()) {
        names << queue.name();
        ids.push_back(id);
    }
    bool good = false;
    const auto name = answered(&page_, [&] {
        return QInputDialog::getItem(lastingWindow(&page_), tr("Move to queue"), tr("Queue"), names, 0, false,
                                     &good);
    });
    const auto at = name ? names.indexOf(*name) : -1;
    if (good && at >= 0) context_.commands.change(movingOf(all, ids[static_cast<std::size_t>(at)], *name));
}

void ActionsCommands::place(const QString& where) {
    const Target all = choice_.target();
    if (all.isEmpty()) return;
    if (std::ssize(all.lsns) > kMostInOneRequest)
        return context_.window.say(tr("%Ln actions are too many to move by number: choose all that match a filter.",
                                      nullptr, static_cast<int>(all.lsns.size())),
                                   true);
    context_.commands.run(operations::place(all, where), this, [this](const Answer& answer) {
        if (answer.ok()) emit placesChanged();
    });
}

void ActionsCommands::setPriority() {
    const Target all = choice_.target();
    if (all.isEmpty()) return;
    bool good = false;
    const auto priority = answered(&page_, [&] {
        return QInputDialog::getInt(lastingWindow(&page_), tr("Set priority"), tr("-100 to 100, higher first"), 0,
                                    -100, 100, 1, &good);
    });
    if (good && priority) context_.commands.change(priorityOf(all, *priority));
}

void ActionsCommands::edit(qint64 lsn) {
    if (lsn == 0) return;
    if (const ActionRow* row = choice_.row(lsn)) return editAndResubmit(context_, &page_, *row);
    if (const ActionRow shown = actionRowOf(panel_.action()); shown.lsn == lsn)
        return editAndResubmit(context_, &page_, shown);
    // It is not here yet: what was done to it since it was submitted is asked for.
    context_.link.send({"GET", QStringLiteral("jobs/%1").arg(lsn), {}, {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return context_.window.say(answer.message, true);
        editAndResubmit(context_, &page_, actionRowOf(answer.json));
    });
}

} // namespace yard::ui
