// The palette (Ctrl+K): a field and the commands, numbers and names that fit what is typed into it. Lies over the
// window until something was chosen, Esc was pressed or the focus went elsewhere. Owner: ui thread.
#pragma once

#include "ui/shell/palette_sources.h"
#include "ui/widgets/popover.h"

#include <QAbstractListModel>
#include <QLineEdit>
#include <QListView>

namespace yard::ui {

class PaletteModel final : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void setEntries(std::vector<PaletteEntry> entries);
    /// Null: there is no such row.
    const PaletteEntry* entry(int row) const;
    int rowOf(const QString& id) const; ///< -1: not among them
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<PaletteEntry> entries_;
};

class Palette final : public Popover {
    Q_OBJECT
public:
    static constexpr std::size_t kMostShown = 200;
    static constexpr int kMostRecent = 20;

    explicit Palette(QWidget& window);

    /// In their order, which is that of entries that fit equally well.
    void setSources(std::vector<std::unique_ptr<PaletteSource>> sources);
    void open(const QString& text = {});
    void toggle();

    QLineEdit* field() const { return field_; }
    PaletteModel* model() const { return model_; }
    QListView* list() const { return list_; }

protected:
    QRect placed() override;
    void paintInside(QPainter& painter) override;
    bool eventFilter(QObject* on, QEvent* event) override;

private:
    void find();
    void choose(int row);
    bool onKey(int key);
    QLineEdit* field_;
    QListView* list_;
    PaletteModel* model_;
    std::vector<std::unique_ptr<PaletteSource>> sources_;
};

} // namespace yard::ui
