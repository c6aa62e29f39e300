// How many actions are in each state under a filter, for chips that filter by state. Without a filter the counters of the
// engine tell, else the engine is asked (docs/lists.md, jobs/facets). Owner: ui thread; lives no longer than the engine's
// state.
//
// Asks only while it is active and something changed, one request at a time, three for one answer at most; again after
// kEveryMs. An answer for another filter is dropped; counts of another filter are not shown.
#pragma once

#include "ui/state/engine_state.h"

#include <QTimer>
#include <array>
#include <optional>

namespace yard::ui {

class StateCounts final : public QObject {
    Q_OBJECT
public:
    static constexpr int kEveryMs = 2'000;

    struct Count {
        qint64 count = 0;
        bool isExact = true; ///< false: there are as many at least
        bool operator==(const Count&) const = default;
    };

    explicit StateCounts(EngineState& state, QObject* parent = nullptr);

    /// In the filter language, without the states that are chosen; empty: none.
    void setFilter(const QString& filter);
    void setActive(bool active);
    /// What a list of this state and the filter has; absent: not known. Of Pending, Held and Retry each is counted by
    /// itself, as by the counters of the engine.
    std::optional<Count> of(DisplayState face) const;

signals:
    void changed();

private:
    using Counts = std::array<Count, kFaces>;
    void ask();
    void send(Request request, void (StateCounts::*take)(const QJsonObject&));
    void takeFacets(const QJsonObject& answer);
    void takeHeld(const QJsonObject& answer);
    void takeRetry(const QJsonObject& answer);
    void takeFaceOfPending(DisplayState face, const QJsonObject& answer);
    void finish();
    void fail(const Answer& answer);
    /// What is under way is forgotten.
    void rest();

    EngineState& state_;
    QString filter_;
    std::optional<Counts> known_; ///< of filter_
    Counts coming_{};
    QTimer again_;
    quint64 generation_ = 0; ///< answers to questions before are not taken
    bool active_ = false;
    bool asking_ = false;
    bool moved_ = true; ///< since they were asked for
};

} // namespace yard::ui
