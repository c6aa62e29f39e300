// The engines that the window can show: its own, and known addresses, with what is told of their being reachable.
// Addresses are kept in the settings of the program, tokens only in the token store. Owner: ui thread.
#pragma once

#include "ui/bridge/shell_engine.h"
#include "ui/desktop/token_store.h"

#include <QNetworkAccessManager>
#include <QUrl>
#include <map>
#include <optional>
#include <vector>

namespace yard::ui {

class Engines final : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 50;
    enum class Reachability : std::uint8_t { Unknown, Yes, No };

    explicit Engines(const QString& tokenFile, QObject* parent = nullptr);
    /// Beside the settings of the program.
    static QString usualTokenFile();

    TokenStore& tokens() { return tokens_; }
    /// The engine of this program; its token is never stored.
    void setEmbedded(const QUrl& address, const QByteArray& token);
    std::optional<std::pair<QUrl, QByteArray>> embedded() const { return embedded_; }
    /// What is known here of the engine at an address, while this program runs.
    void setShell(const QUrl& address, ShellEngine shell) { shells_[address] = std::move(shell); }
    ShellEngine shellOf(const QUrl& address) const;

    /// The fingerprint that an engine by TLS has to show: as it wrote down itself, while this program runs, else as it was
    /// trusted before, in the file that all clients of this user share. Empty: none is known.
    QByteArray pinOf(const QUrl& address) const;
    void setPin(const QUrl& address, const QByteArray& fingerprint);
    /// From now on; in that file, too. What is wrong, in a sentence; empty: nothing.
    QString trust(const QUrl& address, const QByteArray& fingerprint);

    const std::vector<QUrl>& known() const { return known_; }
    void remember(const QUrl& address);
    void forget(const QUrl& address);
    Reachability reach(const QUrl& address) const;
    /// Asks each whether it is there; reachChanged() tells.
    void look();
    /// Whether this token opens this engine. `done`: what is wrong, in a sentence; empty: nothing, or the engine is not
    /// trusted yet, so that it is told no token.
    void tryOut(const QUrl& address, const QByteArray& token, QObject* context, TokenStore::Told done);
    /// "forge-07:8640" and the like made an address with the usual prefix; invalid: it is none.
    static QUrl addressOf(const QString& text);

    /// Where tokens go by choice.
    TokenStore::Place place() const;
    void setPlace(TokenStore::Place place);

signals:
    void knownChanged();
    void reachChanged();

private:
    void store() const;
    TokenStore tokens_;
    QNetworkAccessManager network_;
    std::optional<std::pair<QUrl, QByteArray>> embedded_;
    std::map<QUrl, ShellEngine> shells_;
    std::map<QUrl, QByteArray> pins_;
    std::vector<QUrl> known_;
    std::map<QUrl, Reachability> reach_;
};

} // namespace yard::ui
