// How wide text is in the cells of a typewriter face: characters of East Asian scripts and pictures take two, marks
// that stand on the character before none. Values, no widgets; any thread.
#pragma once

#include <QStringView>
#include <vector>

namespace yard::ui {

int cellsOf(char32_t character);

/// In how many rows of `columns` cells a line stands; an empty one has one. `columns` is at least 2.
int rowCountOf(QStringView line, int columns);

/// Where these rows begin; the first is 0, and none begins within a character.
std::vector<qsizetype> rowStartsOf(QStringView line, int columns);

} // namespace yard::ui
