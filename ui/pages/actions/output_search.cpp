#include "ui/pages/actions/output_search.h"

#include "ui/style/format.h"
#include "ui/widgets/table.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QJsonDocument>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

/// An object of the answer has a few KiB.
constexpr qsizetype kMostSearchLine = 1 << 20;

struct SearchWords {
    Q_DECLARE_TR_FUNCTIONS(OutputSearch)
};

std::vector<Column> foundColumns() {
    return {
        {.id = "action",
         .title = SearchWords::tr("Action"),
         .tip = SearchWords::tr("Its number (LSN)"),
         .kind = CellKind::Link,
         .width = 88},
        {.id = "what",
         .title = SearchWords::tr("What"),
         .tip = SearchWords::tr("Its label, else its command or function"),
         .kind = CellKind::Name,
         .width = 160,
         .falls = 2},
        {.id = "stream",
         .title = SearchWords::tr("Stream"),
         .tip = SearchWords::tr("stdout or stderr"),
         .kind = CellKind::Text,
         .width = 72,
         .falls = 1},
        {.id = "line",
         .title = SearchWords::tr("Line"),
         .tip = SearchWords::tr("Number of the line in its stream"),
         .kind = CellKind::Number,
         .width = 72},
        {.id = "text",
         .title = SearchWords::tr("Text"),
         .tip = SearchWords::tr("The line, or what of a long one is around the text"),
         .kind = CellKind::Mono,
         .width = 200,
         .stretches = true},
    };
}

/// Without escapes, and with nothing that tricks who reads it.
QString shownLine(const QString& text) {
    LogStyle style;
    return parseLogLine(text.toUtf8(), style).text.trimmed();
}

} // namespace

OutputSearch::OutputSearch(Context context, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , field_(new QLineEdit)
    , exactCase_(new QCheckBox(tr("Capitals count")))
    , act_(new Button(Button::Kind::Primary, tr("Search"), "search"))
    , whereText_(new Label({}, Type::Body, Token::Text2))
    , stateText_(new Label({}, Type::Body, Token::Text3))
    , table_(new Table("output-search"))
    , model_(new RowsModel(foundColumns(), this)) {
    setObjectName("output-search");
    setWindowTitle(tr("Search in output"));
    resize(scaled(900), scaled(520));
    build();
    showState();
    connect(field_, &QLineEdit::returnPressed, this, &OutputSearch::start);
    connect(act_, &QAbstractButton::clicked, this, [this] { isSearching() ? stop() : start(); });
    const auto open = [this](qint64 row) {
        if (row < 1 || row > static_cast<qint64>(found_.size())) return;
        const Found& line = found_[static_cast<std::size_t>(row - 1)];
        emit opened(line.lsn, line.stream, line.line, text_);
    };
    connect(table_, &Table::opened, this, open);
    connect(table_, &Table::linkClicked, this, [open](qint64 row, int) { open(row); });
}

OutputSearch::~OutputSearch() = default;

void OutputSearch::build() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    field_->setPlaceholderText(tr("Text of a line"));
    field_->setAccessibleName(tr("Text to look for"));
    field_->setMaxLength(256);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(field_, 1);
    row->addWidget(exactCase_);
    row->addWidget(act_);
    column->addLayout(row);
    whereText_->setElides(true);
    column->addWidget(whereText_);
    table_->setRows(model_);
    table_->setAccessibleName(tr("Lines that were found"));
    column->addWidget(table_, 1);
    stateText_->setElides(true);
    column->addWidget(stateText_);
}

void OutputSearch::searchIn(const Target& where) {
    const bool isOther = where.lsns != where_.lsns || where.filter != where_.filter;
    where_ = where;
    if (!where.lsns.empty())
        whereText_->setText(tr("In %Ln selected action(s)", nullptr, static_cast<int>(where.lsns.size())));
    else
        whereText_->setText(where.filter.isEmpty() ? tr("In all actions")
                                                   : tr("In all that match %1").arg(where.filter));
    if (isOther) {
        forget();
        showState();
    }
    show();
    raise();
    activateWindow();
    field_->setFocus();
    field_->selectAll();
}

void OutputSearch::forget() {
    search_.reset();
    rest_.clear();
    rows_.clear();
    found_.clear();
    state_ = {};
    problem_.clear();
    isStopped_ = false;
    table_->clearSelection(); // rows stand still while one is selected
    model_->setRows({});
    model_->takeWaiting();
}

void OutputSearch::start() {
    if (field_->text().isEmpty()) return;
    text_ = field_->text();
    forget();
    const Request request = operations::searchOutputs(where_, text_, exactCase_->isChecked()).request;
    search_ = context_.link.stream(
        request, [this](const QByteArray& bytes) { take(bytes); }, [this](const Answer& answer) { ended(answer); });
    showState();
}

void OutputSearch::stop() {
    isStopped_ = std::exchange(search_, nullptr) != nullptr;
    showState();
}

void OutputSearch::take(const QByteArray& bytes) {
    rest_ += bytes;
    qsizetype begin = 0;
    for (qsizetype end = 0; (end = rest_.indexOf('\n', begin)) >= 0; begin = end + 1)
        takeLine(QJsonDocument::fromJson(rest_.mid(begin, end - begin)).object());
    rest_.remove(0, begin);
    if (rest_.size() > kMostSearchLine) rest_.clear(); // no engine sends that
    model_->setRows(rows_);
    if (model_->waiting() > 0) model_->takeWaiting(); // they come at the end, and move none
    showState();
}

void OutputSearch::takeLine(const QJsonObject& line) {
    if (line.contains("actions")) state_ = line;
    if (!line.contains("text")) return;
    const Found found{line.value("lsn").toInteger(),
                      line.value("stream") == QLatin1String("stderr") ? LogStream::Err : LogStream::Out,
                      line.value("line").toInteger()};
    const Format format;
    Row row;
    row.id = static_cast<qint64>(rows_.size()) + 1;
    row.cells = {{format.number(found.lsn)},
                 {line.value("name").toString()},
                 {line.value("stream").toString(), {}, {}, {}, Cell::Tone::Dim},
                 {format.number(found.line)},
                 {shownLine(line.value("text").toString())}};
    rows_.push_back(std::move(row));
    found_.push_back(found);
}

void OutputSearch::ended(const Answer& answer) {
    problem_ = answer.ok() ? QString() : answer.message;
    // Not from within its own call.
    if (QObject* last = search_.release(); last != nullptr) last->deleteLater();
    showState();
}

void OutputSearch::showState() {
    act_->setText(isSearching() ? tr("Stop") : tr("Search"));
    act_->setIconName(isSearching() ? "close" : "search");
    const Format format;
    const auto lines = static_cast<int>(found_.size());
    QString text = tr("%Ln line(s)", nullptr, lines);
    if (const qint64 actions = state_.value("actions").toInteger(); actions > 0)
        text += tr(", %1 searched, %2 read")
                    .arg(format.number(actions), format.size(state_.value("bytes").toInteger()));
    if (!problem_.isEmpty())
        text = problem_;
    else if (isSearching())
        text += tr(", searching…");
    else if (isStopped_)
        text += tr(", stopped");
    else if (state_.isEmpty())
        text = tr("Enter searches; Enter on a line opens its action there");
    else if (!state_.value("whole").toBool(true))
        text += tr("; there may be more");
    stateText_->setText(text);
    stateText_->setInk(problem_.isEmpty() ? std::nullopt : std::optional(DisplayState::Failed));
    table_->setMessage(!rows_.empty() || isSearching() || state_.isEmpty() ? QString()
                                                                           : tr("No line has this text"));
}

/// Nobody looks at what would be found.
void OutputSearch::hideEvent(QHideEvent* event) {
    QDialog::hideEvent(event);
    if (isSearching()) stop();
}

} // namespace yard::ui
