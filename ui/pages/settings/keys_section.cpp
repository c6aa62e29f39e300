// The keys of every command: bound again, conflicts told.
#include "ui/pages/settings/section.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QKeySequenceEdit>

#include <algorithm>

namespace yard::ui {

namespace {

class KeysSection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(KeysSection)
public:
    explicit KeysSection(Context context)
        : SettingsSection("keys", tr("Keys"))
        , context_(context) {
        auto* hint =
            new WrappedLabel(tr("Press the new keys in a field; Backspace takes them away. F1 shows the keys of "
                                "the page that is open."),
                             Type::Body, Token::Text2);
        addWidget(hint);
        QString group;
        addGroup(tr("Everywhere"));
        std::vector<Binding> all = context_.window.keyBindings().bindable();
        // Those of the window come first, in an order that nobody sees; those of a page as it declares them.
        const auto pages = std::ranges::find_if(all, [](const Binding& each) { return !each.page.isEmpty(); });
        std::sort(all.begin(), pages, [](const Binding& one, const Binding& other) {
            return QString::localeAwareCompare(one.title, other.title) < 0;
        });
        for (const Binding& each : all) {
            if (each.page != group) addGroup(group = each.page);
            addKey(each);
        }
        resetAll_ = new Button(Button::Kind::Plain, tr("All keys as they come"), "undo");
        resetAll_->setObjectName("reset-keys");
        add(new FormRow(tr("Reset"), resetAll_, {}));
        connect(resetAll_, &QAbstractButton::clicked, this, [this] {
            for (Key& key : keys_) bind(key, key.binding.comesWith);
        });
    }

private:
    struct Key {
        Binding binding; ///< with the keys it has now
        QKeySequenceEdit* edit;
        FormRow* row;
    };

    void addKey(const Binding& binding) {
        auto* edit = new QKeySequenceEdit(binding.keys);
        edit->setObjectName("key-" + binding.id);
        edit->setAccessibleName(binding.title);
        for (QWidget* inner : edit->findChildren<QWidget*>()) inner->setAccessibleName(binding.title);
        FormRow* row = add(new FormRow(binding.title, edit, {}));
        keys_.push_back({binding, edit, row});
        note(keys_.back());
        connect(edit, &QKeySequenceEdit::editingFinished, this,
                [this, at = keys_.size() - 1] { apply(keys_[at]); });
    }

    void note(const Key& key) {
        const QString text = key.binding.comesWith.toString(QKeySequence::NativeText);
        key.row->setNote(key.binding.comesWith == key.binding.keys ? QString()
                         : text.isEmpty()                          ? tr("comes without")
                                                                   : tr("comes as %1").arg(text));
    }

    void apply(Key& key) {
        // One chord: two in a row would make the first wait for the second.
        const QKeySequence all = key.edit->keySequence();
        const QKeySequence wanted = all.isEmpty() ? QKeySequence() : QKeySequence(all[0]);
        if (wanted != all) key.edit->setKeySequence(wanted);
        if (wanted == key.binding.keys) return key.row->setProblem({});
        if (const QString why = whyNot(key.binding, wanted); !why.isEmpty()) {
            key.row->setProblem(why);
            key.edit->setKeySequence(key.binding.keys);
            return;
        }
        const QKeySequence before = key.binding.keys;
        bind(key, wanted);
        changed(key.row, [this, before, id = key.binding.id] {
            for (Key& each : keys_)
                if (each.binding.id == id) bind(each, before);
        });
    }

    /// Why a command cannot have these keys; empty: it can.
    QString whyNot(const Binding& command, const QKeySequence& wanted) const {
        for (const auto& [other, edit, row] : keys_)
            if (!wanted.isEmpty() && other.id != command.id && meet(command, other) && other.keys == wanted)
                return tr("%1 already does \"%2\"; give that another key first.")
                    .arg(wanted.toString(QKeySequence::NativeText), other.title);
        return wanted == command.comesWith ? QString() : reserved(wanted);
    }

    /// Both can be meant at once.
    static bool meet(const Binding& one, const Binding& other) {
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

    void bind(Key& key, const QKeySequence& keys) {
        key.binding.keys = keys;
        key.edit->setKeySequence(keys);
        key.row->setProblem({});
        context_.window.keyBindings().bind(key.binding.id, keys);
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
