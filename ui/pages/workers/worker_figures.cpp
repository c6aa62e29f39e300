#include "ui/pages/workers/worker_figures.h"

#include <QJsonObject>

#include <algorithm>

namespace yard::ui {

namespace {

Run runOf(const QJsonObject& job) {
    const QJsonObject times = job.value("timestamps").toObject();
    const QString state = job.value("state").toString();
    Run run;
    run.lsn = job.value("lsn").toInteger();
    run.function = job.value("function").toString();
    run.name = job.value("name").toString();
    run.note = job.value("note").toString();
    run.failed = state == "failed" || state == "abandoned";
    run.at = times.value(state).toInteger();
    const qint64 from = times.value("running").toInteger();
    const qint64 to = times.contains("exited") ? times.value("exited").toInteger() : run.at;
    if (from > 0 && to >= from) run.ran = to - from;
    if (job.contains("max_rss_bytes")) run.memory = job.value("max_rss_bytes").toInteger();
    return run;
}

} // namespace

void takeActive(WorkerFigures& figures, const QJsonArray& jobs, bool more) {
    figures.running = 0;
    figures.waiting = 0;
    figures.moreActive = more;
    for (const QJsonValue job : jobs) {
        const QString state = job.toObject().value("state").toString();
        ++(state == "running" || state == "submitting" ? figures.running : figures.waiting);
    }
}

void takeFinished(WorkerFigures& figures, const QJsonArray& jobs) {
    figures.known = true;
    figures.runs.clear();
    std::vector<qint64> durations;
    for (const QJsonValue job : jobs) {
        figures.runs.push_back(runOf(job.toObject()));
        const Run& run = figures.runs.back();
        if (!run.failed && run.ran >= 0) durations.push_back(run.ran);
        figures.peak = std::max(figures.peak, run.memory);
        figures.last = std::max(figures.last, run.at);
    }
    std::ranges::reverse(figures.runs);
    if (durations.empty()) {
        figures.usual = -1;
        return;
    }
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::ranges::nth_element(durations, middle);
    figures.usual = *middle;
}

void takeFailed(WorkerFigures& figures, const QJsonArray& jobs, bool more) {
    figures.failed = jobs.size();
    figures.moreFailed = more;
}

} // namespace yard::ui
