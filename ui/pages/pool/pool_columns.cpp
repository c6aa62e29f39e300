#include "ui/pages/pool/pool_columns.h"

#include <QCoreApplication>

namespace yard::ui {

namespace {

struct PoolColumns {
    Q_DECLARE_TR_FUNCTIONS(PoolColumns)
};

/// `falls`: the first to fall away is 1; 0 never does.
Column column(const char* id, const QString& title, const QString& tip, CellKind kind, int width, int falls = 0) {
    return {.id = id, .title = title, .tip = tip, .kind = kind, .width = width, .falls = falls};
}
Column stretching(Column column) {
    column.stretches = true;
    return column;
}

} // namespace

std::vector<Column> poolColumns() {
    return {
        column("process", PoolColumns::tr("Process"), PoolColumns::tr("Worker, and its processes"), CellKind::Name,
               136),
        column("state", PoolColumns::tr("State"), PoolColumns::tr("What the process is about"), CellKind::State,
               138),
        column("doing", PoolColumns::tr("Doing now"), PoolColumns::tr("The action it works on"), CellKind::Text,
               204),
        column("for", PoolColumns::tr("For"), PoolColumns::tr("How long it has worked on the oldest of them"),
               CellKind::Number, 72),
        column("open", PoolColumns::tr("Open"), PoolColumns::tr("Requests it has"), CellKind::Number, 60, 2),
        column("served", PoolColumns::tr("Served"), PoolColumns::tr("Requests it has answered"), CellKind::Number,
               80),
        column("cores", PoolColumns::tr("Cores"), PoolColumns::tr("Processor in use, in cores"), CellKind::Number,
               62, 3),
        column("memory", PoolColumns::tr("Memory"), PoolColumns::tr("Resident memory of its process tree"),
               CellKind::Number, 80),
        column("up", PoolColumns::tr("Up"), PoolColumns::tr("How long it has lived"), CellKind::Number, 98,
               kFallsLast),
        column("used", PoolColumns::tr("Last used"), PoolColumns::tr("When its newest request was answered"),
               CellKind::Number, 96, 1),
        stretching(column("why", PoolColumns::tr("Started because"), PoolColumns::tr("Why it was started"),
                          CellKind::Text, 120)),
    };
}

std::vector<Column> goneColumns() {
    return {
        column("when", PoolColumns::tr("When"), PoolColumns::tr("When it was gone"), CellKind::Name, 104),
        column("group", PoolColumns::tr("Group"), PoolColumns::tr("Its worker"), CellKind::Name, 108),
        column("process", PoolColumns::tr("Proc."), PoolColumns::tr("Number of the process"), CellKind::Number, 52),
        stretching(column("why", PoolColumns::tr("Why it was let go"), PoolColumns::tr("Why it was let go"),
                          CellKind::Text, 160)),
        column("lived", PoolColumns::tr("Lived"), PoolColumns::tr("From its start to its end"), CellKind::Number,
               100, 1),
        column("served", PoolColumns::tr("Served"), PoolColumns::tr("Requests it answered"), CellKind::Number, 84,
               kFallsLast),
    };
}

} // namespace yard::ui
