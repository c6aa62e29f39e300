// The selected queue at the right: figures, its last pictures, settings changed in place, its failures and
// events, where it is reached. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/value_field.h"

QT_BEGIN_NAMESPACE
class QGridLayout;
QT_END_NAMESPACE

namespace yard::ui {

class Button;
class QueuePictures;
class QueueTroubles;

class QueuePanel final : public QWidget {
    Q_OBJECT
public:
    explicit QueuePanel(Context context, QWidget* parent = nullptr);
    /// Shows this queue; -1: none.
    void show(qint64 queue);
    using QWidget::show;
    qint64 queue() const { return queue_; }
    /// Asks for failures and pictures only while it is.
    void setActive(bool active);
    QueueTroubles* troubles() const { return troubles_; }
    QueuePictures* pictures() const { return pictures_; }
    /// The queue may have changed.
    void refresh();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeHead(QVBoxLayout* column);
    QLayout* makeFigures();
    void placeFigures();
    void makeFields(QVBoxLayout* column);
    void makeAddress(QVBoxLayout* column);
    void copy(const QString& text);
    QString apply(const QString& name, double value);

    Context context_;
    qint64 queue_ = -1;
    Label* name_;
    Label* number_;
    QLabel* icon_;
    struct Figure {
        Label* value;
        Label* note;
        QWidget* box; ///< both of them
    };
    std::vector<Figure> figures_;
    QGridLayout* places_ = nullptr; ///< of the figures
    int perLine_ = 0;
    std::vector<ValueField*> fields_;
    QueuePictures* pictures_;
    QueueTroubles* troubles_;
    Label* route_;
    Label* line_;
};

} // namespace yard::ui
