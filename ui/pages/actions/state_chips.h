// The nine states as chips, each with how many actions are in it under the rest of the filter: a click filters by one,
// Ctrl+click adds or takes one away.
// Owner: ui thread.
#pragma once

#include "ui/state/state_counts.h"

#include <QAbstractButton>
#include <array>
#include <set>

namespace yard::ui {

/// The engine's word for a face in filters: "retry".
QString filterWordOf(DisplayState face);

class StateChip final : public QAbstractButton {
    Q_OBJECT
public:
    explicit StateChip(DisplayState face, QWidget* parent = nullptr);
    /// Absent: not known.
    void setCount(const std::optional<StateCounts::Count>& count);
    bool isNone() const { return none_; }
    void setOn(bool on);
    bool isOn() const { return on_; }
    DisplayState face() const { return face_; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    DisplayState face_;
    QString count_;
    bool none_ = true; ///< there is none for sure
    bool on_ = false;
};

class StateChips final : public QWidget {
    Q_OBJECT
public:
    explicit StateChips(QWidget* parent = nullptr);
    void count(const StateCounts& counts);
    /// Lights those that the filter's "state:" names.
    void showFilter(const QString& filter);

signals:
    /// What "state:" is to be now; empty: any.
    void chosen(const QStringList& states);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void onClicked(DisplayState face);
    void fit();
    std::array<StateChip*, kFaces> chips_{};
};

/// `filter` with its "state:" term replaced by these, or taken out.
QString withStates(const QString& filter, const QStringList& states);

} // namespace yard::ui
