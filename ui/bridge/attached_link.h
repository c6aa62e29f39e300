// A link to an engine at an address: HTTP requests, and one WebSocket for the events. Owner: ui thread.
//
//     Connecting --session answers, socket opens--> Connected --socket ends--> Connecting
//     Connecting --no answer--> Waiting --after a while--> Connecting
//     Connecting --401--> Refused --setToken--> Connecting
//     Connecting --a key that is not known--> Untrusted --setPin--> Connecting
//
// Tries come after 0.25 s, then twice as long each, at most 5 s. Every connection of an engine that goes on where
// events stopped is told by "resumed" in its first frame; any other is refreshed().
#pragma once

#include "ui/bridge/engine_link.h"

#include <QNetworkAccessManager>
#include <QTimer>
#include <chrono>
#include <memory>

QT_BEGIN_NAMESPACE
class QNetworkReply;
class QNetworkRequest;
class QWebSocket;
QT_END_NAMESPACE

namespace yard::ui {

struct LinkLimits {
    std::chrono::milliseconds firstPause{250};
    std::chrono::milliseconds longestPause{5'000};
    /// An answer, or the opening of the socket, must begin by then.
    std::chrono::milliseconds patience{30'000};
    qint64 mostAnswer = 64 << 20; ///< bytes; more is cut off and told as an error
};

class AttachedLink final : public EngineLink {
    Q_OBJECT
public:
    /// `address`: with the prefix, "http://127.0.0.1:8640/compute". Connects from the event loop.
    AttachedLink(QUrl address, QByteArray token, LinkLimits limits = {}, QObject* parent = nullptr);
    ~AttachedLink() override;

    void send(const Request& request, QObject* context, Done done) override;
    std::unique_ptr<QObject> stream(const Request& request, std::function<void(const QByteArray&)> piece,
                                    Done done) override;
    void sendFile(const Request& request, const QString& file, QObject* context, Done done) override;
    void watch(const QJsonObject& what) override;
    QUrl address() const override { return address_; }

    /// Tries again at once.
    void setToken(const QByteArray& token);
    /// The fingerprint that an engine by TLS has to show; empty: authorities decide. Before it connects, or to try
    /// again at once.
    void setPin(const QByteArray& fingerprint);
    const QByteArray& pin() const { return pin_; }
    /// Untrusted: the fingerprint that it shows.
    const QByteArray& shown() const { return shown_; }

private:
    QString whyNot() const;
    QNetworkRequest requestFor(const QUrl& url, std::chrono::milliseconds patience) const;
    /// Whether it is the key that is known; notes it if not.
    bool isKnown(const QByteArray& shown);
    void distrust();
    QNetworkReply* start(const Request& request, std::chrono::milliseconds patience);
    /// Answers soon that nothing was sent.
    void refuse(const QString& why, QObject* context, Done done);
    void follow(QNetworkReply* reply, QObject* context, Done done);
    QUrl urlOf(const QString& path, const QUrlQuery& query) const;
    void tryNow();
    void openSocket();
    void onFrame(const QString& text);
    void onSocketEnded();
    void pause();
    void sendWatch();

    const QUrl address_;
    QByteArray token_;
    QByteArray pin_;
    QByteArray shown_; ///< of one that is not trusted; empty: there was none at the last try
    const LinkLimits limits_;
    QNetworkAccessManager network_;
    std::unique_ptr<QWebSocket> socket_;
    QTimer next_; ///< the next try, or the end of patience with the socket
    std::chrono::milliseconds pause_;
    QJsonObject watch_;
    QString runId_;
    qint64 seq_ = -1; ///< where events may go on; -1: nowhere
    bool greeted_ = false;
};

} // namespace yard::ui
