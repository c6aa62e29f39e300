// A row of tabs, 32 high, each with a count behind its word. Owner: ui thread.
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
    QRect tabArea(int tab) const;
    QSize sizeHint() const override;
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
    std::vector<Tab> tabs_;
    int current_ = 0;
};

} // namespace yard::ui
