#include "ui/widgets/value_field.h"

#include "ui/style/theme.h"

#include <QJsonValue>
#include <QLocale>

#include <optional>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kFieldField = 116;

std::optional<double> numberIn(QString text, const QString& zero, const QString& unit) {
    text = text.trimmed();
    if (!unit.isEmpty() && text.endsWith(unit)) text = text.chopped(unit.size()).trimmed();
    if (text.isEmpty() || text == zero) return 0.0;
    bool good = false;
    const double value = QLocale().toDouble(text, &good);
    return good ? std::optional(value) : std::nullopt;
}

} // namespace

ValueField::ValueField(Words words, Take take, QWidget* parent)
    : QWidget(parent)
    , words_(std::move(words))
    , take_(std::move(take))
    , edit_(new QLineEdit)
    , problem_(new Label({}, Type::Caption, Token::Text1)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    auto* label = new Label(words_.title, Type::Body, Token::Text2);
    label->setElides(true);
    row->addWidget(label, 1);
    edit_->setAccessibleName(words_.title);
    edit_->setObjectName(words_.name);
    edit_->setAlignment(Qt::AlignRight);
    edit_->setFixedSize(scaled(kFieldField), scaled(24));
    row->addWidget(edit_);
    column->addLayout(row);
    problem_->setInk(DisplayState::Failed);
    problem_->setElides(true);
    problem_->hide();
    column->addWidget(problem_);
    connect(edit_, &QLineEdit::editingFinished, this, &ValueField::apply);
}

void ValueField::setValue(const QJsonValue& value) {
    if (edit_->isModified() || edit_->hasFocus()) return;
    const double number = value.toDouble();
    if (!value.isDouble() || (number == 0 && !words_.zero.isEmpty()))
        edit_->setText(words_.zero);
    else
        edit_->setText(QLocale().toString(number, 'g', 12) +
                       (words_.unit.isEmpty() ? QString() : ' ' + words_.unit));
    edit_->setModified(false);
}

void ValueField::reset() {
    edit_->setModified(false);
    setProblem({});
}

void ValueField::setProblem(const QString& problem) {
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    edit_->setAccessibleDescription(problem);
}

QString ValueField::problem() const {
    return problem_->text();
}

void ValueField::apply() {
    if (!edit_->isModified()) return;
    const auto value = numberIn(edit_->text(), words_.zero, words_.unit);
    const QString why = value ? take_(*value) : tr("This wants a number");
    if (!why.isEmpty()) return setProblem(why);
    edit_->setModified(false);
}

} // namespace yard::ui
