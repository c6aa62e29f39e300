// Numbers of actions as GET jobs/lsns writes them: "12,9..4" is 12, 9, 8, 7, 6, 5 and 4. Values; any thread.
#pragma once

#include <QStringView>
#include <cstddef>
#include <vector>

namespace yard::ui {

/// Appends them. False: the text is none such, or there would be more than `most` in all; nothing was appended
/// then.
bool appendLsns(QStringView text, std::size_t most, std::vector<qint64>& lsns);

} // namespace yard::ui
