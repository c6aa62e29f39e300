// A new object: its type, and what its type wants to know of it. Closes itself once the engine has made it; what was
// written stays where it refuses. Owner: ui thread; deletes itself when it is closed.
#pragma once

#include "ui/pages/objects/object_values.h"
#include "ui/pages/page.h"
#include "ui/widgets/form.h"

#include <QDialog>
#include <functional>
#include <map>
#include <optional>

QT_BEGIN_NAMESPACE
class QComboBox;
class QLineEdit;
QT_END_NAMESPACE

namespace yard::ui {

class NewObjectForm final : public QDialog {
    Q_OBJECT
public:
    /// `types` are not empty; it begins with the one called `type`, else with the first. `made`: its number.
    NewObjectForm(Context context, std::vector<ObjectType> types, const QString& type,
                  std::function<void(qint64 object)> made, QWidget* parent);

    QComboBox* type() const { return type_; }
    QComboBox* status() const { return status_; }
    /// "key", "parent", or a field of the type, as "fields.url".
    FormRow* row(const QString& member) const;
    QLineEdit* line(const QString& member) const;
    QString problem() const { return problem_->text(); }
    Button* create() const { return create_; }

private:
    QWidget* makeFields();
    QHBoxLayout* makeFoot();
    QLineEdit* addLine(QVBoxLayout* column, const QString& member, const QString& title, const QString& help);
    void onType();
    const ObjectType& chosen() const;
    /// What is written, as the engine takes it. Nothing: a row says what is wrong.
    std::optional<QJsonObject> body();
    std::optional<QJsonObject> fields();
    void send();
    void complain(const Answer& answer);
    void steer();

    Context context_;
    std::vector<ObjectType> types_;
    std::function<void(qint64)> made_;
    QComboBox* type_;
    QComboBox* status_;
    QWidget* ofType_ = nullptr; ///< rows of the fields of the type
    QVBoxLayout* fieldsColumn_ = nullptr;
    std::map<QString, FormRow*> rows_;
    std::map<QString, QLineEdit*> lines_;
    WrappedLabel* problem_;
    Button* create_;
    bool isSending_ = false;
};

} // namespace yard::ui
