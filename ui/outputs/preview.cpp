#include "ui/outputs/preview.h"

#include "ui/log/log_view.h"
#include "ui/outputs/chunk_request.h"
#include "ui/outputs/image_view.h"
#include "ui/state/chunk_upload.h"
#include "ui/style/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"
#include "ui/widgets/text_view.h"

#include <QHeaderView>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

/// How many of the bytes are lines that a LogText keeps all of: of more it would keep the last ones.
qsizetype bytesOfLines(const QByteArray& bytes) {
    std::size_t lines = 0;
    for (qsizetype at = 0; at < bytes.size();) {
        qsizetype end = bytes.indexOf('\n', at);
        if (end < 0) end = bytes.size();
        lines += 1 + static_cast<std::size_t>((end - at) / LogText::kLongestLine);
        if (lines >= LogText::kMostLines) return at;
        at = end + 1;
    }
    return bytes.size();
}

} // namespace

Preview::Preview(EngineLink& link, QWidget* parent)
    : QWidget(parent)
    , link_(link)
    , what_(new Label({}, Type::Strong, Token::Text1))
    , note_(new Label({}, Type::Body, Token::Text2))
    , actual_(new Button(Button::Kind::Small, tr("Actual size"), "fit"))
    , back_(new Button(Button::Kind::Small, tr("Back"), {}))
    , next_(new Button(Button::Kind::Small, tr("Next"), "right"))
    , stack_(new QStackedWidget)
    , message_(new QLabel)
    , image_(new ImageView)
    , text_(new LogView)
    , tree_(new QTreeView)
    , treeModel_(new JsonTreeModel(this))
    , hex_(textView(tr("Bytes"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(stack_, 1);
    message_->setAlignment(Qt::AlignCenter);
    message_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText); // an engine's words may be in it
    message_->setMargin(scaled(16));
    text_->setAccessibleName(tr("Text"));
    tree_->setModel(treeModel_);
    tree_->setAccessibleName(tr("JSON"));
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setUniformRowHeights(true);
    tree_->header()->resizeSection(0, scaled(240));
    hex_->setLineWrapMode(QPlainTextEdit::NoWrap);
    for (QWidget* each : {static_cast<QWidget*>(message_), static_cast<QWidget*>(image_),
                          static_cast<QWidget*>(text_), static_cast<QWidget*>(tree_), static_cast<QWidget*>(hex_)})
        stack_->addWidget(each);
    feed_.setSingleShot(true);
    feed_.setInterval(0);
    connect(&feed_, &QTimer::timeout, this, &Preview::feedText);
    connect(actual_, &QAbstractButton::toggled, image_, &ImageView::setActualSize);
    connect(image_, &ImageView::actualSizeChanged, actual_, &QAbstractButton::setChecked);
    connect(back_, &QAbstractButton::clicked, this, [this] { page(-1); });
    connect(next_, &QAbstractButton::clicked, this, [this] { page(1); });
    clear();
}

Preview::~Preview() = default;

QWidget* Preview::makeHead() {
    auto* head = new Surface(Token::Bg1);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(8);
    note_->setElides(true);
    row->addWidget(what_);
    row->addWidget(note_, 1);
    actual_->setCheckable(true);
    for (QWidget* tool : {actual_, back_, next_}) row->addWidget(tool);
    head->setFixedHeight(scaled(32));
    return head;
}

QString Preview::note() const {
    return note_->text();
}

QString Preview::message() const {
    return stack_->currentWidget() == message_ ? message_->text() : QString();
}

const QByteArray* Preview::whole() const {
    return kind_ && isWhole() ? &bytes_ : nullptr;
}

/// What comes of it is not heard any more; it may be one of its own calls that asks for this.
void Preview::drop() {
    ++asked_;
    waits_ = false;
    feed_.stop();
    if (stream_) stream_.release()->deleteLater();
}

void Preview::clear() {
    drop();
    file_ = {};
    from_ = 0;
    bytes_.clear();
    notes_.clear();
    image_->setImage({});
    text_->clear();
    treeModel_->setTree({});
    hex_->clear();
    say({});
    failed_ = false;
}

void Preview::show(const ChunkFile& file) {
    if (file == file_ && !failed_) return;
    clear();
    file_ = file;
    if (!hasHash(file)) return say(tr("The engine does not say where its content is."));
    if (file.size == 0) return show(ContentKind::Empty, message_, tr("The file is empty."), {});
    say(tr("Reading…"));
    failed_ = false;
    fetch(0, std::min(file.size, kHead), [this] { onHead(); });
}

void Preview::fetch(qint64 from, qint64 count, std::function<void()> then) {
    drop();
    bytes_.clear();
    from_ = from;
    Request request = chunkRequest(file_);
    if (count < file_.size)
        request.range = "bytes=" + QByteArray::number(from) + '-' + QByteArray::number(from + count - 1);
    stream_ = link_.stream(
        request,
        [this, asked = asked_, count](const QByteArray& piece) {
            if (asked == asked_) bytes_ += piece.first(std::min<qint64>(piece.size(), count - bytes_.size()));
        },
        [this, asked = asked_, count, then = std::move(then)](const Answer& answer) {
            if (asked == asked_) ended(answer, count, then);
        });
}

void Preview::ended(const Answer& answer, qint64 count, const std::function<void()>& then) {
    const auto next = then; // what asks for more lets go of this question
    if (answer.status == 404) return say(tr("Its content is gone: the engine does not have it any more."));
    if (!answer.ok()) return say(answer.message);
    if (bytes_.size() < count) return say(tr("The content ended too early; choose the file again."));
    next();
}

void Preview::onHead() {
    content_ = fileContentOf(file_.name, bytes_, isWhole(), imageFormats());
    const Format format;
    if (content_.kind == ContentKind::Image && file_.size > kMostImage) {
        notes_ << tr("An image of %1 is too large to show; these are its bytes.").arg(format.size(file_.size));
        content_ = {ContentKind::Hex};
    }
    if (content_.kind == ContentKind::Json && file_.size > kMostTree) {
        notes_ << tr("JSON over %1 is shown as text.").arg(format.size(kMostTree));
        content_ = {ContentKind::Text};
    }
    if (content_.kind == ContentKind::Hex) return showHex();
    const qint64 most = content_.kind == ContentKind::Image  ? kMostImage
                        : content_.kind == ContentKind::Text ? kMostText
                                                             : kMostTree;
    if (isWhole()) return decode();
    fetch(0, std::min(file_.size, most), [this] { decode(); });
}

void Preview::decode() {
    waits_ = decoding_;
    if (decoding_) return;
    decoding_ = true;
    inBackground(
        this,
        [content = content_, name = file_.name, bytes = bytes_, whole = isWhole()] {
            return decoded(content, name, bytes, whole);
        },
        [this, asked = asked_](Decoded made) {
            decoding_ = false;
            if (waits_) return decode();
            if (asked == asked_) take(std::move(made));
        });
}

void Preview::take(Decoded made) {
    if (content_.kind == ContentKind::Image) return takeImage(std::move(made.image));
    if (content_.kind == ContentKind::Json && made.kind == ContentKind::Text &&
        kindByName(file_.name, imageFormats()) == ContentKind::Json)
        notes_
            << tr("This is no JSON at byte %1, so it is shown as text.").arg(Format().number(made.json.problemAt));
    switch (made.kind) {
    case ContentKind::Json: {
        const bool cut = made.json.isCut;
        treeModel_->setTree(std::move(made.json));
        tree_->expandToDepth(0);
        if (cut) notes_ << tr("It has more values, or deeper ones, than are shown.");
        return show(made.kind, tree_, tr("JSON"), notes_);
    }
    case ContentKind::Table: return takeTable(std::move(made.table));
    case ContentKind::Text: return showText();
    default: return showHex();
    }
}

void Preview::takeImage(DecodedImage image) {
    const Format format;
    const QString size =
        tr("%1 × %2 pixels").arg(format.number(image.size.width()), format.number(image.size.height()));
    switch (image.problem) {
    case DecodedImage::Problem::None:
        image_->setImage(std::move(image));
        return show(ContentKind::Image, image_, size, notes_);
    case DecodedImage::Problem::TooLarge:
        notes_ << tr("An image of %1 is too large to show; these are its bytes.").arg(size);
        break;
    case DecodedImage::Problem::Broken:
        notes_ << tr("It begins as an image and cannot be read as one; these are its bytes.");
        break;
    }
    showHex();
}

/// Another table each time: columns are those of the file.
void Preview::takeTable(CsvTable table) {
    const Format format;
    const auto rows = static_cast<qint64>(table.rows.size()) - 1;
    if (table.hasMoreRows) notes_ << tr("The first %1 lines are shown.").arg(format.number(rows));
    if (table.hasMoreColumns)
        notes_ << tr("The first %1 columns are shown.").arg(format.number(CsvTable::kMostColumns));
    if (table.hasOpenQuote) notes_ << tr("A quote is not closed: what follows it is taken as it is.");
    delete std::exchange(table_, new Table({}));
    auto* model = new CsvModel(std::move(table), table_);
    table_->setRows(model);
    table_->setAccessibleName(tr("Table"));
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    if (rows == 0) table_->setMessage(tr("It has names of columns, and nothing below them."));
    stack_->addWidget(table_);
    show(ContentKind::Table, table_,
         tr("%n line(s)", nullptr, static_cast<int>(rows)) + ", " +
             tr("%n column(s)", nullptr, model->columnCount()),
         notes_);
}

void Preview::showText() {
    const Format format;
    fed_ = 0;
    toFeed_ = bytesOfLines(bytes_);
    if (toFeed_ < file_.size)
        notes_ << tr("The first %1 of %2.").arg(format.size(toFeed_), format.size(file_.size));
    text_->clear();
    feedText();
    text_->showBeginning();
    show(ContentKind::Text, text_, tr("Text"), notes_);
}

/// The first piece at once, so that there is something to read; the window stays awake for the others.
void Preview::feedText() {
    const qsizetype count = std::min(kPiece, toFeed_ - fed_);
    text_->append(LogStream::Out, bytes_.mid(fed_, count));
    fed_ += count;
    if (fed_ < toFeed_) return feed_.start();
    text_->finish(LogStream::Out);
}

/// The page that begins where the bytes do.
void Preview::showHex() {
    const Format format;
    const QByteArray shown = bytes_.first(std::min<qint64>(bytes_.size(), kHead));
    hex_->setPlainText(hexDump(shown, from_));
    QStringList notes = notes_;
    const bool all = shown.size() == file_.size;
    if (!all)
        notes << tr("Bytes %1 to %2 of %3.")
                     .arg(format.number(from_), format.number(from_ + shown.size() - 1), format.number(file_.size));
    show(ContentKind::Hex, hex_, tr("Bytes"), notes);
    back_->setVisible(!all);
    next_->setVisible(!all);
    back_->setEnabled(from_ > 0);
    next_->setEnabled(from_ + shown.size() < file_.size);
}

void Preview::page(int step) {
    const qint64 from = from_ + step * kHead;
    if (kind_ != ContentKind::Hex || from < 0 || from >= file_.size) return;
    fetch(from, std::min(kHead, file_.size - from), [this] { showHex(); });
}

void Preview::show(ContentKind kind, QWidget* content, const QString& what, const QStringList& notes) {
    kind_ = kind;
    failed_ = false;
    if (content == message_)
        message_->setText(what);
    else
        what_->setText(what);
    note_->setText(notes.join(' '));
    actual_->setVisible(kind == ContentKind::Image);
    back_->hide();
    next_->hide();
    stack_->setCurrentWidget(content);
    emit changed();
}

void Preview::say(const QString& message) {
    kind_.reset();
    failed_ = true; // until something is shown, the same file may be asked for again
    message_->setText(message);
    what_->setText({});
    note_->setText({});
    for (QWidget* tool : {actual_, back_, next_}) tool->hide();
    stack_->setCurrentWidget(message_);
    emit changed();
}

} // namespace yard::ui
