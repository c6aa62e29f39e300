// A profile as an icicle: what calls stands above what it calls, as wide as its time on the processor. A click zooms, one above
// goes back. Owner: ui thread.
#pragma once

#include "core/profile/profile.h"
#include "ui/style/accessible_text.h"

#include <QWidget>
#include <vector>

namespace yard::ui {

class Icicle final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit Icicle(QWidget* parent = nullptr);
    void setProfile(profile::Profile profile);
    const profile::Profile& profile() const { return profile_; }
    /// What is under this place, for people; empty: nothing.
    QString wordsAt(QPoint at) const;
    QSize sizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::Graphic; }
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void pointed(const QString& words);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Box {
        std::uint32_t node; ///< kNoParent: all
        QRectF area;
        int depth;
    };
    void lay();
    void layNode(std::uint32_t node, double left, double width, int depth);
    /// In totals_ and kids_.
    std::size_t placeOf(std::uint32_t node) const;
    std::uint64_t totalOf(std::uint32_t node) const;
    QString nameOf(std::uint32_t node) const;
    QString wordsOf(std::uint32_t node) const;
    const Box* boxAt(QPointF at) const;

    profile::Profile profile_;
    std::vector<profile::Cost> totals_{1};            ///< of each node; the last: of all
    std::vector<std::vector<std::uint32_t>> kids_{1}; ///< the same
    std::vector<Box> boxes_;
    std::uint32_t zoom_ = profile::kNoParent;
};

} // namespace yard::ui
