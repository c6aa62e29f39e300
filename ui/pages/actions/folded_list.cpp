#include "ui/pages/actions/folded_list.h"

#include "ui/pages/actions/spec_copies.h"
#include "ui/style/format.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>
#include <functional>

namespace yard::ui {

namespace {

/// Of a row's beginning what belongs to the triangle.
constexpr int kTriangle = 30;

} // namespace

FoldedList::FoldedList(Context context, QWidget* parent)
    : Table("actions-folded", parent)
    , context_(context)
    , folded_(new FoldedModel(context.state, this)) {
    // Before the table keeps what is selected: all that another filter finds are not those that were seen.
    connect(folded_, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        if (folded_->isOtherList() && allSelected()) clearSelection();
    });
    setRows(folded_);
    setAccessibleName(tr("Actions, arrays folded"));
    connect(this, &Table::linkClicked, this, [this](qint64 id, int) {
        if (const FoldedRow* row = folded_->rowFor(id)) rescheduleFailedOf(*row);
    });
    connect(this, &Table::targetClicked, this, [this](qint64 id) {
        const FoldedRow* row = isRestId(id) ? folded_->rowFor(id) : nullptr;
        if (row != nullptr) emit showAllWanted(row->filter());
    });
    const auto onScrolled = [this] {
        const int last = rowAt(viewport()->height() - 1);
        folded_->setVisible(std::max(0, rowAt(0)), last < 0 ? folded_->rowCount() - 1 : last);
    };
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, onScrolled);
    connect(folded_, &QAbstractItemModel::modelReset, this, onScrolled, Qt::QueuedConnection);
    connect(folded_, &FoldedModel::told, this, &FoldedList::tellNothing);
}

// --- what is meant

Target FoldedList::target() const {
    // All of another list are not those that are still shown: until they are there nothing is meant.
    if (allSelected() && !folded_->isCurrent()) return {};
    if (allSelected()) return Target::matching(folded_->filter(), folded_->total());
    std::vector<qint64> lsns;
    QStringList ranges;
    qint64 count = 0;
    for (const qint64 id : selectedIds()) {
        if (isRestId(id)) continue;
        const FoldedRow* row = foldOf(id) != 0 ? folded_->rowFor(id) : nullptr;
        if (row != nullptr) {
            ranges << QStringLiteral("%1..%2").arg(row->first).arg(row->last());
            count += row->count;
        } else if (id > 0) {
            lsns.push_back(id);
        }
    }
    if (ranges.isEmpty()) return Target::of(std::move(lsns));
    for (const qint64 lsn : lsns) ranges << QString::number(lsn);
    return Target::matching("lsn:" + ranges.join(','), count + static_cast<qint64>(lsns.size()));
}

std::optional<paint::Shares> FoldedList::standing() const {
    if (allSelected()) return std::nullopt;
    paint::Shares all{};
    bool hasFolds = false;
    for (const qint64 id : selectedIds()) {
        if (isRestId(id)) continue;
        if (const FoldedRow* row = foldOf(id) != 0 ? folded_->rowFor(id) : nullptr; row != nullptr) {
            hasFolds = true;
            std::ranges::transform(all, row->shares, all.begin(), std::plus());
        } else if (const ActionRow* action = folded_->action(id); action != nullptr) {
            ++all[static_cast<std::size_t>(action->face)];
        }
    }
    return hasFolds ? std::optional(all) : std::nullopt;
}

Target FoldedList::againTarget() const {
    Target all = target();
    const auto stands = standing();
    if (all.filter.isEmpty() || !stands) return all;
    const auto of = [&stands](DisplayState face) { return (*stands)[static_cast<std::size_t>(face)]; };
    return Target::matching(all.filter + " state:failed,abandoned",
                            of(DisplayState::Failed) + of(DisplayState::Abandoned));
}

bool FoldedList::isHeld() const {
    const std::vector<qint64> ids = allSelected() ? std::vector{currentId()} : selectedIds();
    return std::ranges::any_of(ids, [this](qint64 id) {
        if (id > 0) {
            const ActionRow* action = folded_->action(id);
            return action != nullptr && action->held;
        }
        const FoldedRow* row = foldOf(id) != 0 && !isRestId(id) ? folded_->rowFor(id) : nullptr;
        return row != nullptr && row->action.held;
    });
}

const FoldedRow* FoldedList::chosen() const {
    const auto ids = selectedIds();
    const qint64 id = ids.size() == 1 ? ids.front() : ids.empty() ? currentId() : 0;
    const FoldedRow* row = foldOf(id) != 0 ? folded_->rowFor(id) : nullptr;
    return row != nullptr && row->isFold() ? row : nullptr;
}

QString FoldedList::note() const {
    const Format format;
    const auto total = folded_->total();
    const auto rows = folded_->rows();
    if (!rows) {
        const QString here = tr("%1 and more").arg(format.number(folded_->rowCount()));
        return total ? tr("%1 in %2 rows").arg(format.number(*total), here) : here;
    }
    if (!total) return tr("%Ln row(s)", nullptr, static_cast<int>(*rows));
    return tr("%1 in %Ln row(s)", nullptr, static_cast<int>(*rows)).arg(format.number(*total));
}

QString FoldedList::whyNotAgain() const {
    if (!context_.state.isLive()) return context_.state.whyBlocked();
    const FoldedRow* row = chosen();
    if (row == nullptr) return tr("Select an array or a list first");
    return row->failed() > 0 ? QString() : tr("None of it failed or was abandoned");
}

// --- acting on it

void FoldedList::rescheduleFailedOf(const FoldedRow& row) {
    if (row.failed() == 0) return;
    context_.commands.change(
        reschedulingOf(Target::matching(row.filter() + " state:failed,abandoned", row.failed())));
}

void FoldedList::rescheduleFailed() {
    if (const FoldedRow* row = chosen()) rescheduleFailedOf(*row);
}

/// As it was posted, whole, in the form: it is looked at before it is sent.
void FoldedList::resubmit(const FoldedRow& row) {
    const qint64 queue = row.action.queue;
    if (row.isList) {
        std::vector<qint64> lsns;
        for (qint64 lsn = row.first; lsn <= row.last(); ++lsn) lsns.push_back(lsn);
        return resubmitAsList(std::move(lsns), queue, false);
    }
    context_.link.send({"GET", QStringLiteral("jobs/%1/spec").arg(row.action.lsn), {}, {}, {}}, this,
                       [this, queue](const Answer& answer) {
                           if (!answer.ok()) return context_.window.say(answer.message, true);
                           context_.navigator.openSubmit(answer.json, queue);
                       });
}

/// Page by page; what was replaced already has its successor.
void FoldedList::resubmitFailed(const QString& filter, qint64 queue, const QString& cursor,
                                std::vector<qint64> lsns) {
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("q", QUrl::toPercentEncoding(filter + " state:failed,abandoned replaced:no"));
    request.query.addQueryItem("sort", "lsn");
    if (!cursor.isEmpty()) request.query.addQueryItem("cursor", cursor);
    context_.link.send(request, this, [this, filter, queue, lsns = std::move(lsns)](const Answer& answer) mutable {
        if (!answer.ok()) return context_.window.say(answer.message, true);
        for (const QJsonValue job : answer.json.value("jobs").toArray())
            lsns.push_back(job.toObject().value("lsn").toInteger());
        const QString next = answer.json.value("cursor").toString();
        if (!next.isEmpty() && std::ssize(lsns) <= kMostCopies)
            return resubmitFailed(filter, queue, next, std::move(lsns));
        if (lsns.empty()) return context_.window.say(tr("What failed of it was submitted again already."), true);
        if (std::ssize(lsns) > kMostCopies)
            return context_.window.say(
                tr("More than %1 failed: too many for one list.").arg(Format().number(kMostCopies)), true);
        resubmitAsList(std::move(lsns), queue, true);
    });
}

void FoldedList::resubmitAsList(std::vector<qint64> lsns, qint64 queue, bool isInstead) {
    askSpecs(context_.link, this, std::move(lsns), [this, queue, isInstead](Specs specs, const QString& problem) {
        if (!problem.isEmpty()) return context_.window.say(problem, true);
        if (isInstead)
            for (auto& [lsn, spec] : specs) spec.insert("replaces", lsn);
        context_.navigator.openSubmitList(listOfCopies(std::move(specs)), queue);
    });
}

void FoldedList::addForElement(QMenu& menu) {
    const auto ids = selectedIds();
    const int at = ids.size() == 1 && ids.front() > 0 ? folded_->rowOf(ids.front()) : -1;
    if (at < 0 || folded_->cell(at, static_cast<int>(FoldedColumn::Index)).text == Format::unknown()) return;
    menu.addAction(tr("Resubmit this index…"), this, [this, lsn = ids.front()] { emit editWanted(lsn); })
        ->setEnabled(context_.state.whyBlocked().isEmpty());
    menu.addSeparator();
}

void FoldedList::addTo(QMenu& menu) {
    const FoldedRow* row = chosen();
    if (row == nullptr) return addForElement(menu);
    const QString blocked = context_.state.whyBlocked();
    const int head = folded_->rowOf(row->id());
    const bool isOpen = folded_->isOpen(row->first);
    menu.addAction(isOpen ? tr("Fold") : tr("Unfold"), this, [this, head, isOpen] { setUnfolded(head, !isOpen); });
    menu.addAction(tr("Show all %1").arg(Format().number(row->count)), this,
                   [this, filter = row->filter()] { emit showAllWanted(filter); });
    const int failed = pluralCount(row->failed());
    menu.addAction(tr("Reschedule the %Ln that failed", nullptr, failed), this, &FoldedList::rescheduleFailed)
        ->setEnabled(failed > 0 && blocked.isEmpty());
    menu.addAction(tr("Resubmit the %Ln that failed…", nullptr, failed), this,
                   [this, copy = *row] { resubmitFailed(copy.filter(), copy.action.queue, {}, {}); })
        ->setEnabled(failed > 0 && failed <= kMostCopies && blocked.isEmpty());
    // The actions of a list have a text each: as many as one list takes.
    menu.addAction(tr("Resubmit all of it…"), this, [this, copy = *row] { resubmit(copy); })
        ->setEnabled((!row->isList || row->count <= kMostCopies) && blocked.isEmpty());
    menu.addSeparator();
}

// --- folding

int FoldedList::headOf(int row) const {
    for (int at = row; at >= 0; --at) {
        const qint64 id = folded_->idAt(at);
        if (id < 0 && !isRestId(id)) return at;
        const bool isBelow = isRestId(id) || folded_->cell(at, 0).indent > 0;
        if (!isBelow) return -1;
    }
    return -1;
}

void FoldedList::setUnfolded(int row, bool isUnfolded) {
    const int head = headOf(row);
    if (head < 0) return;
    const qint64 id = folded_->idAt(head);
    const bool isBelow = head != row;
    if (isUnfolded)
        folded_->unfold(foldOf(id));
    else
        folded_->fold(foldOf(id));
    if (isBelow && !isUnfolded) selectId(id); // what was chosen is not there any more
}

void FoldedList::keyPressEvent(QKeyEvent* event) {
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == 0;
    const int row = currentIndex().isValid() ? currentIndex().row() : -1;
    if (plain && row >= 0 && (event->key() == Qt::Key_Right || event->key() == Qt::Key_Left))
        return setUnfolded(row, event->key() == Qt::Key_Right);
    const bool isOpening = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (plain && isOpening && isRestId(currentId())) return emit targetClicked(currentId());
    if (plain && isOpening && foldOf(currentId()) != 0)
        return setUnfolded(row, !folded_->isOpen(foldOf(currentId())));
    if (event->key() == Qt::Key_Space && foldOf(currentId()) != 0) return emit peeked(currentId());
    Table::keyPressEvent(event);
}

void FoldedList::mouseReleaseEvent(QMouseEvent* event) {
    Table::mouseReleaseEvent(event);
    const QModelIndex index = indexAt(event->pos());
    if (!index.isValid() || event->button() != Qt::LeftButton || event->modifiers() != Qt::NoModifier) return;
    const qint64 id = folded_->idAt(index.row());
    const bool isTriangle = index.column() == 0 && id < 0 && !isRestId(id) &&
                            event->pos().x() - visualRect(index).left() < scaled(kTriangle);
    if (isTriangle) setUnfolded(index.row(), !folded_->isOpen(foldOf(id)));
}

/// In place of rows.
void FoldedList::tellNothing() {
    QString message;
    if (folded_->rowCount() == 0)
        message = !folded_->problem().isEmpty()  ? folded_->problem()
                  : !folded_->filter().isEmpty() ? tr("No action matches this filter.")
                  : folded_->isLoading()         ? QString()
                                                 : tr("Nothing has been submitted yet.");
    setMessage(message);
}

} // namespace yard::ui
