// What is asked before something is recorded, and before a recording is run again. Owner: ui thread; each deletes itself
// when it is closed.
#pragma once

#include "ui/bridge/recording_operations.h"
#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QDialog>
#include <functional>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QComboBox;
class QLineEdit;
QT_END_NAMESPACE

namespace yard::ui {

/// A name as the engine takes it: letters, digits, '.', '_' and '-', the first one a letter or digit.
bool isRecordingName(const QString& name);
/// The same of a file, as far as it can be: "my file.yrec" is "my-file".
QString recordingNameOf(const QString& file);

class RecordForm final : public QDialog {
    Q_OBJECT
public:
    /// `begun`: the engine has taken it.
    RecordForm(Context context, std::function<void()> begun, QWidget* parent);
    Button* start() const { return start_; }
    QString problem() const { return nameRow_->problem() + note_->text(); }

private:
    void send();
    Context context_;
    std::function<void()> begun_;
    QLineEdit* name_;
    QComboBox* when_;
    QLineEdit* filter_;
    QComboBox* files_;
    QLineEdit* text_;
    FormRow* nameRow_;
    WrappedLabel* note_;
    Button* start_;
};

class ReplayForm final : public QDialog {
    Q_OBJECT
public:
    ReplayForm(Context context, QString recording, std::function<void()> begun, QWidget* parent);
    Button* start() const { return start_; }
    QString problem() const { return speedRow_->problem() + toleranceRow_->problem() + note_->text(); }

private:
    void send();
    Context context_;
    QString recording_;
    std::function<void()> begun_;
    QLineEdit* worker_;
    QLineEdit* filter_;
    QLineEdit* speed_;
    QLineEdit* tolerance_;
    std::vector<QCheckBox*> ignored_;
    FormRow* speedRow_;
    FormRow* toleranceRow_;
    WrappedLabel* note_;
    Button* start_;
};

} // namespace yard::ui
