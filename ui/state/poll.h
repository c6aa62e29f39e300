// Asks an engine the same thing again and again while somebody looks: one request under way at most, none while the
// connection is down. Owner: ui thread; lives no longer than the link.
#pragma once

#include "ui/bridge/engine_link.h"

#include <QTimer>
#include <functional>
#include <optional>

namespace yard::ui {

class Poll final : public QObject {
    Q_OBJECT
public:
    /// `request`: nothing means not now. `take` gets good answers only.
    Poll(EngineLink& link, int everyMs, std::function<std::optional<Request>()> request, EngineLink::Done take,
         QObject* parent = nullptr);

    /// Asks at once when it becomes active.
    void setActive(bool active);
    void setEvery(int ms) { timer_.setInterval(ms); }
    /// Now, or as soon as what is under way has been answered.
    void now();
    /// Why the last one was refused; empty: it was not.
    const QString& problem() const { return problem_; }
    /// What is asked for is another thing now: the same refusal is told again.
    void forget() { problem_.clear(); }

signals:
    /// Refused, or not answered (`status` 0); told once until it is another.
    void failed(int status, const QString& message);

private:
    EngineLink& link_;
    std::function<std::optional<Request>()> request_;
    EngineLink::Done take_;
    QTimer timer_;
    QString problem_;
    bool active_ = false;
    bool underWay_ = false;
    bool again_ = false;
};

} // namespace yard::ui
