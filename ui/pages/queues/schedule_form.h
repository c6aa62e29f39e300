// One schedule as it is written: what runs, when, and what becomes of times that were missed. Its next ten times stand below
// while it is written, before anything is saved; of one that is there also its last runs, which lead to their actions.
// Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/schedule_draft.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/form.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <QTimer>
#include <map>

QT_BEGIN_NAMESPACE
class QComboBox;
class QLineEdit;
QT_END_NAMESPACE

namespace yard::ui {

class ScheduleForm final : public QWidget {
    Q_OBJECT
public:
    explicit ScheduleForm(Context context, QWidget* parent = nullptr);

    /// A new one where it is empty. What is written and not saved is dropped.
    void begin(const QJsonObject& schedule);
    /// The runs of the one that is shown, as GET schedules/{name} has them; nothing else changes.
    void showRuns(const QJsonObject& schedule);
    /// Of the one that is changed; empty: a new one.
    const QString& name() const { return name_; }
    /// Of a member: "name", "when", "cron", "timezone", "every_s", "at", "command", "queue", "missed", "overlap",
    /// "jitter_s".
    FormRow* row(const QString& member) const;
    Facts* next() const { return next_; }
    QString nextWords() const { return words_->text(); }
    Table* runs() const { return runs_; }
    Button* save() const { return save_; }
    QString problem() const { return problem_->text(); }
    void focusName();

signals:
    void saved(const QString& name);

private:
    QLineEdit* addLine(QVBoxLayout* column, const QString& member, const QString& title, const QString& help);
    QComboBox* addChoice(QVBoxLayout* column, const QString& member, const QString& title,
                         const std::vector<std::pair<QString, QString>>& choices);
    QWidget* makeFields();
    QWidget* makeNext();
    QWidget* makeRuns();
    ScheduleDraft draft() const;
    void keepAs(const QJsonObject& schedule);
    void onEdited();
    void onWhen();
    void tryIt();
    void showTimes(const std::vector<qint64>& times);
    void complain(const Answer& answer);
    void send();

    Context context_;
    std::map<QString, FormRow*> byMember_;
    std::map<QString, QLineEdit*> lines_;
    std::map<QString, QComboBox*> choices_;
    WrappedLabel* words_;
    Facts* next_;
    Table* runs_;
    RowsModel* runRows_;
    WrappedLabel* problem_;
    Button* save_;
    QTimer later_;
    QString name_;
    ScheduleDraft begun_; ///< as it was before anything was written
    qint64 anchor_ = 0;
    bool hasOtherWork_ = false;
    bool filling_ = false;
    quint64 trying_ = 0;  ///< number of the newest question: answers to what was written before are dropped
    quint64 written_ = 0; ///< times that something was written or filled in
    quint64 begunCount_ = 0;
};

} // namespace yard::ui
