#include "ui/pages/machines/allocator_form.h"

#include "ui/bridge/machine_operations.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

namespace yard::ui {

namespace {

// As POST allocators takes them.
constexpr int kMostName = 40;
constexpr int kMostCommand = 4'096;
constexpr int kMostMinutes = 366 * 24 * 60;
constexpr double kMostAllocatedCores = 4'096;
constexpr int kMostMemoryMb = 1 << 30;
constexpr int kMostPilots = 1'000;
constexpr int kMostIdle = 86'400;
constexpr int kMinuteSeconds = 60;

QSpinBox* numberField(const char* name, int least, int most, int value) {
    auto* field = new QSpinBox;
    field->setObjectName(name);
    field->setRange(least, most);
    field->setValue(value);
    return field;
}

QLineEdit* lineField(const char* name, int most) {
    auto* field = new QLineEdit;
    field->setObjectName(name);
    field->setMaxLength(most);
    return field;
}

} // namespace

AllocatorForm::AllocatorForm(Context context, const QJsonObject& allocator, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , name_(lineField("allocator-name", kMostName))
    , kind_(new QComboBox)
    , partition_(lineField("allocator-partition", kMostCommand))
    , program_(lineField("allocator-program", kMostCommand))
    , start_(lineField("allocator-start", kMostCommand))
    , list_(lineField("allocator-list", kMostCommand))
    , stop_(lineField("allocator-stop", kMostCommand))
    , minutes_(numberField("allocator-minutes", 1, kMostMinutes, kMinuteSeconds))
    , cores_(new QDoubleSpinBox)
    , memory_(numberField("allocator-memory", 0, kMostMemoryMb, 0))
    , min_(numberField("allocator-min", 0, kMostPilots, 0))
    , max_(numberField("allocator-max", 1, kMostPilots, 1))
    , idle_(numberField("allocator-idle", 1, kMostIdle, 5 * kMinuteSeconds))
    , keep_(new QCheckBox(tr("They go on when this engine ends")))
    , note_(new WrappedLabel(QString(), Type::Body, Token::Text2))
    , save_(new Button(Button::Kind::Primary, allocator.isEmpty() ? tr("Add") : tr("Change"),
                       allocator.isEmpty() ? "plus" : QString())) {
    kind_->setObjectName("allocator-kind");
    kind_->addItem(tr("Slurm"), QStringLiteral("slurm"));
    kind_->addItem(tr("Commands of your own"), QStringLiteral("command"));
    cores_->setObjectName("allocator-cores");
    cores_->setDecimals(3);
    cores_->setRange(0.001, kMostAllocatedCores);
    cores_->setValue(1);
    keep_->setObjectName("allocator-keep");
    program_->setText("yardmaster");
    memory_->setSpecialValueText(tr("any"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    makeFields(column);
    column->addWidget(note_);
    column->addStretch(1);
    if (!allocator.isEmpty()) fill(allocator);
    connect(name_, &QLineEdit::textChanged, this, &AllocatorForm::review);
    connect(kind_, &QComboBox::currentIndexChanged, this, &AllocatorForm::review);
    for (QLineEdit* each : {start_, list_, stop_})
        connect(each, &QLineEdit::textChanged, this, &AllocatorForm::review);
    connect(save_, &QAbstractButton::clicked, this, &AllocatorForm::ask);
    review();
}

void AllocatorForm::makeFields(QVBoxLayout* column) {
    const auto add = [&](const QString& title, QWidget* control, const QString& help = {}) {
        auto* row = new FormRow(title, control, help);
        column->addWidget(row);
        return row;
    };
    add(tr("Name"), name_, tr("Jobs are called by it; it stays."));
    add(tr("Asks"), kind_);
    slurmRows_ = {add(tr("Partition"), partition_, tr("Empty: Slurm's own choice.")),
                  add(tr("Program"), program_, tr("As it is called on a node."))};
    commandRows_ = {add(tr("Start"), start_, tr("Begins a machine, and prints the job as its first line.")),
                    add(tr("List"), list_, tr("Prints a line for each job.")),
                    add(tr("Stop"), stop_, tr("Ends the job that $YARD_JOB names."))};
    add(tr("Time, minutes"), minutes_, tr("So long is a machine there."));
    add(tr("Cores"), cores_);
    add(tr("Memory, MiB"), memory_);
    add(tr("At least"), min_, tr("So many machines are there though nothing waits."));
    add(tr("At most"), max_);
    add(tr("Idle, seconds"), idle_, tr("A machine without work goes after this."));
    add(tr("Machines"), keep_);
}

void AllocatorForm::fill(const QJsonObject& allocator) {
    const auto text = [&](const char* member) { return allocator.value(QLatin1String(member)).toString(); };
    const auto number = [&](const char* member) { return allocator.value(QLatin1String(member)).toInt(); };
    name_->setText(text("name"));
    name_->setEnabled(false);
    kind_->setCurrentIndex(kind_->findData(text("kind")));
    kind_->setEnabled(false);
    partition_->setText(text("partition"));
    program_->setText(text("program"));
    start_->setText(text("start"));
    list_->setText(text("list"));
    stop_->setText(text("stop"));
    minutes_->setValue(number("walltime_s") / kMinuteSeconds);
    cores_->setValue(allocator.value("cores").toDouble(1));
    memory_->setValue(number("memory_mb"));
    min_->setValue(number("min"));
    max_->setValue(number("max"));
    idle_->setValue(number("idle_s"));
    keep_->setChecked(allocator.value("keep").toBool());
    before_ = members();
}

bool AllocatorForm::isOfSlurm() const {
    return kind_->currentData().toString() == "slurm";
}

QJsonObject AllocatorForm::members() const {
    QJsonObject body{{"name", name_->text().trimmed()},
                     {"kind", kind_->currentData().toString()},
                     {"walltime_s", qint64{minutes_->value()} * kMinuteSeconds},
                     {"cores", cores_->value()},
                     {"memory_mb", memory_->value()},
                     {"min", min_->value()},
                     {"max", max_->value()},
                     {"idle_s", idle_->value()},
                     {"keep", keep_->isChecked()}};
    if (isOfSlurm()) {
        body.insert("partition", partition_->text().trimmed());
        body.insert("program", program_->text().trimmed());
    } else {
        body.insert("start", start_->text().trimmed());
        body.insert("list", list_->text().trimmed());
        body.insert("stop", stop_->text().trimmed());
    }
    return body;
}

void AllocatorForm::review() {
    for (FormRow* row : slurmRows_) row->setVisible(isOfSlurm());
    for (FormRow* row : commandRows_) row->setVisible(!isOfSlurm());
    const auto isEmpty = [](const QLineEdit* line) { return line->text().trimmed().isEmpty(); };
    if (isEmpty(name_))
        save_->setBlocked(tr("Give it a name"));
    else if (!isOfSlurm() && isNew() && (isEmpty(start_) || isEmpty(list_) || isEmpty(stop_)))
        save_->setBlocked(tr("Give the three commands"));
    else
        save_->setBlocked({});
}

void AllocatorForm::ask() {
    QJsonObject body = members();
    const QString name = body.value("name").toString();
    if (!isNew()) {
        for (auto it = before_.constBegin(); it != before_.constEnd(); ++it)
            if (body.value(it.key()) == it.value()) body.remove(it.key());
        if (body.isEmpty()) {
            emit saved();
            return;
        }
    }
    save_->setBlocked(tr("The engine is asked"));
    setEnabled(false); // the answer is about what stands there now
    context_.link.send(isNew() ? operations::addAllocator(body) : operations::changeAllocator(name, body), this,
                       [this](const Answer& answer) {
                           setEnabled(true);
                           review();
                           take(answer);
                       });
}

void AllocatorForm::take(const Answer& answer) {
    if (answer.ok()) {
        emit saved();
        return;
    }
    note_->setText(answer.status == 0 ? tr("The engine did not answer.") : answer.message);
}

} // namespace yard::ui
