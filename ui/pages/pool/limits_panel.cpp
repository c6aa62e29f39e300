#include "ui/pages/pool/limits_panel.h"

#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/widgets/facts.h"

#include <QPainter>

#include <algorithm>

namespace yard::ui {

LimitsPanel::LimitsPanel(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , group_(new Panel({}, false))
    , facts_(new Facts) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 0, 0, 0);
    column->setSpacing(0);
    auto* pool = new Panel(tr("Limits of the pool"), false);
    pool->addToHead(new Label(tr("apply at once"), Type::Body, Token::Text3));
    auto* body = new QWidget;
    auto* rows = new QVBoxLayout(body);
    rows->setContentsMargins(12, 8, 12, 8);
    rows->setSpacing(4);
    addField(rows, {"max", tr("by capacity"), {}}, tr("Processes, at most"));
    addField(rows, {"max_per_group", tr("no limit"), {}}, tr("Processes of a worker, at most"));
    addField(rows, {"max_idle_s", tr("for ever"), tr("s")}, tr("Idle for, at most"));
    pool->setBody(body);
    column->addWidget(pool);
    group_->addToHead(new Label(tr("from its descriptor"), Type::Body, Token::Text3));
    group_->setBody(facts_);
    group_->hide();
    column->addWidget(group_);
    column->addStretch(1);
}

void LimitsPanel::addField(QVBoxLayout* rows, Field field, const QString& title) {
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    auto* label = new Label(title, Type::Body, Token::Text2);
    label->setElides(true);
    row->addWidget(label, 1);
    field.edit = new QLineEdit;
    field.edit->setAccessibleName(title);
    field.edit->setObjectName(field.name);
    field.edit->setAlignment(Qt::AlignRight);
    field.edit->setFixedSize(scaled(116), scaled(24));
    row->addWidget(field.edit);
    rows->addLayout(row);
    field.problem = new Label({}, Type::Caption, Token::Text1);
    field.problem->setInk(Face::Failed);
    field.problem->setElides(true);
    field.problem->hide();
    rows->addWidget(field.problem);
    fields_.push_back(field);
    connect(field.edit, &QLineEdit::editingFinished, this, [this, at = fields_.size() - 1] { apply(fields_[at]); });
}

QLineEdit* LimitsPanel::field(const QString& name) const {
    const auto found = std::ranges::find(fields_, name, &Field::name);
    return found == fields_.end() ? nullptr : found->edit;
}

QString LimitsPanel::problem(const QString& name) const {
    const auto found = std::ranges::find(fields_, name, &Field::name);
    return found == fields_.end() || found->problem->isHidden() ? QString() : found->problem->text();
}

QString LimitsPanel::shown(const Field& field, double value) const {
    if (value == 0) return field.zero;
    const QString number = QLocale().toString(value, 'g', 12);
    return field.unit.isEmpty() ? number : number + ' ' + field.unit;
}

/// Enter and leaving apply; what did not change is not sent; a wrong value says why and stays to be mended.
void LimitsPanel::apply(Field& field) {
    if (!field.edit->isModified()) return;
    QString text = field.edit->text().trimmed();
    if (!field.unit.isEmpty() && text.endsWith(field.unit)) text.chop(field.unit.size());
    bool good = false;
    const double value =
        text == field.zero || text.isEmpty() ? (good = true, 0.0) : QLocale().toDouble(text.trimmed(), &good);
    const QString blocked = context_.state.whyBlocked();
    if (!good || !blocked.isEmpty()) {
        field.problem->setText(good ? blocked : tr("This wants a number"));
        field.problem->show();
        return;
    }
    field.edit->setModified(false);
    context_.commands.run(operations::configurePool({{field.name, value}}), this,
                          [this, name = field.name](const Answer& answer) {
                              const auto found = std::ranges::find(fields_, name, &Field::name);
                              found->problem->setText(answer.message);
                              found->problem->setVisible(!answer.ok());
                              if (answer.ok()) emit changed();
                          });
}

void LimitsPanel::show(const PoolView& pool, const PoolGroup* group) {
    for (Field& field : fields_)
        if (!field.edit->isModified() && !field.edit->hasFocus()) {
            field.edit->setText(shown(field, pool.json.value(field.name).toDouble()));
            field.edit->setModified(false);
        }
    group_->setVisible(group != nullptr);
    if (group == nullptr) return;
    const Format format;
    const auto number = [&](const char* name, const QString& zero) {
        const qint64 value = group->limits.value(QLatin1String(name)).toInteger();
        return value == 0 ? zero : format.number(value);
    };
    group_->setTitle(tr("Limits of %1").arg(group->name));
    const double idle = group->limits.value("max_idle_s").toDouble(-1);
    const qint64 memory = group->limits.value("memory_mb").toInteger();
    const qint64 concurrency = group->processes.empty() ? 0 : group->processes.front().concurrency;
    std::vector<Fact> facts = {
        {tr("Processes, at least"), number("min_processes", format.number(0))},
        {tr("Processes, at most"), number("max_processes", tr("the pool's"))},
        {tr("Requests per process, at most"), number("max_requests", tr("no limit"))},
        {tr("Idle for, at most"), idle < 0    ? tr("the pool's")
                                  : idle == 0 ? tr("for ever")
                                              : QLocale().toString(idle) + ' ' + tr("s")},
        {tr("Memory per process"), memory == 0 ? tr("no limit") : format.size(memory << 20)}};
    if (concurrency > 0) facts.push_back({tr("Requests at once per process"), format.number(concurrency)});
    facts.push_back(
        {tr("Queue"), group->limits.value("queue") == "private" ? tr("least busy first") : tr("one for all")});
    facts_->set(std::move(facts));
}

void LimitsPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current()(Token::Bg1));
    paint::hairline(painter, QPointF(0, 0), QPointF(0, height()), Theme::current()(Token::Line));
}

} // namespace yard::ui
