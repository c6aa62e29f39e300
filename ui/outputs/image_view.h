// An image, fitted into the view or with its own pixels and scrolled. Paints what is in view and nothing else.
// Owner: ui thread.
#pragma once

#include "ui/outputs/decoded.h"

#include <QScrollArea>

namespace yard::ui {

class ImageView final : public QScrollArea {
    Q_OBJECT
public:
    explicit ImageView(QWidget* parent = nullptr);

    /// No image: nothing is painted.
    void setImage(DecodedImage image);
    const DecodedImage& image() const { return image_; }
    void setActualSize(bool actual);
    bool isActualSize() const { return !widgetResizable(); }

signals:
    void actualSizeChanged(bool actual);

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    class Canvas;
    DecodedImage image_;
    Canvas* canvas_;
};

} // namespace yard::ui
