// What GET kinds, kinds/{kind} and regressions say, as values, and the rows and words that the page makes of it
// (docs/kinds.md). What is not told is absent, never 0. Values; ui thread.
#pragma once

#include "core/base/clock.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/rows_model.h"

#include <QJsonObject>
#include <QStringList>
#include <optional>
#include <vector>

namespace yard::ui {

struct KindQuantiles {
    double p50 = 0;
    double p95 = 0;
    double p99 = 0;
};

struct KindChangeInfo {
    QString kind; ///< of GET regressions
    bool isMemory = false;
    WallMicros t = 0;
    double before = 0; ///< seconds, or bytes
    double after = 0;
    double ratio = 0;
    double p = 0;
    QString version; ///< that came then; empty: it is not known
    QString machine;
};

struct KindFlakyInfo {
    bool isFlaky = false;
    double probability = 0;
    double rate = 0;
    qint64 inputs = 0;
};

struct KindInfo {
    qint64 row = 0; ///< the same as long as the page lives
    QString name;   ///< as the engine has it: for requests and filters
    qint64 runs = 0;
    qint64 failed = 0;
    std::optional<KindQuantiles> duration; ///< seconds
    std::optional<KindQuantiles> memory;   ///< bytes
    std::optional<double> learned;         ///< bytes
    std::optional<double> asked;           ///< bytes; only of what runs in queues that suggest memory
    std::optional<KindFlakyInfo> flaky;
    std::optional<KindChangeInfo> regression;
    WallMicros last = 0;
    QStringList versions;
};

KindInfo kindInfoOf(const QJsonObject& json);
std::optional<KindChangeInfo> kindChangeOf(const QJsonObject& json);

std::vector<Column> kindColumns();
Row kindRow(const KindInfo& kind, WallMicros now);
/// The next thing one would ask: what got slower, what is flaky, what memory would do.
QString kindNote(const KindInfo& kind, WallMicros now);
/// "slower by 38 % since Thu 14:20, with version 2.4.2".
QString changeWords(const KindChangeInfo& change, WallMicros now);
/// A filter of the page Actions that finds its actions.
QString actionsOfKind(const QString& kind);

std::vector<Column> regressionColumns();
Row regressionRow(const KindChangeInfo& change, qint64 id, WallMicros now);

/// Figures of a version or a machine.
std::vector<Column> kindPartColumns(const QString& title);
/// `key`: "version", "machine".
std::vector<Row> kindPartRows(const QJsonObject& detail, const char* list, const char* key);

std::vector<Column> flakyColumns();
std::vector<Row> flakyRows(const QJsonObject& flakiness);
/// The lines of its failures: "3 × licence lost".
QStringList failureLines(const QJsonObject& flakiness);

/// Median and 95th percentile of each day, and of weeks before; `memory`: of peak memory in place of run time.
Chart::Data kindSeries(const QJsonObject& detail, bool memory);

} // namespace yard::ui
