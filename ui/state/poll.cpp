#include "ui/state/poll.h"

#include <utility>

namespace yard::ui {

Poll::Poll(EngineLink& link, int everyMs, std::function<std::optional<Request>()> request, EngineLink::Done take,
           QObject* parent)
    : QObject(parent)
    , link_(link)
    , request_(std::move(request))
    , take_(std::move(take)) {
    timer_.setInterval(everyMs);
    connect(&timer_, &QTimer::timeout, this, &Poll::now);
}

void Poll::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    if (!active) return timer_.stop();
    timer_.start();
    now();
}

void Poll::now() {
    if (!active_ || link_.state() != LinkState::Connected) return;
    if (underWay_) {
        again_ = true;
        return;
    }
    const auto request = request_();
    if (!request) return;
    underWay_ = true;
    sendList(link_, *request, this, [this](const Answer& answer) {
        underWay_ = false;
        const QString before = std::exchange(problem_, answer.ok() ? QString() : answer.message);
        if (answer.ok())
            take_(answer);
        else if (before != problem_)
            emit failed(answer.status, problem_);
        // What was wanted meanwhile waits for the timer when it cannot be had now.
        if (std::exchange(again_, false) && answer.ok()) now();
    });
}

} // namespace yard::ui
