// An action as tables show it, read once from the engine's JSON. Values; ui thread.
#pragma once

#include "core/model/annotation.h"
#include "core/model/measures.h"
#include "ui/style/format.h"
#include "ui/style/tokens.h"

#include <QJsonObject>
#include <QString>
#include <cstdint>
#include <optional>

namespace yard::ui {

struct ActionRow {
    qint64 lsn = 0;
    qint64 queue = 0;
    QString workerId;
    QString worker;
    QString function;
    QString label;
    QString name;
    QString reason;
    QString note;
    QString machine; ///< where it runs, or ran last; empty: the engine's own
    QString given;   ///< pieces of what is told apart: "port 5003,5004"
    DisplayState face = DisplayState::Pending;
    bool held = false;       ///< by itself; in a queue that is held it is Pending, and its note says so
    bool cancelling = false; ///< told to end, and not gone yet
    std::optional<int> exitCode;
    std::optional<qint64> index; ///< of an element of an array
    Mark mark = Mark::None;
    qint64 replacedBy = 0; ///< submitted as a changed copy of it; 0: none
    int tries = 0;         ///< begun so far, with one that is under way
    int priority = 0;
    qint64 place = 0; ///< number in the order of its queue, as it was when the row was read; 0: it does not wait
    Measures measures;
    std::optional<double> cpuPercent; ///< while it runs: of one core, at the last look
    // Microseconds since the epoch; 0: has not happened.
    qint64 created = 0;
    qint64 pending = 0; ///< put in line, or put back
    qint64 submitting = 0;
    qint64 started = 0;
    qint64 exited = 0;
    qint64 finished = 0;
    qint64 expected = 0; ///< to finish, as the engine estimates
    QString gap;         ///< why that is not known, in the engine's word

    /// What people call it: its label, else its command, else its worker and function.
    QString what() const;
    /// The word of its state: "Running", "Cancelling".
    QString stateWord() const;
    /// It has not begun, or not begun again: only then its place and its priority can be changed.
    bool isPending() const;
    /// It failed or was abandoned: the engine runs it again when it is told to.
    bool canGoAgain() const;
    bool isFinal() const;
    /// Of the last attempt; while it runs until `now`.
    std::optional<Duration> ran(qint64 now) const;
    std::optional<Duration> waited(qint64 now) const;
    std::optional<Duration> prepared(qint64 now) const;
    /// A filter that finds actions like it: of its worker, its function and its label, or of its name without one.
    QString kindFilter() const;
};

/// A value of the filter language, whatever is in it.
QString filterQuoted(const QString& value);

/// Of an action or an attempt.
Measures measuresOf(const QJsonObject& json);
ActionRow actionRowOf(const QJsonObject& json);
/// "gpus 0 port 5003,5004" of "resources_given"; empty: none.
QString givenWords(const QJsonObject& given);
/// "exit code 1", "deadline", translated.
QString wordOfReason(const QString& reason, std::optional<int> exitCode, int signal = 0);

} // namespace yard::ui
