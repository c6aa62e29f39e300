// The tabs Usage, Alerts and Audit of the page History: a table each, with a line above it that says what it is of. Each asks
// while it is looked at. Owner: ui thread; lifetime: its parent's, within that of its context.
//
// Bounded: the engine tells 1,000 rows of usage and 1,000 rules; of the audit pages of 1,000 are asked for until
// there are kMostEntries.
#pragma once

#include "ui/pages/history/past_values.h"
#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"

#include <QHash>
#include <functional>
#include <optional>
#include <vector>

QT_BEGIN_NAMESPACE
class QBoxLayout;
QT_END_NAMESPACE

namespace yard::ui {

class PastPane : public QWidget {
    Q_OBJECT
public:
    void setActive(bool active) { poll_.setActive(active); }
    /// What can be seen of is from then on; 0: all that is kept.
    void setSince(std::function<qint64()> since) { since_ = std::move(since); }
    /// What is written into the filter.
    void setPart(const QString& part);
    /// Asks now; rows that wait are shown.
    void refresh();
    Table* table() const { return table_; }
    QString line() const { return line_->text(); }
    virtual Operation asOperation() const = 0;
    /// What Enter and a double click do; nothing: there is no such thing.
    virtual void openRow(qint64) {}
    /// For the menu of the selected row.
    virtual QList<QAction*> rowActions() const { return {}; }

signals:
    /// A count for the tab; empty: none.
    void noteChanged(const QString& note);
    void menuWanted(const QPoint& global);

protected:
    PastPane(Context context, const QString& key, const QString& name, std::vector<Column> columns, int everyMs);
    virtual std::optional<Request> request() = 0;
    virtual void take(const QJsonObject& json) = 0;
    /// The filter is another one, or rows came.
    virtual void filterRows() = 0;
    virtual void onSelection() {}
    QBoxLayout* strip() const { return strip_; }
    qint64 since() const { return since_ ? since_() : 0; }
    /// Of a row: the same for the same key, unless there were too many.
    qint64 rowIdOf(const QString& key);

    Context context_;
    QBoxLayout* strip_;
    Label* line_;
    RowsModel* rows_;
    Table* table_;
    QString part_;
    bool told_ = false;
    Poll poll_;

private:
    std::function<qint64()> since_;
    QHash<QString, qint64> rowIds_;
    qint64 lastRowId_ = 0;
};

/// What work used, and what of it was for nothing.
class UsagePane final : public PastPane {
    Q_OBJECT
public:
    explicit UsagePane(Context context);
    /// A word of usageKinds().
    void setBy(const QString& by);
    Operation asOperation() const override;
    void openRow(qint64 id) override;
    /// The rows that the filter lets through, as a table for spreadsheets.
    QByteArray csv() const;

protected:
    std::optional<Request> request() override;
    void take(const QJsonObject& json) override;
    void filterRows() override;

private:
    QString nameOf(const QString& key) const;
    void refill();
    QString by_ = QStringLiteral("queue");
    QString askedBy_ = by_;
    QString toldBy_ = by_; ///< of what is shown
    Button* byButton_;
    std::vector<UsageInfo> usage_;
    UsageSum sum_;
};

/// The rules of alerts and what they told last.
class AlertsPane final : public PastPane {
    Q_OBJECT
public:
    explicit AlertsPane(Context context);
    Operation asOperation() const override;
    void openRow(qint64) override;
    QList<QAction*> rowActions() const override { return {silence_}; }

protected:
    std::optional<Request> request() override;
    void take(const QJsonObject& json) override;
    void filterRows() override;
    void onSelection() override;

private:
    /// The selected rule; empty: none is.
    QJsonObject selected() const;
    void silence();
    QAction* silence_;
    std::vector<QJsonObject> rules_;
};

/// Who changed what.
class AuditPane final : public PastPane {
    Q_OBJECT
public:
    static constexpr std::size_t kMostEntries = 5'000;
    static constexpr int kMostPages = 20; ///< of all 90 days there are twelve, where they are short

    explicit AuditPane(Context context);
    Operation asOperation() const override;
    void openRow(qint64 id) override;

protected:
    std::optional<Request> request() override;
    void take(const QJsonObject& json) override;
    void filterRows() override;

private:
    void takePage(const QJsonObject& json, int page);
    void askMore(const QString& cursor, int page);
    void refill(bool isWhole);
    qint64 dropped_ = 0;
    std::vector<QJsonObject> entries_; ///< of the last whole answer
    std::vector<QJsonObject> coming_;
    quint64 question_ = 0; ///< pages of an earlier one are not taken
    qint64 askedSince_ = 0;
};

} // namespace yard::ui
