// The nine states with how many actions are in each; a press shows those. Owner: ui thread.
#pragma once

#include "ui/state/engine_state.h"

#include <QAbstractButton>
#include <array>
#include <optional>

namespace yard::ui {

/// How many are in each face; absent: the engine does not tell, and it cannot be seen from its queues.
std::array<std::optional<qint64>, kFaces> faceCounts(const EngineState& state);

/// In one line, or, where the words of one would be cut, in two.
class StateStrip final : public QWidget {
    Q_OBJECT
public:
    explicit StateStrip(QWidget* parent = nullptr);
    void show(const std::array<std::optional<qint64>, kFaces>& counts);
    using QWidget::show;
    QAbstractButton* cell(DisplayState face) const;

signals:
    void chosen(DisplayState face);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    std::array<QAbstractButton*, kFaces> cells_{};
};

} // namespace yard::ui
