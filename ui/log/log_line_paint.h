// Paints one line of a log in its screen rows: number, colours, selection, what was found. Owner: ui thread.
#pragma once

#include "ui/log/log_selection.h"

#include <QPainter>

namespace yard::ui {

int logLineHeight();
qreal logCharWidth();

/// What is to be seen of a line.
struct PaintedLine {
    LogLine line;
    QString number;
    LogStream stream = LogStream::Out;
    bool isError = false;
    bool isFound = false; ///< the line where find stands
    LogSelection::Part selected = {};
    QString found = {}; ///< highlighted wherever it is; empty: nothing
};

/// Where it stands, in pixels of the viewport.
struct LinePlace {
    int y = 0;
    int width = 0;   ///< of the viewport
    int height = 0;  ///< of all its screen rows
    int gutter = 0;  ///< at the left, for the number
    int shift = 0;   ///< scrolled to the right by so much
    int columns = 0; ///< characters in a screen row; 0: it does not wrap
};

void paintLogLine(QPainter& painter, const PaintedLine& what, const LinePlace& where);

} // namespace yard::ui
