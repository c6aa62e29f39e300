// The form for what asks another system for machines: Slurm, or three commands. A new one, or one that there is, of which what
// differs is sent alone. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QJsonObject>
#include <QWidget>

#include <vector>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;
class QVBoxLayout;
QT_END_NAMESPACE

namespace yard::ui {

class AllocatorForm final : public QWidget {
    Q_OBJECT
public:
    /// `allocator`: as GET allocators has it; empty: a new one.
    AllocatorForm(Context context, const QJsonObject& allocator, QWidget* parent);

    Button* save() const { return save_; }
    /// Why it was not saved.
    QString note() const { return note_->text(); }

Q_SIGNALS:
    void saved();

private:
    void makeFields(QVBoxLayout* column);
    void fill(const QJsonObject& allocator);
    bool isOfSlurm() const;
    bool isNew() const { return before_.isEmpty(); }
    QJsonObject members() const;
    void review();
    void ask();
    void take(const Answer& answer);

    Context context_;
    QLineEdit* name_;
    QComboBox* kind_;
    QLineEdit* partition_;
    QLineEdit* program_;
    QLineEdit* start_;
    QLineEdit* list_;
    QLineEdit* stop_;
    QSpinBox* minutes_; ///< that a machine lives
    QDoubleSpinBox* cores_;
    QSpinBox* memory_; ///< MiB; 0: any
    QSpinBox* min_;
    QSpinBox* max_;
    QSpinBox* idle_; ///< seconds
    QCheckBox* keep_;
    std::vector<FormRow*> slurmRows_;
    std::vector<FormRow*> commandRows_;
    WrappedLabel* note_;
    Button* save_;
    QJsonObject before_; ///< members() of what there is; empty: a new one
};

} // namespace yard::ui
