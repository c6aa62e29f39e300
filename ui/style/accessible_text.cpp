#include "ui/style/accessible_text.h"

#include <QAccessibleWidget>

#include <algorithm>

namespace yard::ui {

namespace {

class SpokenAccess final : public QAccessibleWidget {
public:
    SpokenAccess(QWidget* widget, const AccessibleText* spoken)
        : QAccessibleWidget(widget, spoken->spokenRole())
        , spoken_(spoken) {}

    QString text(QAccessible::Text which) const override {
        const QString value = which == QAccessible::Value ? spoken_->spokenValue() : QString();
        return value.isEmpty() ? QAccessibleWidget::text(which) : value;
    }
    int childCount() const override {
        refresh();
        return QAccessibleWidget::childCount() + static_cast<int>(parts_.size());
    }
    QAccessibleInterface* child(int index) const override {
        const int widgets = QAccessibleWidget::childCount();
        if (index < widgets) return QAccessibleWidget::child(index);
        refresh();
        const auto at = static_cast<std::size_t>(index - widgets);
        return at < parts_.size() ? parts_[at].get() : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (parts_[i].get() == child) return QAccessibleWidget::childCount() + static_cast<int>(i);
        return QAccessibleWidget::indexOfChild(child);
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        refresh();
        for (const auto& part : parts_)
            if (part->rect().contains(x, y)) return part.get();
        return QAccessibleWidget::childAt(x, y);
    }

private:
    void refresh() const {
        std::vector<SpokenPart> now = spoken_->spokenParts();
        if (now.size() > AccessibleText::kMostParts) now.resize(AccessibleText::kMostParts);
        if (now == told_) return;
        told_ = std::move(now);
        parts_.clear();
        auto* self = const_cast<SpokenAccess*>(this); // NOLINT: Qt's own interfaces do the same
        for (const SpokenPart& part : told_)
            parts_.push_back(
                AccessPart::make(self, part, {widget()->mapToGlobal(part.area.topLeft()), part.area.size()}));
    }

    const AccessibleText* spoken_;
    mutable std::vector<SpokenPart> told_;
    mutable std::vector<AccessPart::Owned> parts_;
};

QAccessibleInterface* makeTextAccess(const QString&, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    const auto* spoken = dynamic_cast<AccessibleText*>(object);
    return widget != nullptr && spoken != nullptr ? new SpokenAccess(widget, spoken) : nullptr;
}

} // namespace

void installSpoken() {
    static const bool installed = [] {
        QAccessible::installFactory(makeTextAccess);
        return true;
    }();
    static_cast<void>(installed);
}

void AccessPart::Release::operator()(QAccessibleInterface* part) const {
    QAccessible::deleteAccessibleInterface(QAccessible::uniqueId(part));
}

AccessPart::AccessPart(QAccessibleInterface* parent, SpokenPart part, QRect area)
    : parent_(parent)
    , part_(std::move(part))
    , area_(area) {}

AccessPart::Owned AccessPart::make(QAccessibleInterface* parent, SpokenPart part, QRect area) {
    return Owned(new AccessPart(parent, std::move(part), area));
}

void AccessPart::add(Owned child) {
    area_ = area_.united(child->area_);
    children_.push_back(std::move(child));
}

bool AccessPart::isValid() const {
    return parent_ != nullptr && parent_->isValid();
}

int AccessPart::childCount() const {
    return static_cast<int>(children_.size());
}

QAccessibleInterface* AccessPart::child(int index) const {
    return index >= 0 && index < childCount() ? children_[static_cast<std::size_t>(index)].get() : nullptr;
}

int AccessPart::indexOfChild(const QAccessibleInterface* child) const {
    const auto found = std::ranges::find(children_, child, [](const Owned& each) { return each.get(); });
    return found == children_.end() ? -1 : static_cast<int>(found - children_.begin());
}

QAccessibleInterface* AccessPart::childAt(int x, int y) const {
    const auto found =
        std::ranges::find_if(children_, [&](const Owned& each) { return each->area_.contains(x, y); });
    return found == children_.end() ? nullptr : found->get();
}

QString AccessPart::text(QAccessible::Text which) const {
    return which == QAccessible::Name ? part_.name : which == QAccessible::Value ? part_.value : QString();
}

QAccessible::State AccessPart::state() const {
    QAccessible::State state;
    state.readOnly = true;
    return state;
}

void* AccessPart::interface_cast(QAccessible::InterfaceType type) {
    if (type == QAccessible::ValueInterface && part_.share) return static_cast<QAccessibleValueInterface*>(this);
    return nullptr;
}

QVariant AccessPart::currentValue() const {
    return part_.share.value_or(0) * 100;
}

} // namespace yard::ui
