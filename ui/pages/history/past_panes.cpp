#include "ui/pages/history/past_panes.h"

#include "ui/bridge/alert_operations.h"
#include "ui/bridge/history_operations.h"
#include "ui/pages/save_as.h"
#include "ui/state/action_row.h"
#include "ui/style/format.h"

#include <QAction>
#include <QBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMenu>

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kUsageLookMs = 60'000;
/// Of more than two days: millions of actions take the engine a while, and there is hardly anything new among them.
constexpr int kLongUsageLookMs = 600'000;
constexpr WallMicros kLongUsage = 2 * 24 * 3'600'000'000LL;
constexpr int kAlertLookMs = 10'000;
constexpr int kAuditLookMs = 30'000;
constexpr int kSilencePaneSeconds = 3'600;
constexpr qsizetype kMostPastIds = 50'000;
constexpr int kStripMargin = 16;

bool hasPart(const Row& row, const QString& part) {
    return part.isEmpty() || std::ranges::any_of(row.cells, [&](const Cell& cell) {
               return cell.text.contains(part, Qt::CaseInsensitive);
           });
}

/// The audit has all of a request. Of what is long the middle is cut out, which JSON may survive; a body that may have
/// secrets is left out, and those of changes are never empty.
bool isKeptWhole(const QString& method, const QString& path, const QString& body) {
    constexpr QChar kCut(0x2026);
    if (path.contains(kCut) || body.contains(kCut)) return false;
    if (body.isEmpty()) return method != "PATCH" && method != "PUT";
    const QJsonDocument json = QJsonDocument::fromJson(body.toUtf8());
    return json.isObject() || json.isArray();
}

/// A cell of a table for spreadsheets; what one of them would take for a formula is none.
QByteArray pastCsvCell(const QString& text) {
    QString cell = text;
    if (!cell.isEmpty() && QStringLiteral("=+-@\t\r").contains(cell.front())) cell.prepend('\'');
    return '"' + cell.replace('"', QStringLiteral("\"\"")).toUtf8() + '"';
}

} // namespace

PastPane::PastPane(Context context, const QString& key, const QString& name, std::vector<Column> columns,
                   int everyMs)
    : context_(context)
    , strip_(new QHBoxLayout)
    , line_(new Label({}, Type::Body, Token::Text2))
    , rows_(new RowsModel(std::move(columns), this))
    , table_(new Table(key))
    , poll_(
          context.link, everyMs, [this] { return request(); },
          [this](const Answer& answer) { take(answer.json); }) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    strip_->setContentsMargins(scaled(kStripMargin), 6, scaled(kStripMargin), 6);
    line_->setElides(true);
    strip_->addWidget(line_, 1);
    column->addLayout(strip_);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(name);
    column->addWidget(table_, 1);
    setFocusProxy(table_);
    connect(table_, &Table::opened, this, [this](qint64 id) { openRow(id); });
    connect(table_, &Table::menuWanted, this, &PastPane::menuWanted);
    connect(table_, &Table::selectionEdited, this, [this] { onSelection(); });
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) {
        if (!told_) table_->setMessage(message);
    });
}

void PastPane::setPart(const QString& part) {
    part_ = part.trimmed();
    filterRows();
}

void PastPane::refresh() {
    rows_->takeWaiting();
    poll_.now();
}

qint64 PastPane::rowIdOf(const QString& key) {
    if (rowIds_.size() > kMostPastIds) rowIds_.clear();
    qint64& id = rowIds_[key];
    if (id == 0) id = ++lastRowId_;
    return id;
}

// --- usage

UsagePane::UsagePane(Context context)
    : PastPane(context, "usage", tr("What work used"), usageColumns(), kUsageLookMs)
    , byButton_(new Button(Button::Kind::Plain, usageKindTitle("queue"), {})) {
    auto* kinds = new QMenu(this);
    for (const char* by : usageKinds()) kinds->addAction(usageKindTitle(by), this, [this, by] { setBy(by); });
    byButton_->setMenu(kinds);
    strip()->insertWidget(0, byButton_);
    auto* save = new Button(Button::Kind::Link, tr("CSV…"), {});
    strip()->addWidget(save);
    connect(save, &QAbstractButton::clicked, this,
            [this] { saveAs(this, context_.window, tr("Save as a table"), toldBy_ + ".csv", csv()); });
}

void UsagePane::setBy(const QString& by) {
    if (by == by_) return;
    by_ = by;
    byButton_->setText(usageKindTitle(by));
    poll_.forget();
    poll_.now();
}

std::optional<Request> UsagePane::request() {
    askedBy_ = by_;
    const qint64 from = since();
    poll_.setEvery(wallNow() - from > kLongUsage ? kLongUsageLookMs : kUsageLookMs);
    return operations::lookAtUsage(by_, from).request;
}

Operation UsagePane::asOperation() const {
    return operations::lookAtUsage(by_, since());
}

QString UsagePane::nameOf(const QString& key) const {
    if (key == QStringLiteral("…other")) return tr("all others");
    if (key.isEmpty()) return tr("no label");
    bool isNumber = false;
    const qint64 id = key.toLongLong(&isNumber);
    if (toldBy_ == "queue" && isNumber && context_.state.queue(id) != nullptr) return context_.state.queueName(id);
    return toldBy_ == "queue" ? tr("queue %1").arg(unturned(key)) : unturned(key);
}

void UsagePane::take(const QJsonObject& json) {
    told_ = true;
    toldBy_ = askedBy_;
    usage_ = usageOf(json);
    sum_ = usageSum(json);
    refill();
}

void UsagePane::refill() {
    std::vector<Row> rows;
    for (const UsageInfo& usage : usage_)
        rows.push_back(usageRow(usage, rowIdOf(toldBy_ + '\n' + usage.key), sum_.coreSeconds, nameOf(usage.key)));
    line_->setText(usage_.empty() && sum_.retired == 0 ? QString() : usageWords(sum_));
    rows_->setRows(std::move(rows));
    filterRows();
}

void UsagePane::filterRows() {
    rows_->setFilter(
        [part = part_](const Row& row) { return row.cells[0].text.contains(part, Qt::CaseInsensitive); });
    if (!told_) return;
    table_->setMessage(rows_->rowCount() > 0 ? QString()
                       : usage_.empty()      ? tr("Nothing ran in this time")
                                             : tr("No row has this in its name"));
}

void UsagePane::openRow(qint64 id) {
    const auto found =
        std::ranges::find_if(usage_, [&](const UsageInfo& one) { return rowIdOf(toldBy_ + '\n' + one.key) == id; });
    if (found == usage_.end() || found->key == QStringLiteral("…other")) return;
    // Of the other kinds no filter of actions says the same.
    if (toldBy_ == "queue")
        context_.navigator.show("actions", "queue:" + found->key);
    else if (toldBy_ == "worker" || toldBy_ == "machine")
        context_.navigator.show("actions", toldBy_ + ':' + filterQuoted(found->key));
}

QByteArray UsagePane::csv() const {
    QByteArray text =
        toldBy_.toLatin1() + ",actions,core_seconds,wasted_core_seconds,memory_gb_hours,wait_seconds\r\n";
    const auto figure = [](double value) { return ',' + QByteArray::number(value, 'g', 12); };
    for (const UsageInfo& one : usage_) {
        const QString name = nameOf(one.key);
        if (!name.contains(part_, Qt::CaseInsensitive)) continue;
        text += pastCsvCell(name) + ',' + QByteArray::number(one.actions) + figure(one.coreSeconds) +
                figure(one.wastedSeconds) + figure(one.memoryGbHours) + figure(one.waitSeconds) + "\r\n";
    }
    return text;
}

// --- alerts

AlertsPane::AlertsPane(Context context)
    : PastPane(context, "alert-rules", tr("Rules of alerts"), alertColumns(), kAlertLookMs)
    , silence_(new QAction(tr("Silence for 1 h"), this)) {
    auto* rules = new Button(Button::Kind::Plain, tr("Alert rules…"), "bell");
    strip()->addWidget(rules);
    connect(rules, &QAbstractButton::clicked, this, [this] { context_.navigator.openAlerts(); });
    connect(silence_, &QAction::triggered, this, &AlertsPane::silence);
    connect(&context_.state, &EngineState::alertsTold, this, [this] { poll_.now(); });
    onSelection();
}

std::optional<Request> AlertsPane::request() {
    return operations::lookAtAlerts();
}

Operation AlertsPane::asOperation() const {
    return {tr("List alerts"), operations::lookAtAlerts(), "yardctl alerts"};
}

void AlertsPane::openRow(qint64) {
    context_.navigator.openAlerts();
}

void AlertsPane::take(const QJsonObject& json) {
    told_ = true;
    rules_.clear();
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    qint64 firing = 0;
    for (const QJsonValue value : json.value("alerts").toArray()) {
        rules_.push_back(value.toObject());
        const QJsonObject& rule = rules_.back();
        rows.push_back(alertRow(rule, rowIdOf(rule.value("name").toString()), now));
        firing += rule.value("state").toString() == "firing" ? 1 : 0;
    }
    line_->setText(rules_.empty()
                       ? QString()
                       : tr("%Ln rule(s)", nullptr, pluralCount(std::ssize(rules_))) +
                             (firing > 0 ? ", " + tr("%Ln firing", nullptr, pluralCount(firing)) : QString()));
    emit noteChanged(firing > 0 ? tr("%Ln firing", nullptr, pluralCount(firing)) : QString());
    rows_->setRows(std::move(rows));
    filterRows();
    onSelection();
}

void AlertsPane::filterRows() {
    rows_->setFilter([part = part_](const Row& row) { return hasPart(row, part); });
    if (!told_) return;
    table_->setMessage(rows_->rowCount() > 0 ? QString()
                       : rules_.empty()      ? tr("No rule says what is told to whom")
                                             : tr("No rule has this in its row"));
}

QJsonObject AlertsPane::selected() const {
    const auto ids = table_->selectedIds();
    if (ids.empty()) return {};
    const int at = rows_->rowOf(ids.front());
    const Row* row = at < 0 ? nullptr : rows_->row(at);
    if (row == nullptr) return {};
    const auto found = std::ranges::find_if(rules_, [&](const QJsonObject& rule) {
        return unturned(rule.value("name").toString()) == row->cells[0].text;
    });
    return found == rules_.end() ? QJsonObject() : *found;
}

void AlertsPane::onSelection() {
    const QJsonObject rule = selected();
    setBlocked(silence_, rule.isEmpty() ? tr("Select a rule first") : QString());
    silence_->setText(rule.value("state").toString() == "silenced" ? tr("End the silence") : tr("Silence for 1 h"));
}

void AlertsPane::silence() {
    const QJsonObject rule = selected();
    if (rule.isEmpty()) return;
    const int seconds = rule.value("state").toString() == "silenced" ? 0 : kSilencePaneSeconds;
    context_.commands.run(operations::silenceAlert(rule.value("name").toString(), seconds), this,
                          [this](const Answer& answer) {
                              if (!answer.ok()) context_.window.say(answer.message, true);
                              poll_.now();
                          });
}

// --- audit

AuditPane::AuditPane(Context context)
    : PastPane(context, "audit", tr("Who changed what"), auditColumns(), kAuditLookMs) {}

std::optional<Request> AuditPane::request() {
    askedSince_ = since();
    return operations::lookAtAudit(askedSince_, {}).request;
}

Operation AuditPane::asOperation() const {
    return operations::lookAtAudit(since(), part_);
}

void AuditPane::take(const QJsonObject& json) {
    ++question_;
    coming_.clear();
    dropped_ = json.value("dropped").toInteger();
    takePage(json, 1);
}

/// The first page with something in it is shown at once, all of them when they are here. A page is of some days, and may have
/// nothing.
void AuditPane::takePage(const QJsonObject& json, int page) {
    for (const QJsonValue value : json.value("entries").toArray()) coming_.push_back(value.toObject());
    const QString cursor = json.value("cursor").toString();
    const bool goesOn = !cursor.isEmpty() && page < kMostPages && coming_.size() < kMostEntries;
    if (goesOn) askMore(cursor, page + 1);
    if (goesOn && (told_ || coming_.empty())) return;
    entries_ = coming_;
    told_ = true;
    refill(cursor.isEmpty());
}

void AuditPane::askMore(const QString& cursor, int page) {
    context_.link.send(operations::lookAtAudit(askedSince_, {}, cursor).request, this,
                       [this, page, question = question_](const Answer& answer) {
                           if (question != question_) return;
                           if (answer.ok())
                               takePage(answer.json, page);
                           else if (!told_)
                               table_->setMessage(answer.message);
                       });
}

void AuditPane::refill(bool isWhole) {
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    QHash<QString, int> same; ///< of entries that are alike in all: which of them
    for (const QJsonObject& entry : entries_) {
        const QString key = QString::number(entry.value("t").toInteger()) + entry.value("path").toString();
        rows.push_back(auditRow(entry, rowIdOf(key + '\n' + QString::number(same[key]++)), now));
    }
    QString words = tr("%Ln change(s), the latest first", nullptr, pluralCount(std::ssize(rows)));
    if (!isWhole) words += tr("; there are older ones");
    if (dropped_ > 0) words += tr("; %Ln could not be kept", nullptr, pluralCount(dropped_));
    line_->setText(rows.empty() && dropped_ == 0 ? QString() : words);
    rows_->setRows(std::move(rows));
    filterRows();
}

void AuditPane::filterRows() {
    rows_->setFilter([part = part_](const Row& row) { return hasPart(row, part); });
    if (!told_) return;
    table_->setMessage(rows_->rowCount() > 0 ? QString()
                       : entries_.empty()    ? tr("Nothing was changed in this time")
                                             : tr("No change has this in its row"));
}

/// Into the clipboard, as what it was: for curl, or in words where not all of it was kept.
void AuditPane::openRow(qint64 id) {
    const int at = rows_->rowOf(id);
    const Row* row = at < 0 ? nullptr : rows_->row(at);
    if (row == nullptr) return;
    const auto found = std::ranges::find_if(entries_, [&](const QJsonObject& entry) {
        return entry.value("t").toInteger() == row->keys[0].toLongLong() &&
               row->cells[3].text.startsWith(
                   unturned(entry.value("method").toString() + ' ' + entry.value("path").toString()));
    });
    if (found == entries_.end()) return;
    const QString body = found->value("body").toString();
    const QString method = found->value("method").toString();
    const QString path = found->value("path").toString();
    if (!isKeptWhole(method, path, body)) return copyText(context_.window, row->cells[3].text);
    copyText(context_.window, context_.link.curl(operations::askedAgain(method, path, body).request));
}

} // namespace yard::ui
