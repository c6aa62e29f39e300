#include "ui/pages/actions/output_tab.h"

#include "ui/outputs/chunk_request.h"
#include "ui/pages/save_as.h"
#include "ui/style/format.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

const char* nameOf(LogStream stream) {
    return stream == LogStream::Out ? "stdout" : "stderr";
}

} // namespace

OutputTab::OutputTab(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , pane_(new LogPane)
    , view_(pane_->view()) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(pane_);
    connect(view_, &LogView::changed, this, &OutputTab::changed);
}

OutputTab::~OutputTab() = default;

void OutputTab::clear() {
    for (auto& stream : streams_) stream.reset();
    key_.clear();
    view_->clear();
    view_->setMessage({});
    open_ = 0;
    piece_ = 0;
    pieces_ = 1;
}

void OutputTab::show(const QJsonObject& action, int attempt) {
    const QString state = action.value("state").toString();
    const bool runs = state == "running" || state == "submitting";
    const int last = 1 + action.value("retry_count").toInt();
    const int wanted = attempt == 0 ? last : attempt;
    const bool live = runs && wanted == last;
    const QString key = QStringLiteral("%1/%2").arg(action.value("lsn").toInteger()).arg(wanted);
    error_ = state == "failed" || state == "abandoned" ? action.value("note").toString() : QString();
    if (key == key_) { // streams that are open bring the rest themselves
        if (open_ == 0 && !error_.isEmpty()) followError();
        showWanted();
        return;
    }
    clear();
    key_ = key;
    lsn_ = action.value("lsn").toInteger();
    attempt_ = wanted;
    const bool never = (state == "pending" || state == "new") && wanted == last;
    if (never) {
        view_->setMessage(last > 1 ? tr("This try has not started; choose one before it at the right.")
                                   : tr("It has not started; there is no output yet."));
        key_.clear(); // to be asked again once it runs
        emit changed();
        return;
    }
    if (!context_.state.isLive()) {
        view_->setMessage(context_.state.whyBlocked());
        key_.clear(); // to be asked when it is back
        emit changed();
        return;
    }
    QJsonObject source = action;
    for (const QJsonValue each : action.value("attempts").toArray())
        if (each.toObject().value("n").toInt() == wanted) source = each.toObject();
    const QString nothing =
        source.value("output_lost").toBool()
            ? tr("What it wrote was lost: the engine and its launcher ended before it was kept.")
            : tr("It wrote nothing.");
    // What it said to the engine alone, as warm workers do, is then all there is to read.
    const QString note = runs ? QString() : action.value("note").toString();
    view_->setMessage(note.isEmpty() ? nothing : nothing + '\n' + note);
    source_ = source;
    isLive_ = live;
    piece_ = 0;
    load();
}

void OutputTab::load() {
    cut_.clear();
    open_ = 2;
    pieces_ = 1;
    for (const LogStream stream : {LogStream::Out, LogStream::Err}) {
        const qint64 size = source_.value(nameOf(stream)).toObject().value("size").toInteger();
        if (!isLive_) pieces_ = std::max(pieces_, (size + kPieceBytes - 1) / kPieceBytes);
    }
    for (const LogStream stream : {LogStream::Out, LogStream::Err})
        fetch(stream, source_.value(nameOf(stream)).toObject());
}

void OutputTab::turn(int pieces) {
    const qint64 to = std::clamp<qint64>(piece_ + pieces, 0, pieces_ - 1);
    if (to == std::exchange(piece_, to)) return;
    for (auto& stream : streams_) stream.reset();
    view_->clear();
    load();
    emit changed();
}

/// Of what is large a piece: by its chunk, which takes ranges.
void OutputTab::fetch(LogStream stream, const QJsonObject& kept) {
    Request request{"GET", QStringLiteral("jobs/%1/%2").arg(lsn_).arg(nameOf(stream)), {}, {}, {}};
    request.query.addQueryItem("attempt", QString::number(attempt_));
    const qint64 size = kept.value("size").toInteger();
    if (isLive_)
        request.query.addQueryItem("follow", "1");
    else if (size > kPieceBytes || piece_ > 0) {
        const qint64 end = size - piece_ * kPieceBytes;
        if (end <= 0) { // the other stream is longer
            --open_;
            return;
        }
        const qint64 begin = std::max<qint64>(0, end - kPieceBytes);
        request = chunkRequest({.name = {}, .hash = kept.value("hash").toString(), .size = size, .lsn = lsn_});
        request.range = "bytes=" + QByteArray::number(begin) + '-' + QByteArray::number(end - 1);
        cut_ = piece_ == 0
                   ? tr("the last %1 of %2").arg(Format().size(kPieceBytes), Format().size(size))
                   : tr("%1 to %2 of %3").arg(Format().size(begin), Format().size(end), Format().size(size));
    }
    streams_[std::to_underlying(stream)] = context_.link.stream(
        request,
        [this, stream](const QByteArray& bytes) {
            view_->append(stream, bytes);
            showWanted();
        },
        [this, stream](const Answer& answer) { ended(stream, answer); });
}

void OutputTab::ended(LogStream stream, const Answer& answer) {
    view_->finish(stream);
    --open_;
    if (!answer.ok() && answer.status != 404) view_->setMessage(answer.message);
    if (answer.status == 0) key_.clear(); // the connection broke: asked again when it is back
    if (open_ == 0) followError();
    showWanted();
    emit changed();
}

void OutputTab::followError() {
    if (!error_.isEmpty()) view_->markError(error_);
}

void OutputTab::goTo(qint64 lsn, LogStream stream, std::size_t number, const QString& text) {
    wanted_ = Wanted{lsn, stream, number, text};
    pane_->closeFind(); // it may hide the line
    showWanted();
}

/// What is not there while it still comes is waited for.
void OutputTab::showWanted() {
    if (!wanted_ || wanted_->lsn != lsn_ || key_.isEmpty()) return;
    const bool isWhole = open_ == 0;
    if (view_->showLine(wanted_->stream, wanted_->number, wanted_->text, isWhole) || isWhole) wanted_.reset();
}

QString OutputTab::summary() const {
    const LogText& text = view_->text();
    if (text.size() == 0) return {};
    QString words = tr("%Ln line(s), %1", nullptr, static_cast<int>(text.dropped() + text.size()))
                        .arg(Format().size(text.bytes()));
    if (!cut_.isEmpty()) words += ", " + cut_;
    return words;
}

void OutputTab::save() {
    saveAs(this, context_.window, tr("Save output"), QStringLiteral("%1.log").arg(lsn_), view_->bytes());
}

} // namespace yard::ui
