// Where the palette has its entries from: one small interface, and the sources of this window. Owner: ui thread; a
// source lives no longer than the engine's link it was made for.
#pragma once

#include "ui/pages/page.h"
#include "ui/shell/palette_match.h"

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

namespace yard::ui {

class PaletteSource : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// All it has that could be meant; the palette matches and orders. Asks the engine at most, never waits.
    virtual std::vector<PaletteEntry> find(const PaletteQuery& query) = 0;
    /// What may be meant where nothing else is: stands last.
    virtual std::optional<PaletteEntry> otherwise(const PaletteQuery& query) {
        static_cast<void>(query);
        return std::nullopt;
    }
    /// The palette opens: what it knows may be old.
    virtual void refresh() {}

signals:
    /// find() has more now.
    void changed();
};

/// Commands: what `list` has at the moment it is asked; of every page once something is typed.
class CommandSource final : public PaletteSource {
    Q_OBJECT
public:
    explicit CommandSource(std::function<std::vector<PaletteEntry>(bool everyPage)> list)
        : list_(std::move(list)) {}
    std::vector<PaletteEntry> find(const PaletteQuery& query) override;

private:
    std::function<std::vector<PaletteEntry>(bool everyPage)> list_;
};

/// An action by its number; what the engine knows of it stands beside it soon.
class NumberSource final : public PaletteSource {
    Q_OBJECT
public:
    explicit NumberSource(Context context)
        : context_(context) {}
    std::vector<PaletteEntry> find(const PaletteQuery& query) override;
    void refresh() override { known_ = 0; }

private:
    void ask(qint64 lsn);
    Context context_;
    qint64 known_ = 0; ///< the one that note_ and face_ are of
    qint64 asking_ = 0;
    QString note_;
    std::optional<DisplayState> face_;
};

/// What was typed, as a filter of the page Actions.
class SearchSource final : public PaletteSource {
    Q_OBJECT
public:
    static constexpr const char* kId = "search";

    explicit SearchSource(Context context)
        : context_(context) {}
    std::vector<PaletteEntry> find(const PaletteQuery&) override { return {}; }
    std::optional<PaletteEntry> otherwise(const PaletteQuery& query) override;

private:
    Context context_;
};

class QueueSource final : public PaletteSource {
    Q_OBJECT
public:
    explicit QueueSource(Context context)
        : context_(context) {}
    std::vector<PaletteEntry> find(const PaletteQuery& query) override;

private:
    Context context_;
};

/// Workers by name, and the lanes of the timelines: "shaderc slot 3 03:00".
class WorkerSource final : public PaletteSource {
    Q_OBJECT
public:
    explicit WorkerSource(Context context)
        : context_(context) {}
    std::vector<PaletteEntry> find(const PaletteQuery& query) override;
    void refresh() override;

private:
    struct Known {
        QString id;
        QString name;
        QString version;
    };
    PaletteEntry laneEntry(const LanePlace& place, const Known* worker) const;
    Context context_;
    std::vector<Known> workers_;
};

/// Named locks, each with who holds it.
class LockSource final : public PaletteSource {
    Q_OBJECT
public:
    explicit LockSource(Context context)
        : context_(context) {}
    std::vector<PaletteEntry> find(const PaletteQuery& query) override;
    void refresh() override;

private:
    Context context_;
    std::vector<QJsonObject> locks_;
};

/// One entry for a command of the window or of a page.
PaletteEntry entryOf(QAction* action, const QString& id, const QString& where, const QString& yardctl);

} // namespace yard::ui
