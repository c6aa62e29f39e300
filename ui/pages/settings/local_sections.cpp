// What the window keeps for itself: general and appearance.
#include "ui/pages/settings/section.h"
#include "ui/state/languages.h"
#include "ui/state/preferences.h"
#include "ui/state/tonight.h"
#include "ui/style/appearance.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>
#include <QTime>

#include <utility>

namespace yard::ui {

namespace {

class GeneralSection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(GeneralSection)
public:
    explicit GeneralSection(Context context)
        : SettingsSection("general", tr("General"))
        , context_(context) {
        addLanguage();
        addStart();
        addEvening();
        addAwake();
        auto* reset = new Button(Button::Kind::Plain, tr("Reset layout"), "undo");
        reset->setObjectName("reset-layout");
        add(new FormRow(
            tr("Layout"), reset,
            tr("Columns, their order and widths, splitters and the place of the window: as they come.")));
        connect(reset, &QAbstractButton::clicked, this, [this] {
            context_.window.resetLayout();
            context_.window.say(tr("The layout is as it comes."));
        });
    }

private:
    void addLanguage() {
        auto* language = new QComboBox;
        language->setObjectName("language");
        language->addItem(tr("as the desktop"), QString());
        for (const Languages::Language& each : Languages::available()) language->addItem(each.name, each.code);
        language->setCurrentIndex(std::max(0, language->findData(Languages::chosen())));
        auto* row = add(new FormRow(tr("Language"), language,
                                    tr("More are found in %1.").arg(Languages::directories().constFirst())));
        const auto take = [row](const QString& code) {
            Languages::choose(code);
            row->setNote(tr("from the next start on"));
        };
        connect(language, &QComboBox::activated, this, [this, language, row, take] {
            const QString before = Languages::chosen();
            take(language->currentData().toString());
            changed(row, [language, before, take] {
                language->setCurrentIndex(std::max(0, language->findData(before)));
                take(before);
            });
        });
    }

    void addStart() {
        auto* start = new QComboBox;
        start->setObjectName("start-page");
        start->addItem(tr("the one shown last"), QString());
        for (const PageSpec& spec : allPages()) start->addItem(spec.title, spec.id);
        start->setCurrentIndex(std::max(0, start->findData(preference("start-page").toString())));
        auto* row = add(new FormRow(tr("First page"), start, tr("Which page the window opens with.")));
        connect(start, &QComboBox::activated, this, [this, start, row] {
            const QString before = preference("start-page").toString();
            setPreference("start-page", start->currentData());
            changed(row, [start, before] {
                start->setCurrentIndex(std::max(0, start->findData(before)));
                setPreference("start-page", before);
            });
        });
    }

    void addAwake() {
        auto* awake = new QCheckBox(tr("Keep this machine awake while actions run"));
        awake->setObjectName("keep-awake");
        awake->setAccessibleName(awake->text());
        awake->setChecked(preference("keep-awake", true).toBool());
        awake_ = add(new FormRow(tr("Sleep"), awake, tr("Only for an engine on this machine.")));
        awake_->setNote(context_.window.sleepNote());
        connect(awake, &QCheckBox::clicked, this, [this, awake](bool on) {
            takeAwake(on);
            changed(awake_, [this, awake, on] {
                awake->setChecked(!on);
                takeAwake(!on);
            });
        });
    }

    void takeAwake(bool on) {
        setPreference("keep-awake", on);
        context_.window.reviewSettings();
        awake_->setNote(context_.window.sleepNote());
    }

    /// What the desktop says comes later than it was asked.
    void setActive(bool active) override {
        if (active) awake_->setNote(context_.window.sleepNote());
    }

    void addEvening() {
        auto* evening = new QLineEdit;
        evening->setObjectName("tonight");
        evening->setText(tonightSince());
        auto* row = add(new FormRow(tr("Tonight begins"), evening,
                                    tr("What failed since then, the day before, is what \"tonight\" means.")));
        evening->setFixedWidth(scaled(140));
        evening->setAlignment(Qt::AlignRight);
        connect(evening, &QLineEdit::editingFinished, this, [this, evening, row] {
            const QString before = tonightSince();
            QTime wanted = QTime::fromString(evening->text().trimmed(), "HH:mm");
            if (!wanted.isValid()) wanted = QTime::fromString(evening->text().trimmed(), "H:mm");
            row->setProblem(wanted.isValid() ? QString() : tr("This wants a time of day: 18:00"));
            if (!wanted.isValid() || before == wanted.toString("HH:mm")) return;
            setTonightSince(wanted.toString("HH:mm"));
            changed(row, [evening, before] {
                evening->setText(before);
                setTonightSince(before);
            });
        });
    }

    Context context_;
    FormRow* awake_ = nullptr;
};

class AppearanceSection final : public SettingsSection {
    Q_DECLARE_TR_FUNCTIONS(AppearanceSection)
public:
    explicit AppearanceSection(Context context)
        : SettingsSection("appearance", tr("Appearance"))
        , context_(context)
        , theme_(new QComboBox)
        , font_(new QCheckBox(tr("Use the desktop's font")))
        , size_(new QComboBox)
        , height_(new QComboBox) {
        theme_->setObjectName("theme");
        theme_->addItem(tr("as the desktop"));
        theme_->addItem(tr("dark"));
        theme_->addItem(tr("light"));
        themeRow_ = add(new FormRow(tr("Theme"), theme_, tr("Light or dark.")));
        font_->setObjectName("system-font");
        fontRow_ = add(new FormRow(tr("Font"), font_, tr("Else Inter, where it is installed.")));
        size_->setObjectName("text-size");
        for (int percent = 90; percent <= 150; percent += 5) size_->addItem(tr("%1 %").arg(percent), percent);
        sizeRow_ = add(new FormRow(tr("Text size"), size_, tr("Rows and heads grow with it.")));
        height_->setObjectName("row-height");
        height_->addItem(tr("compact"), 24);
        height_->addItem(tr("comfortable"), 28);
        heightRow_ = add(new FormRow(tr("Rows of tables"), height_, tr("24 or 28 pixels at 100 %.")));
        show(Appearance::stored());
        connect(theme_, &QComboBox::activated, this, [this](int at) {
            edit(themeRow_, [at](Appearance& look) { look.theme = static_cast<Theme::Choice>(at); });
        });
        connect(font_, &QCheckBox::clicked, this,
                [this](bool on) { edit(fontRow_, [on](Appearance& look) { look.systemFont = on; }); });
        connect(size_, &QComboBox::activated, this, [this] {
            edit(sizeRow_, [this](Appearance& look) { look.textPercent = size_->currentData().toInt(); });
        });
        connect(height_, &QComboBox::activated, this, [this] {
            edit(heightRow_, [this](Appearance& look) { look.rowHeight = height_->currentData().toInt(); });
        });
        offerLast();
    }

private:
    /// A change of fonts makes this page again: what can be taken back outlives it.
    struct Last {
        QString row;
        Appearance before;
    };
    static std::optional<Last>& last() {
        static std::optional<Last> kept;
        return kept;
    }

    void show(const Appearance& look) {
        theme_->setCurrentIndex(std::to_underlying(look.theme));
        font_->setChecked(look.systemFont);
        size_->setCurrentIndex(std::max(0, size_->findData(look.textPercent)));
        height_->setCurrentIndex(std::max(0, height_->findData(look.rowHeight)));
    }

    template<typename Change>
    void edit(FormRow* row, Change change) {
        const Appearance before = Appearance::stored();
        Appearance look = before;
        change(look);
        if (look == before) return;
        last() = Last{row->control()->objectName(), before};
        offerLast();
        take(look);
    }

    void offerLast() {
        if (!last()) return;
        if (FormRow* changedRow = row(last()->row)) {
            changed(changedRow, [this] {
                const Appearance before = std::exchange(last(), std::nullopt)->before;
                show(before);
                take(before);
            });
        }
    }

    void take(const Appearance& look) {
        look.store();
        if (look.apply()) context_.window.remake();
    }

    Context context_;
    QComboBox* theme_;
    QCheckBox* font_;
    QComboBox* size_;
    QComboBox* height_;
    FormRow* themeRow_ = nullptr;
    FormRow* fontRow_ = nullptr;
    FormRow* sizeRow_ = nullptr;
    FormRow* heightRow_ = nullptr;
};

} // namespace

SettingsSection* makeGeneralSection(Context context) {
    return new GeneralSection(context);
}

SettingsSection* makeAppearanceSection(Context context) {
    return new AppearanceSection(context);
}

} // namespace yard::ui
