#include "ui/bridge/pinning.h"

#include "core/base/certificate_key.h"

#include <QHostAddress>
#include <QNetworkReply>
#include <QSslCertificate>
#include <QSslSocket>
#include <QWebSocket>

namespace yard::ui {

namespace {

/// The first one that is a certificate: of a server that signed for itself both are the same.
QByteArray firstShown(const QSslCertificate& certificate, const QList<QSslError>& errors) {
    if (!certificate.isNull()) return fingerprintOf(certificate);
    return errors.isEmpty() ? QByteArray() : fingerprintOf(errors.first().certificate());
}

} // namespace

bool isLoopback(const QUrl& address) {
    return address.host() == "localhost" || QHostAddress(address.host()).isLoopback();
}

bool isPrivate(const QUrl& address) {
    return address.scheme() == "https" || isLoopback(address);
}

QByteArray fingerprintOf(const QSslCertificate& certificate) {
    const QByteArray der = certificate.toDer();
    const auto hash = publicKeyHash({der.constData(), static_cast<std::size_t>(der.size())});
    return hash ? QByteArray::fromStdString(hash->hex()) : QByteArray();
}

QSslConfiguration configurationFor(const QByteArray& pin) {
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setProtocol(QSsl::TlsV1_3OrLater);
    if (!pin.isEmpty()) configuration.setCaCertificates({});
    return configuration;
}

QByteArray shownBy(const QNetworkReply& reply, const QList<QSslError>& errors) {
    return firstShown(reply.sslConfiguration().peerCertificate(), errors);
}

/// Its own configuration is what it was told; the peer's is that of the socket below.
QByteArray shownBy(const QWebSocket& socket, const QList<QSslError>& errors) {
    const auto* below = socket.findChild<QSslSocket*>();
    return firstShown(below ? below->peerCertificate() : QSslCertificate(), errors);
}

} // namespace yard::ui
