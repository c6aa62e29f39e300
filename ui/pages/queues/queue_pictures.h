// The last pictures that a queue's actions left, in its panel; hidden where there are none. Asks every five seconds
// while it is looked at and another action has completed. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/panel.h"

namespace yard::ui {

class PictureStrip;
class Poll;

class QueuePictures final : public QWidget {
    Q_OBJECT
public:
    /// Of so many actions the outputs are looked at.
    static constexpr int kMostLooked = 24;

    explicit QueuePictures(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    void show(qint64 queue);
    using QWidget::show;
    /// The queue may have changed.
    void refresh();
    PictureStrip* strip() const { return strip_; }

private:
    void take(const Answer& answer);

    Context context_;
    qint64 queue_ = -1;
    qint64 askedFor_ = -1; ///< how many had completed when it was asked
    Panel* panel_;
    PictureStrip* strip_;
    Poll* poll_;
};

} // namespace yard::ui
