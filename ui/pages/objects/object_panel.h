// One object in full: what can be done with it, its fields, its moves, its children, its actions. Owner: ui thread.
#pragma once

#include "ui/pages/objects/object_fields.h"
#include "ui/widgets/button.h"
#include "ui/widgets/facts.h"

namespace yard::ui {

class ObjectPanel final : public QWidget {
    Q_OBJECT
public:
    explicit ObjectPanel(Context context, QWidget* parent = nullptr);

    void show(const ObjectDetail& detail, const std::vector<ObjectType>& types,
              const OrchestratorInfo& orchestrator);
    /// Nothing of it is known yet, or why it cannot be shown.
    void showNothing(const QString& why = {});
    /// Why nothing is shown; empty: it is, or it is on its way.
    QString problem() const { return problem_->isHidden() ? QString() : problem_->text(); }
    ObjectFields* fields() const { return fields_; }
    Facts* about() const { return about_; }
    Facts* history() const { return history_; }
    Facts* children() const { return children_; }
    Facts* actions() const { return actions_; }
    Facts* pokes() const { return pokes_; }
    Button* lookNow() const { return lookNow_; }
    Button* moveTo() const { return moveTo_; }
    /// Only shown where it applies.
    Button* retry() const { return retry_; }
    Button* remove() const { return remove_; }
    Button* copyAs() const { return copyAs_; }

signals:
    void closed();
    /// "object:12", "children:12:sealed" or "action:812".
    void linkClicked(const QString& target);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void makeHead(QVBoxLayout* column);
    void tellAbout(const ObjectDetail& detail, const std::vector<ObjectType>& types,
                   const OrchestratorInfo& orchestrator);
    void tellHistory(const ObjectDetail& detail);
    void tellChildren(const ObjectDetail& detail);
    void tellActions(const ObjectDetail& detail);
    void tellPokes(const ObjectDetail& detail);

    Panel* head_;
    Button* lookNow_;
    Button* moveTo_;
    Button* retry_;
    Button* remove_;
    Button* copyAs_;
    Label* problem_;
    Facts* about_;
    ObjectFields* fields_;
    Panel* historyPanel_;
    Facts* history_;
    Panel* childrenPanel_;
    Facts* children_;
    Panel* actionsPanel_;
    Facts* actions_;
    Panel* pokesPanel_;
    Facts* pokes_;
};

} // namespace yard::ui
