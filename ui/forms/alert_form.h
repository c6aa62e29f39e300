// The alerts of an engine: its rules, and the form in which one is written. While it is written the engine says when it
// would have told something last week, and what: nothing is saved before that can be seen. Owner: ui thread; deletes itself
// when it is closed.
#pragma once

#include "ui/forms/alert_draft.h"
#include "ui/pages/page.h"
#include "ui/state/alert_messages.h"
#include "ui/state/poll.h"
#include "ui/widgets/form.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <QDialog>
#include <map>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QComboBox;
class QLineEdit;
QT_END_NAMESPACE

namespace yard::ui {

class Facts;

class AlertForm final : public QDialog {
    Q_OBJECT
public:
    AlertForm(Context context, QWidget* parent);

    Table* table() const { return table_; }
    /// Of a member: "name", "kind", "filter", "over", "for_s", "severity", "desktop", "command", "webhook", "quiet_s",
    /// "hours".
    FormRow* row(const QString& member) const;
    /// What it would have said last week, in one sentence.
    QString tried() const { return tried_->text(); }
    Facts* wouldHaveSaid() const { return said_; }
    QString problem() const { return problem_->text(); }
    Button* save() const { return save_; }
    Button* fresh() const { return fresh_; }
    Button* remove() const { return remove_; }
    Button* silence() const { return silence_; }
    /// The rule that is changed; empty: a new one.
    const QString& name() const { return name_; }

private:
    QWidget* makeList();
    QWidget* makeFields();
    QLineEdit* addLine(QVBoxLayout* column, const QString& member, const QString& title, const QString& help);
    void addChoices(QVBoxLayout* column);
    QWidget* makeTried();
    QHBoxLayout* makeFoot();
    void take(const QJsonObject& json);
    void onSelection();
    void begin(const AlertDraft& draft, const QString& name);
    AlertDraft draft() const;
    void keepAs(const AlertDraft& draft, const QString& name);
    void onEdited();
    void onKind();
    void tryIt();
    void showTried(const Answer& answer);
    void send();
    void removeRule();
    void silenceRule();
    void complain(const Answer& answer);
    const AlertRule* chosen() const;

    Context context_;
    Table* table_;
    RowsModel* rows_;
    std::map<QString, FormRow*> byMember_;
    std::map<QString, QLineEdit*> lines_;
    QComboBox* kind_;
    QComboBox* severity_;
    QCheckBox* desktop_;
    WrappedLabel* tried_;
    Facts* said_;
    WrappedLabel* problem_;
    Button* fresh_;
    Button* remove_;
    Button* silence_;
    Button* save_;
    Poll poll_;
    QTimer later_;
    std::vector<AlertRule> rules_;
    QJsonArray others_;
    std::map<QString, qint64> ids_; ///< of rows by name: they stay while rules come and go
    QString name_;
    quint64 trying_ = 0;  ///< number of the newest question: answers to what was written before are dropped
    quint64 written_ = 0; ///< times that something was written or filled in
    quint64 begunCount_ = 0;
    bool filling_ = false;
};

} // namespace yard::ui
