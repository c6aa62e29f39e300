#include "ui/pages/machines/allocator_strip.h"

#include "ui/bridge/machine_operations.h"
#include "ui/pages/machines/allocator_form.h"
#include "ui/pages/machines/machine_dialogs.h"
#include "ui/widgets/transient.h"

#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonObject>
#include <QVBoxLayout>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kAllocatorsLookMs = 3'000;

QString nameOfAllocator(const QJsonValue& allocator) {
    return allocator.toObject().value("name").toString();
}

} // namespace

AllocatorStrip::AllocatorStrip(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , column_(new QVBoxLayout(this))
    , poll_(
          context.link, kAllocatorsLookMs, [] { return operations::lookAtAllocators().request; },
          [this](const Answer& answer) { take(answer.json); }) {
    column_->setContentsMargins(16, 8, 16, 8);
    column_->setSpacing(4);
    column_->addWidget(new Label(tr("Allocators"), Type::Strong, Token::Text1));
    hide();
}

void AllocatorStrip::take(const QJsonObject& json) {
    const QJsonArray all = json.value("allocators").toArray();
    const bool areThoseShown =
        std::ranges::equal(lines_, all, {}, &Line::name, [](const auto& each) { return nameOfAllocator(each); });
    if (!areThoseShown) {
        for (const Line& line : lines_) line.row->deleteLater();
        lines_.clear();
        for (const auto& each : all) lines_.push_back(makeLine(nameOfAllocator(each)));
    }
    for (qsizetype at = 0; at < all.size(); ++at) show(lines_[static_cast<std::size_t>(at)], all[at].toObject());
    setVisible(!lines_.empty());
}

AllocatorStrip::Line AllocatorStrip::makeLine(const QString& name) {
    Line line{.name = name};
    line.row = new QWidget;
    auto* row = new QHBoxLayout(line.row);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    line.sentence = new Label({}, Type::Body, Token::Text2);
    line.sentence->setElides(true);
    line.steers = new Button(Button::Kind::Plain, tr("Pause"), "pause");
    row->addWidget(new Label(name, Type::Body, Token::Text1));
    row->addWidget(line.sentence, 1);
    line.changes = new Button(Button::Kind::Plain, tr("Change…"), {});
    line.changes->setAccessibleName(tr("Change %1…").arg(name));
    line.removes = new Button(Button::Kind::Plain, tr("Remove…"), "close");
    line.removes->setAccessibleName(tr("Remove %1…").arg(name));
    for (Button* each : {line.steers, line.changes, line.removes}) row->addWidget(each);
    column_->addWidget(line.row);
    connect(line.steers, &QAbstractButton::clicked, this, [this, name] { steer(name); });
    connect(line.changes, &QAbstractButton::clicked, this, [this, name] { change(name); });
    connect(line.removes, &QAbstractButton::clicked, this, [this, name] { remove(name); });
    return line;
}

void AllocatorStrip::show(Line& line, const QJsonObject& allocator) {
    line.isPaused = allocator.value("state").toString() == "paused";
    // The engine's own sentence: it has the numbers, and the other system's words.
    line.sentence->setText(allocator.value("decision").toString());
    line.steers->setText(line.isPaused ? tr("Resume") : tr("Pause"));
    line.steers->setAccessibleName(line.isPaused ? tr("Resume %1").arg(line.name) : tr("Pause %1").arg(line.name));
    line.json = allocator;
    for (Button* each : {line.steers, line.changes, line.removes}) each->setBlocked(context_.state.whyBlocked());
}

void AllocatorStrip::steer(const QString& name) {
    const auto line = std::ranges::find(lines_, name, &Line::name);
    if (line == lines_.end()) return;
    context_.commands.run(line->isPaused ? operations::resumeAllocator(name) : operations::pauseAllocator(name),
                          this, [this](const Answer&) { poll_.now(); });
}

void AllocatorStrip::change(const QString& name) {
    const auto line = std::ranges::find(lines_, name, &Line::name);
    if (line == lines_.end()) return;
    auto* dialog = new AllocatorDialog(context_, line->json, this);
    connect(dialog->form(), &AllocatorForm::saved, &poll_, &Poll::now);
    dialog->show();
}

void AllocatorStrip::remove(const QString& name) {
    const auto isMeant = answered(this, [&] {
        return context_.window.ask(tr("Remove %1?").arg(name),
                                   tr("Its jobs are ended first; what their machines run goes elsewhere."),
                                   tr("Remove %1").arg(name), tr("Keep it"));
    });
    if (!isMeant.value_or(false)) return;
    context_.commands.run(operations::removeAllocator(name), this, [this](const Answer&) { poll_.now(); });
}

} // namespace yard::ui
