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

} // namespace yard::ui
