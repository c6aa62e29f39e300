// Engines and tokens: known addresses, attaching to one, and where tokens are kept.
#include "ui/pages/settings/section.h"
#include "ui/state/engines.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>

#include <utility>

namespace yard::ui {

namespace {

class EnginesSection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(EnginesSection)
public:
    EnginesSection(Context context, Engines& engines)
        : SettingsSection("engines", tr("Engines and tokens"))
        , context_(context)
        , engines_(engines) {
        connect(&engines_, &Engines::knownChanged, this, &EnginesSection::build);
        connect(&engines_, &Engines::reachChanged, this, &EnginesSection::noteReach);
        build();
    }

    void setActive(bool active) override {
        if (std::exchange(active_, active) || !active) return;
        engines_.look();
        look();
    }

private:
    void build() {
        const QString written = address_ != nullptr ? address_->text() : context_.link.address().toString();
        const QString token = token_ != nullptr ? token_->text() : QString();
        clear();
        addPlace();
        addGroup(tr("Attach"));
        address_ = new QLineEdit(engines_.embedded() && engines_.embedded()->first.toString() == written ? QString()
                                                                                                         : written);
        address_->setObjectName("attach-address");
        address_->setPlaceholderText("http://forge-07:8640");
        addressRow_ = add(new FormRow(
            tr("Address"), address_,
            tr("Of the engine; its API is expected below /compute unless the address says otherwise.")));
        token_ = new QLineEdit(token);
        token_->setObjectName("attach-token");
        token_->setEchoMode(QLineEdit::Password);
        auto* attach = new Button(Button::Kind::Plain, tr("Attach"), "plug");
        attach->setObjectName("attach-now");
        tokenRow_ = add(new FormRow(
            tr("Token"), token_,
            tr("From the file \"token\" in that engine's data directory. Empty: the one that was kept.")));
        tokenRow_->addBeside(attach);
        connect(attach, &QAbstractButton::clicked, this, &EnginesSection::attach);
        connect(token_, &QLineEdit::returnPressed, this, &EnginesSection::attach);
        if (engines_.embedded() || !engines_.known().empty()) addGroup(tr("Known engines"));
        if (const auto own = engines_.embedded()) addKnown(own->first, true);
        for (const QUrl& address : engines_.known()) addKnown(address, false);
        noteReach();
    }

    void addPlace() {
        place_ = new QComboBox;
        place_->setObjectName("token-place");
        place_->addItem(tr("in the system's keychain"), int(TokenStore::Place::Keychain));
        place_->addItem(tr("in a file that only you can read"), int(TokenStore::Place::File));
        place_->addItem(tr("nowhere; asked for each time"), int(TokenStore::Place::Nowhere));
        place_->setCurrentIndex(place_->findData(int(engines_.place())));
        placeRow_ =
            add(new FormRow(tr("Tokens are kept"), place_, tr("The file is %1.").arg(engines_.tokens().file())));
        connect(place_, &QComboBox::activated, this, [this] {
            const auto before = engines_.place();
            const auto now = static_cast<TokenStore::Place>(place_->currentData().toInt());
            if (now == before) return;
            engines_.setPlace(now);
            look();
            changed(placeRow_, [this, before] {
                engines_.setPlace(before);
                place_->setCurrentIndex(place_->findData(int(before)));
                look();
            });
        });
        placeRow_->setProblem(locked_);
    }

    /// Whether the keychain keeps anything; where it does not, what can be done.
    void look() {
        if (engines_.place() != TokenStore::Place::Keychain) {
            locked_.clear();
            return placeRow_->setProblem({});
        }
        engines_.tokens().probe(this, [this](const QString& problem) {
            const bool matters = !problem.isEmpty() && engines_.place() == TokenStore::Place::Keychain;
            locked_ = matters
                          ? problem + ' ' +
                                tr("Unlock it, or choose the file: it is readable by you alone, but not encrypted.")
                          : QString();
            placeRow_->setProblem(locked_);
        });
    }

    void addKnown(const QUrl& address, bool embedded) {
        auto* shown = new Button(Button::Kind::Plain, address.authority(), "machines");
        shown->setObjectName("known-" + address.toString());
        FormRow* row = add(new FormRow(embedded ? tr("This program's") : tr("Known"), shown, {}));
        connect(shown, &QAbstractButton::clicked, this,
                [this, address] { context_.window.engineChoice().attachTo(address); });
        if (embedded) return;
        auto* forget = new Button(Button::Kind::Small, tr("Forget"), {});
        forget->setObjectName("forget-" + address.toString());
        row->addBeside(forget);
        connect(forget, &QAbstractButton::clicked, this, [this, address] { engines_.forget(address); });
    }

    void noteReach() {
        for (const QUrl& address : engines_.known()) {
            FormRow* known = row("known-" + address.toString());
            if (known == nullptr) continue;
            const Engines::Reachability reach = engines_.reach(address);
            const bool here = address == context_.link.address();
            known->setNote(here                                  ? tr("shown now")
                           : reach == Engines::Reachability::Yes ? tr("reachable")
                           : reach == Engines::Reachability::No  ? tr("does not answer")
                                                                 : QString());
        }
    }

    /// Tries it before anything is kept or shown.
    void attach() {
        const QUrl address = Engines::addressOf(address_->text());
        addressRow_->setProblem(address.isValid() ? QString()
                                                  : tr("This is no address of an engine: http://forge-07:8640"));
        if (!address.isValid()) return;
        const QByteArray token = token_->text().trimmed().toUtf8();
        if (!token.isEmpty()) return tryOut(address, token, true);
        engines_.tokens().read(address.toString(), this, [this, address](const TokenStore::Found& found) {
            if (!found.token.isEmpty()) return tryOut(address, found.token, false);
            tokenRow_->setProblem(found.problem.isEmpty() ? tr("There is no token of this engine yet.")
                                                          : found.problem);
        });
    }

    void tryOut(const QUrl& address, const QByteArray& token, bool keep) {
        tokenRow_->setProblem(tr("Trying %1…").arg(address.authority()));
        engines_.tryOut(address, token, this, [this, address, token, keep](const QString& problem) {
            tokenRow_->setProblem(problem);
            if (!problem.isEmpty()) return;
            if (!keep) return show(address, token);
            engines_.tokens().write(address.toString(), token, engines_.place(), this,
                                    [this, address, token](const QString& lost) {
                                        if (!lost.isEmpty())
                                            context_.window.say(tr("The token was not kept: %1").arg(lost), true);
                                        show(address, token);
                                    });
        });
    }

    void show(const QUrl& address, const QByteArray& token) {
        token_->clear();
        engines_.remember(address);
        context_.window.engineChoice().attach(address, token);
    }

    Context context_;
    Engines& engines_;
    QComboBox* place_ = nullptr;
    QLineEdit* address_ = nullptr;
    QLineEdit* token_ = nullptr;
    FormRow* placeRow_ = nullptr;
    FormRow* addressRow_ = nullptr;
    FormRow* tokenRow_ = nullptr;
    QString locked_;
    bool active_ = false;
};

} // namespace

SettingsSection* makeEnginesSection(Context context) {
    return new EnginesSection(context, context.window.engineChoice().engines());
}

} // namespace yard::ui
