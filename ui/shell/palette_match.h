// What is typed into the palette, read and held against what there is: pure values, no widgets. Any thread.
//
// `>` asks for commands alone, `@` for queues, `#` for a number. Words may come in any order; each has to fit.
#pragma once

#include "ui/style/tokens.h"

#include <QString>
#include <QStringList>
#include <QTime>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace yard::ui {

struct PaletteEntry {
    enum class Kind : std::uint8_t { Command, Action, Queue, Worker, Lock, Slot };
    Kind kind = Kind::Command;
    QString id;    ///< stays the same in every language: what was used is remembered by it
    QString title; ///< translated
    QString alias; ///< further words that find it
    QString note;  ///< right of the title: where it belongs, what is known of it
    QString icon;
    std::optional<DisplayState> face = {}; ///< in place of the icon
    QString keys;                          ///< its shortcut, as people read it
    QString yardctl;                       ///< what does the same in a shell; empty: nothing
    QString blocked;                       ///< why it cannot be done now; empty: it can
    std::function<void()> run = {};
};

struct PaletteQuery {
    enum class Only : std::uint8_t { Everything, Commands, Queues, Numbers };
    Only only = Only::Everything;
    QString text; ///< without the sign

    static PaletteQuery of(const QString& typed);
    bool admits(PaletteEntry::Kind kind) const;
    friend bool operator==(const PaletteQuery&, const PaletteQuery&) = default;
};

/// How well it fits: 0 not at all, 5 it is the title.
int paletteFit(const PaletteEntry& entry, const QString& text);

/// Those that fit, best first; of those that fit equally well the one used last (`recent`, newest first), then what
/// can be done, then as they came. At most `most`.
std::vector<PaletteEntry> rankedForPalette(std::vector<PaletteEntry> entries, const PaletteQuery& query,
                                           const QStringList& recent, std::size_t most);

/// "1,283,902", with or without what groups its digits; nothing: it is no number of an action.
std::optional<qint64> lsnIn(const QString& text);

/// "shaderc slot 3 03:00": a lane of the timelines, a time, or both.
struct LanePlace {
    QString worker; ///< as far as it was typed
    std::optional<std::uint32_t> slot;
    std::optional<QTime> at;
    friend bool operator==(const LanePlace&, const LanePlace&) = default;
};
/// `slotWord`: "slot" in the language of the window; the English word is always understood.
std::optional<LanePlace> lanePlaceIn(const QString& text, const QString& slotWord);

} // namespace yard::ui
