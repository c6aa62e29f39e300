#include "ui/pages/recordings/recording_forms.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QRegularExpression>

#include <utility>

namespace yard::ui {

namespace {

constexpr qsizetype kMostNameLetters = 100;
constexpr double kLeastSpeed = 1e-3; ///< as POST recordings/{name}/replay takes it
constexpr double kMostSpeed = 1e6;

/// Close and `start` at the foot of `column`.
void addFoot(QDialog& form, QVBoxLayout& column, Button* start) {
    column.addStretch(1);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    auto* close = new Button(Button::Kind::Plain, RecordForm::tr("Close"), {});
    foot->addStretch(1);
    foot->addWidget(close);
    foot->addWidget(start);
    column.addLayout(foot);
    QObject::connect(close, &QAbstractButton::clicked, &form, &QDialog::close);
}

QVBoxLayout* formColumn(QDialog& form, const QString& title) {
    form.setWindowTitle(title);
    form.setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(&form);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(10);
    column->addWidget(new Label(title, Type::Title, Token::Text1));
    return column;
}

/// Empty is 0; nothing: it is no number between these.
std::optional<double> numberBetween(const QLineEdit& field, double least, double most) {
    const QString text = field.text().trimmed();
    if (text.isEmpty()) return 0;
    bool isNumber = false;
    const double value = QLocale().toDouble(text, &isNumber);
    if (!isNumber || value < least || value > most) return std::nullopt;
    return value;
}

} // namespace

bool isRecordingName(const QString& name) {
    static const QRegularExpression all("^[A-Za-z0-9][A-Za-z0-9._-]*\\z");
    return name.size() <= kMostNameLetters && all.match(name).hasMatch();
}

QString recordingNameOf(const QString& file) {
    static const QRegularExpression others("[^A-Za-z0-9._-]+");
    static const QRegularExpression head("^[^A-Za-z0-9]+");
    QString name = QFileInfo(file).fileName();
    if (name.endsWith(QStringLiteral(".yrec"))) name.chop(5);
    return name.replace(others, "-").remove(head).left(kMostNameLetters);
}

RecordForm::RecordForm(Context context, std::function<void()> begun, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , begun_(std::move(begun))
    , name_(new QLineEdit)
    , when_(new QComboBox)
    , filter_(new QLineEdit)
    , files_(new QComboBox)
    , text_(new QLineEdit)
    , nameRow_(new FormRow(tr("Name"), name_, tr("Letters, digits, dots, dashes and underscores.")))
    , note_(new WrappedLabel({}, Type::Body, Token::Text2))
    , start_(new Button(Button::Kind::Primary, tr("Record"), "recordings")) {
    setObjectName("record");
    resize(scaled(640), scaled(420));
    QVBoxLayout* column = formColumn(*this, tr("Record actions"));
    name_->setObjectName("name");
    filter_->setObjectName("filter");
    filter_->setFont(typeface(Type::Mono));
    filter_->setPlaceholderText(QStringLiteral("queue:nightly"));
    text_->setObjectName("note");
    when_->setObjectName("when");
    when_->addItem(tr("What ends from now on, until it is stopped"), false);
    when_->addItem(tr("What has ended, and is kept"), true);
    files_->addItem(tr("All that they read and left"), "all");
    files_->addItem(tr("What they read"), "inputs");
    files_->addItem(tr("None: only hashes"), "none");
    column->addWidget(nameRow_);
    column->addWidget(new FormRow(tr("Which"), when_, {}));
    column->addWidget(new FormRow(tr("Filter"), filter_, tr("As on the page Actions. Empty: all of them.")));
    column->addWidget(
        new FormRow(tr("Files"), files_, tr("Without what they left a replay compares by hash alone.")));
    column->addWidget(new FormRow(tr("Note"), text_, {}));
    column->addWidget(note_);
    addFoot(*this, *column, start_);
    connect(start_, &QAbstractButton::clicked, this, &RecordForm::send);
    name_->setFocus();
}

void RecordForm::send() {
    const operations::RecordingWish wish{.name = name_->text().trimmed(),
                                         .note = text_->text().trimmed(),
                                         .filter = filter_->text().trimmed(),
                                         .attachments = files_->currentData().toString(),
                                         .ofThePast = when_->currentData().toBool()};
    const bool isName = isRecordingName(wish.name);
    nameRow_->setProblem(isName ? QString()
                                : tr("This wants letters, digits, dots, dashes or underscores, at most 100"));
    if (!isName) return;
    start_->setBlocked(tr("The engine is asked"));
    context_.commands.run(operations::startRecording(wish), this, [this](const Answer& answer) {
        start_->setBlocked({});
        note_->setText(answer.message);
        if (!answer.ok()) return;
        begun_();
        close();
    });
}

ReplayForm::ReplayForm(Context context, QString recording, std::function<void()> begun, QWidget* parent)
    : QDialog(parent)
    , context_(context)
    , recording_(std::move(recording))
    , begun_(std::move(begun))
    , worker_(new QLineEdit)
    , filter_(new QLineEdit)
    , speed_(new QLineEdit)
    , tolerance_(new QLineEdit)
    , speedRow_(
          new FormRow(tr("Speed"), speed_, tr("So many times as fast as recorded. Empty: as fast as it goes.")))
    , toleranceRow_(new FormRow(tr("Numbers may differ by"), tolerance_,
                                tr("Relative to the larger one, from 0 to 1. Empty: not at all.")))
    , note_(
          new WrappedLabel(tr("Its actions are submitted again, in a queue of their own. What they write elsewhere "
                              "they write again."),
                           Type::Body, Token::Text2))
    , start_(new Button(Button::Kind::Primary, tr("Replay"), "again")) {
    setObjectName("replay");
    resize(scaled(640), scaled(480));
    QVBoxLayout* column = formColumn(*this, tr("Replay %1").arg(recording_));
    worker_->setObjectName("worker");
    worker_->setPlaceholderText(QStringLiteral("thumb@1.3"));
    filter_->setObjectName("filter");
    filter_->setFont(typeface(Type::Mono));
    filter_->setPlaceholderText(QStringLiteral("state:failed"));
    speed_->setObjectName("speed");
    tolerance_->setObjectName("tolerance");
    column->addWidget(
        new FormRow(tr("Worker instead"), worker_, tr("name@version, in place of its other versions.")));
    column->addWidget(new FormRow(tr("Filter"), filter_, tr("Which of its actions. Empty: all of them.")));
    column->addWidget(speedRow_);
    column->addWidget(toleranceRow_);
    auto* ignored = new QWidget;
    auto* row = new QHBoxLayout(ignored);
    row->setContentsMargins(0, 0, 0, 0);
    for (const char* what : {"stdout", "stderr", "result", "output"}) {
        ignored_.push_back(new QCheckBox(QLatin1String(what)));
        ignored_.back()->setObjectName(QLatin1String(what));
        row->addWidget(ignored_.back());
    }
    row->addStretch(1);
    column->addWidget(new FormRow(tr("Do not compare"), ignored, {}));
    column->addWidget(note_);
    addFoot(*this, *column, start_);
    connect(start_, &QAbstractButton::clicked, this, &ReplayForm::send);
    start_->setFocus();
}

void ReplayForm::send() {
    const auto speed = numberBetween(*speed_, kLeastSpeed, kMostSpeed);
    const auto tolerance = numberBetween(*tolerance_, 0, 1);
    speedRow_->setProblem(speed ? QString() : tr("This wants a number from 0.001 to 1,000,000"));
    toleranceRow_->setProblem(tolerance ? QString() : tr("This wants a number from 0 to 1"));
    if (!speed || !tolerance) return;
    operations::ReplayWish wish{.worker = worker_->text().trimmed(),
                                .speed = *speed,
                                .tolerance = *tolerance,
                                .ignored = {},
                                .filter = filter_->text().trimmed()};
    for (const QCheckBox* what : ignored_)
        if (what->isChecked()) wish.ignored << what->objectName();
    start_->setBlocked(tr("The engine is asked"));
    context_.commands.run(operations::replayRecording(recording_, wish), this, [this](const Answer& answer) {
        start_->setBlocked({});
        if (!answer.ok()) return note_->setText(answer.message);
        begun_();
        close();
    });
}

} // namespace yard::ui
