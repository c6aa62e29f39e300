#include "ui/models/commands.h"

#include <QJsonArray>
#include <QLocale>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

/// "changed" of what hits many; else nothing more to say.
QString resultOf(const Answer& answer) {
    if (!answer.ok()) return answer.message;
    if (!answer.json.contains("changed")) return QObject::tr("done");
    const qint64 changed = answer.json.value("changed").toInteger();
    const QJsonArray refused = answer.json.value("refused").toArray();
    QString text = QObject::tr("%n changed", nullptr, static_cast<int>(changed));
    if (refused.isEmpty()) return text;
    const QJsonObject first = refused.first().toObject();
    const QString why = first.value("message").toString(first.value("error").toString());
    return text + ", " + QObject::tr("%n refused: %1", nullptr, static_cast<int>(refused.size())).arg(why);
}

} // namespace

Commands::Commands(EngineLink& link, QObject* parent)
    : QObject(parent)
    , link_(link) {
    due_.setSingleShot(true);
    due_.setInterval(kUndoMs);
    connect(&due_, &QTimer::timeout, this, &Commands::sendNow);
    connect(&link_, &EngineLink::stateChanged, this, [this] {
        if (!waiting_ || link_.state() == LinkState::Connected) return;
        due_.stop();
        const QString title = std::exchange(waiting_, std::nullopt)->title;
        emit waitingChanged();
        emit said(tr("%1: not sent, the connection was lost.").arg(title), true);
    });
}

Commands::~Commands() {
    sendNow();
}

void Commands::run(const Operation& operation, QObject* context, EngineLink::Done done) {
    const qint64 number = first_ + static_cast<qint64>(records_.size());
    records_.push_back({QDateTime::currentDateTime(), operation, -1, {}});
    if (records_.size() > kMostKept) {
        records_.pop_front();
        ++first_;
    }
    emit recorded();
    const QPointer<QObject> who(context);
    link_.send(operation.request, this,
               [this, number, title = operation.title, who, wanted = context != nullptr,
                done = std::move(done)](const Answer& answer) {
                   const QString result = resultOf(answer);
                   if (number >= first_) {
                       Record& record = records_[static_cast<std::size_t>(number - first_)];
                       record.status = answer.status;
                       record.result = result;
                       emit recorded();
                   }
                   emit said(title + ": " + result, !answer.ok());
                   if (done && (!wanted || who)) done(answer);
               });
}

void Commands::runUndoable(const Operation& operation) {
    sendNow();
    waiting_ = operation;
    since_.start();
    due_.start();
    emit waitingChanged();
}

void Commands::undo() {
    if (!waiting_) return;
    due_.stop();
    const QString title = std::exchange(waiting_, std::nullopt)->title;
    emit waitingChanged();
    emit said(tr("%1: taken back, nothing was sent.").arg(title), false);
}

void Commands::sendNow() {
    if (!waiting_) return;
    due_.stop();
    const Operation operation = *std::exchange(waiting_, std::nullopt);
    emit waitingChanged();
    run(operation);
}

int Commands::waitingMs() const {
    return waiting_ ? std::max(0, kUndoMs - static_cast<int>(since_.elapsed())) : 0;
}

} // namespace yard::ui
