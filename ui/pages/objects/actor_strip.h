// The actors that run: each with what it looks at, and for how long of its limit. What has no room is counted. Owner: ui
// thread.
#pragma once

#include "ui/pages/objects/object_values.h"
#include "ui/style/accessible_text.h"

#include <QWidget>

namespace yard::ui {

class ActorStrip final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit ActorStrip(QWidget* parent = nullptr);

    void show(const OrchestratorInfo& orchestrator, const std::vector<ObjectType>& types, WallMicros now);
    /// What each card says, in order; the first one is the number of all.
    struct Card {
        QString title;
        QString state;
        QString line;
        qint64 object = 0;
        std::optional<DisplayState> face = {};
        std::optional<double> share = {}; ///< of the limit
    };
    const std::vector<Card>& cards() const { return cards_; }
    /// So many have room.
    std::size_t shown() const;

    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void objectClicked(qint64 object);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect areaOf(std::size_t card) const;
    void paintCard(QPainter& painter, const Card& card, const QRect& area) const;
    std::vector<Card> cards_;
};

} // namespace yard::ui
