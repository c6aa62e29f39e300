// What is in a file, beside the list it is chosen from: an image, text, JSON as a tree, values as a table, anything
// else as bytes. Owner: ui thread; decoding is done by a helper thread, one file at a time.
//
// No more is asked for than is shown: the beginning first, which says what it is. Of text the first 32 MiB are
// shown, of values 8 MiB; JSON over 8 MiB is shown as text, an image over 64 MiB and anything unknown as bytes, page
// by page. Text is fed to its view in pieces, a piece a turn of the loop. Whatever is not all there is, or something else than its name says, has a sentence above it.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/outputs/decoded.h"

#include <QTimer>

QT_BEGIN_NAMESPACE
class QPlainTextEdit;
class QStackedWidget;
class QTreeView;
QT_END_NAMESPACE

namespace yard::ui {

class Button;
class ImageView;
class Label;
class LogView;
class Table;

class Preview final : public QWidget {
    Q_OBJECT
public:
    static constexpr qint64 kHead = 64 << 10; ///< bytes; also a page of bytes
    static constexpr qint64 kMostImage = 64 << 20;
    static constexpr qint64 kMostText = 32 << 20;
    static constexpr qint64 kMostTree = 8 << 20; ///< of JSON, and of values
    static constexpr qsizetype kPiece = 1 << 20; ///< bytes of text in one turn

    /// `link` outlives it.
    explicit Preview(EngineLink& link, QWidget* parent = nullptr);
    ~Preview() override;

    /// The same again only asks if it failed before.
    void show(const ChunkFile& file);
    using QWidget::show;
    void clear();
    const ChunkFile& file() const { return file_; }

    /// What is shown now; absent while it is asked for, and when it failed.
    std::optional<ContentKind> kind() const { return kind_; }
    /// The sentence above it; empty: there is nothing to say.
    QString note() const;
    /// In place of content; empty: there is content.
    QString message() const;
    /// All bytes of the file, if they are here.
    const QByteArray* whole() const;

    ImageView* image() const { return image_; }
    LogView* text() const { return text_; }
    QTreeView* tree() const { return tree_; }
    Table* table() const { return table_; }
    QPlainTextEdit* hex() const { return hex_; }

signals:
    void changed(); ///< something is shown, or it failed

private:
    QWidget* makeHead();
    void fetch(qint64 from, qint64 count, std::function<void()> then);
    void ended(const Answer& answer, qint64 count, const std::function<void()>& then);
    void onHead();
    void decode();
    void take(Decoded made);
    void takeImage(DecodedImage image);
    void takeTable(CsvTable table);
    void showText();
    void feedText();
    void showHex();
    void page(int step);
    void show(ContentKind kind, QWidget* content, const QString& what, const QStringList& notes);
    void say(const QString& message);
    void drop();
    bool isWhole() const { return from_ == 0 && bytes_.size() == file_.size; }

    EngineLink& link_;
    ChunkFile file_;
    Content content_;
    QByteArray bytes_;
    qint64 from_ = 0; ///< where bytes_ begin in the file
    QStringList notes_;
    std::optional<ContentKind> kind_;
    quint64 asked_ = 0; ///< counts what was asked for: answers to an earlier question are not taken
    bool failed_ = false;
    bool decoding_ = false;
    bool waits_ = false; ///< to be decoded after what is decoded now
    QTimer feed_;        ///< runs while there is text that the view does not have yet
    qsizetype fed_ = 0;
    qsizetype toFeed_ = 0;
    std::unique_ptr<QObject> stream_;
    Label* what_;
    Label* note_;
    Button* actual_;
    Button* back_;
    Button* next_;
    QStackedWidget* stack_;
    QLabel* message_;
    ImageView* image_;
    LogView* text_;
    QTreeView* tree_;
    JsonTreeModel* treeModel_;
    QPlainTextEdit* hex_;
    Table* table_ = nullptr; ///< of the last values that were shown
};

} // namespace yard::ui
