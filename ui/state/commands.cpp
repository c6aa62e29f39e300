#include "ui/state/commands.h"

#include "ui/style/format.h"

#include <QJsonArray>
#include <QLocale>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kConflict = 409;

/// "changed" of what hits many; else nothing more to say.
QString resultOf(const Answer& answer) {
    if (!answer.ok() &&
        answer.json.value("changed").toInteger() > 0) // of several requests an earlier one was not refused
        return QObject::tr("%n changed", nullptr, static_cast<int>(answer.json.value("changed").toInteger())) +
               ", " + answer.message;
    if (!answer.ok()) return answer.message;
    if (!answer.json.contains("changed")) return QObject::tr("done");
    const qint64 changed = answer.json.value("changed").toInteger();
    const QJsonArray refused = answer.json.value("refused").toArray();
    QString text = QObject::tr("%n changed", nullptr, static_cast<int>(changed));
    const QJsonObject left = answer.json.value("passed_over").toObject();
    for (const auto& [reason, words] :
         {std::pair{"replaced", QT_TRANSLATE_N_NOOP("QObject", "%n replaced by others passed over")},
          std::pair{"terminals", QT_TRANSLATE_N_NOOP("QObject", "%n with a terminal passed over")}})
        if (const qint64 count = left.value(QLatin1String(reason)).toInteger(); count > 0)
            text += ", " + QObject::tr(words, nullptr, static_cast<int>(count));
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
        const QString title = std::exchange(waiting_, std::nullopt)->operation.title;
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
    sendPieces(piecesOf(operation.request), 0, {},
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

/// One after the other, until one is refused as a whole; `done` hears of all as one.
void Commands::sendPieces(std::vector<Request> pieces, std::size_t at, const Answer& before,
                          EngineLink::Done done) {
    const Request request = pieces[at];
    link_.send(
        request, this,
        [this, pieces = std::move(pieces), at, before, done = std::move(done)](const Answer& answer) mutable {
            const Answer all = joined(before, answer);
            if (!answer.ok() || at + 1 == pieces.size()) return done(all);
            sendPieces(std::move(pieces), at + 1, all, std::move(done));
        });
}

void Commands::change(const ManyChange& change) {
    const quint64 number = ++counting_;
    if (change.which.isEmpty()) return;
    if (!change.which.lsns.empty()) return onCounted(change, static_cast<qint64>(change.which.lsns.size()));
    link_.send(change.count(), this, [this, change, number](const Answer& answer) {
        if (number != counting_) return;
        if (!answer.ok() || !answer.json.contains("count"))
            return emit said(tr("Nothing was changed, as it is not known how many it is: %1").arg(answer.message),
                             true);
        onCounted(change, answer.json.value("count").toInteger());
    });
}

void Commands::onCounted(const ManyChange& change, qint64 count) {
    if (count == 0)
        return emit said(change.none.isEmpty() ? tr("None of these can be changed so.") : change.none, true);
    const bool isUndoable = count >= change.undoableFrom;
    const bool isMoreThanShown = count > change.which.count.value_or(1);
    if (count >= change.askedFrom || (isMoreThanShown && !isUndoable)) return askFor(change, count, {});
    const Operation operation = change.of(count);
    if (!isUndoable) return send(change, operation);
    sendNow();
    waiting_ = Waiting{operation, change};
    since_.start();
    due_.start();
    emit waitingChanged();
}

/// `first`: a sentence before the others.
void Commands::askFor(ManyChange change, qint64 count, const QString& first) {
    const Operation operation = change.of(count);
    QStringList lost;
    if (!first.isEmpty()) lost << first;
    if (const qint64 shown = change.which.count.value_or(count); count > shown)
        lost << tr("%Ln of them came after you selected.", nullptr, pluralCount(count - shown));
    if (change.which.lsns.empty()) lost << tr("They are all that match %1.").arg(change.which.filter);
    lost << change.lost;
    // While it is asked another engine may be chosen, and this be gone.
    const QPointer<Commands> self(this);
    const Ask ask = ask_;
    const bool meant =
        ask && ask(tr("%1?").arg(operation.title), lost.join(' '), operation.title, tr("Leave them"));
    if (meant && self) send(std::move(change), operation);
}

void Commands::send(ManyChange change, const Operation& operation) {
    run(operation, this, [this, change = std::move(change)](const Answer& answer) {
        const QJsonValue count = answer.json.value("count");
        if (answer.status == kConflict && count.isDouble())
            askFor(change, count.toInteger(), tr("Meanwhile there are more than you confirmed."));
    });
}

void Commands::undo() {
    if (!waiting_)
        return emit said(tr("There is nothing to take back: what a question was answered for is done at once."),
                         true);
    due_.stop();
    const QString title = std::exchange(waiting_, std::nullopt)->operation.title;
    emit waitingChanged();
    emit said(tr("%1: taken back, nothing was sent.").arg(title), false);
}

void Commands::sendNow() {
    if (!waiting_) return;
    due_.stop();
    const Waiting due = *std::exchange(waiting_, std::nullopt);
    emit waitingChanged();
    send(due.change, due.operation);
}

int Commands::waitingMs() const {
    return waiting_ ? std::max(0, kUndoMs - static_cast<int>(since_.elapsed())) : 0;
}

} // namespace yard::ui
