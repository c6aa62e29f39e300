#include "ui/pages/pool/process_output.h"

#include "ui/log/log_pane.h"
#include "ui/style/format.h"
#include "ui/widgets/button.h"

#include <QUrl>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {
constexpr int kOutputLookMs = 1'000;
} // namespace

KeptEnd::News KeptEnd::take(qint64 size, const QByteArray& end) {
    const qint64 fresh = size - std::exchange(size_, size);
    const QByteArray before = std::exchange(end_, end);
    if (fresh == 0) return {};
    // Its first bytes may be seen already. Where the text is not as it was written (what is not UTF-8 is replaced)
    // its length does not tell how many: then all of it is shown again.
    const bool leadsUp = fresh > 0 && fresh <= end.size() && before.endsWith(end.chopped(fresh));
    if (leadsUp) return {end.last(fresh), false};
    return {end, !before.isEmpty()};
}

ProcessOutput::ProcessOutput(Context context, QWidget* parent)
    : Panel({}, false, parent)
    , pane_(new LogPane)
    , view_(pane_->view())
    , poll_(
          context.link, kOutputLookMs,
          [this]() -> std::optional<Request> {
              if (process_.isEmpty()) return std::nullopt;
              return Request{"GET", "pool/processes/" + QString::fromLatin1(QUrl::toPercentEncoding(process_))};
          },
          [this](const Answer& answer) { take(answer.json); }) {
    auto* close = new Button(Button::Kind::Flat, {}, "close");
    close->setAccessibleName(tr("Close the output"));
    close->setToolTip(tr("Esc"));
    addToHead(close);
    setBody(pane_);
    connect(close, &QAbstractButton::clicked, this, &ProcessOutput::closed);
    connect(&poll_, &Poll::failed, view_, [this](int, const QString& message) { view_->setMessage(message); });
}

void ProcessOutput::setActive(bool active) {
    poll_.setActive(active);
}

void ProcessOutput::setProcess(const QString& process) {
    if (process == process_) return;
    process_ = process;
    ends_ = {};
    view_->clear();
    view_->setMessage({});
    setTitle(tr("Output of process %1").arg(process.mid(1)));
    setNote({});
    poll_.now();
}

void ProcessOutput::take(const QJsonObject& json) {
    if (json.value("id").toString() != process_) return; // of the one before
    const Format format;
    std::array<KeptEnd::News, 2> news;
    std::array<QString, 2> sizes;
    bool isKept = false;
    for (const auto& [at, name] : {std::pair(0U, "stdout"), std::pair(1U, "stderr")}) {
        const QJsonObject stream = json.value(QLatin1String(name)).toObject();
        isKept = isKept || !stream.isEmpty();
        const qint64 size = stream.value("size").toInteger();
        news[at] = ends_[at].take(size, stream.value("text").toString().toUtf8());
        sizes[at] = tr("%1 %2").arg(QLatin1String(name), format.size(size));
    }
    view_->setMessage(isKept ? tr("It has printed nothing.") : tr("What it printed is no longer kept."));
    setNote(isKept ? tr("%1, %2; the end of each is kept").arg(sizes[0], sizes[1]) : QString());
    if (std::ranges::any_of(news, &KeptEnd::News::isAnew)) {
        view_->clear();
        for (auto& end : ends_) end = {};
        return take(json);
    }
    view_->append(LogStream::Out, news[0].bytes);
    view_->append(LogStream::Err, news[1].bytes);
}

} // namespace yard::ui
