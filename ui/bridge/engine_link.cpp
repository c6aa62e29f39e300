#include "ui/bridge/engine_link.h"

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

} // namespace yard::ui
