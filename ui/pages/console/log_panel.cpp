#include "ui/pages/console/log_panel.h"

#include "core/base/clock.h"
#include "ui/style/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/table.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace yard::ui {

namespace {

struct LogWords {
    Q_DECLARE_TR_FUNCTIONS(LogWords)
};

constexpr int kFollowMs = 1'000;
constexpr std::size_t kMostLines = 1'000;
constexpr QLatin1StringView kAsAll("default"); // of an area: follows the level of all again

QString levelWord(const QString& level) {
    if (level == "debug") return LogWords::tr("debug");
    if (level == "info") return LogWords::tr("info");
    if (level == "warning") return LogWords::tr("warning");
    if (level == "error") return LogWords::tr("error");
    return level;
}

std::vector<Column> lineColumns() {
    return {
        {.id = "time",
         .title = LogWords::tr("Time"),
         .tip = LogWords::tr("When it was written"),
         .kind = CellKind::Number,
         .width = 104},
        {.id = "level", .title = LogWords::tr("Level"), .tip = LogWords::tr("How grave it is"), .width = 70},
        {.id = "area",
         .title = LogWords::tr("Area"),
         .tip = LogWords::tr("Part of the engine"),
         .width = 90,
         .falls = 1},
        {.id = "text",
         .title = LogWords::tr("Line"),
         .tip = LogWords::tr("What was written"),
         .kind = CellKind::Mono,
         .width = 160,
         .stretches = true},
    };
}

Row lineRow(const QJsonObject& line, WallMicros now) {
    const QString level = line["level"].toString();
    Cell word{levelWord(level)};
    if (level == "error" || level == "warning") word.tone = Cell::Tone::Alert;
    if (level == "debug") word.tone = Cell::Tone::Dim;
    Cell text{line["text"].toString()};
    text.tip = text.text;
    Row row;
    row.id = line["number"].toInteger();
    row.cells = {Cell{Format().time(line["time"].toInteger(), now)}, word, Cell{line["area"].toString()}, text};
    return row;
}

} // namespace

LogPanel::LogPanel(EngineLink& link, QWidget* parent)
    : QWidget(parent)
    , link_(link)
    , areas_(new QComboBox)
    , levels_(new QComboBox)
    , filter_(new FilterField(tr("Lines with a text"), false))
    , follow_(new Button(Button::Kind::Small, tr("Follow"), "follow"))
    , poll_(link, kFollowMs, [this] { return request(); }, [this](const Answer& answer) { take(answer.json); }) {
    areas_->setObjectName("log-area");
    areas_->setAccessibleName(tr("Area of the log"));
    areas_->addItem(tr("All areas"), QString());
    levels_->setObjectName("log-level");
    levels_->setAccessibleName(tr("Level from which on lines are written"));
    filter_->setAccessibleName(tr("Lines with a text"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 12, 4);
    for (QWidget* part : std::initializer_list<QWidget*>{areas_, levels_}) head->addWidget(part);
    head->addWidget(filter_, 1);
    head->addWidget(follow_);
    makeTable();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(table_, 1);
    connect(areas_, &QComboBox::activated, this, [this] {
        showLevel();
        applyFilter();
    });
    connect(levels_, &QComboBox::activated, this, &LogPanel::sendLevel);
    connect(filter_, &QLineEdit::textChanged, this, &LogPanel::applyFilter);
    connect(follow_, &QAbstractButton::clicked, this, [this] { setFollowing(!isFollowing_); });
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) { emit noted(message); });
    // Another run of the engine counts its lines from 1 again.
    connect(&link_, &EngineLink::stateChanged, this, [this] { next_ = 0; });
    follow_->setLit(true);
    showLevel();
}

void LogPanel::makeTable() {
    table_ = new Table("console-log");
    rows_ = new RowsModel(lineColumns(), table_);
    table_->setRows(rows_);
    table_->setAccessibleName(tr("Lines of the log"));
}

void LogPanel::setActive(bool active) {
    poll_.setActive(active);
    if (active) tellCount();
}

/// Once at least, so that there is something to see.
std::optional<Request> LogPanel::request() const {
    if (!isFollowing_ && next_ != 0) return std::nullopt;
    Request request{.path = QStringLiteral("inside/log")};
    request.query.addQueryItem("limit", QString::number(kMostLines));
    if (next_ != 0) request.query.addQueryItem("after", QString::number(next_));
    return request;
}

void LogPanel::take(const QJsonObject& json) {
    if (next_ == 0) lines_.clear();
    next_ = json["next"].toInteger();
    const WallMicros now = wallNow();
    std::vector<Row> all;
    for (const QJsonValue line : json["lines"].toArray()) all.push_back(lineRow(line.toObject(), now));
    std::ranges::reverse(all);
    const bool hasNew = !all.empty();
    std::ranges::move(lines_, std::back_inserter(all));
    if (all.size() > kMostLines) all.resize(kMostLines);
    lines_ = std::move(all);
    if (hasNew) rows_->setRows(lines_);
    takeLevels(json);
    tellCount();
}

/// What is being chosen just now stays as it is.
void LogPanel::takeLevels(const QJsonObject& json) {
    if (!json.contains("level")) return;
    known_ = json;
    known_.remove("lines");
    const QJsonArray areas = json["areas"].toArray();
    if (areas_->count() != areas.size() + 1 && !areas_->view()->isVisible()) {
        const QSignalBlocker quiet(areas_);
        const QString chosen = areas_->currentData().toString();
        areas_->clear();
        areas_->addItem(tr("All areas"), QString());
        for (const QJsonValue area : areas) areas_->addItem(area["name"].toString(), area["name"].toString());
        areas_->setCurrentIndex(std::max(0, areas_->findData(chosen)));
    }
    if (!levels_->hasFocus() && !levels_->view()->isVisible()) showLevel(); // an open list has the focus itself
}

/// Of the area that is chosen; one without a level of its own has that of all.
void LogPanel::showLevel() {
    const QString area = areas_->currentData().toString();
    QString level = area.isEmpty() ? known_.value("level").toString() : QString(kAsAll);
    for (const QJsonValue each : known_.value("areas").toArray())
        if (!area.isEmpty() && each["name"].toString() == area) level = each["level"].toString(QString(kAsAll));
    const QSignalBlocker quiet(levels_);
    levels_->clear();
    if (!area.isEmpty()) levels_->addItem(tr("as all areas"), QString(kAsAll));
    for (const char* word : {"debug", "info", "warning", "error"}) levels_->addItem(levelWord(word), QString(word));
    levels_->setCurrentIndex(levels_->findData(level));
}

void LogPanel::sendLevel() {
    QJsonObject body{{"level", levels_->currentData().toString()}};
    if (const QString area = areas_->currentData().toString(); !area.isEmpty()) body["area"] = area;
    const Request request{.method = "PATCH",
                          .path = QStringLiteral("inside/log"),
                          .body = QJsonDocument(body).toJson(QJsonDocument::Compact)};
    link_.send(request, this, [this](const Answer& answer) {
        if (!answer.ok()) emit noted(answer.message);
        if (answer.ok()) known_ = answer.json;
        showLevel(); // as it is now, also where it was refused
    });
}

void LogPanel::setFollowing(bool on) {
    isFollowing_ = on;
    follow_->setLit(on);
    poll_.now();
}

void LogPanel::applyFilter() {
    const QString text = filter_->text();
    const QString area = areas_->currentData().toString();
    rows_->setFilter([text, area](const Row& row) {
        return (area.isEmpty() || row.cells[2].text == area) &&
               (text.isEmpty() || row.cells[3].text.contains(text, Qt::CaseInsensitive));
    });
    tellCount();
}

void LogPanel::tellCount() {
    if (next_ == 0) return;
    const int shown = rows_->rowCount();
    emit noted(shown == static_cast<int>(lines_.size())
                   ? tr("%Ln line(s), the latest first", nullptr, shown)
                   : tr("%L1 of %L2 lines, the latest first").arg(shown).arg(lines_.size()));
}

} // namespace yard::ui
