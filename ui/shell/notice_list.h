// The bell's list: the last notices, newest first, under the bell until one was opened, Esc was pressed or the
// focus went elsewhere. Owner: ui thread.
#pragma once

#include "ui/state/notices.h"
#include "ui/widgets/popover.h"

#include <QAbstractListModel>
#include <QListView>
#include <QPointer>

namespace yard::ui {

class Button;

class NoticesModel final : public QAbstractListModel {
    Q_OBJECT
public:
    explicit NoticesModel(const Notices& notices, QObject* parent = nullptr);
    /// Null: there is no such row.
    const Notice* notice(int row) const;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    const Notices& notices_;
    std::vector<Notice> shown_;
};

class NoticeList final : public Popover {
    Q_OBJECT
public:
    NoticeList(QWidget& window, Notices& notices);
    /// Its right edge under that of `under`, which has the focus again at the end.
    void toggle(QWidget* under);
    QListView* list() const { return list_; }
    NoticesModel* model() const { return model_; }

signals:
    void opened(const QString& page, const QString& filter);
    /// The rules of the engine's alerts are to be shown.
    void rulesWanted();

protected:
    QRect placed() override;
    void paintInside(QPainter& painter) override;
    /// What was shown is seen.
    void onLeft() override { notices_.markSeen(); }
    bool eventFilter(QObject* on, QEvent* event) override;

private:
    void choose(int row);
    Notices& notices_;
    NoticesModel* model_;
    QListView* list_;
    QPointer<QWidget> under_;
};

} // namespace yard::ui
