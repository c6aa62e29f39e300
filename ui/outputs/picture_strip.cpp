#include "ui/outputs/picture_strip.h"

#include "ui/outputs/chunk_request.h"
#include "ui/state/chunk_upload.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"

#include <QAbstractButton>
#include <QGridLayout>
#include <QPaintEvent>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kPicturesInRow = 4;
constexpr int kPictureSide = 192; ///< pixels of a thumbnail, at most
constexpr qsizetype kPictureHead = 64;

QImage thumbnailOf(const ChunkFile& file, const QByteArray& bytes) {
    const Content content =
        fileContentOf(file.name, bytes.first(std::min(kPictureHead, bytes.size())), false, imageFormats());
    if (content.kind != ContentKind::Image) return {};
    return decodedImage(bytes, content.imageFormat, kPictureSide).fitted;
}

} // namespace

std::vector<OutputPicture> picturesOf(const QJsonArray& actions) {
    std::vector<OutputPicture> pictures;
    for (const QJsonValue action : actions) {
        const QJsonObject outputs = action.toObject().value("outputs").toObject();
        for (auto it = outputs.end(); it != outputs.begin() && pictures.size() < PictureStrip::kMost;) {
            --it;
            const QJsonObject chunk = it.value().toObject();
            const qint64 lsn = action.toObject().value("lsn").toInteger();
            const ChunkFile file{it.key(), chunk.value("hash").toString(), chunk.value("size").toInteger(), lsn};
            const bool good = hasHash(file) && file.size > 0 && file.size <= PictureStrip::kMostBytes;
            if (good && kindByName(file.name, imageFormats()) == ContentKind::Image)
                pictures.push_back({lsn, file});
        }
    }
    return pictures;
}

class PictureStrip::Thumbnail final : public QAbstractButton {
public:
    explicit Thumbnail(QWidget* parent)
        : QAbstractButton(parent) {
        setFixedHeight(scaled(60));
        setMinimumWidth(scaled(48));
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
    }
    void set(const OutputPicture& picture, const QImage& image) {
        image_ = image;
        const QString name =
            PictureStrip::tr("%1 of action %2").arg(picture.file.name, Format().number(picture.lsn));
        setAccessibleName(name);
        setToolTip(name);
        update();
    }
    QSize sizeHint() const override { return {scaled(72), scaled(60)}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = Theme::current();
        painter.fillRect(rect(), theme(underMouse() || isDown() ? Token::Bg3 : Token::Bg2));
        if (!image_.isNull()) {
            QRect area({}, image_.size().scaled(size() - QSize(4, 4), Qt::KeepAspectRatio));
            area.moveCenter(rect().center());
            painter.setRenderHint(QPainter::SmoothPixmapTransform);
            painter.drawImage(area, image_);
        }
        painter.setPen(theme(hasFocus() ? Token::Text1 : Token::Line));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }

private:
    QImage image_;
};

PictureStrip::PictureStrip(EngineLink& link, QWidget* parent)
    : QWidget(parent)
    , link_(link)
    , grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(12, 8, 12, 8);
    grid_->setSpacing(4);
    for (int column = 0; column < kPicturesInRow; ++column) grid_->setColumnStretch(column, 1);
    setAccessibleName(tr("Last pictures"));
}

PictureStrip::~PictureStrip() = default;

void PictureStrip::setPictures(std::vector<OutputPicture> pictures) {
    if (pictures.size() > kMost) pictures.resize(kMost);
    pictures_ = std::move(pictures);
    QHash<QString, QImage> kept;
    for (const OutputPicture& picture : pictures_)
        if (const auto found = images_.constFind(picture.file.hash); found != images_.constEnd())
            kept.insert(picture.file.hash, *found);
    images_ = std::move(kept);
    while (buttons_.size() < pictures_.size()) {
        const auto at = buttons_.size();
        auto* button = new Thumbnail(this);
        grid_->addWidget(button, static_cast<int>(at) / kPicturesInRow, static_cast<int>(at) % kPicturesInRow);
        connect(button, &QAbstractButton::clicked, this, [this, at] {
            if (at < pictures_.size()) emit opened(pictures_[at].lsn, pictures_[at].file.name);
        });
        buttons_.push_back(button);
    }
    for (std::size_t at = 0; at < buttons_.size(); ++at) {
        buttons_[at]->setVisible(at < pictures_.size());
        if (at < pictures_.size()) buttons_[at]->set(pictures_[at], thumbnail(at));
    }
    fetchNext();
}

QImage PictureStrip::thumbnail(std::size_t at) const {
    return at < pictures_.size() ? images_.value(pictures_[at].file.hash) : QImage();
}

bool PictureStrip::isDone() const {
    return std::ranges::all_of(pictures_,
                               [this](const OutputPicture& each) { return images_.contains(each.file.hash); });
}

void PictureStrip::fetchNext() {
    if (!isVisible() || stream_ || decoding_) return;
    const auto next = std::ranges::find_if_not(
        pictures_, [this](const OutputPicture& each) { return images_.contains(each.file.hash); });
    if (next == pictures_.end()) return;
    fetched_ = next->file;
    bytes_.clear();
    stream_ = link_.stream(
        chunkRequest(fetched_),
        [this](const QByteArray& piece) {
            bytes_ += piece.first(std::min<qint64>(piece.size(), fetched_.size - bytes_.size()));
        },
        [this](const Answer& answer) { onFetched(answer); });
}

void PictureStrip::onFetched(const Answer& answer) {
    stream_.release()->deleteLater(); // it is what calls
    if (answer.status == 0) return;   // asked for again when it is shown again, or others come
    if (!answer.ok()) return take(fetched_.hash, {});
    decoding_ = true;
    inBackground(
        this, [file = fetched_, bytes = std::exchange(bytes_, {})] { return thumbnailOf(file, bytes); },
        [this, hash = fetched_.hash](const QImage& image) {
            decoding_ = false;
            take(hash, image);
        });
}

void PictureStrip::take(const QString& hash, const QImage& image) {
    for (std::size_t at = 0; at < pictures_.size(); ++at)
        if (pictures_[at].file.hash == hash) {
            images_.insert(hash, image);
            buttons_[at]->set(pictures_[at], image);
        }
    fetchNext();
}

void PictureStrip::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    fetchNext();
}

void PictureStrip::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    stream_.reset();
}

} // namespace yard::ui
