#include "ui/pages/actions/actions_model.h"

#include <QCoreApplication>

#include "core/base/clock.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

struct ActionColumns {
    Q_DECLARE_TR_FUNCTIONS(ActionColumns)
};

constexpr int kApplyMs = 500;
constexpr int kWatchMs = 150;
constexpr int kMostWatched = 900; // of the thousand the engine watches
constexpr std::size_t kMostFresh = 1'000;

std::vector<Column> actionColumns() {
    using enum CellKind;
    return {
        {"state", ActionColumns::tr("State"), ActionColumns::tr("Where it stands"), State, 126, false, 0, false,
         "state"},
        {"lsn", ActionColumns::tr("Action"), ActionColumns::tr("Its number (LSN), never used twice"), Number, 88,
         false, 0, false, "lsn"},
        {"what", ActionColumns::tr("What"), ActionColumns::tr("Its label, else its function"), Name, 200, false, 0,
         false, "label"},
        {"worker", ActionColumns::tr("Worker"), ActionColumns::tr("The program that carries it out"), Text, 110,
         false, 3, false, "worker_name"},
        {"queue", ActionColumns::tr("Queue"), ActionColumns::tr("The queue it came in"), Text, 130, false, 2, false,
         "queue_id"},
        {"ran", ActionColumns::tr("Ran"),
         ActionColumns::tr("Time from its process's start to its end, of the last try"), Number, 88, false, 0,
         false, "runtime"},
        {"peak", ActionColumns::tr("Peak mem."), ActionColumns::tr("Most memory of its process tree"), Number, 80,
         false, 1, false, "max_rss_bytes"},
        {"note",
         ActionColumns::tr("Note: first error, reason to wait, or progress"),
         ActionColumns::tr("The next thing one would ask"),
         Text,
         220,
         true,
         0,
         false,
         {}},
        {"function", ActionColumns::tr("Function"), ActionColumns::tr("The worker's function"), Text, 100, false, 4,
         true, "function"},
        {"tries", ActionColumns::tr("Tries"), ActionColumns::tr("Attempts so far"), Number, 54, false, 4, true,
         "retry_count"},
        {"cpu", ActionColumns::tr("Processor"), ActionColumns::tr("Processor time used"), Number, 84, false, 4,
         true, "cpu_seconds"},
        {"waited",
         ActionColumns::tr("Waited"),
         ActionColumns::tr("From submission to its last start"),
         Number,
         84,
         false,
         4,
         true,
         {}},
        {"prepared",
         ActionColumns::tr("Prepared"),
         ActionColumns::tr("From its start to its process"),
         Number,
         84,
         false,
         4,
         true,
         {}},
        {"started", ActionColumns::tr("Started"), ActionColumns::tr("When its process began"), Number, 84, false, 4,
         true, "started"},
        {"finished", ActionColumns::tr("Finished"), ActionColumns::tr("When it ended for good"), Number, 84, false,
         4, true, "finished"},
        {"priority", ActionColumns::tr("Priority"), ActionColumns::tr("-100 to 100, higher first"), Number, 62,
         false, 4, true, "priority"},
        {"exit", ActionColumns::tr("Exit"), ActionColumns::tr("Exit code"), Number, 48, false, 4, true,
         "exit_code"},
        {"reason", ActionColumns::tr("Reason"), ActionColumns::tr("Why it ended as it did"), Text, 110, false, 4,
         true, "reason"},
    };
}

QString timeText(const Format& format, qint64 at) {
    return at == 0 ? Format::unknown() : format.time(at, wallNow());
}

/// A filter that is one list of states: its matches are counted by the counters.
std::optional<QStringList> statesOf(const QString& filter) {
    const QString text = filter.trimmed();
    if (!text.startsWith("state:") || text.contains(' ') || text.contains('*')) return std::nullopt;
    return text.mid(6).split(',');
}

} // namespace

ActionsModel::ActionsModel(EngineState& state, QObject* parent)
    : TableModel(actionColumns(), parent)
    , state_(state) {
    apply_.setSingleShot(true);
    apply_.setInterval(kApplyMs);
    connect(&apply_, &QTimer::timeout, this, &ActionsModel::applyWaiting);
    watch_.setSingleShot(true);
    watch_.setInterval(kWatchMs);
    connect(&watch_, &QTimer::timeout, this, &ActionsModel::watchVisible);
    second_.setInterval(1'000);
    connect(&second_, &QTimer::timeout, this, &ActionsModel::tick);
    connect(&state_, &EngineState::actionsChanged, this, &ActionsModel::takeChanges);
    connect(&state_, &EngineState::actionsGone, this, &ActionsModel::takeGone);
    connect(&state_, &EngineState::countsChanged, this, [this] {
        if (active_) emit totalChanged();
    });
    connect(&state_, &EngineState::refreshed, this, [this] {
        stale_ = true;
        if (active_) reload();
    });
}

void ActionsModel::setFilter(const QString& filter) {
    if (filter_ == filter && !stale_) return;
    filter_ = filter;
    stale_ = true;
    if (active_) reload();
}

void ActionsModel::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    if (!active) {
        second_.stop();
        watched_ = {};
        state_.link().watch({});
        stale_ = true; // what happens meanwhile is not told
        return;
    }
    second_.start();
    reload();
}

void ActionsModel::reload() {
    if (!active_ || !state_.isLive()) return;
    ask(true);
}

void ActionsModel::ask(bool anew) {
    if (asking_ && !anew) return;
    asking_ = true;
    const quint64 generation = anew ? ++generation_ : generation_;
    Request request{"GET", "jobs", {}, {}, {}};
    if (!filter_.trimmed().isEmpty()) request.query.addQueryItem("q", QUrl::toPercentEncoding(filter_.trimmed()));
    if (!sort_.isEmpty()) request.query.addQueryItem("sort", sort_);
    request.query.addQueryItem("limit", QString::number(kPage));
    if (!anew) request.query.addQueryItem("cursor", cursor_);
    state_.link().send(request, this, [this, anew, generation](const Answer& answer) {
        if (generation != generation_) return;
        asking_ = false;
        if (!answer.ok()) return setProblem(answer.message);
        setProblem({});
        takePage(answer.json, anew);
    });
}

/// A page that begins anew replaces all; another one goes on below.
void ActionsModel::takePage(const QJsonObject& page, bool anew) {
    const QJsonArray jobs = page.value("jobs").toArray();
    cursor_ = page.value("cursor").toString();
    more_ = !cursor_.isEmpty();
    std::vector<qint64> lsns;
    lsns.reserve(static_cast<std::size_t>(jobs.size()));
    for (const QJsonValue job : jobs) {
        ActionRow row = actionRowOf(job.toObject());
        lsns.push_back(row.lsn);
        keep(std::move(row));
    }
    beginResetModel();
    if (anew) {
        stale_ = false;
        fresh_.clear();
        gone_.clear();
        order_.clear();
        places_.clear();
    }
    // What moved up between two pages may come twice.
    std::erase_if(lsns, [this](qint64 lsn) { return places_.contains(lsn); });
    order_.insert(order_.end(), lsns.begin(), lsns.end());
    for (std::size_t i = order_.size() - lsns.size(); i < order_.size(); ++i)
        places_[order_[i]] = static_cast<int>(i);
    endResetModel();
    if (anew) setWaiting(0);
    forgetFar();
    emit totalChanged();
    watch_.start();
    if (more_ && last_ + kPage / 2 > static_cast<int>(order_.size())) ask(false);
}

void ActionsModel::rebuildPlaces() {
    places_.clear();
    places_.reserve(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) places_[order_[i]] = static_cast<int>(i);
}

void ActionsModel::keep(ActionRow row) {
    const QueueInfo* queue = state_.queue(row.queue);
    if (row.face == Face::Pending && queue != nullptr && queue->held) row.face = Face::Held;
    rows_[row.lsn] = std::move(row);
}

/// Rows far from the view are asked for again when they are looked at.
void ActionsModel::forgetFar() {
    if (rows_.size() <= kMostKept) return;
    const int from = first_ - static_cast<int>(kMostKept) / 3;
    const int to = last_ + static_cast<int>(kMostKept) / 3;
    std::erase_if(rows_, [&](const auto& entry) {
        const int place = rowOf(entry.first);
        return place < from || place > to;
    });
}

void ActionsModel::setVisible(int first, int last) {
    first_ = std::max(0, first);
    last_ = std::max(first_, last);
    if (!active_) return;
    if (more_ && last_ + kPage / 2 > static_cast<int>(order_.size())) ask(false);
    askRows();
    watch_.start();
}

/// Rows that are in the order and were forgotten.
void ActionsModel::askRows() {
    if (askingRows_ || !state_.isLive()) return;
    QStringList missing;
    for (int row = first_; row <= last_ + 20 && row < static_cast<int>(order_.size()) && missing.size() < 200;
         ++row)
        if (const qint64 lsn = order_[static_cast<std::size_t>(row)]; !rows_.contains(lsn))
            missing << QString::number(lsn);
    if (missing.isEmpty()) return;
    askingRows_ = true;
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("q", "lsn:" + missing.join(','));
    request.query.addQueryItem("limit", "1000");
    state_.link().send(request, this, [this, generation = generation_](const Answer& answer) {
        askingRows_ = false;
        if (!answer.ok() || generation != generation_) return;
        for (const QJsonValue job : answer.json.value("jobs").toArray()) keep(actionRowOf(job.toObject()));
        forgetFar();
        emit dataChanged(index(first_, 0), index(std::min(last_ + 20, rowCount() - 1), columnCount() - 1));
        askRows();
    });
}

/// At the top the newest rows of the filter are watched, so that new ones come; elsewhere those in view.
void ActionsModel::watchVisible() {
    if (!active_) return;
    QJsonObject what;
    if (isNewestFirst() && last_ < kMostWatched) {
        what = {{"filter", filter_.trimmed()}};
    } else {
        QJsonArray lsns;
        for (int row = first_; row <= last_ && row < static_cast<int>(order_.size()); ++row)
            lsns.append(order_[static_cast<std::size_t>(row)]);
        what = {{"lsns", lsns}};
    }
    if (what == watched_) return;
    watched_ = what;
    state_.link().watch(what);
}

void ActionsModel::takeChanges(const QJsonArray& actions, bool) {
    if (!active_) return;
    for (const QJsonValue value : actions) {
        const QJsonObject json = value.toObject();
        if (!json.contains("timestamps")) continue; // an end, told for notices
        ActionRow row = actionRowOf(json);
        const qint64 lsn = row.lsn;
        const int place = rowOf(lsn);
        if (place < 0) {
            const bool newer = order_.empty() || lsn > order_.front();
            if (!isNewestFirst() || !newer) continue;
            fresh_.insert(lsn);
            if (fresh_.size() > kMostFresh) fresh_.erase(std::prev(fresh_.end()));
        }
        gone_.erase(lsn);
        keep(std::move(row));
        if (place >= 0) emit dataChanged(index(place, 0), index(place, columnCount() - 1));
        emit actionChanged(lsn);
    }
    if (fresh_.empty()) return;
    if (isFrozen())
        setWaiting(static_cast<int>(fresh_.size() + gone_.size()));
    else if (!apply_.isActive())
        apply_.start();
}

void ActionsModel::takeGone(const QJsonArray& lsns) {
    if (!active_) return;
    for (const QJsonValue value : lsns) {
        const qint64 lsn = value.toInteger();
        fresh_.erase(lsn);
        if (rowOf(lsn) >= 0) gone_.insert(lsn);
        emit actionChanged(lsn);
    }
    if (gone_.empty()) return;
    if (isFrozen())
        setWaiting(static_cast<int>(fresh_.size() + gone_.size()));
    else if (!apply_.isActive())
        apply_.start();
}

void ActionsModel::takeWaiting() {
    applyWaiting();
}

/// By the hand, or twice a second while nobody has it on the table.
void ActionsModel::applyWaiting() {
    apply_.stop();
    if (fresh_.empty() && gone_.empty()) return setWaiting(0);
    // More came than are watched: what lies between is not known.
    if (fresh_.size() >= kMostFresh) {
        fresh_.clear();
        gone_.clear();
        setWaiting(0);
        return reload();
    }
    beginResetModel();
    if (!gone_.empty()) std::erase_if(order_, [this](qint64 lsn) { return gone_.contains(lsn); });
    order_.insert(order_.begin(), fresh_.begin(), fresh_.end());
    fresh_.clear();
    gone_.clear();
    rebuildPlaces();
    endResetModel();
    setWaiting(0);
    forgetFar();
    emit totalChanged();
}

std::optional<qint64> ActionsModel::total() const {
    if (!more_ && !stale_) return static_cast<qint64>(order_.size());
    const auto sum = [this](const std::vector<Face>& faces) {
        qint64 all = 0;
        for (const Face face : faces) all += state_.count(face);
        return all;
    };
    using enum Face;
    if (filter_.trimmed().isEmpty())
        return sum({Pending, Held, Retry, Submitting, Running, Completed, Failed, Abandoned, Cancelled});
    if (const auto states = statesOf(filter_)) {
        qint64 all = 0;
        for (const QString& state : *states) {
            if (state == "pending") all += sum({Pending, Held, Retry});
            if (state == "held") all += sum({Held});
            if (state == "retry") all += sum({Retry});
            if (state == "submitting") all += sum({Submitting});
            if (state == "running") all += sum({Running});
            if (state == "completed") all += sum({Completed});
            if (state == "failed") all += sum({Failed});
            if (state == "abandoned") all += sum({Abandoned});
            if (state == "cancelled") all += sum({Cancelled});
        }
        return all;
    }
    return std::nullopt;
}

const ActionRow* ActionsModel::action(qint64 lsn) const {
    const auto found = rows_.find(lsn);
    return found == rows_.end() ? nullptr : &found->second;
}

void ActionsModel::setProblem(const QString& problem) {
    if (problem_ == problem) return;
    problem_ = problem;
    emit problemChanged(problem);
}

/// Times of what runs go on.
void ActionsModel::tick() {
    for (int row = first_; row <= last_ && row < static_cast<int>(order_.size()); ++row) {
        const ActionRow* action = this->action(order_[static_cast<std::size_t>(row)]);
        if (action != nullptr && action->face == Face::Running)
            emit dataChanged(index(row, kRan), index(row, kRan));
    }
}

int ActionsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(order_.size()) + (more_ ? kPage : 0);
}

qint64 ActionsModel::idAt(int row) const {
    if (row < 0 || row >= static_cast<int>(order_.size())) return 0;
    const qint64 lsn = order_[static_cast<std::size_t>(row)];
    return rows_.contains(lsn) ? lsn : 0;
}

int ActionsModel::rowOf(qint64 id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? -1 : found->second;
}

void ActionsModel::sortBy(int column, Qt::SortOrder order) {
    QString sort;
    if (column >= 0)
        sort = (order == Qt::DescendingOrder ? "-" : "") + this->columns()[static_cast<std::size_t>(column)].sort;
    if (sort == "-lsn") sort.clear();
    if (sort == sort_ && !stale_) return;
    sort_ = sort;
    stale_ = true;
    if (active_) reload();
}

Cell ActionsModel::cell(int at, int column) const {
    const ActionRow* row =
        at < static_cast<int>(order_.size()) ? action(order_[static_cast<std::size_t>(at)]) : nullptr;
    if (row == nullptr) return {};
    const Format format;
    const qint64 now = wallNow();
    using enum Cell::Tone;
    const auto dim = [](const QString& text) { return Cell{text, {}, {}, {}, Dim}; };
    switch (column) {
    case kState: return {wordOf(row->face), row->face};
    case kLsn: return {format.number(row->lsn)};
    case kWhat: return {row->what()};
    case kWorker: return dim(row->worker);
    case kQueue: return dim(state_.queueName(row->queue));
    case kRan: return {format.duration(row->ran(now))};
    case kPeak: return {row->peakBytes ? format.size(*row->peakBytes) : Format::unknown()};
    case kNote: {
        Cell cell{row->note, {}, {}, {}, Dim};
        cell.mono = row->face == Face::Failed && row->reason == "exit_code";
        if (cell.mono) cell.tone = Normal;
        if (row->note.isEmpty() && row->isFinal() && row->face != Face::Completed)
            cell.text = wordOfReason(row->reason, row->exitCode);
        return cell;
    }
    case kFunction: return dim(row->function);
    case kTries: return {format.number(row->tries)};
    case kCpu:
        return {row->cpuSeconds ? format.duration(Duration(
                                      std::chrono::microseconds(static_cast<std::int64_t>(*row->cpuSeconds * 1e6))))
                                : Format::unknown()};
    case kWaited: return {format.duration(row->waited(now))};
    case kPrepared: return {format.duration(row->prepared(now))};
    case kStarted: return {timeText(format, row->started)};
    case kFinished: return {timeText(format, row->finished)};
    case kPriority: return {format.number(row->priority)};
    case kExit: return {row->exitCode ? format.number(*row->exitCode) : Format::unknown()};
    case kReason: return dim(row->reason.isEmpty() ? QString() : wordOfReason(row->reason, row->exitCode));
    default: return {};
    }
}

} // namespace yard::ui
