#include "ui/timeline/timeline_access.h"

#include "ui/style/accessible_text.h"

#include <QAccessibleWidget>
#include <QCoreApplication>

#include <vector>

namespace yard::ui::timeline {

namespace {

struct LaneWords {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

class TimelineAccess final : public QAccessibleWidget {
public:
    explicit TimelineAccess(TimelineView* view)
        : QAccessibleWidget(view, QAccessible::Table)
        , view_(view) {}

    int childCount() const override {
        refresh();
        return static_cast<int>(parts_.size());
    }
    QAccessibleInterface* child(int index) const override {
        if (parts_.empty()) refresh();
        return index >= 0 && index < static_cast<int>(parts_.size()) ? parts_[static_cast<std::size_t>(index)].get()
                                                                     : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (parts_[i].get() == child) return static_cast<int>(i);
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        refresh();
        for (const auto& part : parts_)
            if (part->rect().contains(x, y)) return part.get();
        return nullptr;
    }

private:
    /// What is in view changes with every pan: made again when somebody counts or points.
    void refresh() const {
        const std::vector<SpokenPart> graphs = spokenGraphs(view_->scene());
        const std::vector<TimelineView::VisibleBar> bars = view_->visibleBars();
        QString key;
        for (const TimelineView::VisibleBar& bar : bars)
            key += QStringLiteral("%1/%2 ").arg(bar.bar.item.lsn).arg(qRound(bar.area.left()));
        if (key == key_ && graphs == graphs_) return;
        key_ = key;
        graphs_ = graphs;
        parts_.clear();
        auto* self = const_cast<TimelineAccess*>(this); // NOLINT: Qt's own interfaces do the same
        for (const SpokenPart& graph : graphs)
            parts_.push_back(AccessPart::make(self, graph, onScreen(graph.area)));
        addLanes(self, bars);
    }

    void addLanes(TimelineAccess* self, const std::vector<TimelineView::VisibleBar>& bars) const {
        QString lane;
        for (const TimelineView::VisibleBar& bar : bars) {
            const QString name = LaneWords::tr("%1 slot %2").arg(bar.bar.workerName).arg(bar.bar.slot);
            const QRect area = onScreen({bar.area.topLeft().toPoint(), bar.area.size().toSize()});
            if (name != lane) parts_.push_back(AccessPart::make(self, {QAccessible::Row, name}, area));
            lane = name;
            const SpokenPart part{QAccessible::Cell, spokenBar(bar.bar, view_->data().now())};
            parts_.back()->add(AccessPart::make(parts_.back().get(), part, area));
        }
    }

    QRect onScreen(const QRect& area) const { return {view_->mapToGlobal(area.topLeft()), area.size()}; }

    TimelineView* view_;
    mutable QString key_; ///< of the bars
    mutable std::vector<SpokenPart> graphs_;
    mutable std::vector<AccessPart::Owned> parts_; ///< graphs, then lanes
};

QAccessibleInterface* makeTimelineAccess(const QString&, QObject* object) {
    auto* view = qobject_cast<TimelineView*>(object);
    return view != nullptr ? new TimelineAccess(view) : nullptr;
}

} // namespace

void installTimelineAccess() {
    static bool installed = false;
    if (installed) return;
    QAccessible::installFactory(makeTimelineAccess);
    installed = true;
}

QString spokenBar(const SelectedBar& bar, WallMicros now) {
    const Format format;
    const QString span =
        bar.item.isOpen()
            ? LaneWords::tr("since %1").arg(format.time(bar.item.begin, now))
            : LaneWords::tr("%1 to %2").arg(format.time(bar.item.begin, now), format.time(bar.item.end, now));
    return LaneWords::tr("%1, %2, %3, %4 slot %5, %6")
        .arg(wordOf(bar.item.face), format.number(bar.item.lsn), bar.name, bar.workerName)
        .arg(bar.slot)
        .arg(span);
}

} // namespace yard::ui::timeline
