// Limits at the right of the pool page: those of the pool, changed in place, and those that the chosen worker's
// descriptor has. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/pool/pool_view.h"
#include "ui/widgets/panel.h"

#include <QLineEdit>

namespace yard::ui {

class Facts;

class LimitsPanel final : public QWidget {
    Q_OBJECT
public:
    explicit LimitsPanel(Context context, QWidget* parent = nullptr);
    /// `group`: null: none is chosen.
    void show(const PoolView& pool, const PoolGroup* group);
    using QWidget::show;
    QLineEdit* field(const QString& name) const;
    /// What is wrong with it; empty: nothing.
    QString problem(const QString& name) const;

signals:
    void changed(); ///< the engine took a limit

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Field {
        QString name;
        QString zero; ///< what 0 means
        QString unit;
        QLineEdit* edit = nullptr;
        Label* problem = nullptr;
    };
    void addField(QVBoxLayout* rows, Field field, const QString& title);
    void apply(Field& field);
    QString shown(const Field& field, double value) const;

    Context context_;
    std::vector<Field> fields_;
    QJsonObject limits_;
    Panel* group_;
    Facts* facts_;
};

} // namespace yard::ui
