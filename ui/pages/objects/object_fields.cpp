#include "ui/pages/objects/object_fields.h"

#include "ui/bridge/object_operations.h"
#include "ui/style/format.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QKeyEvent>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kChangedMeanwhile = 412; // docs/objects.md
constexpr int kFieldName = 108;
constexpr qsizetype kMostWritten = 64 * 1'024;

/// Those of the type, and what the object has besides.
std::vector<ObjectField> fieldsOf(const ObjectDetail& detail, const ObjectType* type) {
    std::vector<ObjectField> all;
    if (type != nullptr) all = type->fields;
    for (auto it = detail.fields.begin(); it != detail.fields.end(); ++it)
        if (std::ranges::find(all, it.key(), &ObjectField::name) == all.end())
            all.push_back(
                {it.key(), it.value().isString() ? QStringLiteral("string") : QStringLiteral("json"), false});
    return all;
}

} // namespace

QString fieldProblem(const QString& type) {
    if (type == "integer") return ObjectFieldEdit::tr("This wants a whole number");
    if (type == "number") return ObjectFieldEdit::tr("This wants a number");
    if (type == "boolean") return ObjectFieldEdit::tr("This wants true or false");
    return ObjectFieldEdit::tr("This wants JSON");
}

std::optional<QJsonValue> fieldValueOf(const QString& text, const QString& type) {
    if (type == "string") return QJsonValue(text);
    if (text.trimmed().isEmpty()) return QJsonValue(QJsonValue::Null);
    const QJsonDocument read = QJsonDocument::fromJson('[' + text.toUtf8() + ']');
    const QJsonArray values = read.array();
    if (values.size() != 1) return std::nullopt;
    QJsonValue value = values.first();
    if (value.isNull() || type == "json") return value;
    if (type == "boolean") return value.isBool() ? std::optional(value) : std::nullopt;
    if (!value.isDouble()) return std::nullopt;
    const bool isWhole = value.toInteger(1) == value.toInteger(2); // the defaults differ: it is no whole number
    return type == "integer" && !isWhole ? std::nullopt : std::optional(value);
}

QString textOfField(const QJsonValue& value, const QString& type) {
    if (value.isUndefined() || value.isNull()) return {};
    if (value.isString() && type != "json") return value.toString();
    const QString text = QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
    return text.mid(1, text.size() - 2);
}

// --- one

ObjectFieldEdit::ObjectFieldEdit(ObjectField field, QWidget* parent)
    : QWidget(parent)
    , field_(std::move(field))
    , edit_(new QLineEdit)
    , problem_(new Label({}, Type::Caption, Token::Text1)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    auto* label = new Label(unturned(field_.name), Type::Mono, Token::Text2);
    label->setElides(true);
    label->setFixedWidth(scaled(kFieldName));
    row->addWidget(label);
    edit_->setObjectName(field_.name);
    edit_->setAccessibleName(unturned(field_.name));
    edit_->setFont(typeface(Type::Mono));
    edit_->setMaxLength(kMostWritten);
    edit_->setFixedHeight(scaled(24));
    edit_->setPlaceholderText(field_.isRequired ? tr("required") : Format::unknown());
    row->addWidget(edit_, 1);
    column->addLayout(row);
    problem_->setInk(DisplayState::Failed);
    problem_->setElides(true);
    problem_->hide();
    column->addWidget(problem_);
    edit_->installEventFilter(this);
    connect(edit_, &QLineEdit::textEdited, this, [this] {
        if (since_ == 0) since_ = revision_;
    });
    connect(edit_, &QLineEdit::editingFinished, this, &ObjectFieldEdit::apply);
}

void ObjectFieldEdit::setValue(const QJsonValue& value, qint64 revision) {
    told_ = textOfField(value, field_.type);
    revision_ = revision;
    if (edit_->isModified()) return;
    if (edit_->text() != told_) {
        edit_->setText(told_);
        edit_->setCursorPosition(0);
    }
    edit_->setModified(false);
}

void ObjectFieldEdit::replace(const QJsonValue& value, const QString& why) {
    since_ = 0;
    edit_->setModified(false);
    told_ = textOfField(value, field_.type);
    edit_->setText(told_);
    edit_->setModified(false);
    setProblem(why);
}

void ObjectFieldEdit::keep(const QString& text, qint64 revision, const QString& why) {
    if (!edit_->isModified()) { // else more was written meanwhile
        if (edit_->text() != text) edit_->setText(text);
        edit_->setModified(true);
        since_ = revision;
    }
    setProblem(why);
}

void ObjectFieldEdit::setProblem(const QString& problem) {
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    edit_->setAccessibleDescription(problem);
}

void ObjectFieldEdit::setBlocked(const QString& why) {
    const bool isCut = told_.size() > kMostWritten; // what was sent would be the beginning alone
    const QString blocked = why.isEmpty() && isCut ? tr("It is too long to be changed here") : why;
    edit_->setReadOnly(!blocked.isEmpty());
    edit_->setToolTip(blocked);
}

void ObjectFieldEdit::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape || !edit_->isModified()) return QWidget::keyPressEvent(event);
    since_ = 0;
    edit_->setText(told_);
    edit_->setModified(false);
    setProblem({});
}

bool ObjectFieldEdit::eventFilter(QObject* on, QEvent* event) {
    const bool isOverride = on == edit_ && event->type() == QEvent::ShortcutOverride;
    if (isOverride && edit_->isModified() && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape)
        event->accept();
    return QWidget::eventFilter(on, event);
}

void ObjectFieldEdit::apply() {
    if (!edit_->isModified()) return;
    if (edit_->text() == told_) {
        edit_->setModified(false);
        since_ = 0;
        return setProblem({});
    }
    const auto value = fieldValueOf(edit_->text(), field_.type);
    if (!value) return setProblem(fieldProblem(field_.type));
    const qint64 revision = since_ != 0 ? since_ : revision_;
    since_ = 0;
    edit_->setModified(false);
    emit applied(*value, revision);
}

// --- all

ObjectFields::ObjectFields(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , column_(new QVBoxLayout(this))
    , none_(new Label(tr("It has no fields"), Type::Body, Token::Text3)) {
    column_->setContentsMargins(12, 8, 12, 8);
    column_->setSpacing(4);
    column_->addWidget(none_);
}

ObjectFieldEdit* ObjectFields::edit(const QString& field) const {
    const auto found =
        std::ranges::find_if(edits_, [&](const ObjectFieldEdit* each) { return each->field().name == field; });
    return found == edits_.end() ? nullptr : *found;
}

void ObjectFields::make(const std::vector<ObjectField>& fields) {
    for (ObjectFieldEdit* each : edits_) {
        each->disconnect(this); // with the focus it loses it applies what is written, of no object any more
        each->deleteLater();
    }
    edits_.clear();
    fields_ = fields;
    for (const ObjectField& field : fields_) {
        auto* edit = new ObjectFieldEdit(field);
        connect(
            edit, &ObjectFieldEdit::applied, this,
            [this, name = field.name](const QJsonValue& value, qint64 revision) { apply(name, value, revision); });
        edits_.push_back(edit);
        column_->addWidget(edit);
    }
    none_->setVisible(edits_.empty());
}

void ObjectFields::applyAll() {
    for (ObjectFieldEdit* each : edits_) each->apply();
}

void ObjectFields::reset() {
    make({});
    object_ = 0;
}

void ObjectFields::show(const ObjectDetail& detail, const ObjectType* type) {
    const auto fields = fieldsOf(detail, type);
    const auto isSame = [](const ObjectField& a, const ObjectField& b) {
        return a.name == b.name && a.type == b.type;
    };
    if (object_ != detail.info.id || !std::ranges::equal(fields, fields_, isSame)) make(fields);
    object_ = detail.info.id;
    const QString lost = context_.state.whyBlocked();
    const QString why = !lost.isEmpty()             ? lost
                        : detail.info.nextLook == 0 ? tr("It has ended: its fields stay as they are")
                                                    : QString();
    for (ObjectFieldEdit* each : edits_) {
        each->setValue(detail.fields.value(each->field().name), detail.info.revision);
        each->setBlocked(why);
    }
}

void ObjectFields::apply(const QString& field, const QJsonValue& value, qint64 revision) {
    const qint64 object = object_;
    const ObjectFieldEdit* from = edit(field);
    const QString written = from != nullptr ? from->edit()->text() : QString();
    const auto take = [this, field, object, revision, written](const Answer& answer) {
        if (object != object_) return; // another one is shown
        if (answer.status == kChangedMeanwhile) return refused(object, field, written, revision);
        ObjectFieldEdit* of = edit(field);
        if (of != nullptr && answer.ok()) of->setProblem({});
        if (of != nullptr && !answer.ok()) of->keep(written, revision, answer.message);
        emit changed();
    };
    context_.commands.run(operations::setObjectField(object, revision, field, value), this, take);
}

/// It was changed meanwhile: what it has now is shown, and what was written is told.
void ObjectFields::refused(qint64 object, const QString& field, const QString& written, qint64 revision) {
    const auto take = [this, object, field, written, revision](const Answer& answer) {
        ObjectFieldEdit* of = edit(field);
        if (object != object_ || of == nullptr) return;
        const QJsonObject json = answer.json;
        if (!answer.ok()) return of->keep(written, revision, answer.message);
        of->replace(json.value("fields")[field], tr("Changed meanwhile; yours was \"%1\"").arg(written));
        emit changed();
    };
    context_.link.send(operations::lookAtObject(object).request, this, take);
}

} // namespace yard::ui
