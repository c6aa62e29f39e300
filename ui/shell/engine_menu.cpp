// The engine menu of the top bar, and going from one engine to another.
#include "ui/bridge/attached_link.h"
#include "ui/models/engines.h"
#include "ui/shell/main_window.h"
#include "ui/style/icons.h"

#include <QMenu>

namespace yard::ui {

void MainWindow::makeEngineMenu() {
    engines_ = new Engines(Engines::usualTokenFile(), this);
    engineMenu_ = new QMenu(this);
    connect(engineMenu_, &QMenu::aboutToShow, this, [this] {
        fillEngineMenu();
        engines_->look();
    });
    for (const auto signal : {&Engines::knownChanged, &Engines::reachChanged})
        connect(engines_, signal, this, &MainWindow::fillEngineMenu);
    fillEngineMenu();
}

/// A dot that is full is an engine that answers.
void MainWindow::fillEngineMenu() {
    engineMenu_->clear();
    const QUrl shown = link_ ? link_->address() : QUrl();
    const auto entry = [&](const QUrl& address, const QString& text, const QIcon& icon) {
        QAction* action = engineMenu_->addAction(icon, text);
        action->setCheckable(address == shown);
        action->setChecked(address == shown);
        connect(action, &QAction::triggered, this, [this, address] { attachTo(address); });
    };
    if (const auto own = engines_->embedded())
        entry(own->first, tr("%1, this program's").arg(own->first.authority()), icons::faceIcon(Face::Completed));
    for (const QUrl& address : engines_->known()) {
        const Engines::Reach reach = engines_->reach(address);
        const QString text =
            reach == Engines::Reach::No ? tr("%1, does not answer").arg(address.authority()) : address.authority();
        entry(address, text,
              icons::faceIcon(reach == Engines::Reach::Yes  ? Face::Completed
                              : reach == Engines::Reach::No ? Face::Cancelled
                                                            : Face::Pending));
    }
    if (!engineMenu_->isEmpty()) engineMenu_->addSeparator();
    connect(engineMenu_->addAction(tr("Attach…")), &QAction::triggered, this,
            [this] { show(QStringLiteral("settings"), "engines"); });
}

void MainWindow::attach(const QUrl& address, const QByteArray& token) {
    const auto own = engines_->embedded();
    const bool embedded = own && own->first == address;
    // The page that asks goes with the engine it belongs to.
    QTimer::singleShot(0, this, [this, address, token, embedded] {
        setEngine(std::make_unique<AttachedLink>(address, token), embedded ? tr("embedded") : address.authority());
    });
}

void MainWindow::attachTo(const QUrl& address) {
    if (link_ && link_->address() == address && link_->state() != LinkState::Refused) return;
    if (const auto own = engines_->embedded(); own && own->first == address) return attach(address, own->second);
    engines_->tokens().read(address.toString(), this, [this, address](const TokenStore::Found& found) {
        if (!found.problem.isEmpty()) say(found.problem, true);
        if (!found.token.isEmpty() || !link_) attach(address, found.token);
        if (!found.token.isEmpty()) return;
        // Asked for where it can be written down.
        QTimer::singleShot(0, this, [this] { show(QStringLiteral("settings"), "engines"); });
    });
}

} // namespace yard::ui
