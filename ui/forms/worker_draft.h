// What can be known of a worker from a program, a folder with worker.json, or a descriptor: the beginning of its
// registration. Values; the functions read files and block: for a helper thread.
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QMap>
#include <QString>

namespace yard::ui {

struct WorkerDraft {
    QString directory; ///< files are relative to it
    QJsonObject descriptor;
    QMap<QString, QString> guesses; ///< member -> where it was guessed from, a sentence
    QString text;                   ///< of a descriptor that cannot be read
    QString problem;                ///< why nothing is known, with the line; empty: something is
    bool describes = false;         ///< a file of it knows the word --describe
};
WorkerDraft draftWorker(const QString& path);

/// A name that the engine takes, made of any text; "worker" when nothing of it can be used.
QString workerNameFrom(const QString& text);
/// Line and column of a character, counted from 1.
QString placeIn(const QByteArray& text, int offset);

/// What a worker answers to --describe: its functions. Empty with `problem` when it is no such answer.
struct Described {
    QJsonArray functions;
    QString problem;
};
Described readDescription(const QByteArray& output);

} // namespace yard::ui
