// A row of tabs, 32 high, each with a count behind its word. Where there is no room for all of them, those at the end
// are behind "More", which is called as the current one while that is among them. Owner: ui thread.
#pragma once

#include "ui/style/accessible_text.h"

#include <QWidget>
#include <vector>

namespace yard::ui {

class Tabs final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    explicit Tabs(const QStringList& titles, QWidget* parent = nullptr);
    void setNote(int tab, const QString& note);
    void setCurrent(int tab);
    int current() const { return current_; }
    /// Of one that is behind "More": that.
    QRect tabArea(int tab) const;
    bool isBehindMore(int tab) const { return tab >= countInRow(); }
    QSize sizeHint() const override;
    /// As sizeHint(), unless the text is so large that what stands beside the tabs would have no room.
    QSize minimumSizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::PageTabList; }
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void chosen(int tab);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Tab {
        QString title;
        QString note;
    };
    int widthOf(const Tab& tab) const;
    int moreWidth() const;
    /// So many stand in the row, from the first on.
    int countInRow() const;
    QString moreTitle() const;
    void openMore();
    void choose(int tab);
    std::vector<Tab> tabs_;
    int current_ = 0;
};

} // namespace yard::ui
