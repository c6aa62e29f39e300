#include "ui/bridge/engine_link.h"

#include <QJsonArray>

#include <utility>

namespace yard::ui {

void EngineLink::setState(LinkState state) {
    if (state == state_) return;
    if (state == LinkState::Connected)
        downSince_ = {};
    else if (state_ == LinkState::Connected)
        downSince_ = QDateTime::currentDateTimeUtc();
    state_ = state;
    emit stateChanged();
}

void EngineLink::sendFile(const Request&, const QString&, QObject* context, Done done) {
    Answer answer;
    answer.message = tr("This connection cannot send files.");
    QMetaObject::invokeMethod(context, [done = std::move(done), answer] { done(answer); }, Qt::QueuedConnection);
}

void sendList(EngineLink& link, const Request& request, QObject* context, EngineLink::Done done, int most) {
    link.send(request, context, [&link, request, context, done = std::move(done), most](const Answer& answer) {
        const QString cursor = answer.json.value("cursor").toString();
        const bool isEmpty = answer.json.contains("jobs") && answer.json.value("jobs").toArray().isEmpty();
        if (!answer.ok() || !isEmpty || cursor.isEmpty() || most <= 0) return done(answer);
        Request next = request;
        next.query.removeQueryItem("cursor");
        next.query.addQueryItem("cursor", cursor);
        sendList(link, next, context, done, most - 1);
    });
}

} // namespace yard::ui
