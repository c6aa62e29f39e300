#include "ui/pages/actions/compare_tab.h"

#include "core/base/clock.h"
#include "ui/log/diff_view.h"
#include "ui/pages/actions/compare_values.h"
#include "ui/pages/actions/state_history.h"
#include "ui/state/chunk_upload.h"
#include "ui/widgets/table.h"

#include <QCheckBox>
#include <QJsonArray>
#include <QSettings>
#include <QSplitter>

#include <algorithm>

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
         .kind = Text,
         .width = 130,
         .stretches = true},
        {.id = "other",
         .title = CompareTab::tr("Last good one"),
         .tip = CompareTab::tr("The newest that completed, of the same worker, function and label"),
         .kind = Text,
         .width = 130},
        {.id = "differs",
         .title = CompareTab::tr("Differs"),
         .tip = CompareTab::tr("Whether they differ"),
         .kind = Text,
         .width = 72},
    };
}

/// The end of it, as far as it is compared. `from`: how many lines are before.
std::vector<QString> comparedLines(const LogText& text, std::size_t& from) {
    const std::size_t skipped = text.size() > kMostDiffLines ? text.size() - kMostDiffLines : 0;
    from = text.dropped() + skipped;
    std::vector<QString> lines;
    lines.reserve(text.size() - skipped);
    for (std::size_t i = skipped; i < text.size(); ++i) lines.push_back(text.line(i).text);
    return lines;
}

DiffPart diffPart(const QString& title, const LogText& left, const LogText& right) {
    DiffPart part;
    part.title = title;
    part.left = comparedLines(left, part.leftFrom);
    part.right = comparedLines(right, part.rightFrom);
    part.diff = diffOf(part.left, part.right);
    return part;
}

} // namespace

CompareTab::CompareTab(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , history_(new StateHistory(context))
    , both_(new QSplitter(Qt::Vertical))
    , head_(new Label({}, Type::Body, Token::Text2))
    , only_(new QCheckBox(tr("Only differences")))
    , table_(new Table({}))
    , rows_(new RowsModel(compareColumns(), this))
    , diff_(new DiffView) {
    auto* comparison = new QWidget;
    auto* column = new QVBoxLayout(comparison);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(16, 4, 12, 4);
    head_->setElides(true);
    head->addWidget(head_, 1);
    head->addWidget(only_);
    column->addLayout(head);
    table_->setRows(rows_);
    table_->setAccessibleName(tr("What differs"));
    table_->setMinimumWidth(scaled(440)); // all of its columns
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(table_);
    split->addWidget(diff_);
    split->setSizes({500, 700});
    column->addWidget(split, 1);
    both_->setChildrenCollapsible(false);
    history_->setMinimumHeight(scaled(74)); // its head and two rows
    both_->addWidget(history_);
    both_->addWidget(comparison);
    both_->setStretchFactor(1, 1);
    both_->setSizes({scaled(124), scaled(300)});
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(both_);
    only_->setObjectName("only-differences");
    only_->setChecked(!QSettings().value("compare/all").toBool());
    diff_->setAll(!only_->isChecked());
    connect(only_, &QCheckBox::clicked, this, [this](bool only) {
        QSettings().setValue("compare/all", !only);
        diff_->setAll(!only);
        fill();
    });
}

CompareTab::~CompareTab() = default;

/// A low place has no height for both: there they stand beside each other, if it is wide.
void CompareTab::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    constexpr int kLow = 420;
    constexpr int kWideEnough = 860;
    const bool isBeside = height() < scaled(kLow) && width() >= scaled(kWideEnough);
    const auto fits = isBeside ? Qt::Horizontal : Qt::Vertical;
    if (fits == both_->orientation()) return;
    both_->setOrientation(fits);
    const int own = isBeside ? width() / 3 : scaled(124);
    both_->setSizes({own, (isBeside ? width() : height()) - own});
}

void CompareTab::clear() {
    clearComparison();
    history_->show({});
}

void CompareTab::clearComparison() {
    ++pair_;
    for (auto& stream : streams_) stream.reset();
    for (LogText& text : texts_) text.clear();
    ended_ = {};
    isBroken_ = false;
    action_ = other_ = {};
    spec_ = otherSpec_ = {};
    diff_->clear();
    diff_->setMessage({});
    head_->setText({});
    rows_->setRows({});
}

void CompareTab::show(const QJsonObject& action, const QJsonObject& spec) {
    const ActionRow row = actionRowOf(action);
    if (row.lsn == action_.lsn && row.face == action_.face && other_.lsn != 0 && !isBroken_) {
        spec_ = spec; // it may come after the action
        history_->show(action);
        return fill();
    }
    clearComparison();
    history_->show(action);
    action_ = row;
    spec_ = spec;
    fill();
    findOther();
}

void CompareTab::findOther() {
    const QString filter = "state:completed " + action_.kindFilter();
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("q", QUrl::toPercentEncoding(filter));
    request.query.addQueryItem("limit", "2");
    sendList(context_.link, request, this, [this, pair = pair_](const Answer& answer) {
        if (pair != pair_) return;
        for (const QJsonValue job : answer.json.value("jobs").toArray())
            if (job.toObject().value("lsn").toInteger() != action_.lsn) return takeOther(job.toObject());
        const QString none = answer.ok() ? tr("No other one like it has completed yet.") : answer.message;
        head_->setText(none);
        diff_->setMessage(none);
    });
}

void CompareTab::takeOther(const QJsonObject& other) {
    other_ = actionRowOf(other);
    diff_->setMessage(tr("Reading both outputs…"));
    fetch(action_.lsn, 0);
    fetch(other_.lsn, 2);
    context_.link.send({"GET", QStringLiteral("jobs/%1/spec").arg(other_.lsn), QUrlQuery("element=1"), {}, {}},
                       this, [this, pair = pair_](const Answer& answer) {
                           if (pair != pair_) return;
                           otherSpec_ = answer.ok() ? answer.json : QJsonObject();
                           isBroken_ = isBroken_ || answer.status == 0;
                           fill();
                       });
    fill();
}

/// Without differences only who they are is shown, and how they ended.
void CompareTab::fill() {
    const Format format;
    const qint64 now = wallNow();
    const bool both = other_.lsn != 0;
    int different = 0;
    std::vector<Row> rows;
    const auto add = [&](const QString& what, const QString& mine, const QString& theirs, bool always = false) {
        const bool differs = both && mine != theirs;
        if (!always && both && !differs && only_->isChecked()) return;
        const auto [left, right] = both ? aroundDifference(mine, theirs) : std::pair(mine, theirs);
        const auto cell = [](const QString& text, const QString& whole) {
            Cell made{text.isEmpty() ? Format::unknown() : text};
            if (text != whole) made.tip = whole;
            return made;
        };
        Row row;
        row.id = static_cast<qint64>(rows.size()) + 1;
        Cell word{!both ? QString() : differs ? tr("differs") : tr("same")};
        word.tone = differs ? Cell::Tone::Normal : Cell::Tone::Faint;
        Cell title{what};
        title.tone = Cell::Tone::Dim;
        row.cells = {title, cell(left, mine), both ? cell(right, theirs) : Cell{Format::unknown()}, word};
        rows.push_back(std::move(row));
    };
    const auto memory = [&](const ActionRow& row) {
        return row.measures[Measure::PeakMemory] ? format.size(*row.measures[Measure::PeakMemory]) : QString();
    };
    add(tr("Action"), format.number(action_.lsn), format.number(other_.lsn), true);
    add(tr("State"), wordOf(action_.face), wordOf(other_.face), true);
    add(tr("Exit code"), action_.exitCode ? QString::number(*action_.exitCode) : QString(),
        other_.exitCode ? QString::number(*other_.exitCode) : QString());
    add(tr("Started"), action_.started == 0 ? QString() : format.time(action_.started, now),
        other_.started == 0 ? QString() : format.time(other_.started, now));
    add(tr("Ran"), format.duration(action_.ran(now)), format.duration(other_.ran(now)));
    add(tr("Peak memory"), memory(action_), memory(other_));
    add(tr("Worker"), action_.workerId, other_.workerId);
    const bool isKnown = !both || (!spec_.isEmpty() && !otherSpec_.isEmpty()); // else all would differ
    for (const ComparedValue& value : isKnown ? comparedValues(spec_, otherSpec_) : std::vector<ComparedValue>()) {
        if (value.left != value.right) ++different;
        add(value.what, value.left, value.right);
    }
    rows_->setRows(std::move(rows));
    if (both && isKnown)
        head_->setText(different == 0
                           ? tr("Both were submitted with the same values.")
                           : tr("%n value(s) that they were submitted with differ.", nullptr, different));
}

/// Both streams, the first at `slot`: each is compared with the same of the other, as nobody knows how they mixed.
void CompareTab::fetch(qint64 lsn, std::size_t slot) {
    for (const LogStream stream : {LogStream::Out, LogStream::Err}) {
        const QString name = stream == LogStream::Out ? "stdout" : "stderr";
        streams_[slot] = context_.link.stream(
            {"GET", QStringLiteral("jobs/%1/%2").arg(lsn).arg(name), {}, {}, {}},
            [this, slot, stream](const QByteArray& bytes) { texts_[slot].append(stream, bytes); },
            [this, slot, stream](const Answer& answer) {
                texts_[slot].finish(stream);
                onEnd(slot, answer);
            });
        ++slot;
    }
}

/// Of what was not found there is no output.
void CompareTab::onEnd(std::size_t slot, const Answer& answer) {
    if (!answer.ok() && answer.status != 404) {
        isBroken_ = true;
        return diff_->setMessage(answer.message);
    }
    ended_[slot] = true;
    if (std::ranges::all_of(ended_, [](bool ended) { return ended; })) compareOutputs();
}

void CompareTab::compareOutputs() {
    inBackground(
        this,
        [texts = std::exchange(texts_, {})] {
            return std::vector{diffPart(QStringLiteral("stdout"), texts[0], texts[2]),
                               diffPart(QStringLiteral("stderr"), texts[1], texts[3])};
        },
        [this, pair = pair_](std::vector<DiffPart> parts) {
            if (pair == pair_) diff_->setParts(std::move(parts));
        });
}

} // namespace yard::ui
