// The Graph tab of an action: who waits for whom around it, asked for every two seconds while it is looked at and
// something has not ended. Owner: ui thread.
#pragma once

#include "ui/pages/actions/graph_view.h"
#include "ui/pages/page.h"
#include "ui/widgets/panel.h"

QT_BEGIN_NAMESPACE
class QScrollArea;
QT_END_NAMESPACE

namespace yard::ui {

class Poll;

class GraphTab final : public QWidget {
    Q_OBJECT
public:
    explicit GraphTab(Context context, QWidget* parent = nullptr);

    /// 0: none.
    void show(qint64 lsn);
    using QWidget::show;
    /// Something changed: asks again if it is looked at.
    void refresh();
    GraphView* view() const { return view_; }
    /// What the line above the graph says.
    QString summary() const;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void take(const QJsonObject& answer);
    void say(const QString& text);
    void fit();

    Context context_;
    Label* summary_;
    QScrollArea* scroll_;
    GraphView* view_;
    Poll* poll_;
    qint64 lsn_ = 0;
    qint64 asked_ = 0;    ///< what is under way is of this one
    bool isOver_ = false; ///< all of it has ended, nothing will change
};

} // namespace yard::ui
