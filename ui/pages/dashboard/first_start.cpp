#include "ui/pages/dashboard/first_start.h"

#include "ui/state/example_run.h"
#include "ui/widgets/transient.h"

#include <QBoxLayout>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QJsonArray>
#include <QMimeData>

namespace yard::ui {

namespace {

constexpr int kFirstGap = 12;
constexpr int kWayGap = 16;
/// A line that anybody can try.
const char* const kTryLine = "yardctl run -- sh -c 'echo hello from $(hostname)'";

/// The one file that is dropped, where it is a program; descriptors and folders are for the window, which registers
/// them.
QString programIn(const QMimeData& data) {
    if (data.urls().size() != 1 || !data.urls().first().isLocalFile()) return {};
    const QFileInfo file(data.urls().first().toLocalFile());
    return file.isFile() && file.isExecutable() ? file.absoluteFilePath() : QString();
}

} // namespace

FirstStart::FirstStart(Context context)
    : context_(context)
    , address_(new Label({}, Type::Mono, Token::Text2)) {
    setAcceptDrops(true);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(kFirstGap);
    column->addStretch(2);
    const auto centred = [&](QWidget* widget) {
        auto* row = new QHBoxLayout;
        row->addStretch(1);
        row->addWidget(widget);
        row->addStretch(1);
        column->addLayout(row);
    };
    centred(new Label(tr("Nothing has been submitted yet"), Type::Title, Token::Text1));
    centred(address_);
    column->addSpacing(kFirstGap);
    centred(makeWays());
    column->addSpacing(kFirstGap);
    centred(new Label(tr("From a shell:"), Type::Body, Token::Text2));
    centred(makeLine());
    column->addStretch(3);
}

Button* FirstStart::addWay(QGridLayout& grid, Button* button, const QString& name, const QString& what) {
    button->setObjectName(name);
    button->setAccessibleDescription(what);
    const int row = grid.rowCount();
    grid.addWidget(button, row, 0);
    grid.addWidget(new Label(what, Type::Body, Token::Text2), row, 1);
    return button;
}

QWidget* FirstStart::makeWays() {
    auto* ways = new QWidget;
    auto* grid = new QGridLayout(ways);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kWayGap);
    grid->setVerticalSpacing(kFirstGap);
    Button* run = addWay(*grid, new Button(Button::Kind::Plain, tr("Run a command…"), "plus"), "first-run",
                         tr("Type it into the form, and submit it."));
    Button* program = addWay(*grid, new Button(Button::Kind::Plain, tr("Choose a program…"), "workers"),
                             "first-program", tr("Or drop it here: the form opens with it."));
    example_ =
        addWay(*grid, new Button(Button::Kind::Plain, tr("Look at an example"), "dashboard"), "first-example",
               tr("Some 300 actions, so that every page has something to show. They go again as one."));
    connect(run, &QAbstractButton::clicked, this, [this] { context_.navigator.openSubmit(); });
    connect(program, &QAbstractButton::clicked, this, &FirstStart::chooseProgram);
    connect(example_, &QAbstractButton::clicked, this, &FirstStart::loadExample);
    return ways;
}

QWidget* FirstStart::makeLine() {
    auto* line = new QWidget;
    auto* pair = new QHBoxLayout(line);
    pair->setContentsMargins(0, 0, 0, 0);
    pair->setSpacing(8);
    const QString tryLine = context_.link.yardctl(kTryLine);
    pair->addWidget(new Label(tryLine, Type::Mono, Token::Text1));
    auto* copy = new Button(Button::Kind::Small, tr("Copy"), "copy");
    pair->addWidget(copy);
    connect(copy, &QAbstractButton::clicked, this, [this, tryLine] { copyText(context_.window, tryLine); });
    return line;
}

void FirstStart::chooseProgram() {
    const auto path = answered(
        this, [this] { return QFileDialog::getOpenFileName(lastingWindow(this), tr("Choose a program")); });
    if (path && !path->isEmpty()) openProgram(*path);
}

void FirstStart::openProgram(const QString& path) {
    const QFileInfo file(path);
    if (!file.isExecutable())
        return context_.window.say(
            tr("%1 cannot be executed: choose a program, or run it by its interpreter.").arg(file.fileName()),
            true);
    context_.navigator.openSubmit(
        {{"worker", "exec"}, {"argv", QJsonArray{file.absoluteFilePath()}}, {"cwd", file.absolutePath()}});
}

void FirstStart::loadExample() {
    example_->setBlocked(tr("The example is being loaded."));
    ExampleRun::load(context_.link, this, [this](const QString& sentence, bool bad) {
        example_->setBlocked({});
        context_.window.say(sentence, bad);
    });
}

void FirstStart::dragEnterEvent(QDragEnterEvent* event) {
    if (!programIn(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
    else
        event->ignore();
}

void FirstStart::dropEvent(QDropEvent* event) {
    const QString path = programIn(*event->mimeData());
    if (path.isEmpty()) return event->ignore();
    event->acceptProposedAction();
    openProgram(path);
}

} // namespace yard::ui
