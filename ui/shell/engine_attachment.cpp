#include "ui/shell/engine_attachment.h"

#include "ui/bridge/attached_link.h"

#include <QTimer>

#include <utility>

namespace yard::ui {

EngineAttachment::EngineAttachment(QObject* parent)
    : QObject(parent)
    , engines_(Engines::usualTokenFile()) {}

void EngineAttachment::drop() {
    emit detaching();
    commands_.reset();
    state_.reset();
    link_.reset();
}

void EngineAttachment::set(std::unique_ptr<EngineLink> link, const QString& kind) {
    drop();
    link_ = std::move(link);
    ShellEngine shell = engines_.shellOf(link_->address());
    shell.fingerprint = engines_.pinOf(link_->address());
    link_->setShell(std::move(shell));
    kind_ = kind;
    state_ = std::make_unique<EngineState>(*link_);
    commands_ = std::make_unique<Commands>(*link_);
    for (const auto signal : {&EngineState::sessionChanged, &EngineState::connectionChanged,
                              &EngineState::queuesChanged, &EngineState::countsChanged, &EngineState::pulse})
        connect(state_.get(), signal, this, &EngineAttachment::changed);
    connect(commands_.get(), &Commands::said, this, &EngineAttachment::said);
    connect(link_.get(), &EngineLink::stateChanged, this, [this] {
        if (link_->state() == LinkState::Untrusted) emit trustWanted();
    });
    emit attached();
}

std::unique_ptr<EngineLink> EngineAttachment::linkTo(const QUrl& address, const QByteArray& token) const {
    auto link = std::make_unique<AttachedLink>(address, token);
    link->setPin(engines_.pinOf(address));
    return link;
}

EngineAttachment::Stranger EngineAttachment::stranger() const {
    const auto* link = qobject_cast<const AttachedLink*>(link_.get());
    if (link == nullptr || link->state() != LinkState::Untrusted) return {};
    return {.shown = link->shown(), .known = link->pin()};
}

void EngineAttachment::trust() {
    auto* link = qobject_cast<AttachedLink*>(link_.get());
    const Stranger met = stranger();
    if (link == nullptr || met.shown.isEmpty()) return;
    if (const QString problem = engines_.trust(link->address(), met.shown); !problem.isEmpty())
        emit said(problem, true);
    ShellEngine shell = engines_.shellOf(link->address());
    shell.fingerprint = met.shown;
    link->setShell(std::move(shell));
    link->setPin(met.shown);
}

void EngineAttachment::attach(const QUrl& address, const QByteArray& token) {
    const auto own = engines_.embedded();
    const bool embedded = own && own->first == address;
    // The page that asks goes with the engine it belongs to.
    QTimer::singleShot(0, this, [this, address, token, embedded] {
        set(linkTo(address, token), embedded ? tr("embedded") : address.authority());
    });
}

void EngineAttachment::attachTo(const QUrl& address) {
    if (link_ && link_->address() == address && link_->state() != LinkState::Refused) return;
    if (const auto own = engines_.embedded(); own && own->first == address) return attach(address, own->second);
    engines_.tokens().read(address.toString(), this, [this, address](const TokenStore::Found& found) {
        if (!found.problem.isEmpty()) emit said(found.problem, true);
        if (!found.token.isEmpty() || !link_) attach(address, found.token);
        if (!found.token.isEmpty()) return;
        // Asked for where it can be written down, once the engine is there.
        QTimer::singleShot(0, this, &EngineAttachment::tokenWanted);
    });
}

} // namespace yard::ui
