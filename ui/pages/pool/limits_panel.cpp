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
    addField(rows, {"max", tr("Processes, at most"), tr("by capacity")});
    addField(rows, {"max_per_group", tr("Processes of a worker, at most"), tr("no limit")});
    addField(rows, {"max_idle_s", tr("Idle for, at most"), tr("forever"), tr("s")});
    pool->setBody(body);
    column->addWidget(pool);
    group_->addToHead(new Label(tr("from its descriptor"), Type::Body, Token::Text3));
    group_->setBody(facts_);
    group_->hide();
    column->addWidget(group_);
    column->addStretch(1);
}

void LimitsPanel::addField(QVBoxLayout* rows, const ValueField::Words& words) {
    auto* field = new ValueField(words, [this, name = words.name](double value) { return apply(name, value); });
    fields_.push_back(field);
    rows->addWidget(field);
}

ValueField* LimitsPanel::field(const QString& name) const {
    const auto found = std::ranges::find(fields_, name, &ValueField::name);
    return found == fields_.end() ? nullptr : *found;
}

QString LimitsPanel::apply(const QString& name, double value) {
    if (const QString why = context_.state.whyBlocked(); !why.isEmpty()) return why;
    context_.commands.run(operations::configurePool({{name, value}}), this, [this, name](const Answer& answer) {
        field(name)->setProblem(answer.message);
        if (answer.ok()) emit changed();
    });
    return {};
}

void LimitsPanel::show(const PoolView& pool, const PoolGroup* group) {
    for (ValueField* field : fields_) field->setValue(pool.json.value(field->name()));
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
                                  : idle == 0 ? tr("forever")
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
