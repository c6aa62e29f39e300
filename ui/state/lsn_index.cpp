#include "ui/state/lsn_index.h"

#include "ui/state/lsn_runs.h"

#include <QPromise>
#include <QThreadPool>

#include <algorithm>
#include <utility>

namespace yard::ui {

LsnIndex::LsnIndex(EngineLink& link, QObject* parent)
    : QObject(parent)
    , link_(link) {
    connect(&gathering_, &QFutureWatcher<void>::finished, this, &LsnIndex::onGathered);
}

LsnIndex::~LsnIndex() = default;

void LsnIndex::drop() {
    ++generation_;
    asking_ = begun_ = parsing_ = false;
    gathered_.reset();
}

void LsnIndex::ask(const QString& filter, const QString& sort) {
    drop();
    filter_ = filter;
    sort_ = sort;
    cursor_.clear();
    total_ = 0;
    gathered_ = std::make_shared<Gathered>();
    asking_ = true;
    clock_.start();
    askPart();
}

void LsnIndex::askPart() {
    Request request{"GET", "jobs/lsns", {}, {}, {}};
    if (!filter_.isEmpty()) request.query.addQueryItem("q", QUrl::toPercentEncoding(filter_));
    if (!sort_.isEmpty()) request.query.addQueryItem("sort", sort_);
    request.query.addQueryItem("limit", QString::number(begun_ ? kPart : kFirst));
    if (!cursor_.isEmpty()) request.query.addQueryItem("cursor", cursor_);
    link_.send(request, this, [this, generation = generation_](const Answer& answer) {
        if (generation == generation_) take(answer);
    });
}

void LsnIndex::fail(const Answer& answer) {
    drop();
    emit failed(answer);
}

/// A part without a total: the engine still puts the list in order.
void LsnIndex::take(const Answer& answer) {
    if (!answer.ok()) return fail(answer);
    cursor_ = answer.json.value("cursor").toString();
    if (!answer.json.contains("total")) return cursor_.isEmpty() ? fail(answer) : askPart();
    total_ = answer.json.value("total").toInteger();
    const auto promise = std::make_shared<QPromise<void>>();
    promise->start();
    parsing_ = true;
    gathering_.setFuture(promise->future());
    QThreadPool::globalInstance()->start(
        [promise, gathered = gathered_, text = answer.json.value("lsns").toString(), total = total_] {
            const std::size_t most = std::min(kMost, static_cast<std::size_t>(std::max<qint64>(0, total)));
            if (gathered->lsns.capacity() < most) gathered->lsns.reserve(most);
            gathered->good = appendLsns(text, most, gathered->lsns);
            promise->finish();
        });
}

void LsnIndex::onGathered() {
    if (!std::exchange(parsing_, false)) return; // of a list that was dropped
    if (!gathered_->good) return fail({200, {}, {}, {}, tr("The engine's list of numbers cannot be read.")});
    const bool whole = cursor_.isEmpty();
    if (!begun_) {
        begun_ = true;
        const quint64 generation = generation_;
        emit begun(gathered_->lsns, total_);
        if (generation != generation_) return; // who heard it asked for another list
    }
    if (!whole) return askPart();
    tookMs_ = static_cast<int>(clock_.elapsed());
    const auto gathered = std::exchange(gathered_, nullptr);
    asking_ = begun_ = false;
    emit ready(gathered->lsns);
}

} // namespace yard::ui
