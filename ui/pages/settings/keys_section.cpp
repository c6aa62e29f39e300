// The keys of every command: bound anew, conflicts told.
#include "ui/pages/settings/section.h"

#include <QAction>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QKeySequenceEdit>
#include <QSettings>

namespace yard::ui {

namespace {

class KeysSection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(KeysSection)
public:
    explicit KeysSection(Context context)
        : SettingsSection("keys", tr("Keys"))
        , context_(context) {
        auto* hint = new Prose(tr("Press the new keys in a field; Backspace takes them away. F1 shows the keys of "
                                  "the page that is open."),
                               Type::Body, Token::Text2);
        addWidget(hint);
        QString group;
        addGroup(tr("Everywhere"));
        for (const Binding& each : context_.navigator.bindable()) {
            if (each.page != group) addGroup(group = each.page);
            addKey(each);
        }
        resetAll_ = new Button(Button::Kind::Plain, tr("All keys as they come"), "undo");
        resetAll_->setObjectName("reset-keys");
        add(new FormRow(tr("Reset"), resetAll_, {}));
        connect(resetAll_, &QAbstractButton::clicked, this, [this] {
            for (const Key& key : keys_) bind(key, QKeySequence(key.action->data().toString()));
        });
    }

private:
    struct Key {
        QString id;
        QString page; ///< empty: the window's, which work on every page
        QAction* action;
        QKeySequenceEdit* edit;
        FormRow* row;
    };

    void addKey(const Binding& binding) {
        const auto& [id, page, action] = binding;
        auto* edit = new QKeySequenceEdit(action->shortcut());
        edit->setObjectName("key-" + id);
        edit->setAccessibleName(action->text());
        for (QWidget* inner : edit->findChildren<QWidget*>()) inner->setAccessibleName(action->text());
        FormRow* row = add(new FormRow(action->text(), edit, {}));
        keys_.push_back({id, page, action, edit, row});
        note(keys_.back());
        connect(edit, &QKeySequenceEdit::editingFinished, this,
                [this, at = keys_.size() - 1] { apply(keys_[at]); });
        connect(action, &QAction::changed, edit, [this, at = keys_.size() - 1] { note(keys_[at]); });
    }

    void note(const Key& key) {
        const QKeySequence own(key.action->data().toString());
        const QString text = own.toString(QKeySequence::NativeText);
        key.row->setNote(own == key.action->shortcut() ? QString()
                         : text.isEmpty()              ? tr("comes without")
                                                       : tr("comes as %1").arg(text));
    }

    void apply(const Key& key) {
        // One chord: two in a row would make the first wait for the second.
        const QKeySequence all = key.edit->keySequence();
        const QKeySequence wanted = all.isEmpty() ? QKeySequence() : QKeySequence(all[0]);
        if (wanted != all) key.edit->setKeySequence(wanted);
        if (wanted == key.action->shortcut()) return key.row->setProblem({});
        for (const Key& other : keys_)
            if (!wanted.isEmpty() && other.id != key.id && meet(key, other) && other.action->shortcut() == wanted) {
                key.row->setProblem(tr("%1 already does \"%2\"; give that another key first.")
                                        .arg(wanted.toString(QKeySequence::NativeText), other.action->text()));
                key.edit->setKeySequence(key.action->shortcut());
                return;
            }
        if (const QString why = reserved(wanted); !why.isEmpty()) {
            key.row->setProblem(why);
            key.edit->setKeySequence(key.action->shortcut());
            return;
        }
        const QKeySequence before = key.action->shortcut();
        bind(key, wanted);
        changed(key.row, [this, before, id = key.id] {
            for (const Key& each : keys_)
                if (each.id == id) bind(each, before);
        });
    }

    /// Both can be meant at once.
    static bool meet(const Key& one, const Key& other) {
        return one.page.isEmpty() || other.page.isEmpty() || one.page == other.page;
    }

    /// Letters alone would take typing away from fields and filters.
    static QString reserved(const QKeySequence& keys) {
        if (keys.isEmpty()) return {};
        const QKeyCombination first = keys[0];
        const bool chord =
            (first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0;
        const bool special = first.key() >= Qt::Key_F1 && first.key() <= Qt::Key_F35;
        if (chord || special || first.key() == Qt::Key_Escape) return {};
        return tr("%1 is needed for typing; add Ctrl or Alt.").arg(keys.toString(QKeySequence::NativeText));
    }

    void bind(const Key& key, const QKeySequence& keys) {
        key.action->setShortcut(keys);
        key.edit->setKeySequence(keys);
        key.row->setProblem({});
        if (keys == QKeySequence(key.action->data().toString()))
            QSettings().remove("keys/" + key.id);
        else
            QSettings().setValue("keys/" + key.id, keys.toString());
        note(key);
    }

    Context context_;
    Button* resetAll_ = nullptr;
    std::vector<Key> keys_;
};

} // namespace

SettingsSection* makeKeysSection(Context context) {
    return new KeysSection(context);
}

} // namespace yard::ui
