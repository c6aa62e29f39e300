#include "ui/forms/submit_form.h"

#include "ui/state/chunk_upload.h"
#include "ui/style/type.h"
#include "ui/widgets/panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QShortcut>
#include <QStackedWidget>

#include <algorithm>

namespace yard::ui {

namespace {

QString compact(const QJsonValue& value) {
    if (value.isObject()) return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray()) return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    const QByteArray wrapped = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(wrapped.mid(1, wrapped.size() - 2));
}

std::optional<QJsonValue> anyJson(const QString& text) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson('[' + text.toUtf8() + ']', &error);
    if (error.error != QJsonParseError::NoError || document.array().size() != 1) return std::nullopt;
    return document.array().first();
}

/// "photo.jpg=<hash>, …" for people to see and to edit.
QString inputsText(const QJsonObject& inputs) {
    QStringList all;
    for (auto it = inputs.begin(); it != inputs.end(); ++it) all << it.key() + '=' + it.value().toString();
    return all.join(", ");
}

QString parentText(const QJsonObject& parent) {
    const bool isArray = parent.contains("array");
    const QString number = QString::number(parent.value(isArray ? "array" : "lsn").toInteger());
    const QString on = parent.value("on").toString();
    return (isArray ? "array " + number : number) + (on.isEmpty() ? QString() : ' ' + on);
}

QString afterText(const QJsonArray& after) {
    QStringList all;
    for (const QJsonValue each : after)
        all << (each.isObject() ? parentText(each.toObject()) : QString::number(each.toInteger()));
    return all.join(", ");
}

QString formTextOf(const QString& member, const QJsonObject& action) {
    const QJsonValue value = action.value(member);
    const QJsonObject resources = action.value("resources").toObject();
    if (member == "cores" || member == "memory_mb")
        return resources.contains(member) ? QLocale().toString(resources.value(member).toDouble(), 'g', 12)
                                          : QString();
    if (value.isUndefined()) return {};
    if (member == "argv") return lineOf(value.toVariant().toStringList());
    if (member == "args") return compact(value);
    if (member == "inputs") return inputsText(value.toObject());
    if (member == "after") return afterText(value.toArray());
    if (member == "array")
        return QStringLiteral("%1-%2")
            .arg(value.toObject().value("from").toInteger())
            .arg(value.toObject().value("to").toInteger());
    return value.isString() ? value.toString() : compact(value);
}

} // namespace

std::optional<QStringList> wordsOf(const QString& line) {
    QStringList words;
    QString word;
    bool open = false;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (!quote.isNull()) {
            if (c == quote)
                quote = {};
            else if (c == '\\' && quote == '"' && i + 1 < line.size())
                word += line[++i];
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            open = true;
        } else if (c == '\\' && i + 1 < line.size()) {
            word += line[++i];
            open = true;
        } else if (c.isSpace()) {
            if (open) words << word;
            word.clear();
            open = false;
        } else {
            word += c;
            open = true;
        }
    }
    if (!quote.isNull()) return std::nullopt;
    if (open) words << word;
    return words;
}

QString lineOf(const QStringList& words) {
    QStringList all;
    for (const QString& word : words) all << shellWord(word);
    return all.join(' ');
}

SubmitForm::SubmitForm(Context context, const QJsonObject& action, qint64 queue, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , queue_(new QComboBox)
    , views_(new QStackedWidget)
    , formButton_(new Button(Button::Kind::Plain, tr("Form"), {}))
    , jsonButton_(new Button(Button::Kind::Plain, tr("JSON"), {}))
    , text_(new QPlainTextEdit)
    , worker_(new QComboBox)
    , function_(new QComboBox)
    , hold_(new QCheckBox(tr("until it is released")))
    , problem_(new WrappedLabel({}, Type::Body, Token::Text1))
    , submit_(new Button(Button::Kind::Primary, tr("Submit"), {}))
    , action_(action.isEmpty() ? QJsonObject{{"worker", "exec"}, {"argv", QJsonArray{"echo", "hello"}}} : action) {
    setObjectName("submit");
    setWindowTitle(tr("Submit"));
    setAttribute(Qt::WA_DeleteOnClose);
    setAcceptDrops(true);
    resize(scaled(760), scaled(640));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addLayout(makeHead(queue));
    views_->addWidget(makeFields());
    text_->setFont(typeface(Type::Mono));
    text_->setObjectName("json");
    text_->setAccessibleName(tr("Action as JSON"));
    text_->setTabChangesFocus(true);
    views_->addWidget(text_);
    column->addWidget(views_, 1);
    column->addWidget(problem_);
    column->addLayout(makeFoot());
    connect(text_, &QPlainTextEdit::textChanged, this, &SubmitForm::check);
    connect(&context_.state, &EngineState::connectionChanged, this, &SubmitForm::check);
    fillFields();
    showJson(false);
    // What is written first, over the example where there is one.
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
    formButton_->setObjectName("view-form");
    jsonButton_->setObjectName("view-json");
    head->addWidget(formButton_);
    head->addWidget(jsonButton_);
    connect(formButton_, &QAbstractButton::clicked, this, [this] { showJson(false); });
    connect(jsonButton_, &QAbstractButton::clicked, this, [this] { showJson(true); });
    return head;
}

QLineEdit* SubmitForm::addLine(const QString& member, const QString& title, const QString& help) {
    auto* edit = new QLineEdit;
    edit->setObjectName(member);
    rows_.emplace_back(member, new FormRow(title, edit, help));
    connect(edit, &QLineEdit::textEdited, this, &SubmitForm::onField);
    return edit;
}

QWidget* SubmitForm::makeFields() {
    worker_->setEditable(true);
    worker_->setObjectName("worker");
    worker_->setInsertPolicy(QComboBox::NoInsert);
    function_->setEditable(true);
    function_->setObjectName("function");
    function_->setInsertPolicy(QComboBox::NoInsert);
    for (QComboBox* box : {worker_, function_}) {
        box->lineEdit()->setFrame(false); // the box has one
        box->lineEdit()->setAccessibleName(box == worker_ ? tr("Worker") : tr("Function"));
    }
    rows_.emplace_back("worker", new FormRow(tr("Worker"), worker_, {}));
    rows_.emplace_back("function", new FormRow(tr("Function"), function_, {}));
    addLine("argv", tr("Command"), tr("Program and arguments, quoted as for a shell; no shell runs it."))
        ->setFont(typeface(Type::Mono));
    addLine("cwd", tr("Directory"), tr("Where it runs; empty is a scratch directory of its own."));
    addLine("args", tr("Arguments"), tr("Any JSON."))->setFont(typeface(Type::Mono));
    addLine("label", tr("Label"), {});
    addLine("inputs", tr("Inputs"),
            tr("Files it finds below inputs/; drop them here. What the engine lacks is sent."));
    auto* add = new Button(Button::Kind::Small, tr("Add…"), "plus");
    rows_.back().second->addBeside(add);
    connect(add, &QAbstractButton::clicked, this, [this] {
        for (const QString& path : QFileDialog::getOpenFileNames(this, tr("Inputs"))) addInput(path);
    });
    for (QLineEdit* edit : {addLine("cores", tr("Cores"), {}), addLine("memory_mb", tr("Memory in MiB"), {}),
                            addLine("priority", tr("Priority"), tr("-100 to 100; higher first."))})
        edit->setFixedWidth(scaled(108));
    addLine("array", tr("Array"), tr("0-99: one action for each number; {index} in the command becomes it."))
        ->setFixedWidth(scaled(108));
    addLine("after", tr("After"),
            tr("Numbers of actions, with commas; \"12 any\", \"12 failed\" for how they must end."));
    hold_->setObjectName("hold");
    rows_.emplace_back("hold", new FormRow(tr("Hold"), hold_, {}));
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    for (const auto& [member, row] : rows_) column->addWidget(row);
    column->addStretch(1);
    connect(worker_, &QComboBox::editTextChanged, this, [this] {
        showFunctions();
        onField();
    });
    connect(function_, &QComboBox::editTextChanged, this, &SubmitForm::onField);
    connect(hold_, &QCheckBox::clicked, this, &SubmitForm::onField);
    return scrolling(form);
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
    row("function")->setVisible(!exec);
    row("args")->setVisible(!exec);
    row("argv")->setVisible(exec);
    row("cwd")->setVisible(exec);
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
    hold_->setChecked(action_.value("hold").toBool());
    for (const auto& [member, row] : rows_) {
        row->setProblem({});
        if (auto* edit = qobject_cast<QLineEdit*>(row->control())) edit->setText(formTextOf(member, action_));
    }
    filling_ = false;
    showFunctions();
}

bool SubmitForm::readField(const QString& member, const QString& text) {
    QJsonObject resources = action_.value("resources").toObject();
    const bool resource = member == "cores" || member == "memory_mb";
    if (text.isEmpty()) {
        action_.remove(member);
        resources.remove(member);
        if (resource) action_.insert("resources", resources);
        if (action_.value("resources").toObject().isEmpty()) action_.remove("resources");
        return true;
    }
    if (resource || member == "priority") {
        bool good = false;
        const double number = QLocale().toDouble(text, &good);
        if (!good) return false;
        if (resource) {
            resources.insert(member, number);
            action_.insert("resources", resources);
        } else {
            action_.insert(member, number);
        }
        return true;
    }
    if (member == "argv") {
        const auto words = wordsOf(text);
        if (words) action_.insert(member, QJsonArray::fromStringList(*words));
        return words.has_value();
    }
    if (member == "args") {
        const auto value = anyJson(text);
        if (value) action_.insert(member, *value);
        return value.has_value();
    }
    if (member == "array") {
        static const QRegularExpression span("^\\s*(\\d{1,9})\\s*-\\s*(\\d{1,9})\\s*$");
        const auto match = span.match(text);
        if (match.hasMatch())
            action_.insert(member, QJsonObject{{"from", match.captured(1).toLongLong()},
                                               {"to", match.captured(2).toLongLong()}});
        return match.hasMatch();
    }
    if (member == "after") {
        static const QRegularExpression one("^(array\\s+)?(\\d{1,18})(?:\\s+(completed|any|failed))?$");
        QJsonArray after;
        for (const QString& part : text.split(',')) {
            const auto match = one.match(part.trimmed());
            if (!match.hasMatch()) return false;
            const qint64 lsn = match.captured(2).toLongLong();
            const bool isArray = !match.captured(1).isEmpty();
            QJsonObject parent{{isArray ? "array" : "lsn", lsn}};
            if (!match.captured(3).isEmpty()) parent.insert("on", match.captured(3));
            if (isArray || parent.size() > 1)
                after.append(parent);
            else
                after.append(lsn);
        }
        action_.insert(member, after);
        return true;
    }
    if (member == "inputs") {
        QJsonObject inputs;
        for (const QString& part : text.split(',')) {
            const auto at = part.indexOf('=');
            if (at <= 0) return false;
            inputs.insert(part.left(at).trimmed(), part.mid(at + 1).trimmed());
        }
        action_.insert(member, inputs);
        return true;
    }
    action_.insert(member, text);
    return true;
}

void SubmitForm::onField() {
    if (filling_) return;
    const int at = worker_->findText(worker_->currentText());
    action_.insert("worker",
                   at >= 0 ? worker_->itemData(at).toJsonValue() : QJsonValue(worker_->currentText().trimmed()));
    const bool exec = worker_->currentText() == "exec";
    if (exec || function_->currentText().isEmpty())
        action_.remove("function");
    else
        action_.insert("function", function_->currentText());
    if (hold_->isChecked())
        action_.insert("hold", true);
    else
        action_.remove("hold");
    for (const auto& [member, row] : rows_) {
        const auto* edit = qobject_cast<QLineEdit*>(row->control());
        if (edit == nullptr) continue;
        const bool other = exec ? member == "args" : member == "argv" || member == "cwd";
        const bool good = readField(member, other ? QString() : edit->text().trimmed());
        row->setProblem(good                 ? QString()
                        : member == "argv"   ? tr("A quote stays open")
                        : member == "args"   ? tr("This is no JSON; text stands in quotes")
                        : member == "array"  ? tr("This wants from-to: 0-99")
                        : member == "after"  ? tr("This wants numbers of actions: 12, 13 any")
                        : member == "inputs" ? tr("This wants name=hash")
                                             : tr("This wants a number"));
    }
    check();
}

void SubmitForm::showJson(bool json) {
    if (json) {
        const QSignalBlocker quiet(text_);
        text_->setPlainText(QString::fromUtf8(QJsonDocument(action_).toJson()));
    } else if (views_->currentIndex() == 1) {
        const QJsonDocument document = QJsonDocument::fromJson(text_->toPlainText().toUtf8());
        if (!document.isObject()) {
            problem_->setText(document.isArray()
                                  ? tr("A list of actions has no form; it can be submitted from here.")
                                  : tr("Fix the JSON first."));
            return;
        }
        action_ = document.object();
        fillFields();
    }
    views_->setCurrentIndex(json ? 1 : 0);
    formButton_->setLit(!json);
    jsonButton_->setLit(json);
    check();
}

QJsonValue SubmitForm::actions() const {
    if (views_->currentIndex() == 0) return action_;
    const QJsonDocument document = QJsonDocument::fromJson(text_->toPlainText().toUtf8());
    if (document.isArray()) return document.array();
    return document.isObject() ? QJsonValue(document.object()) : QJsonValue();
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
                fillFields();
                if (views_->currentIndex() == 1) showJson(true);
            }
            check();
        });
}

void SubmitForm::check() {
    QString why = context_.state.whyBlocked();
    if (why.isEmpty() && sending_) why = tr("It is being submitted");
    if (why.isEmpty() && hashing_ > 0) why = tr("Its inputs are being read");
    if (views_->currentIndex() == 1) {
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(text_->toPlainText().toUtf8(), &error);
        problem_->setText(error.error != QJsonParseError::NoError
                              ? tr("At character %1: %2").arg(error.offset).arg(error.errorString())
                              : QString());
        if (!document.isObject() && !document.isArray()) why = tr("Fix the JSON first");
    } else {
        problem_->setText({});
        for (const auto& [member, row] : rows_)
            if (!row->problem().isEmpty()) why = tr("See %1").arg(row->title());
    }
    submit_->setBlocked(why);
}

Operation SubmitForm::operation() const {
    const qint64 queue = queue_->currentData().toLongLong();
    return operations::submit(actions(), queue, context_.state.queueName(queue));
}

void SubmitForm::copy(bool curl) {
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
        FormRow* at = row(field.section(QRegularExpression("[.\\[]"), 0, 0));
        const bool inForm = at != nullptr && views_->currentIndex() == 0;
        if (inForm) at->setProblem(answer.message);
        problem_->setText(inForm ? tr("See %1.").arg(at->title()) : answer.message);
    });
}

void SubmitForm::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void SubmitForm::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) addInput(url.toLocalFile());
}

} // namespace yard::ui
