// A number that is changed in place: its title, a field, and below it what is wrong. Enter and leaving apply; what
// did not change is not applied; a wrong value says why and stays to be corrected. Owner: ui thread.
#pragma once

#include "ui/widgets/panel.h"

#include <QLineEdit>
#include <functional>

QT_BEGIN_NAMESPACE
class QJsonValue;
QT_END_NAMESPACE

namespace yard::ui {

class ValueField final : public QWidget {
    Q_OBJECT
public:
    struct Words {
        QString name;      ///< the engine's, and the field's object name
        QString title;     ///< translated
        QString zero = {}; ///< what 0 means; empty: 0
        QString unit = {}; ///< behind the number
    };
    /// Applies a value; says why it could not, or nothing. What was wrong before stays until setProblem() says what
    /// became of it.
    using Take = std::function<QString(double)>;

    ValueField(Words words, Take take, QWidget* parent = nullptr);
    const QString& name() const { return words_.name; }
    QLineEdit* edit() const { return edit_; }
    /// As the engine has it; what is just being written stays.
    void setValue(const QJsonValue& value);
    /// What is being written is forgotten.
    void reset();
    /// Empty: nothing is wrong.
    void setProblem(const QString& problem);
    QString problem() const;

private:
    void apply();
    Words words_;
    Take take_;
    QLineEdit* edit_;
    Label* problem_;
};

} // namespace yard::ui
