// The window's commands as people find them: the palette, the overlay of keys, what can be bound anew.
#include "ui/models/tonight.h"
#include "ui/shell/command_keys.h"
#include "ui/shell/key_overlay.h"
#include "ui/shell/main_window.h"
#include "ui/shell/palette.h"

#include <QJsonArray>

#include <ranges>

namespace yard::ui {

namespace {

/// What counts as one press: more of them than this are counted as "or more".

QString keysOf(const QAction* action) {
    return action->shortcut().toString(QKeySequence::NativeText);
}

} // namespace

void MainWindow::makePalette() {
    palette_ = new Palette(*this);
    keys_ = new KeyOverlay(*this);
    add("palette", tr("Search, or run a command"), QKeySequence("Ctrl+K"), [this] { palette_->toggle(); });
    add("keys", tr("Keys of this page"), QKeySequence("F1"), [this] { showKeys(); });
    add("reset-layout", tr("Reset layout"), {}, [this] { resetLayout(); });
    QAction* rerun = add("rerun-tonight", tr("Rerun all failures of tonight"), {}, [this] { rerunTonight(); });
    rerun->setProperty("alias", QStringLiteral("rerun reschedule failures tonight"));
    add("register", tr("Register a worker…"), {}, [this] { openRegister(); });
    add("attach", tr("Attach an engine…"), {}, [this] { show(QStringLiteral("settings"), "engines"); });
    add("settings.keys", tr("Change keys…"), {}, [this] { show(QStringLiteral("settings"), "keys"); });
}

void MainWindow::fillPalette() {
    const Context context{*link_, *state_, *commands_, *this};
    std::vector<std::unique_ptr<PaletteSource>> sources;
    sources.push_back(std::make_unique<NumberSource>(context));
    sources.push_back(std::make_unique<QueueSource>(context));
    sources.push_back(std::make_unique<WorkerSource>(context));
    sources.push_back(std::make_unique<LockSource>(context));
    sources.push_back(
        std::make_unique<CommandSource>([this](bool everyPage) { return paletteCommands(everyPage); }));
    palette_->setSources(std::move(sources));
}

/// Of the page that is shown first, then the window's, then those of the other pages, which are made for it.
std::vector<PaletteEntry> MainWindow::paletteCommands(bool everyPage) {
    updateBlocked();
    std::vector<PaletteEntry> entries;
    const auto shown = std::ranges::find(specs_, current_, &PageSpec::id);
    if (page() != nullptr && shown != specs_.end()) addPageCommands(entries, *shown);
    for (const auto& [id, action] : actions_)
        if (id != "palette") entries.push_back(entryOf(action, id, {}, link_->yardctl(yardctlOf(id))));
    if (!everyPage) return entries;
    for (const PageSpec& spec : specs_)
        if (spec.id != current_ && spec.id != "settings") addPageCommands(entries, spec);
    return entries;
}

/// Those of a page that is not shown are given on it.
void MainWindow::addPageCommands(std::vector<PaletteEntry>& entries, const PageSpec& spec) {
    const Page* from = pageOf(spec.id);
    if (from == nullptr) return;
    for (QAction* action : from->commands()) {
        PaletteEntry entry = entryOf(action, commandId(spec.id, action->objectName()), spec.title,
                                     link_->yardctl(from->yardctlOf(action)));
        if (spec.id != current_)
            entry.run = [this, id = spec.id, act = std::move(entry.run)] {
                show(id);
                act();
            };
        entries.push_back(std::move(entry));
    }
}

QString MainWindow::yardctlOf(const QString& id) const {
    if (id == "pause") return operations::holdAll().yardctl;
    if (id == "resume") return operations::releaseAll().yardctl;
    if (id == "session.drain") return operations::drainSession().yardctl;
    if (id == "session.pause") return operations::pauseSession().yardctl;
    if (id == "session.abandon") return operations::abandonSession().yardctl;
    if (id == "session.sunset") return operations::sunsetSession().yardctl;
    if (id == "rerun-tonight") return operations::reschedule(Target::matching(tonightFilter())).yardctl;
    return {};
}

/// Commands of the window that need the engine.
void MainWindow::updateBlocked() {
    const QString dead = state_ ? state_->whyBlocked() : tr("There is no engine yet");
    for (const char* id : {"submit", "newest-failure", "pause", "resume", "rerun-tonight", "register",
                           "session.drain", "session.pause", "session.abandon", "session.sunset"})
        setBlocked(actions_.at(id), dead);
}

/// Always with time to take it back: it is one press.
void MainWindow::rerunTonight() {
    if (!commands_) return;
    ManyChange change = reschedulingOf(Target::matching(tonightFilter()));
    change.undoableFrom = 1;
    change.none = tr("Nothing has failed since %1.").arg(tonightSince());
    commands_->change(change);
}

void MainWindow::showKeys() {
    if (keys_->isVisible()) return keys_->leave();
    KeyGroup here;
    if (const Page* shown = page()) {
        const auto spec = std::ranges::find(specs_, current_, &PageSpec::id);
        here.title = spec == specs_.end() ? QString() : spec->title;
        for (const QAction* action : shown->commands())
            if (!keysOf(action).isEmpty()) here.keys.emplace_back(keysOf(action), action->text());
    }
    KeyGroup pages{tr("Pages"), {}};
    KeyGroup everywhere{tr("Everywhere"), {}};
    for (const PageSpec& spec : specs_)
        if (const QAction* action = actions_.at("page." + spec.id); !keysOf(action).isEmpty())
            pages.keys.emplace_back(keysOf(action), spec.title);
    for (const auto& [id, action] : actions_)
        if (!id.startsWith("page.") && !keysOf(action).isEmpty())
            everywhere.keys.emplace_back(keysOf(action), action->text());
    std::vector<KeyGroup> groups;
    if (!here.keys.empty()) groups.push_back(std::move(here));
    groups.push_back(tableKeys());
    groups.push_back(std::move(pages));
    groups.push_back(std::move(everywhere));
    keys_->open(std::move(groups));
}

/// Of the window, and of every page as it declares them: none is made for it.
std::vector<Binding> MainWindow::bindable() {
    std::vector<Binding> all;
    for (const auto& [id, action] : actions_)
        all.push_back({id, {}, action->text(), QKeySequence(action->data().toString()), action->shortcut()});
    for (const PageSpec& spec : specs_) {
        if (!spec.commands) continue;
        for (const CommandSpec& each : spec.commands()) {
            const QString id = commandId(spec.id, each.id);
            all.push_back({id, spec.title, each.title, each.keys, chosenKeys(id, each.keys)});
        }
    }
    return all;
}

void MainWindow::bind(const QString& id, const QKeySequence& keys) {
    const std::vector<Binding> all = bindable();
    const auto found = std::ranges::find(all, id, &Binding::id);
    if (found == all.end()) return;
    keepKeys(id, found->comesWith, keys);
    if (QAction* action = actionOf(id)) action->setShortcut(keys);
}

/// Null: its page was not shown yet.
QAction* MainWindow::actionOf(const QString& id) const {
    if (const auto own = actions_.find(id); own != actions_.end()) return own->second;
    for (const auto& [pageId, made] : made_)
        for (QAction* action : made->commands())
            if (commandId(pageId, action->objectName()) == id) return action;
    return nullptr;
}

} // namespace yard::ui
