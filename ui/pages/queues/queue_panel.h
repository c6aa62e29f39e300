// The selected queue at the right: figures, settings changed in place, its failures and events, where it is
// reached. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/panel.h"

#include <QLineEdit>
#include <map>

namespace yard::ui {

class Button;
class QueueTroubles;

class QueuePanel final : public QWidget {
    Q_OBJECT
public:
    explicit QueuePanel(Context context, QWidget* parent = nullptr);
    /// Shows this queue; -1: none.
    void show(qint64 queue);
    using QWidget::show;
    qint64 queue() const { return queue_; }
    /// Asks for failures only while it is.
    void setActive(bool active);
    QueueTroubles* troubles() const { return troubles_; }
    /// The queue may have changed.
    void refresh();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Setting {
        QString name;
        QString title;
        QString unit; ///< behind the number; "…" of 0 is its own word
        QString zero; ///< what 0 means
    };
    struct Field {
        Setting setting;
        QLineEdit* edit;
        Label* problem;
    };
    void makeHead(QVBoxLayout* column);
    void makeFields(QVBoxLayout* column);
    void makeAddress(QVBoxLayout* column);
    void copy(const QString& text);
    void apply(Field& field);
    QString shownValue(const Setting& setting, const QJsonValue& value) const;

    Context context_;
    qint64 queue_ = -1;
    Label* name_;
    Label* number_;
    QLabel* icon_;
    struct Figure {
        Label* value;
        Label* note;
    };
    std::vector<Figure> figures_;
    std::vector<Field> fields_;
    QueueTroubles* troubles_;
    Label* route_;
    Label* line_;
};

} // namespace yard::ui
