#include "ui/shell/engine_menu.h"

#include "ui/shell/engine_attachment.h"
#include "ui/style/icons.h"

#include <algorithm>

namespace yard::ui {

EngineMenu::EngineMenu(EngineAttachment& engine, QWidget* parent)
    : QMenu(parent)
    , engine_(engine) {
    connect(this, &QMenu::aboutToShow, this, [this] {
        fill();
        engine_.engines().look();
    });
    for (const auto signal : {&Engines::knownChanged, &Engines::reachChanged})
        connect(&engine_.engines(), signal, this, &EngineMenu::fill);
    fill();
}

/// A dot that is full is an engine that answers.
void EngineMenu::fill() {
    clear();
    const Engines& engines = engine_.engines();
    const QUrl shown = engine_.link() != nullptr ? engine_.link()->address() : QUrl();
    const auto entry = [&](const QUrl& address, const QString& text, const QIcon& icon) {
        QAction* action = addAction(icon, text);
        action->setCheckable(address == shown);
        action->setChecked(address == shown);
        connect(action, &QAction::triggered, this, [this, address] { engine_.attachTo(address); });
    };
    if (const auto own = engines.embedded())
        entry(own->first, tr("%1, this program's").arg(own->first.authority()),
              icons::faceIcon(DisplayState::Completed));
    for (const QUrl& address : engines.known()) {
        const Engines::Reachability reach = engines.reach(address);
        const QString text = reach == Engines::Reachability::No ? tr("%1, does not answer").arg(address.authority())
                                                                : address.authority();
        entry(address, text,
              icons::faceIcon(reach == Engines::Reachability::Yes  ? DisplayState::Completed
                              : reach == Engines::Reachability::No ? DisplayState::Cancelled
                                                                   : DisplayState::Pending));
    }
    if (!isEmpty()) addSeparator();
    connect(addAction(tr("Attach…")), &QAction::triggered, this, &EngineMenu::otherWanted);
    if (hasExample())
        connect(addAction(tr("Remove the example")), &QAction::triggered, this, &EngineMenu::exampleUnwanted);
}

/// By the names of its queues: what is removed is looked at more closely.
bool EngineMenu::hasExample() const {
    if (engine_.state() == nullptr) return false;
    return std::ranges::any_of(engine_.state()->queues(), [](const auto& queue) {
        return queue.second.tag.startsWith(QStringLiteral("example/"));
    });
}

} // namespace yard::ui
