#include "ui/pages/actions/action_pages.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QUrl>

namespace yard::ui {

ActionPages::ActionPages(EngineLink& link, QObject* parent)
    : QObject(parent)
    , link_(link) {}

void ActionPages::askFirst(const QString& filter, const QString& sort) {
    drop();
    filter_ = filter.trimmed();
    sort_ = sort;
    ask(true);
}

void ActionPages::askNext() {
    if (!asking_) ask(false);
}

void ActionPages::drop() {
    ++generation_;
    asking_ = false;
}

void ActionPages::ask(bool begins) {
    asking_ = true;
    Request request{"GET", "jobs", {}, {}, {}};
    if (!filter_.isEmpty()) request.query.addQueryItem("q", QUrl::toPercentEncoding(filter_));
    if (!sort_.isEmpty()) request.query.addQueryItem("sort", sort_);
    request.query.addQueryItem("limit", QString::number(kRows));
    if (!begins) request.query.addQueryItem("cursor", cursor_);
    link_.send(request, this, [this, begins, generation = generation_](const Answer& answer) {
        if (generation != generation_) return;
        asking_ = false;
        if (!answer.ok()) return emit failed(answer.message);
        cursor_ = answer.json.value("cursor").toString();
        std::vector<ActionRow> rows;
        for (const QJsonValue job : answer.json.value("jobs").toArray())
            rows.push_back(actionRowOf(job.toObject()));
        emit came(rows, begins);
    });
}

} // namespace yard::ui
