#include "ui/state/filter_counts.h"

#include "ui/state/filter_words.h"

namespace yard::ui {

FilterCounts::FilterCounts(EngineLink& link, QObject* parent)
    : QObject(parent)
    , link_(link) {
    clock_.start();
}

qint64 FilterCounts::of(const QString& key, const QString& value) const {
    const auto found = known_.constFind(filterTerm(key, value));
    return found == known_.cend() ? -1 : found->count;
}

void FilterCounts::want(const QString& key, const QStringList& values) {
    wanted_.clear();
    for (const QString& value : values) {
        const QString term = filterTerm(key, value);
        const auto found = known_.constFind(term);
        const bool fresh = found != known_.cend() && clock_.elapsed() - found->at < kKeepMs;
        if (!term.isEmpty() && !fresh) wanted_.push_back(term);
    }
    askNext();
}

/// One at a time: counting costs the engine a look at every action.
void FilterCounts::askNext() {
    if (underWay_ || wanted_.empty()) return;
    const QString term = wanted_.front();
    wanted_.pop_front();
    underWay_ = true;
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("q", QUrl::toPercentEncoding(term));
    request.query.addQueryItem("limit", "1");
    request.query.addQueryItem("count", "1");
    link_.send(request, this, [this, term](const Answer& answer) {
        underWay_ = false;
        if (answer.ok()) {
            if (known_.size() >= kMostKept) known_.clear();
            known_.insert(term, {answer.json.value("total").toInteger(-1), clock_.elapsed()});
            emit changed();
        }
        askNext();
    });
}

} // namespace yard::ui
