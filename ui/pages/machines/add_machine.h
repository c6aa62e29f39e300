// Adds a machine: by its address (machine_address.h), or by a join token that it asks the engine for, with the command to type
// on the other machine. Tokens are in the dialog alone, never among the commands that are kept. Owner: ui thread; deletes itself when it is closed.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QDialog>
#include <cstdint>

QT_BEGIN_NAMESPACE
class QComboBox;
class QLineEdit;
class QSpinBox;
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

class MachineAddress;

class AddMachine final : public QDialog {
    Q_OBJECT
public:
    AddMachine(Context context, QWidget* parent);

    /// How it comes.
    enum class Way : std::uint8_t { Token, Address, Allocator };
    void choose(Way way);
    MachineAddress* address() const { return address_; }
    Button* makeToken() const { return make_; }
    Button* copy() const { return copy_; }
    /// What to type on the other machine; empty: there is no token yet.
    QString command() const { return command_; }
    /// A sentence about the token, or why there is none.
    QString note() const { return note_->text(); }

Q_SIGNALS:
    /// That has a dialog of its own; this one is closed.
    void allocatorWanted();

private:
    QWidget* tokenForm();
    void ask();
    void take(const Answer& answer);
    void showCommand(const QString& command, const QString& note);
    QString whereFrom(const QString& told) const;

    Context context_;
    QComboBox* ways_;
    QStackedWidget* forms_;
    MachineAddress* address_;
    QSpinBox* uses_;
    QComboBox* expires_;
    QLineEdit* cores_;
    FormRow* coresRow_;
    Button* make_;
    Button* copy_;
    QLineEdit* shown_; ///< the command
    WrappedLabel* note_;
    QString command_;
};

} // namespace yard::ui
