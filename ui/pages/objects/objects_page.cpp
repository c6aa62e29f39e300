#include "ui/pages/objects/objects_page.h"

#include "ui/pages/objects/actor_strip.h"
#include "ui/pages/objects/object_panel.h"
#include "ui/pages/objects/orphan_banner.h"
#include "ui/pages/objects/state_view.h"
#include "ui/pages/objects/type_list.h"
#include "ui/style/format.h"

#include <QAction>
#include <QJsonArray>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kObjectsLookMs = 1'000;
constexpr int kStaysLookMs = 15'000; ///< they change slowly
constexpr int kFieldsPauseMs = 250;
constexpr int kNotFound = 404;
constexpr int kTypesWidth = 248;
constexpr int kPanelWidth = 340;
constexpr int kCommandWidth = 480;

} // namespace

ObjectsPage::ObjectsPage(Context context)
    : FilteredPage(context, new FilterField(tr("type:snapshot status:queued field:value"), false))
    , head_(new PageHead(tr("Objects")))
    , fresh_(new Button(Button::Kind::Plain, tr("New object…"), "plus"))
    , badge_(new UpdatesBadge)
    , strip_(new ActorStrip)
    , banner_(new OrphanBanner)
    , across_(new QSplitter(Qt::Horizontal))
    , down_(new QSplitter(Qt::Vertical))
    , typeList_(new TypeList)
    , states_(new StateView)
    , table_(new Table("objects"))
    , rows_(new ObjectsModel(this))
    , panel_(new ObjectPanel(context))
    , body_(makeBody())
    , first_(makeFirst())
    , moveMenu_(new QMenu(tr("Move to…"), this))
    , copyMenu_(new QMenu(tr("Copy as"), this))
    , typesPoll_(
          context.link, kObjectsLookMs, [] { return Request{"GET", "types"}; },
          [this](const Answer& answer) { takeTypes(answer.json); })
    , orchestratorPoll_(
          context.link, kObjectsLookMs, [] { return Request{"GET", "orchestrator"}; },
          [this](const Answer& answer) { takeOrchestrator(answer.json); })
    , rowsPoll_(
          context.link, kObjectsLookMs, [this] { return requestRows(); },
          [this](const Answer& answer) { takeRows(answer.json); })
    , detailPoll_(
          context.link, kObjectsLookMs, [this] { return requestDetail(); },
          [this](const Answer& answer) { takeDetail(answer.json); })
    , staysPoll_(
          context.link, kStaysLookMs,
          [this]() -> std::optional<Request> {
              if (staysOf_.isEmpty()) return std::nullopt;
              staysAsked_ = staysOf_;
              return operations::objectStays(staysAsked_);
          },
          [this](const Answer& answer) { takeStays(answer.json); }) {
    QVBoxLayout* inside = makeGround();
    makeHead(inside);
    inside->addWidget(body_, 1);
    inside->addWidget(first_, 1);
    first_->hide();
    makeCommands();
    connectParts();
    panel_->hide();
    onSelection();
}

void ObjectsPage::makeHead(QVBoxLayout* column) {
    filter_->setMaximumWidth(scaled(420));
    filter_->setFont(typeface(Type::Mono));
    head_->addLeft(filter_, 1);
    auto* shown = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    head_->addRight(badge_);
    head_->addRight(shown);
    head_->addRight(fresh_);
    column->addWidget(head_);
    connect(badge_, &QAbstractButton::clicked, this, &ObjectsPage::takeUpdates);
    connect(shown, &QAbstractButton::clicked, this,
            [this, shown] { table_->showColumnMenu(shown->mapToGlobal(shown->rect().bottomLeft())); });
}

QWidget* ObjectsPage::makeBody() {
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip_);
    column->addWidget(banner_);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Objects"));
    typeList_->setObjectName("pane");
    setFocusProxy(table_);
    auto* chart = scrolling(states_);
    chart->setWidgetResizable(false);
    chart->setAlignment(Qt::AlignCenter);
    chart->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    chart->viewport()->setBackgroundRole(QPalette::Base);
    chart->viewport()->setAutoFillBackground(true);
    connect(states_, &StateView::currentMoved, chart, [chart](const QRect& area) {
        chart->ensureVisible(area.center().x(), area.center().y(), area.width(), 0);
    });
    chart->setMinimumHeight(scaled(80));
    down_->setChildrenCollapsible(false);
    down_->addWidget(chart);
    down_->addWidget(table_);
    down_->setStretchFactor(1, 1);
    down_->setSizes({scaled(200), scaled(400)});
    across_->setChildrenCollapsible(false);
    for (QWidget* part :
         {static_cast<QWidget*>(typeList_), static_cast<QWidget*>(down_), static_cast<QWidget*>(panel_)})
        across_->addWidget(part);
    across_->setStretchFactor(1, 1);
    across_->setSizes({scaled(kTypesWidth), 700, scaled(kPanelWidth)});
    typeList_->setMinimumWidth(scaled(180));
    column->addWidget(across_, 1);
    return body;
}

/// No type yet: what objects are, and one command to begin.
QWidget* ObjectsPage::makeFirst() {
    auto* first = new Surface(Token::Bg1);
    auto* column = new QVBoxLayout(first);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    column->addStretch(1);
    column->addWidget(new Label(tr("No type of objects is known yet"), Type::Title, Token::Text1), 0,
                      Qt::AlignHCenter);
    column->addWidget(
        new Label(tr("An object moves through states of its own, over days: a page to archive, a host to patch."),
                  Type::Body, Token::Text2),
        0, Qt::AlignHCenter);
    column->addWidget(
        new Label(tr("Describe its states and who looks after it in a file, and begin:"), Type::Body, Token::Text2),
        0, Qt::AlignHCenter);
    const QString line = context_.link.yardctl(QStringLiteral("yardctl types add snapshot.json"));
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    auto* shown = new QLineEdit(line);
    shown->setReadOnly(true);
    shown->setFont(typeface(Type::Mono));
    shown->setAccessibleName(tr("Command to begin with"));
    shown->setFixedWidth(scaled(kCommandWidth));
    shown->setCursorPosition(0);
    row->addWidget(shown);
    auto* copy = new Button(Button::Kind::Plain, tr("Copy"), "copy");
    row->addWidget(copy);
    row->addStretch(1);
    column->addLayout(row);
    column->addStretch(2);
    connect(copy, &QAbstractButton::clicked, this, [this, line] { copyText(context_.window, line); });
    return first;
}

void ObjectsPage::connectParts() {
    filterLater_.setSingleShot(true);
    filterLater_.setInterval(kFieldsPauseMs);
    connect(&filterLater_, &QTimer::timeout, this, &ObjectsPage::find);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filterLater_.start();
        emit filterEdited(text);
    });
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(rows_, &ObjectsModel::moreWanted, this, [this] {
        wantsMore_ = true;
        rowsPoll_.now();
    });
    connect(rows_, &ObjectsModel::orderChanged, &rowsPoll_, &Poll::now);
    connect(rows_, &ObjectsModel::refreshWanted, &rowsPoll_, &Poll::now);
    connect(table_, &Table::selectionEdited, this, &ObjectsPage::onSelection);
    connect(table_, &Table::opened, this, [this] { panel_->lookNow()->setFocus(); });
    connect(table_, &Table::menuWanted, this, &ObjectsPage::showMenu);
    connect(table_, &Table::typed, this, &ObjectsPage::typeInFilter);
    connect(table_, &Table::linkClicked, this, [this](qint64 id) {
        if (const ObjectInfo* object = rows_->object(id); object != nullptr && object->parent != 0)
            open(object->parent);
    });
    connect(typeList_, &TypeList::chosen, this, &ObjectsPage::filterBy);
    connect(states_, &StateView::chosen, this,
            [this](const QString& status) { filterBy(states_->typeName(), status); });
    connect(banner_, &OrphanBanner::wanted, this, &ObjectsPage::filterBy);
    connect(strip_, &ActorStrip::objectClicked, this, [this](qint64 object) { open(object); });
    connect(panel_, &ObjectPanel::closed, this, [this] { closeInnermost(); });
    connect(panel_, &ObjectPanel::linkClicked, this, &ObjectsPage::goTo);
    connect(panel_->fields(), &ObjectFields::changed, this, &ObjectsPage::look);
    connect(&rowsPoll_, &Poll::failed, this, &ObjectsPage::onRowsRefused);
    connect(&detailPoll_, &Poll::failed, this, &ObjectsPage::onDetailRefused);
    connect(&context_.state, &EngineState::refreshed, this, &ObjectsPage::look);
    connect(&context_.state, &EngineState::connectionChanged, this, &ObjectsPage::steer);
}

// --- asking

void ObjectsPage::setActive(bool active) {
    for (Poll* poll : {&typesPoll_, &orchestratorPoll_, &rowsPoll_, &detailPoll_, &staysPoll_})
        poll->setActive(active);
}

void ObjectsPage::look() {
    for (Poll* poll : {&typesPoll_, &orchestratorPoll_, &rowsPoll_, &detailPoll_}) poll->now();
}

std::optional<Request> ObjectsPage::requestRows() {
    const ObjectFilter filter = ObjectFilter::of(this->filter());
    if (!filter.problem.isEmpty()) return std::nullopt;
    if (!(filter == asked_)) clearRows(); // find() may come later than the clock
    asked_ = filter;
    const int first = std::max(0, table_->rowAt(0));
    const bool isMore = std::exchange(wantsMore_, false) && rows_->more();
    want_ = isMore ? rows_->wantMore() : rows_->wantFor(first, first + table_->rowsInView());
    return operations::listObjects(filter, want_.after, want_.limit, rows_->isOldestFirst());
}

std::optional<Request> ObjectsPage::requestDetail() const {
    if (shown_ == 0) return std::nullopt;
    return operations::lookAtObject(shown_).request;
}

void ObjectsPage::takeTypes(const QJsonObject& json) {
    types_ = readObjectTypes(json);
    typesKnown_ = true;
    body_->setVisible(!types_.empty());
    first_->setVisible(types_.empty());
    showParts();
    steer();
}

/// What was asked for may be another type by now.
void ObjectsPage::takeStays(const QJsonObject& json) {
    if (staysAsked_ == states_->typeName()) states_->showStays(readObjectStays(json));
}

void ObjectsPage::takeOrchestrator(const QJsonObject& json) {
    orchestrator_ = readOrchestrator(json);
    context_.state.tellOrchestrator(json);
    showParts();
}

/// What was asked for may be another list by now.
void ObjectsPage::takeRows(const QJsonObject& json) {
    if (!(asked_ == ObjectFilter::of(filter()))) return rowsPoll_.now();
    ObjectsModel::Rows rows;
    for (const QJsonValue each : json.value("objects").toArray()) rows.push_back(readObject(each.toObject()));
    const auto isInOrder = [this](const ObjectInfo& a, const ObjectInfo& b) {
        return rows_->isOldestFirst() ? a.id < b.id : a.id > b.id;
    };
    // Asked for in the other order, or by no engine of ours: rows stand by their numbers.
    if (std::ranges::adjacent_find(rows, std::not_fn(isInOrder)) != rows.end()) return;
    table_->setMessage({});
    rows_->take(want_, std::move(rows), json.contains("cursor"));
    if (rows_->rowCount() == 0) table_->setMessage(tr("No object matches"));
    showNote();
    steer();
}

void ObjectsPage::takeDetail(const QJsonObject& json) {
    ObjectDetail detail = readObjectDetail(json);
    if (detail.info.id != shown_) return detailPoll_.now();
    detail_ = std::move(detail);
    panel_->show(*detail_, types_, orchestrator_);
    steer();
}

/// Without an answer what is here stays, as it was.
void ObjectsPage::onRowsRefused(int status, const QString& message) {
    if (status == 0 && rows_->isKnown()) return;
    rows_->clear();
    table_->setMessage(message);
}

void ObjectsPage::onDetailRefused(int status, const QString& message) {
    if (status == 0) return;
    detail_.reset();
    panel_->showNothing(status == kNotFound ? tr("There is no such object any more") : message);
    steer();
}

// --- showing

/// For another filter.
void ObjectsPage::clearRows() {
    rows_->clear();
    rowsPoll_.forget();
}

void ObjectsPage::find() {
    const ObjectFilter filter = ObjectFilter::of(this->filter());
    if (!(filter == asked_)) clearRows();
    if (!filter.problem.isEmpty())
        table_->setMessage(filter.problem);
    else if (!rows_->isKnown())
        table_->setMessage(rowsPoll_.problem());
    showParts();
    rowsPoll_.now();
}

void ObjectsPage::filterBy(const QString& type, const QString& status) {
    const ObjectFilter now = ObjectFilter::of(filter());
    QStringList words;
    if (!type.isEmpty()) words << "type:" + type;
    if (!status.isEmpty()) words << "status:" + status;
    if (now.parent > 0) words << QStringLiteral("parent:%1").arg(now.parent);
    // Fields of another type are none of this one.
    if (!now.fields.isEmpty() && now.type == type) words << now.fields;
    filter_->setText(words.join(' '));
    filterLater_.stop();
    find();
}

void ObjectsPage::showParts() {
    const ObjectFilter filter = ObjectFilter::of(this->filter());
    const auto unclaimed = unclaimedStates(orchestrator_);
    strip_->show(orchestrator_, types_, wallNow());
    banner_->show(orchestrator_);
    typeList_->show(types_, unclaimed);
    typeList_->choose(filter.type, filter.status);
    const ObjectType* type = typeNamed(types_, filter.type);
    if (type == nullptr && !types_.empty()) type = &types_.front();
    if (type != nullptr) {
        const auto nobody = unclaimed.find(type->name);
        const auto rates = orchestrator_.rates.find(type->name);
        states_->show(*type, type->name == filter.type ? filter.status : QString(),
                      nobody != unclaimed.end() ? nobody->second : QStringList(),
                      rates != orchestrator_.rates.end() ? rates->second : ObjectRates());
        if (std::exchange(staysOf_, type->name) != type->name) staysPoll_.now();
    }
    rows_->setContext(types_, orchestrator_);
    if (detail_) panel_->show(*detail_, types_, orchestrator_);
    showNote();
}

/// How many it is by the counts of the types; of other filters once all of them are here.
void ObjectsPage::showNote() {
    if (!typesKnown_) return;
    const ObjectFilter filter = ObjectFilter::of(this->filter());
    const Format format;
    std::optional<qint64> count;
    if (filter.fields.isEmpty() && filter.parent == 0) {
        qint64 all = 0;
        for (const ObjectType& type : types_) {
            if (!filter.type.isEmpty() && type.name != filter.type) continue;
            const ObjectState* state = type.state(filter.status);
            all += filter.status.isEmpty() ? type.total() : state != nullptr ? state->count : 0;
        }
        count = all;
    } else if (rows_->isKnown() && rows_->isWhole()) {
        count = rows_->rowCount();
    }
    QString note = count ? format.number(*count) : Format::unknown();
    if (rows_->isCut())
        note += QStringLiteral(", ") + tr("the first %1 here").arg(format.number(rows_->rowCount()));
    if (orchestrator_.stuck > 0)
        note += QStringLiteral(", ") + tr("%Ln stuck", nullptr, pluralCount(orchestrator_.stuck));
    head_->setNote(note);
}

void ObjectsPage::takeUpdates() {
    rows_->takeWaiting();
    look();
}

void ObjectsPage::open(qint64 object, const QString&) {
    if (object <= 0) return;
    if (rows_->rowOf(object) >= 0) return table_->selectId(object);
    // It is not among the rows: it is shown all the same.
    table_->clearSelection();
    shown_ = object;
    detail_.reset();
    detailPoll_.forget();
    panel_->showNothing();
    panel_->setVisible(true);
    detailPoll_.now();
    steer();
}

void ObjectsPage::goTo(const QString& target) {
    const QString kind = target.section(':', 0, 0);
    const qint64 object = target.section(':', 1, 1).toLongLong();
    if (kind == "object") return open(object);
    if (kind == "action") return context_.navigator.showAction(object);
    const QString status = target.section(':', 2);
    QString filter = QStringLiteral("parent:%1").arg(object);
    if (!status.isEmpty()) filter += " status:" + status;
    filter_->setText(filter);
    filterLater_.stop();
    find();
}

bool ObjectsPage::closeInnermost() {
    if (shown_ == 0 && !table_->selectionModel()->hasSelection()) return false;
    panel_->fields()->applyAll();
    table_->clearSelection();
    shown_ = 0;
    onSelection();
    return true;
}

Operation ObjectsPage::asOperation() const {
    return shown_ != 0 ? operations::lookAtObject(shown_)
                       : operations::lookAtObjectList(ObjectFilter::of(filter()));
}

} // namespace yard::ui
