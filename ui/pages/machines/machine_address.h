// The form for a machine by its address: https:// with a token of its engine, whose fingerprint somebody confirms, or ssh://,
// where keys and known_hosts decide. The token is in the form alone, never among the commands that are kept. Owner: ui
// thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QLineEdit;
QT_END_NAMESPACE

namespace yard::ui {

class MachineAddress final : public QWidget {
    Q_OBJECT
public:
    MachineAddress(Context context, QWidget* parent);

    /// What somebody dropped, without spaces around it.
    void setAddress(const QString& address);
    Button* add() const { return add_; }
    /// What is known of the machine's key, or why it is not added.
    QString note() const { return note_->text(); }

Q_SIGNALS:
    void added();

private:
    void review();
    void ask();
    void take(const Answer& answer);
    bool isBySsh() const;
    bool isFilled() const;

    Context context_;
    QLineEdit* address_;
    QLineEdit* token_;
    QLineEdit* name_;
    QCheckBox* installs_;
    FormRow* addressRow_;
    FormRow* tokenRow_;
    FormRow* installRow_;
    WrappedLabel* note_;
    Button* add_;
    QString fingerprint_; ///< that the machine showed, and that the next click confirms
};

} // namespace yard::ui
