// Light or dark: as the desktop says (its portal; else the lightness of the palette at the start), or as the
// settings say. One object for the program, made after QApplication and before the first widget; it sets palette
// and style. Owner: ui thread.
#pragma once

#include "ui/style/tokens.h"

#include <QDBusVariant>
#include <QObject>
#include <QPalette>
#include <functional>
#include <optional>

namespace yard::ui {

QPalette paletteOf(Scheme scheme);

/// Where the desktop's wish comes from. Absent: it has none.
class SchemeSource : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    virtual std::optional<Scheme> wish() const = 0;

signals:
    void changed();
};

/// `org.freedesktop.appearance color-scheme` of the desktop portal (Qt 6.4 does not tell light from dark). Asks
/// once, without waiting, and listens.
class PortalSchemeSource final : public SchemeSource {
    Q_OBJECT
public:
    explicit PortalSchemeSource(QObject* parent = nullptr);
    std::optional<Scheme> wish() const override { return wish_; }
    /// The portal has not answered yet.
    bool isAsking() const { return asking_; }

private slots:
    void onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void take(const QVariant& value);
    std::optional<Scheme> wish_;
    bool asking_ = false;
};

class Theme final : public QObject {
    Q_OBJECT
public:
    enum class Choice : std::uint8_t { System, Dark, Light };

    /// `source` may be null: no wish. Sets the palette of the application.
    explicit Theme(SchemeSource* source, QObject* parent = nullptr);
    ~Theme() override;
    /// The one there is; there must be one.
    static const Theme& current();
    /// The same, for who may choose: the settings.
    static Theme& changeable();

    Scheme scheme() const { return scheme_; }
    Choice choice() const { return choice_; }
    void choose(Choice choice);

    QColor operator()(Token token) const { return colour(scheme_, token); }
    QColor inkOf(DisplayState face) const { return ink(scheme_, face); }
    QColor dotOf(Mark mark) const { return colour(scheme_, mark); }
    QColor fillOf(DisplayState face) const { return fill(scheme_, face); }

signals:
    void changed();

private:
    void update();
    SchemeSource* source_;
    const Scheme fallback_;
    Choice choice_ = Choice::System;
    Scheme scheme_;
};

} // namespace yard::ui
