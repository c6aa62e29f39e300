// The pages at the left, with their counts; icons only when it is narrow. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"

#include <QAbstractButton>
#include <QBoxLayout>

namespace yard::ui {

class RailItem final : public QAbstractButton {
    Q_OBJECT
public:
    RailItem(const QString& title, const QString& icon, const QString& key, QWidget* parent = nullptr);
    void setCurrent(bool current);
    void setCount(const PageSpec::Count& count);
    void setNarrow(bool narrow);
    QSize sizeHint() const override;
    /// What is dragged over it opens the page, so that it can be dropped there.
    void setOpensForDrags(bool opens);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void tellName();
    QString icon_;
    QString key_;
    PageSpec::Count count_;
    bool current_ = false;
    bool narrow_ = false;
};

class Rail final : public QWidget {
    Q_OBJECT
public:
    explicit Rail(const std::vector<PageSpec>& pages, QWidget* parent = nullptr);
    void setCurrent(const QString& id);
    void setNarrow(bool narrow);
    void count(const EngineState& state);

signals:
    void chosen(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Entry {
        PageSpec spec;
        RailItem* item;
    };
    std::vector<Entry> entries_;
};

} // namespace yard::ui
