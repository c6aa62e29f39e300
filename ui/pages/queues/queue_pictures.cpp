#include "ui/pages/queues/queue_pictures.h"

#include "ui/outputs/picture_strip.h"
#include "ui/state/poll.h"

#include <QJsonArray>

namespace yard::ui {

namespace {

constexpr int kPicturesEveryMs = 5'000;

} // namespace

QueuePictures::QueuePictures(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , panel_(new Panel(tr("Last pictures"), false))
    , strip_(new PictureStrip(context.link))
    , poll_(new Poll(
          context.link, kPicturesEveryMs,
          [this]() -> std::optional<Request> {
              const QueueInfo* queue = context_.state.queue(queue_);
              if (queue == nullptr || askedFor_ == queue->of(DisplayState::Completed)) return std::nullopt;
              askedFor_ = queue->of(DisplayState::Completed);
              if (askedFor_ == 0) return std::nullopt; // there is nothing to look at
              Request request{"GET", "jobs", {}, {}, {}};
              request.query.addQueryItem("state", "completed");
              request.query.addQueryItem("queue", QString::number(queue->id));
              request.query.addQueryItem("limit", QString::number(kMostLooked));
              return request;
          },
          [this](const Answer& answer) { take(answer); }, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    panel_->setBody(strip_);
    column->addWidget(panel_);
    panel_->hide();
    connect(strip_, &PictureStrip::opened, this,
            [this](qint64 lsn, const QString& name) { context_.navigator.showAction(lsn, "outputs/" + name); });
    connect(&context_.state, &EngineState::refreshed, this, [this] { askedFor_ = -1; });
}

void QueuePictures::setActive(bool active) {
    poll_->setActive(active);
}

void QueuePictures::show(qint64 queue) {
    if (queue_ == queue) return;
    queue_ = queue;
    askedFor_ = -1;
    strip_->setPictures({});
    panel_->hide();
    poll_->now();
}

void QueuePictures::refresh() {
    const QueueInfo* queue = context_.state.queue(queue_);
    if (queue != nullptr && queue->of(DisplayState::Completed) != askedFor_) poll_->now();
}

void QueuePictures::take(const Answer& answer) {
    const QJsonArray actions = answer.json.value("jobs").toArray();
    if (!actions.isEmpty() && actions.first().toObject().value("queue_id").toInteger() != queue_) return;
    auto pictures = picturesOf(actions);
    panel_->setVisible(!pictures.empty());
    strip_->setPictures(std::move(pictures));
}

} // namespace yard::ui
