#include "ui/shell/command_registry.h"

#include "ui/shell/command_keys.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/navigation.h"
#include "ui/shell/palette_sources.h"

#include <QAction>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

QString keysOf(const QAction* action) {
    return action->shortcut().toString(QKeySequence::NativeText);
}

} // namespace

CommandRegistry::CommandRegistry(EngineAttachment& engine, Navigation& navigation, QWidget& window)
    : QObject(&window)
    , engine_(engine)
    , navigation_(navigation)
    , window_(window) {}

QAction* CommandRegistry::add(const CommandSpec& spec, std::function<void()> act) {
    auto* action = new QAction(spec.title, &window_);
    action->setObjectName(spec.id);
    action->setShortcut(chosenKeys(spec.id, spec.keys));
    connect(action, &QAction::triggered, &window_, std::move(act));
    window_.addAction(action);
    own_[spec.id] = {action, spec.keys};
    return action;
}

QAction* CommandRegistry::addForEngine(const CommandSpec& spec, std::function<void()> act,
                                       std::function<QString()> yardctl) {
    QAction* action = add(spec, std::move(act));
    Own& own = own_.at(spec.id);
    own.needsEngine = true;
    own.yardctl = std::move(yardctl);
    return action;
}

std::vector<PaletteEntry> CommandRegistry::entries(bool everyPage) {
    updateBlocked();
    std::vector<PaletteEntry> entries;
    if (const PageSpec* shown = navigation_.spec()) addEntriesOf(*shown, entries);
    for (const auto& [id, own] : own_) {
        const QString line = own.yardctl ? own.yardctl() : QString();
        if (id != "palette") entries.push_back(entryOf(own.action, id, {}, engine_.link()->yardctl(line)));
    }
    if (!everyPage) return entries;
    for (const PageSpec& spec : navigation_.pages())
        if (spec.id != navigation_.pageId() && spec.id != "settings") addEntriesOf(spec, entries);
    return entries;
}

/// Those of a page that is not shown are given on it.
void CommandRegistry::addEntriesOf(const PageSpec& spec, std::vector<PaletteEntry>& entries) {
    const Page* from = navigation_.pageOf(spec.id);
    if (from == nullptr) return;
    for (QAction* action : from->commands()) {
        PaletteEntry entry = entryOf(action, commandId(spec.id, action->objectName()), spec.title,
                                     engine_.link()->yardctl(from->yardctlOf(action)));
        if (spec.id != navigation_.pageId())
            entry.run = [this, id = spec.id, act = std::move(entry.run)] {
                navigation_.show(id);
                act();
            };
        entries.push_back(std::move(entry));
    }
}

void CommandRegistry::updateBlocked() {
    const EngineState* state = engine_.state();
    const QString dead = state != nullptr ? state->whyBlocked() : tr("There is no engine yet");
    for (const auto& [id, own] : own_)
        if (own.needsEngine) setBlocked(own.action, dead);
}

std::vector<KeyGroup> CommandRegistry::keyGroups() const {
    KeyGroup here;
    if (const PageSpec* shown = navigation_.spec()) {
        here.title = shown->title;
        for (const QAction* action : navigation_.page()->commands())
            if (!keysOf(action).isEmpty()) here.keys.emplace_back(keysOf(action), action->text());
    }
    KeyGroup pages{tr("Pages"), {}};
    KeyGroup everywhere{tr("Everywhere"), {}};
    for (const PageSpec& spec : navigation_.pages())
        if (const QAction* action = own("page." + spec.id); !keysOf(action).isEmpty())
            pages.keys.emplace_back(keysOf(action), spec.title);
    for (const auto& [id, own] : own_)
        if (!id.startsWith("page.") && !keysOf(own.action).isEmpty())
            everywhere.keys.emplace_back(keysOf(own.action), own.action->text());
    std::vector<KeyGroup> groups;
    if (!here.keys.empty()) groups.push_back(std::move(here));
    groups.push_back(tableKeys());
    groups.push_back(outputKeys());
    groups.push_back(std::move(pages));
    groups.push_back(std::move(everywhere));
    return groups;
}

/// Of the window, and of every page as it declares them: none is made for it.
std::vector<Binding> CommandRegistry::bindable() const {
    std::vector<Binding> all;
    for (const auto& [id, own] : own_)
        all.push_back({id, {}, own.action->text(), own.comesWith, own.action->shortcut()});
    for (const PageSpec& spec : navigation_.pages()) {
        if (!spec.commands) continue;
        for (const CommandSpec& each : spec.commands()) {
            const QString id = commandId(spec.id, each.id);
            all.push_back({id, spec.title, each.title, each.keys, chosenKeys(id, each.keys)});
        }
    }
    return all;
}

void CommandRegistry::bind(const QString& id, const QKeySequence& keys) {
    const std::vector<Binding> all = bindable();
    const auto found = std::ranges::find(all, id, &Binding::id);
    if (found == all.end()) return;
    keepKeys(id, found->comesWith, keys);
    const auto own = own_.find(id);
    // Null: its page was not shown yet, and reads them then.
    if (QAction* action = own != own_.end() ? own->second.action : navigation_.commandOf(id))
        action->setShortcut(keys);
}

} // namespace yard::ui
