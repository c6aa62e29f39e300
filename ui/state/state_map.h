// The state of every action that a filter finds, for a picture of them all: how many are in each state, then the numbers
// of these, state by state, as runs (docs/lists.md, jobs/facets and jobs/lsns). Owner: ui thread; lives no longer than the
// engine's state.
//
// Asks only while it is active and something changed, one request at a time, again after kEveryMs, of kLarge actions and
// more after kLargeEveryMs. What moves while it is read stands in the later one of its states, or is seen the next time.
// Bounds: kMost actions, beyond that there are none and a problem says so; kMostParts answers for each state.
#pragma once

#include "ui/state/engine_state.h"

#include <QTimer>
#include <deque>
#include <optional>
#include <vector>

namespace yard::ui {

struct MapCell {
    qint64 id = 0;                         ///< LSN
    std::optional<DisplayState> face = {}; ///< absent: not seen, or forgotten
    bool operator==(const MapCell&) const = default;
};

/// `cells` by number, with these as well; of one that is in both the state is `face`.
std::vector<MapCell> withFace(const std::vector<MapCell>& cells, std::vector<qint64> lsns, DisplayState face);
/// One for each number from `first` on, as many as were posted: of `cells` those that are among them.
std::vector<MapCell> inPlaces(const std::vector<MapCell>& cells, qint64 first, qint64 count);

class StateMap final : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 500'000;
    static constexpr std::size_t kLarge = 20'000;
    static constexpr int kEveryMs = 3'000;
    static constexpr int kLargeEveryMs = 15'000;
    static constexpr int kMostParts = 2'000;

    /// Actions by a filter; of an array or a list also the first and how many were posted: each has its place then.
    struct Which {
        QString filter; ///< empty: none
        qint64 first = 0;
        qint64 count = 0;
        bool operator==(const Which&) const = default;
    };

    explicit StateMap(EngineState& state, QObject* parent = nullptr);

    void show(const Which& which);
    void setActive(bool active);
    /// By number.
    const std::vector<MapCell>& cells() const { return cells_; }
    /// Why there are none, or why they are old; empty: neither.
    const QString& problem() const { return problem_; }
    /// What there is has been read once.
    bool isRead() const { return isRead_; }

signals:
    /// Cells or the problem are others.
    void changed();

private:
    struct Step {
        DisplayState face = DisplayState::Pending;
        const char* word = ""; ///< as the engine takes it
    };
    static const std::vector<Step>& allSteps();
    void read();
    void send(Request request, void (StateMap::*take)(const Answer&));
    void takeCounts(const Answer& answer);
    void askPart();
    void takePart(const Answer& answer);
    void nextState();
    void finish();
    void fail(const QString& problem);
    void failAsTooMany(qint64 total);
    void rest();

    EngineState& state_;
    Which which_;
    std::vector<MapCell> cells_;
    std::vector<MapCell> coming_;
    std::deque<Step> steps_;    ///< states to ask for, the one under way first
    std::vector<qint64> found_; ///< of that state so far
    QString cursor_;
    QJsonObject counts_; ///< by state, when `cells_` were read
    QJsonObject comingCounts_;
    QString problem_;
    QTimer again_;
    quint64 generation_ = 0; ///< answers to questions before are not taken
    int parts_ = 0;
    bool active_ = false;
    bool asking_ = false;
    bool moved_ = true;
    bool isRead_ = false;
};

} // namespace yard::ui
