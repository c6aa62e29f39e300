// Looks for a text in the outputs of the actions that are selected, or of all that a filter finds; lines stand there as
// the engine finds them. A window beside the page, which stays while an action is opened at one of its lines.
// Owner: ui thread, the page.
//
// A search that goes on ends when another one begins, with Stop, or when this is closed.
#pragma once

#include "ui/log/log_text.h"
#include "ui/pages/page.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <QDialog>
#include <QLineEdit>
#include <memory>
#include <vector>

QT_BEGIN_NAMESPACE
class QCheckBox;
QT_END_NAMESPACE

namespace yard::ui {

class Table;

class OutputSearch final : public QDialog {
    Q_OBJECT
public:
    OutputSearch(Context context, QWidget* parent);
    ~OutputSearch() override;

    /// Shows itself; what was found elsewhere goes.
    void searchIn(const Target& where);
    QLineEdit* field() const { return field_; }
    Table* table() const { return table_; }
    QString whereText() const { return whereText_->text(); }
    QString stateText() const { return stateText_->text(); }
    bool isSearching() const { return search_ != nullptr; }

public slots:
    void start();
    void stop();

signals:
    /// A line of the output of an action, counted from 1, that has the text.
    void opened(qint64 lsn, LogStream stream, qint64 line, const QString& text);

protected:
    void hideEvent(QHideEvent* event) override;

private:
    struct Found {
        qint64 lsn = 0;
        LogStream stream = LogStream::Out;
        qint64 line = 0;
    };
    void build();
    /// What was found before goes.
    void forget();
    void take(const QByteArray& bytes);
    void takeLine(const QJsonObject& line);
    void ended(const Answer& answer);
    void showState();

    Context context_;
    Target where_;
    QLineEdit* field_;
    QCheckBox* exactCase_;
    Button* act_;
    Label* whereText_;
    Label* stateText_;
    Table* table_;
    RowsModel* model_;
    QString text_; ///< that is looked for
    std::unique_ptr<QObject> search_;
    QByteArray rest_;
    std::vector<Row> rows_;
    std::vector<Found> found_;
    QJsonObject state_; ///< how far it is, as the engine said last
    QString problem_;
    bool isStopped_ = false;
};

} // namespace yard::ui
