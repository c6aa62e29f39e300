#include "ui/pages/console/profile_panel.h"

#include "core/base/files.h"
#include "core/profile/profile_file.h"
#include "core/profile/report.h"
#include "ui/pages/console/icicle.h"
#include "ui/pages/save_as.h"
#include "ui/style/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QFileInfo>
#include <QVBoxLayout>

namespace yard::ui {

ProfilePanel::ProfilePanel(EngineLink& link, WindowServices& window, bool isHere, QWidget* parent)
    : QWidget(parent)
    , link_(link)
    , window_(window)
    , isHere_(isHere)
    , panel_(new Panel(tr("Profiler"), false))
    , toggle_(new Button(Button::Kind::Small, {}, {}))
    , report_(new Button(Button::Kind::Small, tr("Report…"), "save"))
    , icicle_(new Icicle)
    , words_(new Label({}, Type::Caption, Token::Text2)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    panel_->addToHead(toggle_);
    panel_->addToHead(report_);
    auto* body = new QWidget;
    auto* inside = new QVBoxLayout(body);
    inside->setContentsMargins(12, 6, 12, 6);
    inside->addWidget(icicle_, 1);
    words_->setElides(true);
    inside->addWidget(words_);
    panel_->setBody(body);
    column->addWidget(panel_);
    connect(toggle_, &QAbstractButton::clicked, this, &ProfilePanel::switchOver);
    connect(report_, &QAbstractButton::clicked, this, &ProfilePanel::save);
    connect(icicle_, &Icicle::pointed, this, [this](const QString& words) {
        if (!words.isEmpty()) words_->setText(words);
    });
    showState();
}

QString ProfilePanel::words() const {
    return words_->text();
}

void ProfilePanel::setBlocked(const QString& why) {
    toggle_->setBlocked(why);
}

void ProfilePanel::showState() {
    toggle_->setText(isOn_ ? tr("Stop and show") : tr("Profile"));
    toggle_->setLit(isOn_);
    report_->setBlocked(name_.isEmpty() ? tr("Measure first") : QString());
    if (isOn_) words_->setText(tr("Measuring what the engine's threads do…"));
}

void ProfilePanel::switchOver() {
    const bool starts = !isOn_;
    const Request request{.method = "POST",
                          .path = starts ? QStringLiteral("inside/profile/start")
                                         : QStringLiteral("inside/profile/stop"),
                          .body = "{}"};
    link_.send(request, this, [this, starts](const Answer& answer) {
        if (!starts) {
            onStopped(answer);
            return;
        }
        // Another may have begun: then this one ends it.
        isOn_ = answer.ok() || answer.status == 409;
        showState();
        if (!answer.ok()) words_->setText(answer.message);
    });
}

void ProfilePanel::onStopped(const Answer& answer) {
    isOn_ = false;
    showState();
    if (answer.ok())
        show(answer.json["file"].toString());
    else
        words_->setText(answer.message);
}

void ProfilePanel::show(const QString& file) {
    if (!isHere_) {
        words_->setText(tr("On the engine's machine: yardctl profile show %1").arg(file));
        return;
    }
    const auto bytes = readFile(file.toStdString(), profile::kLargestFile);
    auto read = bytes ? profile::decode(*bytes) : std::unexpected(bytes.error());
    if (!read) {
        words_->setText(QString::fromStdString(read.error().message));
        return;
    }
    name_ = QFileInfo(file).completeBaseName();
    const auto ran = Duration(static_cast<Duration::rep>(profile::ranNanos(*read) / 1000));
    const auto lasted = Duration(static_cast<Duration::rep>(read->lastedMicros));
    panel_->setNote(tr("%1, of them %2 on the processor").arg(Format().duration(lasted), Format().duration(ran)));
    icicle_->setProfile(std::move(*read));
    showState();
    words_->setText(tr("Width is time on the processor. A click zooms, a click above goes back."));
}

void ProfilePanel::save() {
    if (name_.isEmpty()) return;
    saveAs(this, window_, tr("Save the report"), name_ + QStringLiteral(".html"),
           QByteArray::fromStdString(profile::htmlPage(icicle_->profile())));
}

} // namespace yard::ui
