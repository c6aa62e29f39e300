#include "ui/forms/alert_form.h"

#include "ui/bridge/alert_operations.h"
#include "ui/style/format.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/transient.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSplitter>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kRulesLookMs = 3'000;
constexpr int kTryPauseMs = 300;
constexpr int kSilenceSeconds = 3'600;
constexpr int kUsualQuietSeconds = 600; // docs/alerts.md
constexpr std::size_t kMostShown = 8;   ///< of what it would have said

struct StateSign {
    QString word;
    DisplayState face;
};

StateSign signOf(const QString& state) {
    if (state == "firing") return {AlertForm::tr("Firing"), DisplayState::Failed};
    if (state == "silenced") return {AlertForm::tr("Silenced"), DisplayState::Held};
    if (state == "resolved") return {AlertForm::tr("Resolved"), DisplayState::Completed};
    return {AlertForm::tr("Quiet"), DisplayState::Completed};
}

std::vector<Column> ruleColumns() {
    return {{.id = "rule",
             .title = AlertForm::tr("Rule"),
             .tip = AlertForm::tr("Its name"),
             .kind = CellKind::Name,
             .width = 140,
             .sort = "name"},
            {.id = "state",
             .title = AlertForm::tr("State"),
             .tip = AlertForm::tr("Whether it holds now"),
             .kind = CellKind::State,
             .width = 100,
             .sort = "state"},
            {.id = "about",
             .title = AlertForm::tr("What it is about"),
             .tip = AlertForm::tr("What has to happen"),
             .kind = CellKind::Text,
             .width = 120,
             .stretches = true}};
}

} // namespace

AlertForm::AlertForm(Context context, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , table_(new Table("alert-rules"))
    , rows_(new RowsModel(ruleColumns(), this))
    , kind_(new QComboBox)
    , severity_(new QComboBox)
    , desktop_(new QCheckBox(tr("a notice on this desktop")))
    , tried_(new WrappedLabel({}, Type::Body, Token::Text1))
    , said_(new Facts)
    , problem_(new WrappedLabel({}, Type::Body, Token::Text1))
    , fresh_(new Button(Button::Kind::Plain, tr("New rule"), "plus"))
    , remove_(new Button(Button::Kind::Plain, tr("Remove…"), "close"))
    , silence_(new Button(Button::Kind::Plain, tr("Silence for 1 h"), "hold"))
    , save_(new Button(Button::Kind::Primary, tr("Add"), "bell"))
    , poll_(
          context.link, kRulesLookMs, [] { return operations::lookAtAlerts(); },
          [this](const Answer& answer) { take(answer.json); }) {
    setObjectName("alert-form");
    setWindowTitle(tr("Alerts"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(scaled(1'040), scaled(680));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(new Label(tr("Alerts"), Type::Title, Token::Text1));
    column->addWidget(new WrappedLabel(
        tr("A rule says what is told to whom. It is tried on what is kept of last week while you write."),
        Type::Body, Token::Text2));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(makeList());
    split->addWidget(scrolling(makeFields()));
    split->setStretchFactor(1, 1);
    split->setSizes({scaled(380), scaled(620)});
    column->addWidget(split, 1);
    column->addLayout(makeFoot());
    later_.setSingleShot(true);
    later_.setInterval(kTryPauseMs);
    connect(&later_, &QTimer::timeout, this, &AlertForm::tryIt);
    connect(table_, &Table::selectionEdited, this, &AlertForm::onSelection);
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) { table_->setMessage(message); });
    poll_.setActive(true);
    begin(AlertDraft(), {});
}

QWidget* AlertForm::makeList() {
    table_->setRows(rows_);
    table_->setAccessibleName(tr("Rules"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    return table_;
}

QLineEdit* AlertForm::addLine(QVBoxLayout* column, const QString& member, const QString& title,
                              const QString& help) {
    auto* line = new QLineEdit;
    line->setObjectName(member);
    line->setMaxLength(kMostAlertLine);
    auto* row = new FormRow(title, line, help);
    row->setMayStack(true);
    byMember_[member] = row;
    lines_[member] = line;
    column->addWidget(row);
    connect(line, &QLineEdit::textEdited, this, &AlertForm::onEdited);
    return line;
}

void AlertForm::addChoices(QVBoxLayout* column) {
    for (const AlertKind& kind : alertKinds()) {
        const QString word = QString::fromLatin1(kind.word.data(), static_cast<qsizetype>(kind.word.size()));
        kind_->addItem(alertKindTitle(word), word);
    }
    for (const auto& [words, word] : {std::pair(tr("Information"), "info"), std::pair(tr("Warning"), "warning"),
                                      std::pair(tr("Critical"), "critical")})
        severity_->addItem(words, QString::fromLatin1(word));
    byMember_["kind"] = new FormRow(tr("When"), kind_, {});
    byMember_["severity"] = new FormRow(tr("How bad it is"), severity_, {});
    for (const char* member : {"kind", "severity"}) {
        byMember_[member]->setMayStack(true);
        column->addWidget(byMember_[member]);
    }
    connect(kind_, &QComboBox::activated, this, [this] {
        onKind();
        onEdited();
    });
    connect(severity_, &QComboBox::activated, this, &AlertForm::onEdited);
}

QWidget* AlertForm::makeFields() {
    auto* fields = new QWidget;
    auto* column = new QVBoxLayout(fields);
    column->setContentsMargins(12, 0, 4, 0);
    column->setSpacing(6);
    addLine(column, "name", tr("Name"), {});
    addChoices(column);
    addLine(column, "filter", tr("Only of"), tr("queue:nightly label:render* …; empty: of all"))
        ->setFont(typeface(Type::Mono));
    addLine(column, "over", tr("From"), {});
    addLine(column, "for_s", tr("Holds for"), tr("Seconds; empty: it is told at once."));
    byMember_["desktop"] = new FormRow(tr("Tell by"), desktop_, {});
    byMember_["desktop"]->setMayStack(true);
    column->addWidget(byMember_["desktop"]);
    connect(desktop_, &QCheckBox::clicked, this, &AlertForm::onEdited);
    addLine(column, "command", tr("Command"), tr("Runs as an action, with the text as its last argument."))
        ->setFont(typeface(Type::Mono));
    addLine(column, "webhook", tr("Address"), tr("https://…: the message is sent there as JSON."))
        ->setFont(typeface(Type::Mono));
    addLine(column, "quiet_s", tr("Then quiet for"),
            tr("Seconds; what comes meanwhile is told together. Empty: 600."));
    addLine(column, "hours", tr("Only at"), tr("08:00-20:00; empty: at any time"));
    column->addWidget(makeTried());
    column->addStretch(1);
    return fields;
}

QWidget* AlertForm::makeTried() {
    auto* panel = new Panel(tr("Last week"));
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(4);
    column->addWidget(tried_);
    column->addWidget(said_);
    panel->setBody(body);
    tried_->setAccessibleName(tr("What it would have said last week"));
    return panel;
}

QHBoxLayout* AlertForm::makeFoot() {
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    auto* close = new Button(Button::Kind::Plain, tr("Close"), {});
    for (QWidget* button : {fresh_, silence_, remove_}) foot->addWidget(button);
    foot->addWidget(problem_, 1);
    foot->addWidget(close);
    foot->addWidget(save_);
    connect(fresh_, &QAbstractButton::clicked, this, [this] {
        table_->clearSelection();
        begin(AlertDraft(), {});
        lines_["name"]->setFocus();
    });
    connect(remove_, &QAbstractButton::clicked, this, &AlertForm::removeRule);
    connect(silence_, &QAbstractButton::clicked, this, &AlertForm::silenceRule);
    connect(save_, &QAbstractButton::clicked, this, &AlertForm::send);
    connect(close, &QAbstractButton::clicked, this, &QDialog::close);
    return foot;
}

FormRow* AlertForm::row(const QString& member) const {
    const auto found = byMember_.find(member);
    return found == byMember_.end() ? nullptr : found->second;
}

// --- the rules there are

void AlertForm::take(const QJsonObject& json) {
    rules_ = readAlertRules(json);
    std::vector<Row> rows;
    for (const AlertRule& rule : rules_) {
        const StateSign sign = signOf(rule.state);
        const auto place = ids_.emplace(rule.name, static_cast<qint64>(ids_.size()) + 1).first;
        rows.push_back({.id = place->second,
                        .cells = {{unturned(rule.name)}, {sign.word, sign.face}, {alertKindTitle(rule.kind)}}});
    }
    table_->setMessage(rows.empty() ? tr("There is no rule") : QString());
    rows_->setRows(std::move(rows));
    if (rows_->waiting() > 0) rows_->takeWaiting();
    const AlertRule* rule = chosen();
    silence_->setText(rule != nullptr && rule->state == "silenced" ? tr("End the silence") : tr("Silence for 1 h"));
}

const AlertRule* AlertForm::chosen() const {
    const auto found = std::ranges::find(rules_, name_, &AlertRule::name);
    return name_.isEmpty() || found == rules_.end() ? nullptr : &*found;
}

void AlertForm::onSelection() {
    const auto ids = table_->selectedIds();
    if (ids.empty()) return;
    for (const AlertRule& rule : rules_)
        if (ids_[rule.name] == ids.front() && rule.name != name_)
            return begin(AlertDraft::of(rule.json), rule.name);
}

// --- the one that is written

/// It is the one that is changed from here on; what is written stays, but for the name.
void AlertForm::keepAs(const AlertDraft& draft, const QString& name) {
    name_ = name;
    others_ = draft.others;
    lines_["name"]->setText(draft.name);
    lines_["name"]->setReadOnly(!name.isEmpty());
    save_->setText(name.isEmpty() ? tr("Add") : tr("Change"));
    const QString none = name.isEmpty() ? tr("Choose a rule first") : QString();
    remove_->setBlocked(none);
    silence_->setBlocked(none);
}

void AlertForm::begin(const AlertDraft& draft, const QString& name) {
    filling_ = true;
    ++begunCount_;
    keepAs(draft, name);
    const std::pair<const char*, QString> texts[] = {
        {"filter", draft.filter},   {"over", draft.over},      {"for_s", draft.forS}, {"command", draft.command},
        {"webhook", draft.webhook}, {"quiet_s", draft.quietS}, {"hours", draft.hours}};
    for (const auto& [member, text] : texts) lines_[member]->setText(text);
    // One of a later engine stays what it is.
    if (!draft.kind.isEmpty() && kind_->findData(draft.kind) < 0)
        kind_->addItem(alertKindTitle(draft.kind), draft.kind);
    kind_->setCurrentIndex(std::max(0, kind_->findData(draft.kind)));
    severity_->setCurrentIndex(std::max(0, severity_->findData(draft.severity)));
    desktop_->setChecked(draft.isForDesktop);
    filling_ = false;
    onKind();
    onEdited();
}

AlertDraft AlertForm::draft() const {
    const auto text = [this](const char* member) { return lines_.at(member)->text(); };
    return {.name = text("name"),
            .kind = kind_->currentData().toString(),
            .filter = text("filter"),
            .over = text("over"),
            .forS = text("for_s"),
            .command = text("command"),
            .webhook = text("webhook"),
            .quietS = text("quiet_s"),
            .hours = text("hours"),
            .severity = severity_->currentData().toString(),
            .isForDesktop = desktop_->isChecked(),
            .others = others_};
}

/// What the kind does not have is not asked for.
void AlertForm::onKind() {
    const AlertKind* kind = alertKind(kind_->currentData().toString());
    if (kind == nullptr) return;
    row("filter")->setVisible(kind->hasFilter);
    row("for_s")->setVisible(!kind->isEvent);
    row("for_s")->setHelp(kind->word == "failure_rate" ? tr("Seconds; empty: 3600.")
                                                       : tr("Seconds; empty: it is told at once."));
    row("over")->setVisible(kind->over != nullptr);
    if (kind->over == nullptr) return;
    row("over")->setNote(QCoreApplication::translate("AlertKinds", kind->over));
    lines_["over"]->setPlaceholderText(QLocale().toString(kind->usual));
}

void AlertForm::onEdited() {
    if (filling_) return;
    ++written_;
    ++trying_; // what is under way asks about what stands there no more
    for (const auto& [member, row] : byMember_) row->setProblem({});
    problem_->setText({});
    later_.start();
}

void AlertForm::tryIt() {
    if (const QString lost = context_.state.whyBlocked(); !lost.isEmpty()) return tried_->setText(lost);
    QJsonObject rule = draft().rule();
    if (rule.value("name").toString().isEmpty()) rule.remove("name"); // who writes has none yet
    const quint64 number = ++trying_;
    context_.link.send(operations::tryAlert(rule), this, [this, number](const Answer& answer) {
        if (number == trying_) showTried(answer);
    });
}

void AlertForm::showTried(const Answer& answer) {
    if (!answer.ok()) {
        tried_->setText({});
        said_->set({});
        return complain(answer);
    }
    const qint64 count = answer.json.value("count").toInteger();
    QString text = count == 0 ? tr("It would have told nothing.")
                              : tr("It would have told something %Ln time(s).", nullptr, pluralCount(count));
    if (const QString note = answer.json.value("note").toString(); !note.isEmpty()) text += ' ' + unturned(note);
    tried_->setText(text);
    const Format format;
    std::vector<Fact> facts;
    const QJsonArray fired = answer.json.value("fired").toArray();
    for (qsizetype i = fired.size(); i > 0 && facts.size() < kMostShown; --i) {
        const QJsonValue each = fired.at(i - 1);
        facts.push_back({format.time(each["t"].toInteger(), wallNow()), unturned(each["text"].toString())});
    }
    said_->set(std::move(facts));
}

/// To the field that it names, else at the foot.
void AlertForm::complain(const Answer& answer) {
    FormRow* of = row(answer.json.value("field").toString());
    if (of != nullptr && of->isVisibleTo(this)) return of->setProblem(answer.message);
    problem_->setText(answer.message);
}

void AlertForm::send() {
    QJsonObject rule = draft().rule();
    if (rule.value("name").toString().isEmpty()) return row("name")->setProblem(tr("It needs a name"));
    const QString name = rule.value("name").toString();
    const bool isNew = name_.isEmpty();
    if (!isNew) {
        rule.remove("name");
        // What was taken away is taken away there, too.
        if (!rule.contains("hours")) rule.insert("hours", "");
        if (!rule.contains("quiet_s")) rule.insert("quiet_s", kUsualQuietSeconds);
    }
    const Operation operation = isNew ? operations::addAlert(rule) : operations::changeAlert(name_, rule);
    context_.commands.run(operation, this, [this, name, of = begunCount_, at = written_](const Answer& answer) {
        if (of == begunCount_) { // else another one is shown by now
            if (!answer.ok()) return complain(answer);
            if (at == written_)
                begin(AlertDraft::of(answer.json), name);
            else // somebody writes on: that stays
                keepAs(AlertDraft::of(answer.json), name);
        }
        poll_.now();
    });
}

void AlertForm::removeRule() {
    if (name_.isEmpty()) return;
    const QString name = name_;
    const auto isMeant = answered(this, [&] {
        return context_.window.ask(tr("Remove alert %1?").arg(name),
                                   tr("What it has to tell still is told. After that it says nothing."),
                                   tr("Remove %1").arg(name), tr("Keep it"));
    });
    if (!isMeant.value_or(false)) return;
    context_.commands.run(operations::removeAlert(name), this, [this, name](const Answer& answer) {
        if (name == name_) {
            if (!answer.ok()) return complain(answer);
            table_->clearSelection();
            begin(AlertDraft(), {});
        }
        poll_.now();
    });
}

void AlertForm::silenceRule() {
    const AlertRule* rule = chosen();
    if (rule == nullptr) return;
    const int seconds = rule->state == "silenced" ? 0 : kSilenceSeconds;
    context_.commands.run(operations::silenceAlert(rule->name, seconds), this, [this](const Answer& answer) {
        if (!answer.ok()) complain(answer);
        poll_.now();
    });
}

} // namespace yard::ui
