// The last images among the outputs of actions, small: the frames of a render. One is fetched at a time, none while
// it is not looked at, and none over 16 MiB. Owner: ui thread; a helper thread decodes.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/outputs/decoded.h"

#include <QHash>
#include <QJsonArray>
#include <QWidget>

QT_BEGIN_NAMESPACE
class QGridLayout;
QT_END_NAMESPACE

namespace yard::ui {

struct OutputPicture {
    qint64 lsn = 0;
    ChunkFile file;
    bool operator==(const OutputPicture&) const = default;
};

/// Of results, newest first: what their outputs' names say are images, the last name of an action first.
std::vector<OutputPicture> picturesOf(const QJsonArray& actions);

class PictureStrip final : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 12;
    static constexpr qint64 kMostBytes = 16 << 20; ///< of one

    /// `link` outlives it.
    explicit PictureStrip(EngineLink& link, QWidget* parent = nullptr);
    ~PictureStrip() override;

    /// kMost of these; what is here already is not fetched again.
    void setPictures(std::vector<OutputPicture> pictures);
    const std::vector<OutputPicture>& pictures() const { return pictures_; }
    /// Null: not here, or it cannot be shown.
    QImage thumbnail(std::size_t at) const;
    /// All that can be shown are.
    bool isDone() const;

signals:
    void opened(qint64 lsn, const QString& name);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    class Thumbnail;
    void fetchNext();
    void onFetched(const Answer& answer);
    void take(const QString& hash, const QImage& image);

    EngineLink& link_;
    QGridLayout* grid_;
    std::vector<OutputPicture> pictures_;
    std::vector<Thumbnail*> buttons_;
    QHash<QString, QImage> images_; ///< by hash; null: it cannot be shown
    ChunkFile fetched_;             ///< on its way, or being decoded
    QByteArray bytes_;
    bool decoding_ = false;
    std::unique_ptr<QObject> stream_;
};

} // namespace yard::ui
