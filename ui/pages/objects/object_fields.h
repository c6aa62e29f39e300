// The fields of an object, changed in place: Enter and leaving apply, Esc takes back. What is being written stays while
// the object changes; if it was changed meanwhile the engine refuses, and the field shows what it has now. Owner: ui
// thread.
#pragma once

#include "ui/pages/objects/object_values.h"
#include "ui/pages/page.h"
#include "ui/widgets/panel.h"

#include <QJsonValue>
#include <QLineEdit>

namespace yard::ui {

/// A value of a field as it is written: text as it is, all else, and text in a field of any JSON, as JSON. Nothing: it cannot be read as that type; an
/// empty one of another type than string is null, which takes the field away.
std::optional<QJsonValue> fieldValueOf(const QString& text, const QString& type);
QString textOfField(const QJsonValue& value, const QString& type);
/// What is wrong with what fieldValueOf() could not read.
QString fieldProblem(const QString& type);

class ObjectFieldEdit final : public QWidget {
    Q_OBJECT
public:
    explicit ObjectFieldEdit(ObjectField field, QWidget* parent = nullptr);
    const ObjectField& field() const { return field_; }
    QLineEdit* edit() const { return edit_; }
    /// As the engine has it, of that revision.
    void setValue(const QJsonValue& value, qint64 revision);
    /// What was being written is put aside, and `value` is shown, with why.
    void replace(const QJsonValue& value, const QString& why);
    /// What was sent, of that revision, and not taken: it stays written, unless more was meanwhile.
    void keep(const QString& text, qint64 revision, const QString& why);
    /// Why it is not changed; empty: nothing is wrong.
    void setProblem(const QString& problem);
    QString problem() const { return problem_->text(); }
    /// For good: it has ended, or nothing can be sent. What is too long for a line is blocked by itself.
    void setBlocked(const QString& why);
    /// What is written, if something is.
    void apply();

signals:
    /// `revision`: the one that was read when writing began.
    void applied(const QJsonValue& value, qint64 revision);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    /// Of the field: Esc is its own while something is written, not the window's.
    bool eventFilter(QObject* on, QEvent* event) override;

private:
    ObjectField field_;
    QLineEdit* edit_;
    Label* problem_;
    QString told_; ///< as the engine has it
    qint64 revision_ = 0;
    qint64 since_ = 0; ///< the revision that was shown when writing began
};

class ObjectFields final : public QWidget {
    Q_OBJECT
public:
    explicit ObjectFields(Context context, QWidget* parent = nullptr);
    void show(const ObjectDetail& detail, const ObjectType* type);
    /// Before it is closed.
    void applyAll();
    /// Another object: what was written is forgotten.
    void reset();
    const std::vector<ObjectFieldEdit*>& edits() const { return edits_; }
    ObjectFieldEdit* edit(const QString& field) const;

signals:
    /// Ask for the object again.
    void changed();

private:
    void make(const std::vector<ObjectField>& fields);
    void apply(const QString& field, const QJsonValue& value, qint64 revision);
    void refused(qint64 object, const QString& field, const QString& written, qint64 revision);

    Context context_;
    QVBoxLayout* column_;
    Label* none_;
    std::vector<ObjectFieldEdit*> edits_;
    std::vector<ObjectField> fields_;
    qint64 object_ = 0;
};

} // namespace yard::ui
