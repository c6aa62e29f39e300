// The form for new work: one action field by field, with everything that it can have, and beside it the same as JSON, in
// step; a list of actions as JSON alone. What was written stays when the engine refuses it. Owner: ui thread; input
// files are hashed elsewhere.
#pragma once

#include "ui/forms/action_fields.h"
#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QDialog>
#include <QHash>
#include <QJsonArray>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class SubmitForm final : public QDialog {
    Q_OBJECT
public:
    /// Filled in with `action`; into `queue`.
    SubmitForm(Context context, const QJsonObject& action, qint64 queue, QWidget* parent = nullptr);

    FormRow* row(const QString& member) const;
    QPlainTextEdit* json() const { return text_; }
    QString problem() const { return problem_->text(); }
    /// What would be sent: an action or a list of them; null while the JSON is none.
    QJsonValue actions() const { return whole_; }
    void addInput(const QString& path);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QLayout* makeHead(qint64 queue);
    QWidget* makeFields();
    void addWhat();
    void addHow();
    void addWhen();
    void makeJson();
    QLayout* makeFoot();
    QLineEdit* addLine(const QString& member, const QString& title, const QString& help, bool isShort = false);
    void addCheck(const QString& member, const QString& title, const QString& text, bool usual);
    void takeWorkers(const QJsonArray& workers);
    void showFunctions();
    void fillFields();
    void onWorker();
    void onField(const QString& member);
    void onCheck(const QString& member, bool on);
    void onJson();
    void take(const QJsonObject& action);
    void forgetRefusal();
    void writeJson();
    void check();
    void submit();
    void copy(bool curl);
    Operation operation() const;

    Context context_;
    QComboBox* queue_;
    QWidget* fields_ = nullptr;
    QPlainTextEdit* text_;
    QComboBox* worker_;
    QComboBox* function_;
    std::vector<std::pair<QString, FormRow*>> rows_; ///< by member, in order
    WrappedLabel* problem_;
    Button* submit_;
    QJsonObject action_; ///< of the fields
    QJsonValue whole_;
    QString badJson_; ///< what is wrong with the JSON, or why it has no fields
    QString refused_; ///< the field that the engine did not take
    QJsonArray workers_;
    QHash<QString, QString> files_; ///< by hash: what can be sent
    bool filling_ = false;
    bool sending_ = false;
    int hashing_ = 0;
};

} // namespace yard::ui
