#include "ui/forms/submit_form.h"

#include "ui/state/chunk_upload.h"
#include "ui/style/type.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/text_view.h"
#include "ui/widgets/transient.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr QSize kSubmitForm{1'060, 700};
constexpr int kSubmitFields = 600;
constexpr int kMostOfField = 16 << 20; ///< characters

} // namespace

SubmitForm::SubmitForm(Context context, const QJsonObject& action, qint64 queue, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , queue_(new QComboBox)
    , text_(new QPlainTextEdit)
    , worker_(new QComboBox)
    , function_(new QComboBox)
    , problem_(new WrappedLabel({}, Type::Body, Token::Text1))
    , submit_(new Button(Button::Kind::Primary, tr("Submit"), {}))
    , action_(action.isEmpty() ? QJsonObject{{"worker", "exec"}} : action)
    , whole_(action_) {
    setObjectName("submit");
    setWindowTitle(tr("Submit"));
    setAttribute(Qt::WA_DeleteOnClose);
    setAcceptDrops(true);
    resize(QSize(scaled(kSubmitForm.width()), scaled(kSubmitForm.height()))
               .boundedTo(screen()->availableSize() - QSize(40, 40)));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addLayout(makeHead(queue));
    makeJson();
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(makeFields());
    split->addWidget(text_);
    split->setSizes({scaled(kSubmitFields), scaled(kSubmitForm.width() - kSubmitFields)});
    column->addWidget(split, 1);
    column->addWidget(problem_);
    column->addLayout(makeFoot());
    connect(&context_.state, &EngineState::connectionChanged, this, &SubmitForm::check);
    fillFields();
    writeJson();
    check();
    // What is written first.
    auto* first = qobject_cast<QLineEdit*>(row(worker_->currentText() == "exec" ? "argv" : "args")->control());
    first->setFocus();
    first->selectAll();
    context_.link.send({"GET", "workers/all", {}, {}}, this,
                       [this](const Answer& answer) { takeWorkers(answer.json.value("workers").toArray()); });
}

QLayout* SubmitForm::makeHead(qint64 queue) {
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(new Label(tr("Submit"), Type::Title, Token::Text1));
    head->addSpacing(12);
    head->addWidget(new Label(tr("Into queue"), Type::Body, Token::Text2));
    for (const auto& [id, info] : context_.state.queues()) queue_->addItem(info.name(), id);
    queue_->setCurrentIndex(std::max(0, queue_->findData(queue)));
    queue_->setAccessibleName(tr("Queue"));
    queue_->setObjectName("queue");
    head->addWidget(queue_);
    head->addStretch(1);
    return head;
}

void SubmitForm::makeJson() {
    text_->setFont(typeface(Type::Mono));
    text_->setObjectName("json");
    text_->setAccessibleName(tr("Action as JSON"));
    text_->setTabChangesFocus(true);
    text_->setMinimumWidth(scaled(240));
    connect(text_, &QPlainTextEdit::textChanged, this, &SubmitForm::onJson);
}

QLineEdit* SubmitForm::addLine(const QString& member, const QString& title, const QString& help, bool isShort) {
    auto* edit = new QLineEdit;
    edit->setMaxLength(kMostOfField); // else what is longer would be cut, and sent so once the field is touched
    edit->setObjectName(member);
    rows_.emplace_back(member, new FormRow(title, edit, help));
    if (isShort) edit->setFixedWidth(scaled(108));
    connect(edit, &QLineEdit::textEdited, this, [this, member] { onField(member); });
    return edit;
}

/// `usual`: what holds where the action does not have the member.
void SubmitForm::addCheck(const QString& member, const QString& title, const QString& text, bool usual) {
    auto* box = new QCheckBox(text);
    box->setObjectName(member);
    box->setProperty("usual", usual);
    rows_.emplace_back(member, new FormRow(title, box, {}));
    connect(box, &QCheckBox::clicked, this, [this, member](bool on) { onCheck(member, on); });
}

QWidget* SubmitForm::makeFields() {
    addWhat();
    addHow();
    addWhen();
    fields_ = new QWidget;
    auto* column = new QVBoxLayout(fields_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    for (const auto& [member, row] : rows_) column->addWidget(row);
    column->addStretch(1);
    // It scrolls up and down alone: narrower than its widest row, that one would be cut.
    QScrollArea* scroll = scrolling(fields_);
    scroll->setObjectName("fields");
    scroll->setMinimumWidth(fields_->minimumSizeHint().width() + scroll->verticalScrollBar()->sizeHint().width());
    return scroll;
}

/// What is run, with what.
void SubmitForm::addWhat() {
    for (QComboBox* box : {worker_, function_}) {
        const bool isWorker = box == worker_;
        box->setEditable(true);
        box->setObjectName(isWorker ? "worker" : "function");
        box->setInsertPolicy(QComboBox::NoInsert);
        box->lineEdit()->setFrame(false); // the box has one
        box->lineEdit()->setAccessibleName(isWorker ? tr("Worker") : tr("Function"));
        rows_.emplace_back(box->objectName(), new FormRow(isWorker ? tr("Worker") : tr("Function"), box, {}));
        connect(box, &QComboBox::editTextChanged, this, [this, isWorker] {
            if (isWorker && !filling_) showFunctions();
            onWorker();
        });
    }
    auto* command =
        addLine("argv", tr("Command"), tr("Program and arguments, quoted as for a shell; no shell runs it."));
    command->setPlaceholderText("echo hello");
    command->setFont(typeface(Type::Mono));
    addLine("cwd", tr("Directory"), tr("Where it runs; empty is a scratch directory of its own."));
    addLine("args", tr("Arguments"), tr("Any JSON."))->setFont(typeface(Type::Mono));
    addLine("label", tr("Label"), {});
    addLine("inputs", tr("Inputs"),
            tr("Files it finds below inputs/; drop them here. What the engine lacks is sent."));
    auto* add = new Button(Button::Kind::Small, tr("Add…"), "plus");
    rows_.back().second->addBeside(add);
    connect(add, &QAbstractButton::clicked, this, [this] {
        const auto paths =
            answered(this, [this] { return QFileDialog::getOpenFileNames(lastingWindow(this), tr("Inputs")); });
        for (const QString& path : paths.value_or(QStringList())) addInput(path);
    });
    addLine("expect", tr("Expected outputs"),
            tr("Paths below outputs/ that must be there at its end, with commas."));
    addLine("env", tr("Environment"), tr("A=1 B='two words'; the value of a name alone is not kept."))
        ->setFont(typeface(Type::Mono));
    addCheck("engine_env", tr("Engine's environment"), tr("as well"), true);
    addLine("stdin", tr("Standard input"), tr("A text, \\n for a new line; or the hash of a chunk."));
}

/// What it takes, and what it may.
void SubmitForm::addHow() {
    addLine("cores", tr("Cores"), {}, true);
    addLine("memory_mb", tr("Memory in MiB"), {}, true);
    addLine("resources", tr("Other resources"), tr("gpus=1, licence.x=2"));
    addLine("machine", tr("Machine"),
            tr("Names with commas, tag:NAME, local or any; empty is what its queue says."));
    addLine("platform", tr("Platform"), tr("linux-x86_64; empty is any, of a worker its own."), true);
    addLine("locks", tr("Locks"), tr("Names, with commas; no other one with one of them runs meanwhile."));
    addLine("deadline_s", tr("Deadline in seconds"), tr("Of each attempt; empty is that of its queue or worker."),
            true);
    addLine("max_retries", tr("Retries"), tr("Empty is what its queue says."), true);
    addLine("max_interruptions", tr("Interruptions"),
            tr("How often it runs again after the engine or a machine was lost."), true);
    addLine("jobserver", tr("Jobserver"),
            tr("For make, cargo, ninja in it: true, fifo or false; empty is what its queue says."), true);
    addCheck("sandbox", tr("Sandbox"), tr("as for a registered worker"), false);
    addLine("tty", tr("Terminal"), tr("Rows and columns, 24x80; empty is none."), true);
}

/// When it runs, and beside what.
void SubmitForm::addWhen() {
    addLine("priority", tr("Priority"), tr("-100 to 100; higher first."), true);
    addLine("not_before", tr("Not before"), tr("22:30, or 2026-11-24 22:30."));
    addLine("after", tr("After"),
            tr("Numbers of actions, with commas; \"12 any\", \"12 failed\" for how they must end."));
    addLine("array", tr("Array"), tr("0-99: one action for each number; {index} in the command becomes it."), true);
    addLine("replaces", tr("Replaces"),
            tr("Numbers of actions that this is a changed copy of; pending ones are cancelled."));
    addLine("id", tr("Id"), tr("By which others of a list name it."));
    addCheck("hold", tr("Hold"), tr("until it is released"), false);
}

QLayout* SubmitForm::makeFoot() {
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    auto* copyAs = new Button(Button::Kind::Plain, tr("Copy as"), "copy");
    auto* menu = new QMenu(this);
    menu->addAction(tr("yardctl"), this, [this] { copy(false); })->setObjectName("copy-as-yardctl");
    menu->addAction(tr("curl"), this, [this] { copy(true); })->setObjectName("copy-as-curl");
    copyAs->setMenu(menu);
    foot->addWidget(copyAs);
    foot->addStretch(1);
    auto* close = new Button(Button::Kind::Plain, tr("Close"), {});
    submit_->setObjectName("submit-now");
    foot->addWidget(close);
    foot->addWidget(submit_);
    connect(close, &QAbstractButton::clicked, this, &QDialog::reject);
    connect(submit_, &QAbstractButton::clicked, this, &SubmitForm::submit);
    submit_->setToolTip(tr("Ctrl+Enter"));
    for (const char* keys : {"Ctrl+Return", "Ctrl+Enter"})
        connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, submit_, &QAbstractButton::click);
    return foot;
}

FormRow* SubmitForm::row(const QString& member) const {
    const auto found = std::ranges::find_if(rows_, [&](const auto& each) { return each.first == member; });
    return found == rows_.end() ? nullptr : found->second;
}

void SubmitForm::takeWorkers(const QJsonArray& workers) {
    workers_ = workers;
    const QString written = worker_->currentText();
    filling_ = true;
    worker_->clear();
    worker_->addItem("exec", "exec");
    for (const QJsonValue value : workers) {
        const QJsonObject worker = value.toObject();
        worker_->addItem(worker.value("name").toString() + '@' + worker.value("version").toString(),
                         worker.value("id"));
    }
    const int known = worker_->findData(written);
    if (known >= 0)
        worker_->setCurrentIndex(known);
    else
        worker_->setEditText(written);
    filling_ = false;
    showFunctions();
}

/// Those of the worker; exec has none, but a command.
void SubmitForm::showFunctions() {
    const QString worker = worker_->currentText();
    const bool exec = worker == "exec";
    for (const auto& [member, row] : rows_) row->setVisible(canHave(member, exec));
    const QString written = function_->currentText();
    const bool was = std::exchange(filling_, true);
    function_->clear();
    for (const QJsonValue value : workers_) {
        const QJsonObject each = value.toObject();
        const QString name = each.value("name").toString();
        if (worker != each.value("id").toString() && worker != name &&
            worker != name + '@' + each.value("version").toString())
            continue;
        for (const QJsonValue function : each.value("functions").toArray())
            function_->addItem(function.toObject().value("name").toString());
    }
    if (!written.isEmpty()) function_->setEditText(written);
    filling_ = was;
}

void SubmitForm::fillFields() {
    filling_ = true;
    const QString worker = action_.value("worker").toString("exec");
    const int known = worker_->findData(worker);
    if (known >= 0)
        worker_->setCurrentIndex(known);
    else
        worker_->setEditText(worker);
    function_->setEditText(action_.value("function").toString());
    for (const auto& [member, row] : rows_) {
        row->setProblem({});
        if (auto* edit = qobject_cast<QLineEdit*>(row->control())) edit->setText(fieldText(member, action_));
        if (auto* box = qobject_cast<QCheckBox*>(row->control()))
            box->setChecked(action_.value(member).toBool(box->property("usual").toBool()));
    }
    filling_ = false;
    showFunctions();
}

/// What another kind of worker cannot have goes.
void SubmitForm::onWorker() {
    if (filling_) return;
    forgetRefusal();
    const int at = worker_->findText(worker_->currentText());
    action_.insert("worker",
                   at >= 0 ? worker_->itemData(at).toJsonValue() : QJsonValue(worker_->currentText().trimmed()));
    const bool exec = worker_->currentText() == "exec";
    if (function_->currentText().isEmpty())
        action_.remove("function");
    else
        action_.insert("function", function_->currentText());
    for (const auto& [member, row] : rows_) {
        if (canHave(member, exec)) continue;
        action_.remove(member);
        row->setProblem({});
    }
    take(action_);
}

void SubmitForm::onField(const QString& member) {
    if (filling_) return;
    forgetRefusal();
    FormRow* at = row(member);
    const QString text = qobject_cast<QLineEdit*>(at->control())->text();
    const bool good = readField(member, member == "stdin" ? text : text.trimmed(), action_);
    at->setProblem(good ? QString() : fieldWants(member));
    take(action_);
}

void SubmitForm::onCheck(const QString& member, bool on) {
    forgetRefusal();
    if (on == row(member)->control()->property("usual").toBool())
        action_.remove(member);
    else
        action_.insert(member, on);
    take(action_);
}

/// What the engine said of one field holds until something is changed.
void SubmitForm::forgetRefusal() {
    if (FormRow* at = row(std::exchange(refused_, {}))) at->setProblem({});
}

/// From the fields: the JSON follows.
void SubmitForm::take(const QJsonObject& action) {
    whole_ = action;
    badJson_.clear();
    writeJson();
    check();
}

void SubmitForm::writeJson() {
    const QSignalBlocker quiet(text_);
    const int scrolled = text_->verticalScrollBar()->value();
    text_->setPlainText(jsonText(action_));
    text_->verticalScrollBar()->setValue(scrolled);
}

/// From the JSON: the fields follow, where it is one action.
void SubmitForm::onJson() {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text_->toPlainText().toUtf8(), &error);
    whole_ = {};
    badJson_.clear();
    if (error.error != QJsonParseError::NoError) {
        badJson_ = tr("At character %1: %2").arg(error.offset).arg(error.errorString());
    } else if (document.isArray()) {
        whole_ = document.array();
        badJson_ = tr("A list of actions has no form; it can be submitted from here.");
    } else {
        action_ = document.object();
        whole_ = action_;
        fillFields();
    }
    check();
}

void SubmitForm::addInput(const QString& path) {
    ++hashing_;
    check();
    inBackground(
        this, [path] { return hashedFile(path); },
        [this](const HashedFile& file) {
            --hashing_;
            row("inputs")->setProblem(file.problem);
            if (file.problem.isEmpty()) {
                files_.insert(file.hash, file.path);
                QJsonObject inputs = action_.value("inputs").toObject();
                inputs.insert(QFileInfo(file.path).fileName(), file.hash);
                action_.insert("inputs", inputs);
                qobject_cast<QLineEdit*>(row("inputs")->control())->setText(fieldText("inputs", action_));
                if (badJson_.isEmpty()) return take(action_);
            }
            check();
        });
}

void SubmitForm::check() {
    fields_->setEnabled(badJson_.isEmpty());
    problem_->setText(badJson_);
    QString why = context_.state.whyBlocked();
    if (why.isEmpty() && sending_) why = tr("It is being submitted");
    if (why.isEmpty() && hashing_ > 0) why = tr("Its inputs are being read");
    if (why.isEmpty() && whole_.isNull()) why = tr("Fix the JSON first");
    if (why.isEmpty() && whole_.isObject()) {
        for (const auto& [member, row] : rows_)
            if (!row->problem().isEmpty()) why = tr("See %1").arg(row->title());
        const bool isExec = whole_.toObject().value("worker").toString("exec") == "exec";
        if (why.isEmpty() && isExec && whole_.toObject().value("argv").toArray().isEmpty())
            why = tr("Give a command");
    }
    submit_->setBlocked(why);
}

Operation SubmitForm::operation() const {
    const qint64 queue = queue_->currentData().toLongLong();
    return operations::submit(actions(), queue, context_.state.queueName(queue));
}

void SubmitForm::copy(bool curl) {
    if (whole_.isNull()) return context_.window.say(tr("Fix the JSON first"), true);
    const Operation now = operation();
    const QString line = curl ? context_.link.curl(now.request) : context_.link.yardctl(now.yardctl);
    QApplication::clipboard()->setText(line);
    context_.window.say(tr("Copied: %1").arg(line));
}

void SubmitForm::submit() {
    sending_ = true;
    check();
    runWithChunks(context_.commands, operation(), files_, this, [this](const Answer& answer) {
        sending_ = false;
        if (answer.ok()) return accept();
        check(); // nothing that was written is lost
        const QString field = answer.json.value("field").toString();
        const QString member = field.section(QRegularExpression("[.\\[]"), 0, 0);
        FormRow* at = row(member);
        const bool inForm = at != nullptr && whole_.isObject();
        if (inForm) {
            at->setProblem(answer.message);
            refused_ = member;
        }
        problem_->setText(inForm ? tr("See %1.").arg(at->title()) : answer.message);
    });
}

/// Files are for the fields, where there are any.
void SubmitForm::dragEnterEvent(QDragEnterEvent* event) {
    if (badJson_.isEmpty() && event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void SubmitForm::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) addInput(url.toLocalFile());
}

} // namespace yard::ui
