#include "ui/pages/objects/new_object_form.h"

#include "ui/bridge/object_operations.h"
#include "ui/pages/objects/object_fields.h"
#include "ui/style/format.h"
#include "ui/style/icons.h"

#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kMostKeyLetters = 256; // docs/objects.md
constexpr int kMostNewLetters = 64 * 1'024;

QString fieldMember(const QString& name) {
    return QStringLiteral("fields.") + name;
}

/// What the type says of it where nothing is written.
QJsonValue usualOf(const ObjectType& type, const QString& field) {
    return type.json.value("fields")[field]["default"];
}

QString helpOf(const ObjectField& field) {
    if (field.type == "integer") return NewObjectForm::tr("a whole number");
    if (field.type == "number") return NewObjectForm::tr("a number");
    if (field.type == "boolean") return NewObjectForm::tr("true or false");
    if (field.type == "json") return NewObjectForm::tr("JSON");
    return {};
}

} // namespace

NewObjectForm::NewObjectForm(Context context, std::vector<ObjectType> types, const QString& type,
                             std::function<void(qint64)> made, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , types_(std::move(types))
    , made_(std::move(made))
    , type_(new QComboBox)
    , status_(new QComboBox)
    , problem_(new WrappedLabel({}, Type::Body, Token::Text1))
    , create_(new Button(Button::Kind::Primary, tr("Create"), "plus")) {
    setObjectName("new-object");
    setWindowTitle(tr("New object"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(scaled(640), scaled(520));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(new Label(tr("New object"), Type::Title, Token::Text1));
    column->addWidget(scrolling(makeFields()), 1);
    column->addLayout(makeFoot());
    for (const ObjectType& each : types_) type_->addItem(unturned(each.name), each.name);
    type_->setCurrentIndex(std::max(0, type_->findData(type)));
    connect(type_, &QComboBox::currentIndexChanged, this, &NewObjectForm::onType);
    connect(&context_.state, &EngineState::connectionChanged, this, &NewObjectForm::steer);
    onType();
    steer();
}

QWidget* NewObjectForm::makeFields() {
    auto* fields = new QWidget;
    auto* column = new QVBoxLayout(fields);
    column->setContentsMargins(0, 0, 4, 0);
    column->setSpacing(6);
    const auto add = [&](const QString& title, QWidget* control, const QString& help) {
        auto* row = new FormRow(title, control, help);
        row->setMayStack(true);
        column->addWidget(row);
    };
    type_->setObjectName("type");
    status_->setObjectName("status");
    add(tr("Type"), type_, {});
    add(tr("Status"), status_, tr("Where it begins."));
    addLine(column, "key", tr("Key"), tr("Unique in its type: with one that is there already it is that object."))
        ->setMaxLength(kMostKeyLetters);
    addLine(column, "parent", tr("Parent"), tr("Number of the object that it is a child of."));
    fieldsColumn_ = new QVBoxLayout;
    column->addLayout(fieldsColumn_);
    column->addStretch(1);
    return fields;
}

QHBoxLayout* NewObjectForm::makeFoot() {
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    auto* close = new Button(Button::Kind::Plain, tr("Close"), {});
    foot->addWidget(problem_, 1);
    foot->addWidget(close);
    foot->addWidget(create_);
    connect(close, &QAbstractButton::clicked, this, &QDialog::close);
    connect(create_, &QAbstractButton::clicked, this, &NewObjectForm::send);
    return foot;
}

QLineEdit* NewObjectForm::addLine(QVBoxLayout* column, const QString& member, const QString& title,
                                  const QString& help) {
    auto* line = new QLineEdit;
    line->setObjectName(member);
    line->setMaxLength(kMostNewLetters);
    auto* row = new FormRow(title, line, help);
    row->setMayStack(true);
    rows_[member] = row;
    lines_[member] = line;
    column->addWidget(row);
    connect(line, &QLineEdit::textEdited, row, [row] { row->setProblem({}); });
    return line;
}

FormRow* NewObjectForm::row(const QString& member) const {
    const auto found = rows_.find(member);
    return found == rows_.end() ? nullptr : found->second;
}

QLineEdit* NewObjectForm::line(const QString& member) const {
    const auto found = lines_.find(member);
    return found == lines_.end() ? nullptr : found->second;
}

const ObjectType& NewObjectForm::chosen() const {
    return types_[static_cast<std::size_t>(std::max(0, type_->currentIndex()))];
}

/// Its states and its fields. What was written in a field that the type before has, too, stays.
void NewObjectForm::onType() {
    std::map<QString, QString> written;
    for (const auto& [member, line] : lines_)
        if (member.startsWith("fields.")) written[member] = line->text();
    for (const auto& [member, text] : written) {
        rows_.erase(member);
        lines_.erase(member);
    }
    if (ofType_ != nullptr) {
        ofType_->hide();
        ofType_->deleteLater();
    }
    ofType_ = new QWidget;
    auto* column = new QVBoxLayout(ofType_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    const ObjectType& type = chosen();
    for (const ObjectField& field : type.fields) {
        QLineEdit* line = addLine(column, fieldMember(field.name), unturned(field.name), helpOf(field));
        const QString usual = textOfField(usualOf(type, field.name), field.type);
        line->setFont(typeface(Type::Mono));
        line->setPlaceholderText(!usual.isEmpty()   ? unturned(usual)
                                 : field.isRequired ? tr("required")
                                                    : QString());
        line->setText(written[fieldMember(field.name)]);
    }
    fieldsColumn_->addWidget(ofType_);
    status_->clear();
    for (const ObjectState& state : type.states) // the initial one stands first
        status_->addItem(icons::faceIcon(faceOfKind(state.kind)), unturned(state.name), state.name);
    problem_->setText({});
}

std::optional<QJsonObject> NewObjectForm::fields() {
    QJsonObject fields;
    bool isGood = true;
    for (const ObjectField& field : chosen().fields) {
        const QString member = fieldMember(field.name);
        const QString text = lines_[member]->text();
        QString problem;
        if (text.isEmpty()) {
            if (field.isRequired && usualOf(chosen(), field.name).isUndefined())
                problem = tr("Its type wants this");
        } else if (const auto value = fieldValueOf(text, field.type)) {
            if (!value->isNull()) fields.insert(field.name, *value);
        } else {
            problem = fieldProblem(field.type);
        }
        rows_[member]->setProblem(problem);
        isGood = isGood && problem.isEmpty();
    }
    return isGood ? std::optional(fields) : std::nullopt;
}

std::optional<QJsonObject> NewObjectForm::body() {
    QJsonObject body{{"type", chosen().name}};
    const QString parent = lines_["parent"]->text().trimmed();
    bool isNumber = true;
    const qint64 number = parent.isEmpty() ? 0 : parent.toLongLong(&isNumber);
    const bool isParent = parent.isEmpty() || (isNumber && number > 0);
    rows_["parent"]->setProblem(isParent ? QString() : tr("This wants the number of an object"));
    const auto given = fields();
    if (!given || !isParent) return std::nullopt;
    body.insert("fields", *given);
    if (number > 0) body.insert("parent", number);
    if (const QString key = lines_["key"]->text(); !key.isEmpty()) body.insert("key", key);
    if (status_->currentIndex() > 0) body.insert("status", status_->currentData().toString());
    return body;
}

void NewObjectForm::send() {
    if (isSending_) return;
    problem_->setText({});
    rows_["key"]->setProblem({});
    const auto wanted = body();
    if (!wanted) return;
    isSending_ = true;
    steer();
    context_.commands.run(operations::createObject(*wanted), this, [this](const Answer& answer) {
        isSending_ = false;
        steer();
        if (!answer.ok()) return complain(answer);
        made_(answer.json.value("id").toInteger());
        close();
    });
}

/// At what it is about, where the engine names that.
void NewObjectForm::complain(const Answer& answer) {
    const QString member = answer.json.value("field").toString();
    FormRow* of = row(member);
    if (of == nullptr) of = row(fieldMember(member));
    if (of != nullptr)
        of->setProblem(answer.message);
    else
        problem_->setText(answer.message);
}

void NewObjectForm::steer() {
    create_->setBlocked(isSending_ ? tr("The engine is asked") : context_.state.whyBlocked());
}

} // namespace yard::ui
