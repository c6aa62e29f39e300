#include "ui/pages/actions/compare_tab.h"

#include "core/base/clock.h"
#include "ui/widgets/table.h"

#include <QJsonDocument>
#include <QSplitter>

namespace yard::ui {

namespace {

std::vector<Column> compareColumns() {
    using enum CellKind;
    return {
        {.id = "what",
         .title = CompareTab::tr("What"),
         .tip = CompareTab::tr("What is compared"),
         .kind = Text,
         .width = 120},
        {.id = "this",
         .title = CompareTab::tr("This one"),
         .tip = CompareTab::tr("The action of this panel"),
         .kind = Name,
         .width = 130,
         .stretches = true},
        {.id = "other",
         .title = CompareTab::tr("Last good one"),
         .tip = CompareTab::tr("The newest that completed, of the same worker, function and label"),
         .kind = Name,
         .width = 130},
        {.id = "differs",
         .title = CompareTab::tr("Differs"),
         .tip = CompareTab::tr("Whether they differ"),
         .kind = Text,
         .width = 72},
    };
}

QString shown(const QJsonValue& value) {
    if (value.isUndefined()) return {};
    if (value.isObject()) return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray()) return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    return value.toVariant().toString();
}

} // namespace

CompareTab::CompareTab(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , table_(new Table({}))
    , rows_(new RowsModel(compareColumns(), this))
    , left_(new Panel(tr("This one"), false))
    , right_(new Panel(tr("Last good one"), false))
    , leftLog_(new LogView)
    , rightLog_(new LogView) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    table_->setRows(rows_);
    table_->setAccessibleName(tr("What differs"));
    table_->setMinimumWidth(scaled(440)); // all of its columns
    left_->setBody(leftLog_);
    right_->setBody(rightLog_);
    auto* logs = new QSplitter(Qt::Horizontal);
    logs->addWidget(left_);
    logs->addWidget(right_);
    auto* split = new QSplitter(Qt::Horizontal);
    split->addWidget(table_);
    split->addWidget(logs);
    split->setSizes({500, 700});
    column->addWidget(split);
}

CompareTab::~CompareTab() = default;

void CompareTab::clear() {
    for (auto& stream : streams_) stream.reset();
    action_ = other_ = {};
    leftLog_->clear();
    rightLog_->clear();
    rows_->setRows({});
}

void CompareTab::show(const QJsonObject& action, const QJsonObject& spec) {
    const ActionRow row = actionRowOf(action);
    if (row.lsn == action_.lsn && row.face == action_.face && other_.lsn != 0) {
        spec_ = spec; // it may come after the action
        return fill();
    }
    clear();
    action_ = row;
    spec_ = spec;
    fill();
    fetch(leftLog_, action_.lsn, 0);
    findOther();
}

void CompareTab::findOther() {
    const QString filter = "state:completed " + action_.kindFilter();
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("q", QUrl::toPercentEncoding(filter));
    request.query.addQueryItem("limit", "2");
    sendList(context_.link, request, this, [this, lsn = action_.lsn](const Answer& answer) {
        if (lsn != action_.lsn) return;
        for (const QJsonValue job : answer.json.value("jobs").toArray())
            if (job.toObject().value("lsn").toInteger() != lsn) return takeOther(job.toObject());
        right_->setNote(answer.ok() ? tr("none has completed yet") : answer.message);
    });
}

void CompareTab::takeOther(const QJsonObject& other) {
    other_ = actionRowOf(other);
    right_->setNote(Format().number(other_.lsn));
    fetch(rightLog_, other_.lsn, 2);
    context_.link.send({"GET", QStringLiteral("jobs/%1/spec").arg(other_.lsn), QUrlQuery("element=1"), {}, {}},
                       this, [this, lsn = other_.lsn](const Answer& answer) {
                           if (lsn != other_.lsn) return;
                           otherSpec_ = answer.ok() ? answer.json : QJsonObject();
                           fill();
                       });
    fill();
}

void CompareTab::fill() {
    const Format format;
    const qint64 now = wallNow();
    const bool both = other_.lsn != 0;
    std::vector<Row> rows;
    const auto add = [&](const QString& what, const QString& mine, const QString& theirs, bool measured = false) {
        const bool differs = both && mine != theirs;
        Row row;
        row.id = static_cast<qint64>(rows.size()) + 1;
        row.cells = {{what, {}, {}, {}, Cell::Tone::Dim},
                     {mine.isEmpty() ? Format::unknown() : mine},
                     {!both || theirs.isEmpty() ? Format::unknown() : theirs},
                     {!both     ? QString()
                      : differs ? tr("differs")
                                : tr("same"),
                      {},
                      {},
                      {},
                      differs && !measured ? Cell::Tone::Alert : Cell::Tone::Faint}};
        rows.push_back(std::move(row));
    };
    const auto memory = [&](const ActionRow& row) {
        return row.measures[Measure::PeakMemory] ? format.size(*row.measures[Measure::PeakMemory]) : QString();
    };
    add(tr("Action"), format.number(action_.lsn), format.number(other_.lsn), true);
    add(tr("State"), wordOf(action_.face), wordOf(other_.face));
    add(tr("Exit code"), action_.exitCode ? QString::number(*action_.exitCode) : QString(),
        other_.exitCode ? QString::number(*other_.exitCode) : QString());
    add(tr("Started"), action_.started == 0 ? QString() : format.time(action_.started, now),
        other_.started == 0 ? QString() : format.time(other_.started, now), true);
    add(tr("Ran"), format.duration(action_.ran(now)), format.duration(other_.ran(now)), true);
    add(tr("Peak memory"), memory(action_), memory(other_), true);
    add(tr("Worker"), action_.workerId, other_.workerId);
    for (const char* key : {"argv", "args", "cwd", "env", "resources", "deadline_s", "locks"}) {
        const QString mine = shown(spec_.value(QLatin1String(key)));
        const QString theirs = shown(otherSpec_.value(QLatin1String(key)));
        if (!mine.isEmpty() || !theirs.isEmpty()) add(QLatin1String(key), mine, theirs);
    }
    const QJsonObject mine = spec_.value("inputs").toObject();
    const QJsonObject theirs = otherSpec_.value("inputs").toObject();
    QStringList names = mine.keys();
    for (const QString& name : theirs.keys())
        if (!names.contains(name)) names << name;
    for (const QString& name : names)
        add(tr("input %1").arg(name), shown(mine.value(name)), shown(theirs.value(name)));
    rows_->setRows(std::move(rows));
}

void CompareTab::fetch(LogView* view, qint64 lsn, std::size_t slot) {
    view->setMessage(tr("It wrote nothing."));
    for (const auto stream : {LogStream::Out, LogStream::Err}) {
        const QString name = stream == LogStream::Out ? "stdout" : "stderr";
        streams_[slot++] = context_.link.stream(
            {"GET", QStringLiteral("jobs/%1/%2").arg(lsn).arg(name), {}, {}, {}},
            [view, stream](const QByteArray& bytes) { view->append(stream, bytes); },
            [view, stream](const Answer&) { view->finish(stream); });
    }
}

} // namespace yard::ui
