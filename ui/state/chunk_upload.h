// Files as chunks: hashed off the ui thread, sent when the engine asks for them. Owner: ui thread.
#pragma once

#include "ui/state/commands.h"

#include <QHash>
#include <functional>

namespace yard::ui {

/// `work` on a helper thread, then `then` here with what it returned, unless `context` has gone.
template<typename Work, typename Then>
void inBackground(QObject* context, Work work, Then then);

/// Runs `operation`; where the engine lacks chunks, sends them from `files` (by hash, in hex) and runs it again,
/// five times at most. `done` is called once with the last answer, unless `context` has gone.
void runWithChunks(Commands& commands, const Operation& operation, const QHash<QString, QString>& files,
                   QObject* context, EngineLink::Done done);

/// What a file is called by its content; `problem` when it cannot be read.
struct HashedFile {
    QString path;
    QString hash;
    qint64 size = 0;
    QString problem;
};
/// Blocks: for inBackground.
HashedFile hashedFile(const QString& path);

void startInBackground(std::function<void()> work);

template<typename Work, typename Then>
void inBackground(QObject* context, Work work, Then then) {
    // The guard stays on this thread; only its copy inside the queued call is looked at, here again.
    auto* relay = new QObject;
    QObject::connect(context, &QObject::destroyed, relay, [relay] { relay->setObjectName("gone"); });
    startInBackground([relay, work = std::move(work), then = std::move(then)]() mutable {
        auto result = work();
        QMetaObject::invokeMethod(
            relay,
            [relay, then = std::move(then), result = std::move(result)]() mutable {
                const bool gone = relay->objectName() == QStringLiteral("gone");
                relay->deleteLater();
                if (!gone) then(std::move(result));
            },
            Qt::QueuedConnection);
    });
}

} // namespace yard::ui
