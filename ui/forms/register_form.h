// Registers a worker from a program, a folder or a descriptor: a form beside the descriptor as JSON, each filled in
// from the other; what was guessed says so. Owner: ui thread; files are read and hashed elsewhere.
#pragma once

#include "ui/forms/describer.h"
#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QDialog>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class RegisterForm final : public QDialog {
    Q_OBJECT
public:
    RegisterForm(Context context, const QString& path, QWidget* parent = nullptr);

    void read(const QString& path);
    FormRow* row(const QString& member) const;
    QString problem() const { return problem_->text(); }
    QJsonObject descriptor() const { return descriptor_; }

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeForm();
    QWidget* makeText();
    QHBoxLayout* makeFoot();
    void addLine(const QString& member, const QString& title, const QString& help);
    void take(const WorkerDraft& draft);
    void showDescriptor();
    void onLine(const QString& member);
    void onText();
    void askProgram();
    void submit();
    void send(const QByteArray& canonical, const QString& id, const QHash<QString, QString>& files);
    void complain(const QString& sentence, const QString& field = {});
    void update();

    Context context_;
    QLineEdit* source_;
    std::map<QString, FormRow*> rows_;
    QComboBox* mode_;
    QCheckBox* network_;
    QPlainTextEdit* text_;
    WrappedLabel* problem_;
    Button* ask_;
    Button* submit_;
    Describer describer_;
    QString directory_;
    QJsonObject descriptor_;
    bool filling_ = false;
    bool busy_ = false;
    int reads_ = 0;
};

} // namespace yard::ui
