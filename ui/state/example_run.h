// The example's way into an engine and out of it again over a link (core/example). Owner: ui thread.
#pragma once

#include "core/example/example.h"
#include "ui/bridge/engine_link.h"

#include <QPointer>
#include <functional>

namespace yard::ui {

class ExampleRun final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(const QString& sentence, bool bad)>;

    /// `done` is called once, later, with what to tell people, unless `context` or the link has gone by then. A load goes
    /// on when `context` has gone, and ends with the link. While one goes on at this link another one is refused.
    static void load(EngineLink& link, QObject* context, Done done);
    static void remove(EngineLink& link, QObject* context, Done done);

private:
    ExampleRun(EngineLink& link, example::Course course, QObject* context, Done done);
    static void begin(EngineLink& link, example::Course course, QObject* context, Done done);
    void next();
    void send();
    void sendChunk();
    void take(const Answer& answer);
    static QString sentenceOf(const example::Report& report);

    EngineLink& link_;
    example::Course course_;
    QPointer<QObject> context_;
    Done done_;
};

} // namespace yard::ui
