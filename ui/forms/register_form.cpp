#include "ui/forms/register_form.h"

#include "core/model/worker_package.h"
#include "ui/state/chunk_upload.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/transient.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QRegularExpression>

namespace yard::ui {

namespace {

bool isNumber(const QString& member) {
    return member == "cores" || member == "memory_mb" || member == "deadline_s";
}

/// "thumb, convert 2": names, each with its version behind it.
QString functionsText(const QJsonArray& functions) {
    QStringList all;
    for (const QJsonValue value : functions) {
        const QString version = value.toObject().value("version").toString();
        all << value.toObject().value("name").toString() + (version.isEmpty() ? QString() : ' ' + version);
    }
    return all.join(", ");
}

QJsonArray functionsFrom(const QString& text) {
    QJsonArray functions;
    for (const QString& each : text.split(',', Qt::SkipEmptyParts)) {
        const QStringList words = each.split(' ', Qt::SkipEmptyParts);
        if (words.isEmpty()) continue;
        QJsonObject function{{"name", words.front()}};
        if (words.size() > 1) function.insert("version", words[1]);
        functions.append(function);
    }
    return functions;
}

struct Packed {
    QByteArray canonical;
    QString id;
    QHash<QString, QString> files;
    QString problem;
    QString field;
};

Packed packed(const QByteArray& descriptor, const QString& directory) {
    const auto package =
        packWorker(std::string_view(descriptor.constData(), static_cast<std::size_t>(descriptor.size())),
                   directory.toStdString());
    if (!package)
        return {{},
                {},
                {},
                QString::fromStdString(package.error().message),
                QString::fromStdString(package.error().field)};
    Packed out{QByteArray::fromStdString(package->worker.canonical),
               QString::fromStdString(package->worker.id.hex()),
               {},
               {},
               {}};
    for (const PackedFile& file : package->files)
        out.files.insert(QString::fromStdString(file.content.hash.hex()), QString::fromStdString(file.path));
    return out;
}

} // namespace

RegisterForm::RegisterForm(Context context, const QString& path, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , source_(new QLineEdit)
    , mode_(new QComboBox)
    , network_(new QCheckBox(tr("may use the network")))
    , text_(new QPlainTextEdit)
    , problem_(new WrappedLabel({}, Type::Body, Token::Text1))
    , ask_(new Button(Button::Kind::Small, tr("Ask it"), "again"))
    , submit_(new Button(Button::Kind::Primary, tr("Register"), {})) {
    setObjectName("register");
    setWindowTitle(tr("Register a worker"));
    setAttribute(Qt::WA_DeleteOnClose);
    setAcceptDrops(true);
    resize(scaled(1180), scaled(640));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(new Label(tr("Register a worker"), Type::Title, Token::Text1));
    auto* from = new QHBoxLayout;
    from->setSpacing(8);
    from->addWidget(new Label(tr("From"), Type::Body, Token::Text2));
    source_->setObjectName("source");
    source_->setAccessibleName(tr("Program, folder or descriptor"));
    source_->setPlaceholderText(tr("A program, a folder with worker.json, or a descriptor; or drop one here"));
    from->addWidget(source_, 1);
    auto* file = new Button(Button::Kind::Plain, tr("File…"), {});
    auto* folder = new Button(Button::Kind::Plain, tr("Folder…"), {});
    from->addWidget(file);
    from->addWidget(folder);
    column->addLayout(from);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(20);
    middle->addWidget(makeForm(), 3);
    middle->addWidget(makeText(), 2);
    column->addLayout(middle, 1);
    column->addWidget(problem_);
    column->addLayout(makeFoot());
    connect(source_, &QLineEdit::returnPressed, this, [this] { read(source_->text().trimmed()); });
    connect(file, &QAbstractButton::clicked, this, [this] {
        const auto chosen = answered(this, [this] {
            return QFileDialog::getOpenFileName(lastingWindow(this), tr("Program or descriptor"));
        });
        if (chosen && !chosen->isEmpty()) read(*chosen);
    });
    connect(folder, &QAbstractButton::clicked, this, [this] {
        const auto chosen = answered(this, [this] {
            return QFileDialog::getExistingDirectory(lastingWindow(this), tr("Folder of the worker"));
        });
        if (chosen && !chosen->isEmpty()) read(*chosen);
    });
    update();
    source_->setFocus();
    if (!path.isEmpty()) read(path);
}

QWidget* RegisterForm::makeForm() {
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    addLine("name", tr("Name"), {});
    addLine("version", tr("Version"), {});
    addLine("platform", tr("Platform"), {});
    addLine("executable", tr("Program"), tr("Relative to the folder; one of its files."));
    addLine("functions", tr("Functions"),
            tr("Separated by commas, each with its version behind it: thumb 1, convert 2"));
    rows_["functions"]->addBeside(ask_);
    ask_->setToolTip(tr("Runs the program once with --describe, for 5 s at most"));
    mode_->addItems({tr("process: started for each action"), tr("warm: stays between actions")});
    mode_->setObjectName("mode");
    rows_["mode"] = new FormRow(tr("Mode"), mode_, {});
    addLine("cores", tr("Cores"), tr("Reserved for each action; empty is 1."));
    addLine("memory_mb", tr("Memory"), tr("Reserved, and the limit in the sandbox; empty is the engine's own."));
    rows_["memory_mb"]->setNote(tr("MiB"));
    addLine("deadline_s", tr("Deadline"), tr("How long an attempt may take; empty is the engine's own."));
    rows_["deadline_s"]->setNote(tr("s"));
    network_->setObjectName("network");
    rows_["network"] = new FormRow(tr("Network"), network_, {});
    for (const char* member : {"name", "version", "platform", "executable", "functions", "mode", "cores",
                               "memory_mb", "deadline_s", "network"})
        column->addWidget(rows_[member]);
    column->addStretch(1);
    connect(mode_, &QComboBox::activated, this, [this](int at) {
        descriptor_.insert("mode", at == 1 ? "warm" : "process");
        showDescriptor();
    });
    connect(network_, &QCheckBox::clicked, this, [this](bool on) {
        descriptor_.insert("network", on);
        showDescriptor();
    });
    connect(ask_, &QAbstractButton::clicked, this, &RegisterForm::askProgram);
    return scrolling(form);
}

void RegisterForm::addLine(const QString& member, const QString& title, const QString& help) {
    auto* edit = new QLineEdit;
    edit->setObjectName(member);
    auto* added = new FormRow(title, edit, help);
    if (isNumber(member))
        edit->setFixedWidth(scaled(108));
    else
        edit->setMinimumWidth(scaled(200));
    connect(edit, &QLineEdit::textEdited, this, [this, member] { onLine(member); });
    rows_[member] = added;
}

QWidget* RegisterForm::makeText() {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addWidget(new Label(tr("Descriptor"), Type::Strong, Token::Text1));
    text_->setObjectName("descriptor");
    text_->setAccessibleName(tr("Descriptor as JSON"));
    text_->setFont(typeface(Type::Mono));
    text_->setTabChangesFocus(true);
    column->addWidget(text_, 1);
    connect(text_, &QPlainTextEdit::textChanged, this, &RegisterForm::onText);
    return side;
}

QHBoxLayout* RegisterForm::makeFoot() {
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    foot->addStretch(1);
    auto* close = new Button(Button::Kind::Plain, tr("Close"), {});
    submit_->setObjectName("register-now");
    foot->addWidget(close);
    foot->addWidget(submit_);
    connect(close, &QAbstractButton::clicked, this, &QDialog::reject);
    connect(submit_, &QAbstractButton::clicked, this, &RegisterForm::submit);
    return foot;
}

FormRow* RegisterForm::row(const QString& member) const {
    const auto found = rows_.find(member);
    return found == rows_.end() ? nullptr : found->second;
}

void RegisterForm::read(const QString& path) {
    source_->setText(path);
    complain(tr("Reading %1…").arg(path));
    inBackground(
        this, [path] { return draftWorker(path); },
        [this, number = ++reads_](const WorkerDraft& draft) {
            if (number == reads_) take(draft);
        });
}

void RegisterForm::take(const WorkerDraft& draft) {
    directory_ = draft.directory;
    descriptor_ = draft.descriptor;
    complain(draft.problem);
    for (const auto& [member, row] : rows_) {
        row->setProblem({});
        if (member != "memory_mb" && member != "deadline_s") row->setNote(draft.guesses.value(member));
    }
    if (!draft.text.isEmpty()) { // beside the reason, to be corrected here
        filling_ = true;
        text_->setPlainText(draft.text);
        filling_ = false;
        return update();
    }
    showDescriptor();
    if (draft.describes && !descriptor_.contains("functions")) askProgram();
}

/// Fields and text from the descriptor; what is being written in stays.
void RegisterForm::showDescriptor() {
    filling_ = true;
    for (const auto& [member, row] : rows_) {
        auto* edit = qobject_cast<QLineEdit*>(row->control());
        if (edit == nullptr || edit->hasFocus()) continue;
        const QJsonValue value = descriptor_.value(member);
        edit->setText(member == "functions" ? functionsText(value.toArray())
                      : value.isDouble()    ? QLocale().toString(value.toDouble(), 'g', 12)
                                            : value.toString());
    }
    mode_->setCurrentIndex(descriptor_.value("mode").toString() == "warm" ? 1 : 0);
    network_->setChecked(descriptor_.value("network").toBool());
    if (!text_->hasFocus()) text_->setPlainText(QString::fromUtf8(QJsonDocument(descriptor_).toJson()));
    filling_ = false;
    update();
}

void RegisterForm::onLine(const QString& member) {
    FormRow* line = rows_[member];
    const QString text = qobject_cast<QLineEdit*>(line->control())->text().trimmed();
    line->setProblem({});
    if (member != "memory_mb" && member != "deadline_s") line->setNote({}); // no guess any more
    if (text.isEmpty()) {
        descriptor_.remove(member);
    } else if (member == "functions") {
        descriptor_.insert(member, functionsFrom(text));
    } else if (isNumber(member)) {
        bool good = false;
        const double value = QLocale().toDouble(text, &good);
        if (!good) return line->setProblem(tr("This wants a number"));
        descriptor_.insert(member, value);
    } else {
        descriptor_.insert(member, text);
    }
    showDescriptor();
}

void RegisterForm::onText() {
    if (filling_) return;
    const QByteArray text = text_->toPlainText().toUtf8();
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (!document.isObject()) {
        complain(error.error != QJsonParseError::NoError ? placeIn(text, error.offset) + ": " + error.errorString()
                                                         : tr("A descriptor is a JSON object."));
        return submit_->setBlocked(problem_->text());
    }
    complain({});
    descriptor_ = document.object();
    showDescriptor();
}

void RegisterForm::askProgram() {
    const QString program = QDir(directory_).filePath(descriptor_.value("executable").toString());
    rows_["functions"]->setNote(tr("asking the program…"));
    describer_.ask(program, [this](const Described& answer) {
        FormRow* line = rows_["functions"];
        line->setNote(answer.problem.isEmpty() ? tr("as the program says") : QString());
        line->setProblem(answer.problem);
        if (!answer.problem.isEmpty()) return;
        descriptor_.insert("functions", answer.functions);
        showDescriptor();
    });
}

void RegisterForm::submit() {
    busy_ = true;
    complain(tr("Reading and hashing its files…"));
    inBackground(
        this,
        [text = QJsonDocument(descriptor_).toJson(QJsonDocument::Compact), at = directory_] {
            return packed(text, at);
        },
        [this](const Packed& package) {
            if (!package.problem.isEmpty()) {
                busy_ = false;
                return complain(package.problem, package.field);
            }
            send(package.canonical, package.id, package.files);
        });
}

void RegisterForm::send(const QByteArray& canonical, const QString& id, const QHash<QString, QString>& files) {
    const QString name = descriptor_.value("name").toString();
    complain(tr("Sending…"));
    runWithChunks(context_.commands, operations::registerWorker(id, canonical, name), files, this,
                  [this, id, name](const Answer& answer) {
                      busy_ = false;
                      if (!answer.ok()) return complain(answer.message, answer.json.value("field").toString());
                      context_.window.say(tr("%1 is registered as %2").arg(name, id.left(8)));
                      accept();
                  });
}

void RegisterForm::complain(const QString& sentence, const QString& field) {
    const QString member = field.section(QRegularExpression("[.\\[]"), 0, 0);
    FormRow* line = row(member);
    if (line != nullptr) line->setProblem(sentence);
    problem_->setText(line != nullptr ? tr("See %1.").arg(line->title()) : sentence);
    update();
}

void RegisterForm::update() {
    const QString lost = context_.state.whyBlocked();
    submit_->setBlocked(!lost.isEmpty() ? lost
                        : busy_         ? tr("It is being registered")
                        : descriptor_.value("executable").isUndefined()
                            ? tr("Choose a program, a folder or a descriptor first")
                            : QString());
    ask_->setBlocked(descriptor_.contains("executable") ? QString() : tr("There is no program yet"));
}

void RegisterForm::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void RegisterForm::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) {
            event->acceptProposedAction();
            return read(url.toLocalFile());
        }
}

} // namespace yard::ui
