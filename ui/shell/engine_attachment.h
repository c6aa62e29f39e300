// The engine that the window shows, and going from it to another: link, state and commands of one engine, and the
// engines that are known. Owner: ui thread, the window. Lifetime: what an attachment has lives from attached() to
// detaching(); whoever keeps a reference to it drops it there.
#pragma once

#include "ui/pages/window_services.h"
#include "ui/state/commands.h"
#include "ui/state/engine_state.h"
#include "ui/state/engines.h"

#include <memory>

namespace yard::ui {

class EngineAttachment final : public QObject, public EngineChoice {
    Q_OBJECT
public:
    explicit EngineAttachment(QObject* parent = nullptr);

    /// Shows this engine from now on. `kind`: "embedded", or where it is.
    void set(std::unique_ptr<EngineLink> link, const QString& kind);
    /// No engine from now on.
    void drop();

    /// These three are null together: there is no engine yet.
    EngineLink* link() const { return link_.get(); }
    EngineState* state() const { return state_.get(); }
    Commands* commands() const { return commands_.get(); }
    const QString& kind() const { return kind_; }
    /// A link to the engine at an address, with the key that is known of it.
    std::unique_ptr<EngineLink> linkTo(const QUrl& address, const QByteArray& token) const;
    /// The fingerprint that the engine shows and nobody trusts, and the one that is known instead; both empty: it is
    /// trusted.
    struct Stranger {
        QByteArray shown;
        QByteArray known;
    };
    Stranger stranger() const;
    /// Trusts it from now on.
    void trust();

    Engines& engines() override { return engines_; }
    void attach(const QUrl& address, const QByteArray& token) override;
    void attachTo(const QUrl& address) override;

signals:
    /// The engine goes; it is still there.
    void detaching();
    void attached();
    /// Its state is another.
    void changed();
    /// A sentence of its commands, or of attachTo().
    void said(const QString& sentence, bool bad);
    /// attachTo() has no token of the engine: people are asked for it.
    void tokenWanted();
    /// The engine shows a key that is not trusted: people are asked, or told that another one is known.
    void trustWanted();

private:
    Engines engines_;
    QString kind_;
    std::unique_ptr<EngineLink> link_;
    std::unique_ptr<EngineState> state_;
    std::unique_ptr<Commands> commands_;
};

} // namespace yard::ui
