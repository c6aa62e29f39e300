#include "ui/outputs/image_view.h"

#include "ui/style/theme.h"

#include <QPaintEvent>

#include <utility>

namespace yard::ui {

class ImageView::Canvas final : public QWidget {
public:
    explicit Canvas(ImageView& view)
        : view_(view) {}

protected:
    void paintEvent(QPaintEvent* event) override {
        QPainter painter(this);
        painter.fillRect(event->rect(), Theme::current()(Token::Bg0));
        const DecodedImage& shown = view_.image();
        if (shown.fitted.isNull()) return;
        if (view_.isActualSize()) {
            const QRect part = event->rect() & shown.image.rect();
            return painter.drawImage(part, shown.image, part);
        }
        QSize room = shown.image.size();
        if (room.width() > width() || room.height() > height()) room.scale(size(), Qt::KeepAspectRatio);
        QRect area({}, room);
        area.moveCenter(rect().center());
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(area, shown.fitted);
    }

private:
    ImageView& view_;
};

ImageView::ImageView(QWidget* parent)
    : QScrollArea(parent)
    , canvas_(new Canvas(*this)) {
    setFrameShape(QFrame::NoFrame);
    setWidget(canvas_);
    setWidgetResizable(true);
    setAccessibleName(tr("Image"));
}

void ImageView::setImage(DecodedImage image) {
    image_ = std::move(image);
    setActualSize(false);
    canvas_->update();
}

void ImageView::setActualSize(bool actual) {
    if (actual == isActualSize()) return;
    setWidgetResizable(!actual);
    if (actual) canvas_->resize(image_.image.size());
    canvas_->update();
    emit actualSizeChanged(actual);
}

void ImageView::mouseDoubleClickEvent(QMouseEvent*) {
    if (!image_.image.isNull()) setActualSize(!isActualSize());
}

} // namespace yard::ui
