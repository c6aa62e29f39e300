// What the timelines page writes into files.
#include "ui/pages/timelines/timelines_page.h"
#include "ui/timeline/chrome_trace.h"
#include "ui/widgets/transient.h"

#include <QDir>
#include <QFileDialog>
#include <QImage>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace yard::ui {

using namespace timeline;

void TimelinesPage::askExport(Export kind) {
    const QString suffix = kind == Export::Png ? "png" : kind == Export::Svg ? "svg" : "json";
    const QString day = QDateTime::fromMSecsSinceEpoch(view_->range().from / 1'000).toString("yyyy-MM-dd-HHmm");
    const auto path = answered(this, [&] {
        return QFileDialog::getSaveFileName(
            lastingWindow(this), tr("Export"),
            QDir::home().filePath(QStringLiteral("timelines-%1.%2").arg(day, suffix)), "*." + suffix);
    });
    if (path && !path->isEmpty()) exportTo(*path, kind);
}

void TimelinesPage::exportTo(const QString& path, Export kind) {
    bool written = false;
    if (kind == Export::Trace) return exportTrace(path);
    if (kind == Export::Png) {
        QImage image(view_->size() * view_->devicePixelRatioF(), QImage::Format_RGB32);
        image.setDevicePixelRatio(view_->devicePixelRatioF());
        image.fill(Theme::current()(Token::Bg1));
        QPainter painter(&image);
        view_->paintTo(painter);
        painter.end();
        written = image.save(path, "PNG");
    } else {
        QSaveFile file(path);
        if (file.open(QIODevice::WriteOnly)) {
            QSvgGenerator drawing;
            drawing.setOutputDevice(&file);
            drawing.setSize(view_->size());
            drawing.setViewBox(view_->rect());
            drawing.setTitle(rangeText());
            QPainter painter(&drawing);
            view_->paintTo(painter, true);
            painter.end();
            written = file.commit();
        }
    }
    if (written)
        context_.window.say(tr("Written to %1").arg(path));
    else
        context_.window.say(tr("%1 cannot be written").arg(path), true);
}

void TimelinesPage::exportTrace(const QString& path) {
    context_.window.say(tr("Reading the range…"));
    source_->exact(view_->range(), this, [this, path](const Picture* picture, const QString& problem) {
        if (picture == nullptr) return context_.window.say(problem, true);
        QSaveFile file(path);
        const bool written =
            file.open(QIODevice::WriteOnly) && file.write(chromeTrace(*picture)) >= 0 && file.commit();
        if (written)
            context_.window.say(tr("Written to %1").arg(path));
        else
            context_.window.say(tr("%1 cannot be written").arg(path), true);
    });
}

} // namespace yard::ui
