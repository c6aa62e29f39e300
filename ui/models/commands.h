// Carries out operations: at once, or after a short while in which they can be taken back; keeps what was done.
// Owner: ui thread; lives as long as the link it was made for.
//
// What waits to be undone is sent when another one comes, when the while is over, or when this is destroyed; if the
// connection breaks before, it is dropped and said so.
#pragma once

#include "ui/bridge/operation.h"

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

    explicit Commands(EngineLink& link, QObject* parent = nullptr);
    ~Commands() override;

    /// `done` is called once, later, unless `context` has gone.
    void run(const Operation& operation, QObject* context = nullptr, EngineLink::Done done = {});
    /// Waits kUndoMs first. What waited before is sent now.
    void runUndoable(const Operation& operation);
    void undo();
    void sendNow();
    const Operation* waiting() const { return waiting_ ? &*waiting_ : nullptr; }
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
    EngineLink& link_;
    std::optional<Operation> waiting_;
    QElapsedTimer since_;
    QTimer due_;
    std::deque<Record> records_;
    qint64 first_ = 0; ///< number of records_.front()
};

} // namespace yard::ui
