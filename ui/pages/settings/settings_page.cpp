#include "ui/pages/settings/settings_page.h"

#include "ui/style/paint.h"
#include "ui/widgets/panel.h"

#include <QKeyEvent>
#include <QPainter>

#include <utility>

namespace yard::ui {

namespace {

constexpr int kListWidth = 184;

/// A section in the list: as an entry of the rail. Up and Down walk them.
class Entry final : public QAbstractButton {
public:
    explicit Entry(const QString& title) {
        setText(title);
        setCheckable(true);
        setAutoExclusive(true);
        setFocusPolicy(Qt::StrongFocus);
        setFixedHeight(scaled(32));
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override { return {scaled(kListWidth), scaled(32)}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = Theme::current();
        if (isChecked() || underMouse()) painter.fillRect(rect(), theme(isChecked() ? Token::Bg4 : Token::Bg3));
        if (isChecked()) painter.fillRect(QRect(0, 0, 3, height()), theme(Token::Accent));
        paint::text(painter, QRectF(rect()).adjusted(16, 0, -8, 0), text(),
                    typeface(isChecked() ? Type::Strong : Type::Body),
                    theme(isChecked() ? Token::Text1 : Token::Text2));
        if (!hasFocus()) return;
        painter.setPen(QPen(theme(Token::Accent), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
    void keyPressEvent(QKeyEvent* event) override {
        QAbstractButton::keyPressEvent(event);
        if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) click();
    }
};

/// What lies under the form, with the line beside the list.
class Ground final : public QWidget {
protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), Theme::current()(Token::Bg1));
        paint::hairline(painter, QPointF(width() - 1, 0), QPointF(width() - 1, height()),
                        Theme::current()(Token::Line));
    }
};

} // namespace

SettingsPage::SettingsPage(Context context)
    : Page(context)
    , head_(new PageHead(tr("Settings")))
    , search_(new FilterField(tr("Search settings"), false))
    , nothing_(new Label(tr("No setting matches"), Type::Body, Token::Text2)) {
    QVBoxLayout* all = makeGround();
    search_->setMaximumWidth(scaled(320));
    head_->addLeft(search_, 1);
    all->addWidget(head_);
    auto* rule = new Separator(Qt::Horizontal);
    rule->setFixedHeight(1);
    all->addWidget(rule);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    auto* list = new Ground;
    list->setFixedWidth(scaled(kListWidth));
    list->setObjectName("pane");
    list->setAccessibleName(tr("Sections"));
    auto* entries = new QVBoxLayout(list);
    entries->setContentsMargins(0, 8, 1, 8);
    entries->setSpacing(0);
    auto* form = new Surface(Token::Bg1);
    auto* rows = new QVBoxLayout(form);
    rows->setContentsMargins(24, 16, 24, 16);
    rows->setSpacing(8);
    sections_ = {makeGeneralSection(context), makeAppearanceSection(context),    makeEngineSection(context),
                 makeEnginesSection(context), makeNotificationsSection(context), makeKeysSection(context),
                 makeCourtesySection(context)};
    std::erase(sections_, nullptr);
    for (SettingsSection* section : sections_) {
        auto* entry = new Entry(section->title());
        entries_.push_back(entry);
        entries->addWidget(entry);
        connect(entry, &QAbstractButton::clicked, this, [this, id = section->id()] { go(id); });
        rows->addWidget(section);
    }
    entries->addStretch(1);
    rows->addWidget(nothing_);
    nothing_->hide();
    rows->addStretch(1);
    scroll_ = scrolling(form);
    scroll_->setObjectName("pane");
    middle->addWidget(list);
    middle->addWidget(scroll_, 1);
    all->addLayout(middle, 1);
    connect(search_, &QLineEdit::textChanged, this, &SettingsPage::search);
    go(sections_.front()->id());
}

SettingsSection* SettingsPage::section(const QString& id) const {
    const auto found = std::ranges::find_if(sections_, [&](const auto* each) { return each->id() == id; });
    return found == sections_.end() ? nullptr : *found;
}

void SettingsPage::go(const QString& id) {
    current_ = id;
    if (!search_->text().isEmpty()) {
        const QSignalBlocker quiet(search_);
        search_->clear();
    }
    search();
    scroll_->ensureVisible(0, 0);
    emit filterEdited(id);
}

/// Without words: the section that was chosen; with: what matches of all of them.
void SettingsPage::search() {
    const QString text = search_->text().trimmed();
    int found = 0;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        SettingsSection* section = sections_[i];
        const int rows = section->filter(text);
        const bool shown = text.isEmpty() ? section->id() == current_ : rows > 0;
        section->setVisible(shown);
        section->setActive(active_ && shown);
        entries_[i]->setChecked(text.isEmpty() && section->id() == current_);
        entries_[i]->update();
        found += rows;
    }
    nothing_->setVisible(found == 0);
    if (!text.isEmpty()) emit filterEdited(text);
}

void SettingsPage::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    for (SettingsSection* section : sections_) section->setActive(active && !section->isHidden());
}

void SettingsPage::setFilter(const QString& filter) {
    if (section(filter) != nullptr) return go(filter);
    search_->setText(filter);
}

QString SettingsPage::filter() const {
    return search_->text().isEmpty() ? current_ : search_->text();
}

void SettingsPage::focusFilter() {
    search_->focusAll();
}

bool SettingsPage::undo() {
    return std::ranges::any_of(sections_, [](SettingsSection* each) { return !each->isHidden() && each->undo(); });
}

bool SettingsPage::closeInnermost() {
    if (search_->text().isEmpty()) return false;
    search_->clear();
    return true;
}

Operation SettingsPage::asOperation() const {
    return {tr("Settings"), {"GET", "settings", {}, {}}, "yardctl settings"};
}

} // namespace yard::ui
