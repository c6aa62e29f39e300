// Pairs of a name and what it is, some with a meter between: the small lists of detail panels. What has no room is
// in the tool tip; a right click copies. Owner: ui thread.
#pragma once

#include "ui/style/accessible_text.h"
#include "ui/style/tokens.h"

#include <QWidget>
#include <optional>
#include <vector>

namespace yard::ui {

struct Fact {
    QString name;
    QString value;
    enum class Tone : std::uint8_t { Normal, Alert, Link, Dim } tone = Tone::Normal;
    std::optional<double> share = {}; ///< 0 to 1: a meter before the value
    QString target = {};              ///< of a link
    bool operator==(const Fact&) const = default;
};

class Facts final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit Facts(QWidget* parent = nullptr);
    void set(std::vector<Fact> facts);
    const std::vector<Fact>& facts() const { return facts_; }
    /// Values begin behind it. Names get what values leave them, and at least half.
    int nameWidth() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void linkClicked(const QString& target);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// Null: there is none.
    const Fact* factAt(double y) const;
    std::vector<Fact> facts_;
};

} // namespace yard::ui
