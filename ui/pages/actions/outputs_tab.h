// The files that an action left, and what is in the selected one; where several are images, small pictures of them. Nothing
// is asked for while it is not looked at. Owner: ui thread.
#pragma once

#include "ui/outputs/decoded.h"
#include "ui/pages/page.h"
#include "ui/widgets/rows_model.h"

QT_BEGIN_NAMESPACE
class QScrollArea;
QT_END_NAMESPACE

namespace yard::ui {

class Button;
class OutputCommands;
class PictureStrip;
class Preview;
class Table;

class OutputsTab final : public QWidget {
    Q_OBJECT
public:
    explicit OutputsTab(Context context, QWidget* parent = nullptr);

    /// `outputs`: those of a result, by name; `isFinal`: there will be no others. The same files stay selected.
    void show(qint64 lsn, const QJsonObject& outputs, bool isFinal);
    using QWidget::show;
    /// This one of its files is selected, as soon as its files are known.
    void choose(qint64 lsn, const QString& name);
    const std::vector<ChunkFile>& files() const { return files_; }
    Table* table() const { return table_; }
    Preview* preview() const { return preview_; }
    /// Those whose names say that they are images, PictureStrip::kMost of them; hidden where there are not two.
    PictureStrip* pictures() const { return pictures_; }
    OutputCommands* commands() const { return commands_; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fill();
    void chooseWanted();
    void showPictures(const QJsonObject& outputs);
    void showSelected();
    QWidget* makeList();
    void showMenu(const QPoint& global);
    void refreshButtons();
    /// Those of these rows.
    std::vector<ChunkFile> filesOf(const std::vector<qint64>& ids) const;

    Context context_;
    qint64 lsn_ = 0;
    qint64 wantedLsn_ = 0; ///< of wanted_; 0: none is
    QString wanted_;
    std::vector<ChunkFile> files_; ///< a row's id is its place here, from 1
    Table* table_;
    RowsModel* rows_;
    Preview* preview_;
    PictureStrip* pictures_;
    QScrollArea* pictureArea_;
    OutputCommands* commands_;
    Button* save_;
    Button* saveAll_;
    Button* open_;
};

} // namespace yard::ui
