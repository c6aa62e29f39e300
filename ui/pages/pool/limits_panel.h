// Limits at the right of the pool page: those of the pool, changed in place, and those that the chosen worker's
// descriptor has. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/pool/pool_view.h"
#include "ui/widgets/value_field.h"

namespace yard::ui {

class Facts;

class LimitsPanel final : public QWidget {
    Q_OBJECT
public:
    explicit LimitsPanel(Context context, QWidget* parent = nullptr);
    /// `group`: null: none is chosen.
    void show(const PoolView& pool, const PoolGroup* group);
    using QWidget::show;
    /// By the engine's name; null: there is none.
    ValueField* field(const QString& name) const;

signals:
    void changed(); ///< the engine took a limit

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void addField(QVBoxLayout* rows, const ValueField::Words& words);
    QString apply(const QString& name, double value);

    Context context_;
    std::vector<ValueField*> fields_;
    Panel* group_;
    Facts* facts_;
};

} // namespace yard::ui
