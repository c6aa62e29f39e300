// A timeline at rest: pictures made by hand, for tests and benches of what shows them.
#pragma once

#include "ui/timeline/timeline_data.h"

#include <QJsonObject>
#include <functional>
#include <utility>

namespace yard::test {

class FixedTimeline final : public ui::timeline::TimelineData {
public:
    using TimelineData::TimelineData;

    void look(ui::timeline::Range visible, double, const QStringList& workers) override {
        visible_ = visible;
        workers_ = workers;
    }
    void setWhole(WallMicros from) override { wholeFrom_ = from; }
    std::vector<Piece> pieces(const QString&, ui::timeline::Range visible, double) const override {
        if (picture_ == nullptr) return {};
        return {{picture_, visible}};
    }
    const std::map<QString, Known>& known() const override { return known_; }
    const ui::timeline::Figures& figures() const override { return figures_; }
    const ui::timeline::Figures& whole() const override { return figures_; }
    WallMicros wholeFrom() const override { return wholeFrom_; }
    WallMicros now() const override { return now_; }
    bool isLive() const override { return live_; }
    void details(qint64, QObject*, std::function<void(const QJsonObject&)> tell) override {
        if (!details_.isEmpty()) tell(details_);
    }

    void set(ui::timeline::Picture picture) {
        for (const ui::timeline::Group& group : picture.groups) known_[group.worker].note(group);
        now_ = picture.now;
        picture_ = std::make_shared<const ui::timeline::Picture>(std::move(picture));
        emit changed();
    }
    void setFigures(ui::timeline::Figures figures) {
        figures_ = std::move(figures);
        emit figuresChanged();
    }
    void setNow(WallMicros now) { now_ = now; }
    /// Of every action.
    void setDetails(QJsonObject details) { details_ = std::move(details); }
    void setLive(bool live) { live_ = live; }
    ui::timeline::Range visible() const { return visible_; }
    const QStringList& workers() const { return workers_; }

private:
    std::shared_ptr<const ui::timeline::Picture> picture_;
    std::map<QString, Known> known_;
    ui::timeline::Figures figures_;
    ui::timeline::Range visible_;
    QStringList workers_;
    QJsonObject details_;
    WallMicros wholeFrom_ = 0;
    WallMicros now_ = 0;
    bool live_ = true;
};

} // namespace yard::test
