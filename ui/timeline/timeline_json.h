// Answers of GET timelines and GET stats as values. What an answer lacks or has wrong is left out, never guessed.
// Pure; any thread.
#pragma once

#include "ui/timeline/lane.h"

#include <QJsonObject>
#include <vector>

namespace yard::ui::timeline {

/// Steps of machine and engine, equally long; a value that is not known is NaN.
struct Figures {
    Range range; ///< what was asked for
    std::int64_t step = 0;
    std::vector<WallMicros> t; ///< beginnings of steps
    std::vector<double> cores; ///< in use by all
    std::vector<double> memory;
    std::vector<double> pending;
    std::vector<double> running;
    std::vector<double> completed;
    std::vector<double> failed;

    bool isEmpty() const { return t.empty(); }
    /// The step of this time; -1: none.
    std::ptrdiff_t stepAt(WallMicros at) const;
};

Picture pictureOf(const QJsonObject& answer);
Figures figuresOf(const QJsonObject& answer, Range asked);

/// `older` with what `newer` says of the time from newer.range.from on: what ended before stays, what went on and
/// the steps since then are the newer ones. Both have the same step.
Picture merged(const Picture& older, const Picture& newer);

/// Pictures of stretches that follow each other as one; what reaches over a seam is there once.
Picture joined(const std::vector<Picture>& pictures);

} // namespace yard::ui::timeline
