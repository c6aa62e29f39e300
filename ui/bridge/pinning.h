// Which engine by TLS may be spoken to: the one that shows the key that is known, or, where none is known, one that an
// authority of the system vouches for. Values; ui thread.
#pragma once

#include <QByteArray>
#include <QSslConfiguration>
#include <QSslError>
#include <QUrl>

QT_BEGIN_NAMESPACE
class QNetworkReply;
class QWebSocket;
QT_END_NAMESPACE

namespace yard::ui {

/// It leads to this machine.
bool isLoopback(const QUrl& address);
/// Nobody on the way can read what goes there.
bool isPrivate(const QUrl& address);
/// SHA-256 of the public key, 64 hexadecimal digits; empty where there is none.
QByteArray fingerprintOf(const QSslCertificate& certificate);
/// TLS 1.3. With a pin no authority vouches for anybody: every server comes to the errors of its handshake, where its
/// key is looked at, before anything is sent.
QSslConfiguration configurationFor(const QByteArray& pin);
/// What the server shows whose handshake has these errors.
QByteArray shownBy(const QNetworkReply& reply, const QList<QSslError>& errors);
QByteArray shownBy(const QWebSocket& socket, const QList<QSslError>& errors);

} // namespace yard::ui
