#include "ui/shell/palette.h"

#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/panel.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QSettings>
#include <QStyledItemDelegate>

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kPaletteWidth = 640;
constexpr int kPaletteRow = 28;
constexpr int kPaletteLine = 20; // the command line below the row that is chosen
constexpr int kPaletteRows = 12; // at most
constexpr int kPaletteLeast = 3;
constexpr int kPaletteField = 40;
constexpr int kPaletteFoot = 26;
constexpr int kPaletteTop = 8;
constexpr auto kRecent = "palette/recent";

/// Where it belongs, and why it cannot be done now: several pages have a command of the same name.
QString asideOf(const PaletteEntry& entry) {
    if (entry.blocked.isEmpty() || entry.note.isEmpty()) return entry.blocked + entry.note;
    return entry.note + QStringLiteral(": ") + entry.blocked;
}

class EntryDelegate final : public QStyledItemDelegate {
public:
    EntryDelegate(const PaletteModel& model, QListView& list)
        : QStyledItemDelegate(&list)
        , model_(model)
        , list_(list) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const PaletteEntry* entry = model_.entry(index.row());
        const bool second = entry != nullptr && !entry->yardctl.isEmpty() && index == list_.currentIndex();
        return {0, scaled(kPaletteRow) + (second ? scaled(kPaletteLine) : 0)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const PaletteEntry* entry = model_.entry(index.row());
        if (entry == nullptr) return;
        const Theme& theme = Theme::current();
        const bool chosen = index == list_.currentIndex();
        const bool hovered = (option.state & QStyle::State_MouseOver) != 0;
        const QColor under = theme(chosen ? Token::Selection : hovered ? Token::Bg3 : Token::Bg1);
        painter->fillRect(option.rect, under);
        const QRectF row(option.rect.left() + 14, option.rect.top(), option.rect.width() - 28, scaled(kPaletteRow));
        const QRectF icon(row.left(), row.top(), 14, row.height());
        const bool blocked = !entry->blocked.isEmpty();
        if (entry->face)
            icons::paintFace(*painter, icon, theme.scheme(), *entry->face, 14, under);
        else if (!entry->icon.isEmpty())
            icons::paint(*painter, icon, entry->icon, 14, theme(blocked ? Token::Disabled : Token::Text2));
        qreal right = row.right();
        if (!entry->keys.isEmpty()) right -= paintKeys(*painter, row, *entry, theme) + 12;
        const QRectF words(row.left() + 24, row.top(), right - row.left() - 24, row.height());
        const QFont& body = typeface(Type::Body);
        const qreal title = std::min(words.width(), QFontMetricsF(body).horizontalAdvance(entry->title) + 2);
        paint::text(*painter, {words.left(), words.top(), title, words.height()}, entry->title, body,
                    theme(blocked ? Token::Disabled : Token::Text1), Qt::AlignLeft, Qt::ElideMiddle);
        const QRectF rest(words.left() + title + 10, words.top(), words.width() - title - 10, words.height());
        if (rest.width() > 40)
            paint::text(*painter, rest, asideOf(*entry), body, theme(Token::Text3), Qt::AlignLeft);
        if (!chosen || entry->yardctl.isEmpty()) return;
        const QRectF second(row.left() + 24, row.bottom() - 4, row.width() - 24, scaled(kPaletteLine));
        paint::text(*painter, second, entry->yardctl, typeface(Type::Mono), theme(Token::Text2), Qt::AlignLeft,
                    Qt::ElideRight);
    }

private:
    static qreal paintKeys(QPainter& painter, const QRectF& row, const PaletteEntry& entry, const Theme& theme) {
        const QFont& font = typeface(Type::Caption);
        const qreal width = QFontMetricsF(font).horizontalAdvance(entry.keys) + 12;
        const QRectF box(row.right() - width, row.center().y() - 9, width, 18);
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(theme(Token::Line2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.restore();
        paint::text(painter, box, entry.keys, font, theme(Token::Text2), Qt::AlignHCenter, Qt::ElideNone);
        return width;
    }

    const PaletteModel& model_;
    QListView& list_;
};

QStringList recent() {
    return QSettings().value(kRecent).toStringList();
}

} // namespace

void PaletteModel::setEntries(std::vector<PaletteEntry> entries) {
    beginResetModel();
    entries_ = std::move(entries);
    endResetModel();
}

const PaletteEntry* PaletteModel::entry(int row) const {
    return row >= 0 && static_cast<std::size_t>(row) < entries_.size() ? &entries_[static_cast<std::size_t>(row)]
                                                                       : nullptr;
}

int PaletteModel::rowOf(const QString& id) const {
    const auto found = std::ranges::find(entries_, id, &PaletteEntry::id);
    return found == entries_.end() ? -1 : static_cast<int>(found - entries_.begin());
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    const PaletteEntry* each = index.isValid() ? entry(index.row()) : nullptr;
    if (each == nullptr) return {};
    if (role == Qt::DisplayRole) return each->title;
    if (role != Qt::AccessibleTextRole) return {};
    QStringList parts{each->title};
    for (const QString& part : {asideOf(*each), each->keys})
        if (!part.isEmpty()) parts << part;
    return parts.join(QStringLiteral(", "));
}

Palette::Palette(QWidget& window)
    : Popover(window, "palette")
    , field_(new QLineEdit)
    , list_(new QListView)
    , model_(new PaletteModel(this)) {
    setAccessibleName(tr("Palette"));
    setFocusProxy(field_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    field_->setFrame(false);
    field_->setPlaceholderText(tr("A command, a number, the name of a queue, worker or lock"));
    field_->setAccessibleName(tr("What to do or where to go"));
    field_->setTextMargins(4, 0, 12, 0);
    field_->addAction(icons::icon("search", Token::Text2), QLineEdit::LeadingPosition);
    field_->installEventFilter(this);
    list_->setModel(model_);
    list_->setItemDelegate(new EntryDelegate(*model_, *list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setMouseTracking(true);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setSelectionMode(QAbstractItemView::NoSelection);
    list_->setAccessibleName(tr("What fits"));
    list_->viewport()->installEventFilter(this);
    column->addWidget(field_);
    column->addWidget(new Separator(Qt::Horizontal));
    column->addWidget(list_);
    column->addSpacing(scaled(kPaletteFoot));
    connect(field_, &QLineEdit::textChanged, this, &Palette::find);
    connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) { choose(index.row()); });
    // The row that is chosen is higher: it has a second line.
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, list_, [this] {
        list_->doItemsLayout();
        list_->scrollTo(list_->currentIndex());
    });
}

void Palette::setSources(std::vector<std::unique_ptr<PaletteSource>> sources) {
    leave();
    sources_ = std::move(sources);
    for (const auto& source : sources_)
        connect(source.get(), &PaletteSource::changed, this, [this] {
            if (isVisible()) find();
        });
}

void Palette::toggle() {
    if (isVisible()) return leave();
    open();
}

void Palette::open(const QString& text) {
    for (const auto& source : sources_) source->refresh();
    field_->setFont(typeface(Type::Body));
    field_->setFixedHeight(scaled(kPaletteField));
    {
        const QSignalBlocker quiet(field_);
        field_->setText(text);
    }
    model_->setEntries({}); // what was chosen the last time is not chosen now
    enter(field_);
    find();
}

QRect Palette::placed() {
    const int width = std::min(scaled(kPaletteWidth), over().width() - 32);
    const int shown = std::clamp(model_->rowCount(), kPaletteLeast, kPaletteRows);
    const int rows = std::min(shown * scaled(kPaletteRow) + scaled(kPaletteLine),
                              over().height() - 2 * kPaletteTop - scaled(kPaletteField) - scaled(kPaletteFoot) - 8);
    list_->setFixedHeight(rows);
    return {(over().width() - width) / 2, kPaletteTop, width,
            scaled(kPaletteField) + 1 + rows + scaled(kPaletteFoot) + 2};
}

/// What was chosen stays chosen when more comes in; when the text changes the best one is.
void Palette::find() {
    const PaletteEntry* chosen = model_->entry(list_->currentIndex().row());
    // The search comes first only while nothing better is there.
    const bool isFirst = chosen == nullptr || (chosen->id == SearchSource::kId && list_->currentIndex().row() == 0);
    const QString kept = isFirst || sender() == field_ ? QString() : chosen->id;
    const PaletteQuery query = PaletteQuery::of(field_->text());
    std::vector<PaletteEntry> all;
    for (const auto& source : sources_) std::ranges::move(source->find(query), std::back_inserter(all));
    std::vector<PaletteEntry> best = rankedForPalette(std::move(all), query, recent(), kMostShown);
    for (const auto& source : sources_)
        if (auto entry = source->otherwise(query); entry) best.push_back(std::move(*entry));
    model_->setEntries(std::move(best));
    if (isVisible()) place();
    const int row = kept.isEmpty() ? 0 : std::max(0, model_->rowOf(kept));
    list_->setCurrentIndex(model_->index(row, 0));
    list_->viewport()->update();
}

void Palette::choose(int row) {
    const PaletteEntry* entry = model_->entry(row);
    if (entry == nullptr || !entry->blocked.isEmpty()) return;
    QStringList used = recent();
    used.removeAll(entry->id);
    used.prepend(entry->id);
    QSettings().setValue(kRecent, QStringList(used.mid(0, kMostRecent)));
    const auto run = entry->run; // the model may change under it
    leave();
    if (run) run();
}

bool Palette::onKey(int key) {
    const int row = list_->currentIndex().row();
    const auto go = [this](int to) {
        if (model_->rowCount() > 0)
            list_->setCurrentIndex(model_->index(std::clamp(to, 0, model_->rowCount() - 1), 0));
        return true;
    };
    switch (key) {
    case Qt::Key_Up: return go(row == 0 ? model_->rowCount() - 1 : row - 1);
    case Qt::Key_Down: return go(row + 1 == model_->rowCount() ? 0 : row + 1);
    case Qt::Key_PageUp: return go(row - kPaletteRows);
    case Qt::Key_PageDown: return go(row + kPaletteRows);
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(row); return true;
    case Qt::Key_Tab:
    case Qt::Key_Backtab: return true; // nothing else here takes the focus
    default: return false;
    }
}

bool Palette::eventFilter(QObject* on, QEvent* event) {
    if (on == field_ && event->type() == QEvent::KeyPress && onKey(static_cast<QKeyEvent*>(event)->key()))
        return true;
    if (on == list_->viewport() && event->type() == QEvent::Paint && model_->rowCount() == 0) {
        QPainter painter(list_->viewport());
        paint::text(painter, QRectF(0, 0, list_->width(), scaled(3 * kPaletteRow)),
                    tr("Nothing fits what is typed"), typeface(Type::Body), Theme::current()(Token::Text2),
                    Qt::AlignHCenter);
    }
    return Popover::eventFilter(on, event);
}

void Palette::paintInside(QPainter& painter) {
    const Theme& theme = Theme::current();
    const QRectF foot(1, height() - 1 - scaled(kPaletteFoot), width() - 2, scaled(kPaletteFoot));
    painter.fillRect(foot, theme(Token::Bg2));
    paint::hairline(painter, foot.topLeft(), foot.topRight(), theme(Token::Line));
    paint::text(
        painter, foot.adjusted(14, 0, -14, 0),
        tr("Enter does it    > only commands    @ queues    # a number    worker slot 3 03:00 on the timeline"),
        typeface(Type::Caption), theme(Token::Text3));
}

} // namespace yard::ui
