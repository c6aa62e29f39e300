// The form for new work: one action field by field, or anything as JSON; each view is filled in from the other, and
// what was written stays when the engine refuses it. Owner: ui thread; input files are hashed elsewhere.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QDialog>
#include <QHash>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

/// Words of a command line with quotes and backslashes, as a shell splits them; nothing when a quote stays open.
std::optional<QStringList> wordsOf(const QString& line);
QString lineOf(const QStringList& words);

class SubmitForm final : public QDialog {
    Q_OBJECT
public:
    /// Filled in with `action`; into `queue`.
    SubmitForm(Context context, const QJsonObject& action, qint64 queue, QWidget* parent = nullptr);

    FormRow* row(const QString& member) const;
    QString problem() const { return problem_->text(); }
    /// As it would be sent; of the form view an object.
    QJsonValue actions() const;
    void showJson(bool json);
    void addInput(const QString& path);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QLayout* makeHead(qint64 queue);
    QWidget* makeFields();
    QLayout* makeFoot();
    QLineEdit* addLine(const QString& member, const QString& title, const QString& help);
    void takeWorkers(const QJsonArray& workers);
    void showFunctions();
    void fillFields();
    void onField();
    void check();
    void submit();
    void copy(bool curl);
    Operation operation() const;
    bool readField(const QString& member, const QString& text);

    Context context_;
    QComboBox* queue_;
    QStackedWidget* views_;
    Button* formButton_;
    Button* jsonButton_;
    QPlainTextEdit* text_;
    QComboBox* worker_;
    QComboBox* function_;
    QCheckBox* hold_;
    std::vector<std::pair<QString, FormRow*>> rows_; ///< by member, in order
    WrappedLabel* problem_;
    Button* submit_;
    QJsonObject action_;
    QJsonArray workers_;
    QHash<QString, QString> files_; ///< by hash: what can be sent
    bool filling_ = false;
    bool sending_ = false;
    int hashing_ = 0;
};

} // namespace yard::ui
