// The commands of the window and of its pages as people find them: their keys, their entries in the palette, the
// groups of the overlay of keys. Owner: ui thread, the window. Lifetime: as long as the window; what it is made from
// outlives it.
#pragma once

#include "ui/pages/page.h"
#include "ui/shell/key_overlay.h"
#include "ui/shell/palette_match.h"

#include <map>

namespace yard::ui {

class EngineAttachment;
class Navigation;

class CommandRegistry final : public QObject, public KeyBindings {
    Q_OBJECT
public:
    /// `window`: where its own commands have their keys.
    CommandRegistry(EngineAttachment& engine, Navigation& navigation, QWidget& window);

    /// A command of the window.
    QAction* add(const CommandSpec& spec, std::function<void()> act);
    /// The same of one that needs the engine. `yardctl`: the line that does the same; empty: there is none.
    QAction* addForEngine(const CommandSpec& spec, std::function<void()> act,
                          std::function<QString()> yardctl = {});
    /// One of the window's; it must be there.
    QAction* own(const QString& id) const { return own_.at(id).action; }

    std::vector<Binding> bindable() const override;
    void bind(const QString& id, const QKeySequence& keys) override;

    /// For the palette; needs an engine. Of the page that is shown first, then the window's, then, with `everyPage`,
    /// those of the other pages, which are made for it.
    std::vector<PaletteEntry> entries(bool everyPage);
    /// For the overlay: the page that is shown, tables, the way to pages, the rest.
    std::vector<KeyGroup> keyGroups() const;

private:
    struct Own {
        QAction* action;
        QKeySequence comesWith;
        bool needsEngine = false;
        std::function<QString()> yardctl = {};
    };
    void updateBlocked();
    void addEntriesOf(const PageSpec& spec, std::vector<PaletteEntry>& entries);
    EngineAttachment& engine_;
    Navigation& navigation_;
    QWidget& window_;
    std::map<QString, Own> own_;
};

} // namespace yard::ui
