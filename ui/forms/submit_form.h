// The form for new work: one action or a list of them, as JSON. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"

#include <QDialog>

QT_BEGIN_NAMESPACE
class QComboBox;
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class Button;
class Label;

class SubmitForm final : public QDialog {
    Q_OBJECT
public:
    /// Filled in with `action`; into `queue`.
    SubmitForm(Context context, const QJsonObject& action, qint64 queue, QWidget* parent = nullptr);

private:
    void check();
    void submit();
    Context context_;
    QPlainTextEdit* text_;
    QComboBox* queue_;
    Label* problem_;
    Button* submit_;
};

} // namespace yard::ui
