// Small dialogs of the page Machines: an allocator, new or changed, and the hours of a machine. Owner: ui thread; they delete
// themselves when they are closed.
#pragma once

#include "ui/pages/machines/machine_rows.h"
#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QDialog>
#include <QJsonObject>

QT_BEGIN_NAMESPACE
class QLineEdit;
QT_END_NAMESPACE

namespace yard::ui {

class AllocatorForm;

class AllocatorDialog final : public QDialog {
    Q_OBJECT
public:
    /// `allocator`: as GET allocators has it; empty: a new one.
    AllocatorDialog(Context context, const QJsonObject& allocator, QWidget* parent);
    AllocatorForm* form() const { return form_; }

private:
    AllocatorForm* form_;
};

/// When a machine gets work, by its own clock.
class MachineHours final : public QDialog {
    Q_OBJECT
public:
    MachineHours(Context context, const MachineInfo& machine, QWidget* parent);
    QLineEdit* rules() const { return rules_; }
    Button* save() const { return save_; }
    QString problem() const { return row_->problem(); }

Q_SIGNALS:
    void saved();

private:
    void ask();

    Context context_;
    qint64 machine_;
    QString name_;
    QLineEdit* rules_;
    FormRow* row_;
    Button* save_;
};

} // namespace yard::ui
