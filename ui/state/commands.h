// Carries out operations: at once, or after a short while in which they can be taken back; keeps what was done.
// Owner: ui thread; lives as long as the link it was made for.
//
// What waits to be undone is sent when another one comes, when the while is over, or when this is destroyed; if the
// connection breaks before, it is dropped and said so.
//
// A change of many actions is sent with the number that was confirmed: what nobody has counted the engine counts
// first, and where it is more than was shown, the operator is asked. Where more would change when it is carried
// out, nothing does, and the operator is asked again.
#pragma once

#include "ui/state/many_change.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QTimer>
#include <deque>
#include <optional>

namespace yard::ui {

class Commands final : public QObject {
    Q_OBJECT
public:
    static constexpr int kUndoMs = 8'000;
    static constexpr std::size_t kMostKept = 500;

    struct Record {
        QDateTime at;
        Operation operation;
        int status = -1; ///< -1: under way; 0: no answer
        QString result;
    };

    /// Asks before what cannot be undone, and blocks until that is answered; true: do it.
    using Ask =
        std::function<bool(const QString& question, const QString& lost, const QString& verb, const QString& keep)>;

    explicit Commands(EngineLink& link, QObject* parent = nullptr);
    ~Commands() override;
    /// Without it every question is answered with no.
    void setAsk(Ask ask) { ask_ = std::move(ask); }

    /// `done` is called once, later, unless `context` has gone.
    void run(const Operation& operation, QObject* context = nullptr, EngineLink::Done done = {});
    /// Once it is known how many it is: at once, after kUndoMs, or after a question. Of two that are being counted
    /// the later one is carried out.
    void change(const ManyChange& change);
    /// Where nothing waits it says so.
    void undo();
    void sendNow();
    /// What can be taken back still.
    const Operation* waiting() const { return waiting_ ? &waiting_->operation : nullptr; }
    int waitingMs() const;

    /// Newest last.
    const std::deque<Record>& records() const { return records_; }
    EngineLink& link() { return link_; }

signals:
    void waitingChanged();
    void recorded();
    /// A sentence for the status line: what was done, or why not.
    void said(const QString& sentence, bool bad);

private:
    struct Waiting {
        Operation operation;
        ManyChange change;
    };
    void onCounted(const ManyChange& change, qint64 count);
    void askFor(ManyChange change, qint64 count, const QString& first);
    void sendPieces(std::vector<Request> pieces, std::size_t at, const Answer& before, EngineLink::Done done);
    void send(ManyChange change, const Operation& operation);

    EngineLink& link_;
    Ask ask_;
    quint64 counting_ = 0; ///< number of the change that was last counted
    std::optional<Waiting> waiting_;
    QElapsedTimer since_;
    QTimer due_;
    std::deque<Record> records_;
    qint64 first_ = 0; ///< number of records_.front()
};

} // namespace yard::ui
