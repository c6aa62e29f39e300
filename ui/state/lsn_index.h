// Which actions a list has and in which order, by number alone: asked of the engine in parts (GET jobs/lsns) and
// put together on a thread of the pool, so that a million of them costs the ui thread next to nothing. Owner: ui
// thread.
//
// One list at a time. Eight bytes for an action, kMost of them; longer lists are refused by the engine, and by us.
#pragma once

#include "ui/bridge/engine_link.h"

#include <QElapsedTimer>
#include <QFutureWatcher>
#include <QObject>
#include <memory>
#include <vector>

namespace yard::ui {

class LsnIndex final : public QObject {
    Q_OBJECT
public:
    static constexpr int kFirst = 1'000; ///< in the first part, for what is in view at once
    static constexpr int kPart = 100'000;
    static constexpr std::size_t kMost = 4'000'000;

    explicit LsnIndex(EngineLink& link, QObject* parent = nullptr);
    ~LsnIndex() override;

    /// Begins again; of what was under way nothing more is told. `sort` as the engine takes it; empty: newest first.
    void ask(const QString& filter, const QString& sort);
    void drop();
    bool isAsking() const { return asking_; }
    /// From ask() to ready(), of the last list that came; 0: none did.
    int tookMs() const { return tookMs_; }

signals:
    /// The first of `total`.
    void begun(const std::vector<qint64>& first, qint64 total);
    /// All of them, to keep.
    void ready(std::vector<qint64>& lsns);
    /// There is no such index: an error of the API, or of what it answered (status 200).
    void failed(const yard::ui::Answer& answer);

private:
    struct Gathered {
        std::vector<qint64> lsns;
        bool good = true;
    };
    void askPart();
    void take(const Answer& answer);
    void onGathered();
    void fail(const Answer& answer);

    EngineLink& link_;
    QString filter_;
    QString sort_;
    QString cursor_;
    qint64 total_ = 0;
    std::shared_ptr<Gathered> gathered_; ///< a job of the pool has it while it runs
    QFutureWatcher<void> gathering_;
    QElapsedTimer clock_;
    quint64 generation_ = 0;
    int tookMs_ = 0;
    bool asking_ = false;
    bool begun_ = false;
    bool parsing_ = false;
};

} // namespace yard::ui
