#include "ui/bridge/attached_link.h"

#include "ui/bridge/pinning.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QPointer>
#include <QWebSocket>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr qint64 kStreamBuffer = 1 << 20;

struct LinkWords {
    Q_DECLARE_TR_FUNCTIONS(EngineLink)
};

QNetworkRequest linkRequestFor(const QUrl& url, const QByteArray& token, std::chrono::milliseconds patience) {
    QNetworkRequest request(url);
    request.setRawHeader("Authorization", "Bearer " + token);
    request.setTransferTimeout(static_cast<int>(patience.count()));
    // The token goes to this address and nowhere else.
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    return request;
}

Answer noAnswer(const QString& message) {
    Answer answer;
    answer.message = message;
    return answer;
}

Answer answerOf(QNetworkReply& reply, bool tooLong) {
    if (tooLong) return noAnswer(LinkWords::tr("The answer is too long to show; ask for less of it."));
    Answer answer;
    answer.status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    answer.bytes = reply.readAll();
    if (answer.status == 0)
        return noAnswer(LinkWords::tr("The engine does not answer: %1").arg(reply.errorString()));
    answer.json = QJsonDocument::fromJson(answer.bytes).object();
    if (answer.ok()) return answer;
    answer.error = answer.json.value("error").toString();
    answer.message = answer.json.value("message").toString();
    if (answer.message.isEmpty())
        answer.message = LinkWords::tr("What is at this address answers %1 and is no engine.").arg(answer.status);
    return answer;
}

} // namespace

AttachedLink::AttachedLink(QUrl address, QByteArray token, LinkLimits limits, QObject* parent)
    : EngineLink(parent)
    , address_(std::move(address))
    , token_(std::move(token))
    , limits_(limits)
    , pause_(limits.firstPause) {
    next_.setSingleShot(true);
    connect(&next_, &QTimer::timeout, this, &AttachedLink::tryNow);
    connect(&network_, &QNetworkAccessManager::sslErrors, this,
            [this](QNetworkReply* reply, const QList<QSslError>& errors) {
                if (isKnown(shownBy(*reply, errors))) reply->ignoreSslErrors();
            });
    next_.start(0);
}

AttachedLink::~AttachedLink() {
    if (socket_) socket_->disconnect(this);
}

QUrl AttachedLink::urlOf(const QString& path, const QUrlQuery& query) const {
    QUrl url = address_;
    QString base = url.path(QUrl::FullyEncoded);
    if (!base.endsWith('/')) base += '/';
    url.setPath(base + path, QUrl::TolerantMode);
    url.setQuery(query);
    return url;
}

QString AttachedLink::whyNot() const {
    if (state() == LinkState::Refused) return LinkWords::tr("The engine refuses the token.");
    if (state() == LinkState::Untrusted) return LinkWords::tr("The engine is not trusted: nothing is sent to it.");
    return LinkWords::tr("There is no connection to the engine just now.");
}

QNetworkReply* AttachedLink::start(const Request& request, std::chrono::milliseconds patience) {
    QNetworkRequest sent = requestFor(urlOf(request.path, request.query), patience);
    if (!request.body.isEmpty()) sent.setHeader(QNetworkRequest::ContentTypeHeader, "application/json");
    if (!request.range.isEmpty()) sent.setRawHeader("Range", request.range);
    if (request.revision != 0) sent.setRawHeader("If-Match", QByteArray::number(request.revision));
    return network_.sendCustomRequest(sent, request.method, request.body);
}

void AttachedLink::refuse(const QString& why, QObject* context, Done done) {
    QMetaObject::invokeMethod(
        this,
        [who = QPointer<QObject>(context), done = std::move(done), answer = noAnswer(why)] {
            if (who) done(answer);
        },
        Qt::QueuedConnection);
}

void AttachedLink::send(const Request& request, QObject* context, Done done) {
    if (state() != LinkState::Connected) return refuse(whyNot(), context, std::move(done));
    const bool isUsual = request.patience == std::chrono::milliseconds::zero();
    follow(start(request, isUsual ? limits_.patience : request.patience), context, std::move(done));
}

void AttachedLink::sendFile(const Request& request, const QString& file, QObject* context, Done done) {
    if (state() != LinkState::Connected) return refuse(whyNot(), context, std::move(done));
    auto source = std::make_unique<QFile>(file);
    if (!QFileInfo(file).isFile() || !source->open(QIODevice::ReadOnly))
        return refuse(LinkWords::tr("%1 cannot be read: %2").arg(file, source->errorString()), context,
                      std::move(done));
    QNetworkRequest sent = requestFor(urlOf(request.path, request.query), limits_.patience);
    sent.setHeader(QNetworkRequest::ContentTypeHeader, "application/octet-stream");
    QNetworkReply* reply = network_.sendCustomRequest(sent, request.method, source.get());
    source.release()->setParent(reply);
    follow(reply, context, std::move(done));
}

void AttachedLink::follow(QNetworkReply* reply, QObject* context, Done done) {
    const auto tooLong = std::make_shared<bool>(false);
    connect(reply, &QNetworkReply::downloadProgress, reply,
            [reply, tooLong, most = limits_.mostAnswer](qint64 got) {
                if (got <= most) return;
                *tooLong = true;
                reply->abort();
            });
    connect(reply, &QNetworkReply::finished, this,
            [reply, tooLong, who = QPointer<QObject>(context), done = std::move(done)] {
                reply->deleteLater();
                if (who) done(answerOf(*reply, *tooLong));
            });
}

std::unique_ptr<QObject> AttachedLink::stream(const Request& request, std::function<void(const QByteArray&)> piece,
                                              Done done) {
    auto handle = std::make_unique<QObject>();
    QObject* life = handle.get();
    if (state() != LinkState::Connected) {
        QMetaObject::invokeMethod(
            life, [done = std::move(done), answer = noAnswer(whyNot())] { done(answer); }, Qt::QueuedConnection);
        return handle;
    }
    // Silence is no failure of output that is followed: no time limit, the socket of events tells a lost engine.
    QNetworkReply* reply = start(request, std::chrono::milliseconds(0));
    reply->setReadBufferSize(kStreamBuffer);
    const auto isGood = [reply] {
        return reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt() / 100 == 2;
    };
    connect(reply, &QNetworkReply::readyRead, life, [reply, isGood, piece] {
        if (isGood()) piece(reply->readAll());
    });
    connect(reply, &QNetworkReply::finished, life, [reply, isGood, piece, done = std::move(done)] {
        if (isGood() && reply->bytesAvailable() > 0) piece(reply->readAll());
        done(answerOf(*reply, false));
    });
    connect(life, &QObject::destroyed, reply, [reply] {
        reply->disconnect(); // nobody is to be told of its end
        reply->abort();
        reply->deleteLater();
    });
    return handle;
}

void AttachedLink::watch(const QJsonObject& what) {
    watch_ = what;
    if (state() == LinkState::Connected) sendWatch();
}

void AttachedLink::sendWatch() {
    const QJsonObject message{{"watch", watch_}};
    socket_->sendTextMessage(QString::fromUtf8(QJsonDocument(message).toJson(QJsonDocument::Compact)));
}

QNetworkRequest AttachedLink::requestFor(const QUrl& url, std::chrono::milliseconds patience) const {
    QNetworkRequest request = linkRequestFor(url, token_, patience);
    if (address_.scheme() == "https") request.setSslConfiguration(configurationFor(pin_));
    return request;
}

bool AttachedLink::isKnown(const QByteArray& shown) {
    if (!pin_.isEmpty() && shown == pin_) return true;
    shown_ = shown;
    return false;
}

void AttachedLink::distrust() {
    next_.stop();
    setState(LinkState::Untrusted);
}

void AttachedLink::setPin(const QByteArray& fingerprint) {
    pin_ = fingerprint;
    if (state() != LinkState::Untrusted) return;
    // What was agreed with another key is not gone on with.
    network_.clearConnectionCache();
    pause_ = limits_.firstPause;
    next_.start(0);
}

void AttachedLink::setToken(const QByteArray& token) {
    token_ = token;
    pause_ = limits_.firstPause;
    if (state() == LinkState::Refused || state() == LinkState::Waiting) next_.start(0);
}

/// The session first: its answer says more than a refused handshake.
void AttachedLink::tryNow() {
    if (socket_) { // out of patience with it
        socket_->disconnect(this);
        socket_.release()->deleteLater();
        return pause();
    }
    setState(LinkState::Connecting);
    shown_.clear();
    QNetworkReply* reply = network_.get(requestFor(urlOf("session", {}), limits_.patience));
    connect(reply, &QNetworkReply::finished, this, [this, reply] {
        reply->deleteLater();
        const Answer answer = answerOf(*reply, false);
        if (!shown_.isEmpty()) return distrust();
        if (answer.status == 401) return setState(LinkState::Refused);
        if (!answer.ok() || !answer.json.contains("run_id")) return pause();
        openSocket();
    });
}

void AttachedLink::openSocket() {
    QUrlQuery query;
    query.addQueryItem("alerts", "1"); // a window is where they are told
    if (seq_ >= 0) query.addQueryItem("since", QStringLiteral("%1.%2").arg(runId_).arg(seq_));
    QUrl url = urlOf("events", query);
    url.setScheme(url.scheme() == "https" ? "wss" : "ws");
    greeted_ = false;
    socket_ = std::make_unique<QWebSocket>();
    socket_->setMaxAllowedIncomingMessageSize(static_cast<quint64>(limits_.mostAnswer));
    connect(socket_.get(), &QWebSocket::textMessageReceived, this, &AttachedLink::onFrame);
    connect(socket_.get(), &QWebSocket::disconnected, this, &AttachedLink::onSocketEnded, Qt::QueuedConnection);
    if (url.scheme() == "wss") socket_->setSslConfiguration(configurationFor(pin_));
    connect(socket_.get(), &QWebSocket::sslErrors, this, [this](const QList<QSslError>& errors) {
        if (isKnown(shownBy(*socket_, errors))) socket_->ignoreSslErrors();
    });
    socket_->open(requestFor(url, limits_.patience));
    next_.start(limits_.patience);
}

void AttachedLink::onFrame(const QString& text) {
    const QJsonObject frame = QJsonDocument::fromJson(text.toUtf8()).object();
    const bool resyncs = frame.value("resync").toBool();
    if (!greeted_) {
        greeted_ = true;
        next_.stop();
        pause_ = limits_.firstPause;
        const QString run = frame.value("run_id").toString();
        const bool resumed = frame.value("resumed").toBool() && run == runId_;
        runId_ = run;
        if (!resumed) seq_ = -1;
        setState(LinkState::Connected);
        if (!watch_.isEmpty()) sendWatch();
        if (!resumed) emit refreshed();
        return;
    }
    // A snapshot in several frames has no place to go on at before its last one.
    if (frame.value("partial").toBool())
        seq_ = -1;
    else if (frame.contains("seq"))
        seq_ = frame.value("seq").toInteger(seq_);
    if (resyncs) return emit refreshed();
    emit batch(frame);
}

void AttachedLink::onSocketEnded() {
    if (!socket_) return;
    socket_->disconnect(this);
    socket_.release()->deleteLater();
    if (!shown_.isEmpty()) return distrust();
    if (!greeted_) return pause();
    setState(LinkState::Connecting);
    next_.start(0);
}

void AttachedLink::pause() {
    setState(LinkState::Waiting);
    next_.start(pause_);
    pause_ = std::min(pause_ * 2, limits_.longestPause);
}

} // namespace yard::ui
