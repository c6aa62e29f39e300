// What an action used while it ran, over time: cores above, memory below. Asked for while it is looked at, every
// two seconds while the action runs. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/chart.h"

#include <QJsonArray>
#include <QWidget>
#include <array>
#include <vector>

namespace yard::ui {

class Poll;

/// Points of a chart from `samples` of GET jobs/{lsn}/samples; those without a time, or not later than the one
/// before, are left out. Values: cores, bytes, utilisation of
/// GPUs in per cent, bytes of their memory.
std::array<Chart::Data, 4> chartsOf(const QJsonArray& samples);

class SamplesView final : public QWidget {
    Q_OBJECT
public:
    explicit SamplesView(Context context, QWidget* parent = nullptr);

    /// 0: none. `hasStarted`: there is something to measure; `isFinal`: nothing will be added.
    void show(qint64 lsn, bool hasStarted, bool isFinal);
    using QWidget::show;
    Chart* cores() const { return cores_; }
    Chart* memory() const { return memory_; }
    /// Shown where it was given GPUs that tell what they do.
    Chart* gpus() const { return gpus_; }
    Chart* gpuMemory() const { return gpuMemory_; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void take(const QJsonArray& samples);
    void setMessage(const QString& message);
    QString nothing() const;

    Context context_;
    Chart* cores_;
    Chart* memory_;
    Chart* gpus_;
    Chart* gpuMemory_;
    std::vector<QWidget*> ofGpus_; ///< their panels
    Poll* poll_;
    qint64 lsn_ = 0;
    qint64 asked_ = 0; ///< what is under way is of this one
    bool hasStarted_ = false;
    bool isFinal_ = false;
    bool askedFinal_ = false;
    bool taken_ = false; ///< of an action that has ended there is no more
};

} // namespace yard::ui
