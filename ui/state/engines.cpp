#include "ui/state/engines.h"

#include "core/model/api_address.h"
#include "core/model/known_engines.h"
#include "ui/bridge/pinning.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QNetworkReply>
#include <QPointer>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <memory>

namespace yard::ui {

namespace {

constexpr int kEnginesPatienceMs = 5'000;

QNetworkRequest enginesRequestFor(const QUrl& url) {
    QNetworkRequest request(url);
    request.setTransferTimeout(kEnginesPatienceMs);
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    return request;
}

} // namespace

Engines::Engines(const QString& tokenFile, QObject* parent)
    : QObject(parent)
    , tokens_(tokenFile) {
    for (const QString& text : QSettings().value("engines/known").toStringList())
        if (const QUrl address(text); address.isValid() && known_.size() < kMost) known_.push_back(address);
}

QString Engines::usualTokenFile() {
    return QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + "/tokens.json";
}

ShellEngine Engines::shellOf(const QUrl& address) const {
    const auto found = shells_.find(address);
    return found == shells_.end() ? ShellEngine() : found->second;
}

QByteArray Engines::pinOf(const QUrl& address) const {
    if (address.scheme() != "https") return {};
    if (const auto found = pins_.find(address); found != pins_.end()) return found->second;
    // A file that cannot be read knows nobody: people are asked again.
    const auto known = knownFingerprint(knownEnginesFile(), address.authority().toStdString());
    return known ? QByteArray::fromStdString(*known) : QByteArray();
}

void Engines::setPin(const QUrl& address, const QByteArray& fingerprint) {
    pins_[address] = fingerprint;
    network_.clearConnectionCache(); // those that are open were made to whoever had the key before
}

QString Engines::trust(const QUrl& address, const QByteArray& fingerprint) {
    setPin(address, fingerprint);
    const auto kept =
        rememberFingerprint(knownEnginesFile(), address.authority().toStdString(), fingerprint.toStdString());
    return kept ? QString() : QString::fromStdString(kept.error().message);
}

void Engines::setEmbedded(const QUrl& address, const QByteArray& token) {
    embedded_ = std::pair(address, token);
    emit knownChanged();
}

void Engines::store() const {
    QStringList all;
    for (const QUrl& address : known_) all << address.toString();
    QSettings().setValue("engines/known", all);
}

/// The newest first; beyond the limit the oldest is forgotten.
void Engines::remember(const QUrl& address) {
    if (embedded_ && embedded_->first == address) return;
    std::erase(known_, address);
    known_.insert(known_.begin(), address);
    if (known_.size() > kMost) known_.pop_back();
    store();
    emit knownChanged();
}

void Engines::forget(const QUrl& address) {
    std::erase(known_, address);
    reach_.erase(address);
    store();
    tokens_.forget(address.toString(), this, [](const QString&) {});
    emit knownChanged();
}

Engines::Reachability Engines::reach(const QUrl& address) const {
    const auto found = reach_.find(address);
    return found == reach_.end() ? Reachability::Unknown : found->second;
}

void Engines::look() {
    for (const QUrl& address : known_) {
        QUrl health = address;
        health.setPath("/health");
        QNetworkReply* reply = network_.get(enginesRequestFor(health));
        // Whoever answers: nothing is told that is worth anything.
        connect(reply, &QNetworkReply::sslErrors, reply, [reply] { reply->ignoreSslErrors(); });
        connect(reply, &QNetworkReply::finished, this, [this, reply, address] {
            reply->deleteLater();
            const bool there = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt() > 0;
            reach_[address] = there ? Reachability::Yes : Reachability::No;
            emit reachChanged();
        });
    }
}

void Engines::tryOut(const QUrl& address, const QByteArray& token, QObject* context, TokenStore::Told done) {
    QUrl session = address;
    session.setPath(address.path() + (address.path().endsWith('/') ? "session" : "/session"));
    QNetworkRequest request = enginesRequestFor(session);
    request.setRawHeader("Authorization", "Bearer " + token);
    const QByteArray pin = pinOf(address);
    if (address.scheme() == "https") request.setSslConfiguration(configurationFor(pin));
    QNetworkReply* reply = network_.get(request);
    const auto isStranger = std::make_shared<bool>(false);
    connect(reply, &QNetworkReply::sslErrors, reply, [reply, pin, isStranger](const QList<QSslError>& errors) {
        if (!pin.isEmpty() && shownBy(*reply, errors) == pin)
            reply->ignoreSslErrors();
        else
            *isStranger = true;
    });
    connect(reply, &QNetworkReply::finished, this,
            [reply, isStranger, address, who = QPointer<QObject>(context), done = std::move(done)] {
                reply->deleteLater();
                if (!who) return;
                const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
                if (*isStranger) return done({});
                if (status == 0)
                    return done(tr("%1 does not answer: %2.").arg(address.authority(), reply->errorString()));
                if (status == 401) return done(tr("%1 refuses this token.").arg(address.authority()));
                const QJsonObject json = QJsonDocument::fromJson(reply->read(1 << 20)).object();
                if (status == 200 && json.contains("run_id")) return done({});
                done(json.contains("message") ? json.value("message").toString()
                                              : tr("What is at %1 is no engine.").arg(address.authority()));
            });
}

QUrl Engines::addressOf(const QString& text) {
    const QString trimmed = text.trimmed();
    QUrl url(trimmed.contains("://") ? trimmed : "http://" + trimmed, QUrl::StrictMode);
    const bool good = url.isValid() && !url.host().isEmpty() &&
                      (url.scheme() == "http" || url.scheme() == "https") && url.userInfo().isEmpty() &&
                      !url.hasQuery() && !url.hasFragment();
    if (!good) return {};
    if (url.port() < 0 && url.scheme() == "http") url.setPort(kUsualPort);
    if (url.path().isEmpty() || url.path() == "/")
        url.setPath(QString::fromLatin1(kUsualPrefix.data(), kUsualPrefix.size()));
    return url;
}

TokenStore::Place Engines::place() const {
    const QString stored = QSettings().value("engines/tokens").toString();
    if (stored == "file") return TokenStore::Place::File;
    return stored == "nowhere" ? TokenStore::Place::Nowhere : TokenStore::Place::Keychain;
}

void Engines::setPlace(TokenStore::Place place) {
    QSettings().setValue("engines/tokens", place == TokenStore::Place::File       ? "file"
                                           : place == TokenStore::Place::Keychain ? "keychain"
                                                                                  : "nowhere");
}

} // namespace yard::ui
