// What views that paint their content themselves say to screen readers: a role, a value in words, and parts that
// can be walked through. Owner: ui thread.
//
// A widget inherits Spoken beside QWidget, and calls installSpoken() when it is made. Parts are made again when
// somebody asks and they are others; at most Spoken::kMostParts of them.
#pragma once

#include <QAccessible>
#include <QAccessibleInterface>
#include <QRect>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

namespace yard::ui {

struct SpokenPart {
    QAccessible::Role role = QAccessible::StaticText;
    QString name;
    QString value = {};               ///< in words
    std::optional<double> share = {}; ///< 0 to 1, of a meter
    QRect area = {};                  ///< in the widget
    bool operator==(const SpokenPart&) const = default;
};

class AccessibleText {
public:
    static constexpr std::size_t kMostParts = 500;

    AccessibleText() = default;
    virtual ~AccessibleText() = default;
    AccessibleText(const AccessibleText&) = delete;
    AccessibleText& operator=(const AccessibleText&) = delete;

    virtual QAccessible::Role spokenRole() const = 0;
    virtual QString spokenValue() const { return {}; }
    virtual std::vector<SpokenPart> spokenParts() const { return {}; }
};

/// Qt asks here for the interface of every widget that is Spoken from now on. Any number of times.
void installSpoken();

/// A part as Qt wants it, with parts of its own; rectangle and words are taken when it is made.
class AccessPart final : public QAccessibleInterface, public QAccessibleValueInterface {
public:
    /// Takes it out of Qt's list of what is known, too.
    struct Release {
        void operator()(QAccessibleInterface* part) const;
    };
    using Owned = std::unique_ptr<AccessPart, Release>;

    /// `area`: on the screen.
    static Owned make(QAccessibleInterface* parent, SpokenPart part, QRect area);
    void add(Owned child);
    const std::vector<Owned>& children() const { return children_; }

    bool isValid() const override;
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return parent_; }
    QAccessibleInterface* child(int index) const override;
    int childCount() const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    QString text(QAccessible::Text which) const override;
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override { return area_; }
    QAccessible::Role role() const override { return part_.role; }
    QAccessible::State state() const override;
    void* interface_cast(QAccessible::InterfaceType type) override;

    QVariant currentValue() const override;
    void setCurrentValue(const QVariant&) override {}
    QVariant maximumValue() const override { return 100; }
    QVariant minimumValue() const override { return 0; }
    QVariant minimumStepSize() const override { return 0; }

private:
    AccessPart(QAccessibleInterface* parent, SpokenPart part, QRect area);
    QAccessibleInterface* parent_;
    SpokenPart part_;
    QRect area_;
    std::vector<Owned> children_;
};

} // namespace yard::ui
