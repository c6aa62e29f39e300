// The state machine of a type, drawn with how many objects are in each state, and how many make each move per minute; a click or Enter chooses a state, arrow keys
// walk from one to the next. States move only when the type is another one. Owner: ui thread.
#pragma once

#include "ui/pages/objects/state_chart.h"
#include "ui/style/accessible_text.h"

#include <QWidget>
#include <optional>

namespace yard::ui {

class StateView final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit StateView(QWidget* parent = nullptr);

    /// `chosen`: the state that the list is filtered by; empty: none. `unclaimed`: states that no actor looks at.
    void show(const ObjectType& type, const QString& chosen, const QStringList& unclaimed, ObjectRates rates);
    /// Of the type that is shown; another type has none until they are told.
    void showStays(ObjectStays stays);
    const StateChart& chart() const { return chart_; }
    const QString& typeName() const { return type_.name; }
    QString current() const { return current_; }
    /// What a screen reader says of it.
    QString wordsOf(const QString& state) const;
    /// What the tool tip of an arrow says.
    QString wordsOf(const StateChart::Arrow& arrow) const;
    /// Null: none is near.
    const StateChart::Arrow* arrowAt(QPointF at) const;
    /// Where on its arrow a rate stands; nothing: there is no room.
    static std::optional<QRectF> rateArea(const StateChart::Arrow& arrow, const QString& rate);

    QSize sizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    QString spokenValue() const override { return wordsOf(current_); }
    std::vector<SpokenPart> spokenParts() const override;

signals:
    /// Empty: any.
    void chosen(const QString& state);
    /// By keys: it is to be in view.
    void currentMoved(const QRect& area);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    const StateChart::Place* placeAt(QPointF at) const;
    const StateChart::Place* nextBy(int key) const;
    void choose(const QString& state);
    QString stayWords(const QString& state) const;
    void paintArrows(QPainter& painter) const;
    void paintRates(QPainter& painter) const;
    void paintState(QPainter& painter, const StateChart::Place& place) const;

    ObjectType type_;
    StateChart chart_;
    QString chosen_;
    QString current_; ///< by the keys
    QStringList unclaimed_;
    ObjectRates rates_;
    ObjectStays stays_;
};

} // namespace yard::ui
