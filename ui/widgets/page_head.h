// The head of a page, 48 high: title, what it counts, the filter, and buttons at the right. Owner: ui thread.
#pragma once

#include "ui/state/filter_words.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QLineEdit>
#include <QPointer>
#include <functional>

namespace yard::ui {

class FilterPopup;

/// A field with an icon before and the key that leads to it behind. Mono when it takes the filter language; then it
/// may also offer what comes next, and with Down what was asked for before.
class FilterField : public QLineEdit {
    Q_OBJECT
public:
    FilterField(const QString& placeholder, bool language, QWidget* parent = nullptr);
    /// Underlines the term that is wrong in failed ink and says why below; empty: nothing is wrong.
    void setProblem(const QString& why);
    /// `values` is asked with each letter. `key`: under which settings keep the filters that were used.
    void setLanguage(std::function<FilterValues()> values, const QString& key);
    /// The filter as it stands was used.
    void remember();
    FilterPopup* popup() const;
    QString problem() const { return problem_; }
    /// By its key: what is written is selected, so that typing begins again.
    void focusAll();
    /// At its right end, in text3: what it finds ("118 of 1,904"), or what its times mean.
    void setCount(const QString& count);
    QString count() const { return count_; }
    /// Values, or their counts, are others: what is offered just now is offered again.
    void offerAgain();

signals:
    /// Values of this key are shown to choose from.
    void offered(const QString& key, const QStringList& values);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    FilterPopup* makePopup();
    bool onPopupKey(int key);
    void offer();
    void offerHistory();
    void take(const FilterChoice& choice);
    void showHint();
    /// There is something to choose from: what is written is not wrong yet.
    bool goesOn() const;
    std::function<FilterValues()> values_;
    QString historyKey_;
    QPointer<FilterPopup> popup_; ///< the window's child
    std::vector<FilterSpan> wrong_;
    QString problem_;
    QString count_;
    bool writing_ = false; ///< what fits is offered, since the last letter
};

/// Buttons at the right for which there is no room are entries of "More", from the right on; those that are hidden when
/// they are added come and go with their page.
class PageHead : public QWidget {
    Q_OBJECT
public:
    explicit PageHead(const QString& title, QWidget* parent = nullptr);
    /// Behind the title, in text3: a count, what the page is about. `mayElide`: words that may give way to buttons.
    void setNote(const QString& note, bool mayElide = false);
    QString note() const { return note_->text(); }
    /// At the left, behind the note, in order. `mayFold`: a button that is the last to go behind "More".
    void addLeft(QWidget* widget, int stretch = 0, bool mayFold = false);
    /// At the right, in order. Not `mayFold`: it stays, however little room there is.
    void addRight(QWidget* widget, bool mayFold = true);
    void addSeparator();
    /// The page has a "More" of its own, with a menu: what folds is at the end of that one.
    void setMore(Button* more);

protected:
    /// Something is in "More" that has no room.
    bool hasFolded() const { return folded_ > 0; }
    bool event(QEvent* event) override;

private:
    void fold();
    void fillMore();
    int moreWidth() const;
    QHBoxLayout* left_;
    QHBoxLayout* right_;
    Label* note_;
    Button* more_;
    bool hasPageMore_ = false;      ///< `more_` is the page's, and always there
    std::vector<QAction*> entries_; ///< in the menu, of what is folded
    std::vector<Button*> foldable_; ///< in the order shown
    std::size_t folded_ = 0;        ///< the last so many are behind "More"
};

} // namespace yard::ui
