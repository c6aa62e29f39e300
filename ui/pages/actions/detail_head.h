// The head of an action's detail: its state, number and name, where it runs, and what can be done with it. Owner: ui
// thread; lifetime: the panel's, within that of its context.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QLabel>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class DetailHead final : public Surface {
    Q_OBJECT
public:
    explicit DetailHead(Context context);

    /// Another action, of which only the number is known.
    void begin(qint64 lsn);
    /// `action` is empty while the engine has not told of it.
    void setAction(const ActionRow& row, const QJsonObject& action);
    void setSpec(const QJsonObject& spec) { spec_ = spec; }
    /// In place of its name: why there is none.
    void setProblem(const QString& problem) { what_->setText(problem); }
    /// Why it cannot be given now; empty: it can.
    void setRescheduleBlocked(const QString& why) { reschedule_->setBlocked(why); }

signals:
    void rescheduleWanted();
    void editWanted();
    void compareWanted();
    void closeWanted();

private:
    void addCopies(QMenu& menu);

    Context context_;
    qint64 lsn_ = 0;
    QJsonObject action_;
    QJsonObject spec_;
    qint64 queue_ = 0;
    QLabel* icon_;
    Label* number_;
    Label* what_;
    Label* where_;
    Button* reschedule_;
};

} // namespace yard::ui
