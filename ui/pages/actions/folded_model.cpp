#include "ui/pages/actions/folded_model.h"

#include "core/base/clock.h"

#include <QJsonArray>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

/// Rows before the end at which more are asked for; also those above and below the view that count as seen.
constexpr int kAhead = 50;

} // namespace

FoldedModel::FoldedModel(EngineState& state, QObject* parent)
    : RowsModel(foldedColumns(), parent)
    , state_(state) {
    again_.setInterval(kEveryMs);
    connect(&again_, &QTimer::timeout, this, [this] {
        if (!asking_ && std::exchange(moved_, false)) return refresh();
        show(); // durations
    });
    connect(&state_, &EngineState::countsChanged, this, [this] { moved_ = true; });
    connect(&state_, &EngineState::refreshed, this, &FoldedModel::reload);
}

void FoldedModel::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    if (active) {
        again_.start();
        return reload();
    }
    again_.stop();
    ++generation_;
    asking_ = false;
}

void FoldedModel::setFilter(const QString& filter) {
    const QString trimmed = filter.trimmed();
    if (trimmed == filter_) return;
    filter_ = trimmed;
    wanted_ = kPage;
    total_.reset();
    isCurrent_ = false;
    newFilter_ = true;
    reload();
}

void FoldedModel::sortBy(int column, Qt::SortOrder order) {
    QString sort;
    if (column >= 0) sort = columns()[static_cast<std::size_t>(column)].sort;
    if (!sort.isEmpty() && order == Qt::DescendingOrder) sort.prepend('-');
    if (sort == "-lsn") sort.clear();
    if (sort == sort_) return;
    sort_ = sort;
    isCurrent_ = false;
    reload();
}

void FoldedModel::setVisible(int first, int last) {
    first_ = first;
    last_ = last;
    const bool isOld = fresh_ < folded_.size() && static_cast<std::size_t>(std::max(0, last)) + kAhead > fresh_;
    if (isOld || std::ranges::any_of(unseen_, [this](qint64 fold) { return isSeen(fold); })) moved_ = true;
    if (last + kAhead < rowCount() || isAll_ || asking_ || folded_.size() < wanted_ || wanted_ >= kMostRows) return;
    wanted_ = std::min(kMostRows, wanted_ + kPage);
    reload();
}

void FoldedModel::reload() {
    begin(wanted_);
}

/// What came since is at the top, newest first; in other orders it may be anywhere, and of another list nothing is
/// here yet.
void FoldedModel::refresh() {
    const auto inView = static_cast<std::size_t>(std::max(0, last_) + kAhead);
    begin(sort_.isEmpty() && isCurrent_ ? std::min(wanted_, inView) : wanted_);
}

void FoldedModel::begin(std::size_t until) {
    if (!active_ || !state_.isLive()) return;
    ++generation_;
    until_ = until;
    cursor_.clear();
    coming_.clear();
    comingTotal_.reset();
    unseen_.clear();
    ask();
    for (const qint64 first : open_)
        if (until == wanted_ || isSeen(first))
            askMembers(first);
        else
            unseen_.insert(first);
}

/// Its row, or one of those below it, is in view or near it.
bool FoldedModel::isSeen(qint64 fold) const {
    const int row = rowOf(-2 * fold);
    return row >= 0 && row <= last_ + kAhead && row + kMembers + 1 + kAhead >= first_;
}

void FoldedModel::ask() {
    asking_ = true;
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("fold", "1");
    request.query.addQueryItem("limit", QString::number(kPage));
    if (!filter_.isEmpty()) request.query.addQueryItem("q", QUrl::toPercentEncoding(filter_));
    if (!sort_.isEmpty()) request.query.addQueryItem("sort", sort_);
    if (cursor_.isEmpty())
        request.query.addQueryItem("count", "1");
    else
        request.query.addQueryItem("cursor", cursor_);
    sendList(state_.link(), request, this,
             [this, generation = generation_](const Answer& answer) { take(answer, generation); });
}

void FoldedModel::take(const Answer& answer, quint64 generation) {
    if (generation != generation_) return;
    asking_ = false;
    if (!answer.ok()) {
        problem_ = answer.message;
        return emit told();
    }
    problem_.clear();
    for (const QJsonValue job : answer.json.value("jobs").toArray()) coming_.push_back(foldedRowOf(job.toObject()));
    if (answer.json.contains("total")) comingTotal_ = answer.json.value("total").toInteger();
    cursor_ = answer.json.value("cursor").toString();
    const bool goesOn = coming_.size() < until_ || (coming_.size() < wanted_ && !reachesRest());
    if (!cursor_.isEmpty() && goesOn) return ask();
    fresh_ = coming_.size();
    if (cursor_.isEmpty())
        isAll_ = true;
    else
        keepRest();
    folded_ = std::exchange(coming_, {});
    total_ = comingTotal_;
    const bool isAnother = !std::exchange(isCurrent_, true);
    otherList_ = std::exchange(newFilter_, false);
    show(isAnother);
    otherList_ = false;
    emit told();
}

/// Newest first: there is nothing between what came and the rows of before that is not known.
bool FoldedModel::reachesRest() const {
    return !coming_.empty() && !folded_.empty() && coming_.back().action.lsn <= folded_.front().action.lsn;
}

/// Not all were asked for: those behind stay as they were.
void FoldedModel::keepRest() {
    const std::size_t told = coming_.size();
    if (until_ < wanted_ && reachesRest()) {
        std::set<qint64> known;
        for (const FoldedRow& row : coming_) known.insert(row.id());
        const qint64 lowest = coming_.back().action.lsn;
        for (FoldedRow& row : folded_)
            if (coming_.size() < kMostRows && row.action.lsn < lowest && !known.contains(row.id()))
                coming_.push_back(std::move(row));
    }
    isAll_ = isAll_ && coming_.size() > told;
}

// --- unfolding

bool FoldedModel::isOpen(qint64 first) const {
    return std::ranges::find(open_, first) != open_.end();
}

void FoldedModel::unfold(qint64 first) {
    if (isOpen(first) || rowFor(-2 * first) == nullptr) return;
    open_.push_back(first);
    if (open_.size() > kMostOpen) {
        members_.erase(open_.front());
        open_.pop_front();
    }
    show(true);
    askMembers(first);
}

void FoldedModel::fold(qint64 first) {
    if (std::erase(open_, first) == 0) return;
    members_.erase(first);
    show(true);
}

/// Those that failed, run or wait to be tried again.
void FoldedModel::askMembers(qint64 first) {
    const FoldedRow* row = rowFor(-2 * first);
    if (row == nullptr) return;
    const QString filter = row->filter() + QStringLiteral(" state:failed,abandoned,submitting,running,retry");
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("q", QUrl::toPercentEncoding(filter));
    request.query.addQueryItem("sort", "-state");
    request.query.addQueryItem("limit", QString::number(kMembers));
    sendList(state_.link(), request, this, [this, first](const Answer& answer) {
        if (!answer.ok() || !isOpen(first)) return;
        std::vector<ActionRow> members;
        for (const QJsonValue job : answer.json.value("jobs").toArray()) {
            if (std::ssize(members) == kMembers) break;
            members.push_back(actionRowOf(job.toObject()));
        }
        const bool isNew = !members_.contains(first);
        members_[first] = std::move(members);
        show(isNew);
    });
}

// --- rows

/// `isByHand`: what moves rows was asked for, so it is shown although the table is frozen.
void FoldedModel::show(bool isByHand) {
    const qint64 now = wallNow();
    std::vector<Row> rows;
    rows.reserve(folded_.size());
    for (const FoldedRow& folded : folded_) {
        const bool isUnfolded = folded.isFold() && isOpen(folded.first);
        rows.push_back(foldedTableRow(folded, isUnfolded, now));
        const auto members = isUnfolded ? members_.find(folded.first) : members_.end();
        if (members == members_.end()) continue;
        for (const ActionRow& member : members->second) rows.push_back(foldedMemberRow(member, now));
        rows.push_back(foldedRestRow(folded, members->second));
    }
    setRows(std::move(rows));
    if (isByHand && waiting() > 0) takeWaiting();
}

const FoldedRow* FoldedModel::rowFor(qint64 id) const {
    const auto found = std::ranges::find_if(folded_, [id](const FoldedRow& row) {
        return row.id() == id || (id < 0 && row.isFold() && row.first == foldOf(id));
    });
    return found == folded_.end() ? nullptr : &*found;
}

const ActionRow* FoldedModel::action(qint64 lsn) const {
    for (const auto& [first, members] : members_)
        if (const auto found = std::ranges::find(members, lsn, &ActionRow::lsn); found != members.end())
            return &*found;
    const FoldedRow* row = lsn > 0 ? rowFor(lsn) : nullptr;
    return row != nullptr ? &row->action : nullptr;
}

std::optional<qint64> FoldedModel::rows() const {
    return isAll_ ? std::optional<qint64>(std::ssize(folded_)) : std::nullopt;
}

} // namespace yard::ui
