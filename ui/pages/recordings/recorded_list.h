// The actions of one recording, read from its file by the engine, whichever engine made it: nothing here can be run,
// cancelled or changed. The selected one stands beside the list as JSON. Owner: ui thread; lifetime: its parent's,
// within that of its context.
//
// Bounded: kMostRows actions and kMostBytes of their text; what is beyond is said in note().
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <memory>
#include <unordered_map>

QT_BEGIN_NAMESPACE
class QPlainTextEdit;
QT_END_NAMESPACE

namespace yard::ui {

class RecordedList final : public QWidget {
    Q_OBJECT
public:
    static constexpr qsizetype kMostRows = 5'000;
    static constexpr qsizetype kMostBytes = 64 << 20;

    explicit RecordedList(Context context, QWidget* parent = nullptr);

    /// Asks for them, unless they are here already. `isOwn`: it was made on this engine, so its actions may be there.
    void show(const QString& recording, qint64 actions, bool isOwn);
    using QWidget::show;
    /// None is shown: what is under way is not taken any more.
    void clear();

    /// Lines of the answer, in pieces as they come.
    void take(const QByteArray& piece);
    void end(const Answer& answer);

    Table* table() const { return table_; }
    QString text() const;
    /// "5,000 of 1,284,031"; empty: all are shown.
    const QString& note() const { return note_; }

signals:
    void noteChanged();

private:
    void takeLine(const QByteArray& line);
    void stopAt(const QString& note);
    void refill();
    void onSelection();

    Context context_;
    RowsModel* rows_;
    Table* table_;
    QPlainTextEdit* text_;
    QString recording_;
    qint64 actions_ = 0;
    bool isOwn_ = false;
    bool isFull_ = false; ///< nothing more is taken
    std::unique_ptr<QObject> stream_;
    QByteArray rest_; ///< of a line that is not whole
    std::vector<Row> read_;
    std::unordered_map<qint64, QByteArray> lines_; ///< by row
    qsizetype bytes_ = 0;
    QString note_;
};

} // namespace yard::ui
