<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AlertWords</name>
    <message numerus="yes">
        <source>%Ln alert(s), the newest: %1</source>
        <translation>
            <numerusform>%Ln alert: %1</numerusform>
            <numerusform>%Ln alerts, the newest: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FoldedRows</name>
    <message numerus="yes">
        <source>%1 and %Ln other(s)</source>
        <translation>
            <numerusform>%1 and %Ln other</numerusform>
            <numerusform>%1 and %Ln others</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reschedule the %Ln</source>
        <translation>
            <numerusform>Reschedule the %Ln</numerusform>
            <numerusform>Reschedule the %Ln</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MachineWords</name>
    <message numerus="yes">
        <source>counts as lost in %1, then its %Ln action(s) return</source>
        <translation>
            <numerusform>counts as lost in %1, then its %Ln action returns</numerusform>
            <numerusform>counts as lost in %1, then its %Ln actions return</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>gets nothing new; %Ln action(s) left</source>
        <translation>
            <numerusform>gets nothing new; %Ln action left</numerusform>
            <numerusform>gets nothing new; %Ln actions left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln silent</source>
        <translation>
            <numerusform>%Ln silent</numerusform>
            <numerusform>%Ln silent</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln lost</source>
        <translation>
            <numerusform>%Ln lost</numerusform>
            <numerusform>%Ln lost</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln refused</source>
        <translation>
            <numerusform>%Ln refused</numerusform>
            <numerusform>%Ln refused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message numerus="yes">
        <source>%n queue(s) have finished: %1</source>
        <translation>
            <numerusform>%n queue has finished: %1</numerusform>
            <numerusform>%n queues have finished: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed in %1</source>
        <translation>
            <numerusform>%n failed in %1</numerusform>
            <numerusform>%n failed in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n worker(s) gone: %1</source>
        <translation>
            <numerusform>%n worker is gone: %1</numerusform>
            <numerusform>%n workers are gone: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The memory guard stopped %n action(s)</source>
        <translation>
            <numerusform>The memory guard stopped %n action</numerusform>
            <numerusform>The memory guard stopped %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cleared up after %n action(s) of an engine that died</source>
        <translation>
            <numerusform>Cleared up after %n action of an engine that died</numerusform>
            <numerusform>Cleared up after %n actions of an engine that died</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Operation</name>
    <message numerus="yes">
        <source>Reschedule %n action(s)</source>
        <translation>
            <numerusform>Reschedule %n action</numerusform>
            <numerusform>Reschedule %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n action(s)</source>
        <translation>
            <numerusform>Cancel %n action</numerusform>
            <numerusform>Cancel %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Retire %n action(s)</source>
        <translation>
            <numerusform>Retire %n action</numerusform>
            <numerusform>Retire %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Hold %n action(s)</source>
        <translation>
            <numerusform>Hold %n action</numerusform>
            <numerusform>Hold %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release %n action(s)</source>
        <translation>
            <numerusform>Release %n action</numerusform>
            <numerusform>Release %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Set priority of %n action(s)</source>
        <translation>
            <numerusform>Set priority of %n action</numerusform>
            <numerusform>Set priority of %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) to %1</source>
        <translation>
            <numerusform>Move %n action to %1</numerusform>
            <numerusform>Move %n actions to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n action(s) in %1</source>
        <translation>
            <numerusform>Cancel %n action in %1</numerusform>
            <numerusform>Cancel %n actions in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Submit %n action(s) to %1</source>
        <translation>
            <numerusform>Submit %n action to %1</numerusform>
            <numerusform>Submit %n actions to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Take the mark from %n action(s)</source>
        <translation>
            <numerusform>Take the mark from %n action</numerusform>
            <numerusform>Take the mark from %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Mark %n action(s)</source>
        <translation>
            <numerusform>Mark %n action</numerusform>
            <numerusform>Mark %n actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) to the top</source>
        <translation>
            <numerusform>Move %n action to the top</numerusform>
            <numerusform>Move %n actions to the top</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) up</source>
        <translation>
            <numerusform>Move %n action up</numerusform>
            <numerusform>Move %n actions up</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) down</source>
        <translation>
            <numerusform>Move %n action down</numerusform>
            <numerusform>Move %n actions down</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) to the bottom</source>
        <translation>
            <numerusform>Move %n action to the bottom</numerusform>
            <numerusform>Move %n actions to the bottom</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) before another one</source>
        <translation>
            <numerusform>Move %n action before another one</numerusform>
            <numerusform>Move %n actions before another one</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Look at %n object(s) now</source>
        <translation>
            <numerusform>Look at %n object now</numerusform>
            <numerusform>Look at %n objects now</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n object(s) to %1</source>
        <translation>
            <numerusform>Move %n object to %1</numerusform>
            <numerusform>Move %n objects to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n object(s)</source>
        <translation>
            <numerusform>Delete %n object</numerusform>
            <numerusform>Delete %n objects</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PastWords</name>
    <message numerus="yes">
        <source>; of %Ln action(s) that are not kept any more nothing is known</source>
        <translation>
            <numerusform>; of %Ln action that is not kept any more nothing is known</numerusform>
            <numerusform>; of %Ln actions that are not kept any more nothing is known</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PoolWords</name>
    <message numerus="yes">
        <source>%Ln wait</source>
        <translation>
            <numerusform>%Ln waits</numerusform>
            <numerusform>%Ln wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n changed</numerusform>
            <numerusform>%n changed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused: %1</source>
        <translation>
            <numerusform>%n refused: %1</numerusform>
            <numerusform>%n refused: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replaced by others passed over</source>
        <translation>
            <numerusform>%n replaced by another passed over</numerusform>
            <numerusform>%n replaced by others passed over</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n with a terminal passed over</source>
        <translation>
            <numerusform>%n with a terminal passed over</numerusform>
            <numerusform>%n with a terminal passed over</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecordingWords</name>
    <message numerus="yes">
        <source>%Ln action(s) to be written</source>
        <translation>
            <numerusform>%Ln action to be written</numerusform>
            <numerusform>%Ln actions to be written</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s) missed</source>
        <translation>
            <numerusform>%Ln action missed</numerusform>
            <numerusform>%Ln actions missed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) not kept any more</source>
        <translation>
            <numerusform>%Ln file not kept any more</numerusform>
            <numerusform>%Ln files not kept any more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln differ(s)</source>
        <translation>
            <numerusform>%Ln differs</numerusform>
            <numerusform>%Ln differ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln could not be run</source>
        <translation>
            <numerusform>%Ln could not be run</numerusform>
            <numerusform>%Ln could not be run</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsCommands</name>
    <message numerus="yes">
        <source>%Ln actions are too many to move by number: choose all that match a filter.</source>
        <translation>
            <numerusform>%Ln action is too many to move by number: choose all that match a filter.</numerusform>
            <numerusform>%Ln actions are too many to move by number: choose all that match a filter.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsElsewhere</name>
    <message numerus="yes">
        <source>%n window(s) of actions are open: close one first</source>
        <translation>
            <numerusform>%n window of an action is open: close one first</numerusform>
            <numerusform>%n windows of actions are open: close one first</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsHead</name>
    <message numerus="yes">
        <source>%Ln action(s)</source>
        <translation>
            <numerusform>%Ln action</numerusform>
            <numerusform>%Ln actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reschedule %Ln action(s)</source>
        <translation>
            <numerusform>Reschedule %Ln action</numerusform>
            <numerusform>Reschedule %Ln actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %Ln action(s)</source>
        <translation>
            <numerusform>Cancel %Ln action</numerusform>
            <numerusform>Cancel %Ln actions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ActorStrip</name>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>and %Ln more</numerusform>
            <numerusform>and %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::AlertForm</name>
    <message numerus="yes">
        <source>It would have told something %Ln time(s).</source>
        <translation>
            <numerusform>It would have told something %Ln time.</numerusform>
            <numerusform>It would have told something %Ln times.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::AlertsPane</name>
    <message numerus="yes">
        <source>%Ln rule(s)</source>
        <translation>
            <numerusform>%Ln rule</numerusform>
            <numerusform>%Ln rules</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln firing</source>
        <translation>
            <numerusform>%Ln firing</numerusform>
            <numerusform>%Ln firing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::AuditPane</name>
    <message numerus="yes">
        <source>%Ln change(s), the latest first</source>
        <translation>
            <numerusform>%Ln change</numerusform>
            <numerusform>%Ln changes, the latest first</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %Ln could not be kept</source>
        <translation>
            <numerusform>; %Ln could not be kept</numerusform>
            <numerusform>; %Ln could not be kept</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::Chart</name>
    <message numerus="yes">
        <source>%n failure(s)</source>
        <translation>
            <numerusform>%n failure</numerusform>
            <numerusform>%n failures</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::Commands</name>
    <message numerus="yes">
        <source>%Ln of them came after you selected.</source>
        <translation>
            <numerusform>%Ln of them came after you selected.</numerusform>
            <numerusform>%Ln of them came after you selected.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::CompareTab</name>
    <message numerus="yes">
        <source>%n value(s) that they were submitted with differ.</source>
        <translation>
            <numerusform>%n value that they were submitted with differs.</numerusform>
            <numerusform>%n values that they were submitted with differ.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::DayStrip</name>
    <message numerus="yes">
        <source>from %1: %Ln times, %2</source>
        <translation>
            <numerusform>from %1: once, %2</numerusform>
            <numerusform>from %1: %Ln times, %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::Describer</name>
    <message numerus="yes">
        <source>It did not answer --describe within %n second(s).</source>
        <translation>
            <numerusform>It did not answer --describe within %n second.</numerusform>
            <numerusform>It did not answer --describe within %n seconds.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::DetailPanel</name>
    <message numerus="yes">
        <source>%n denial(s)</source>
        <translation>
            <numerusform>%n denial</numerusform>
            <numerusform>%n denials</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n before it</source>
        <translation>
            <numerusform>%n before it</numerusform>
            <numerusform>%n before it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::DiffView</name>
    <message numerus="yes">
        <source>%1: the same, %Ln line(s)</source>
        <translation>
            <numerusform>%1: the same, %Ln line</numerusform>
            <numerusform>%1: the same, %Ln lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln line(s) differ</source>
        <translation>
            <numerusform>%1: %Ln line differs</numerusform>
            <numerusform>%1: %Ln lines differ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln equal line(s)</source>
        <translation>
            <numerusform>%Ln equal line</numerusform>
            <numerusform>%Ln equal lines</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ExampleRun</name>
    <message numerus="yes">
        <source>The example is there: %n action(s).</source>
        <translation>
            <numerusform>The example is there: %n action.</numerusform>
            <numerusform>The example is there: %n actions.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The example is gone, with %n action(s).</source>
        <translation>
            <numerusform>The example is gone, with %n action.</numerusform>
            <numerusform>The example is gone, with %n actions.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of its queues stay(s): there is other work.</source>
        <translation>
            <numerusform>%n of its queues stays: there is other work.</numerusform>
            <numerusform>%n of its queues stay: there is other work.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::FailurePanel</name>
    <message numerus="yes">
        <source>%Ln failure(s)</source>
        <translation>
            <numerusform>%Ln failure</numerusform>
            <numerusform>%Ln failures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>in %Ln queue(s), %1 to %2</source>
        <translation>
            <numerusform>in %Ln queue, %1 to %2</numerusform>
            <numerusform>in %Ln queues, %1 to %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::FailuresPage</name>
    <message numerus="yes">
        <source>%Ln failure(s)</source>
        <translation>
            <numerusform>%Ln failure</numerusform>
            <numerusform>%Ln failures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln group(s)</source>
        <translation>
            <numerusform>%Ln group</numerusform>
            <numerusform>%Ln groups</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::FoldPanel</name>
    <message numerus="yes">
        <source>%Ln action(s)</source>
        <translation>
            <numerusform>%Ln action</numerusform>
            <numerusform>%Ln actions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::FoldedList</name>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln row</numerusform>
            <numerusform>%Ln rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 in %Ln row(s)</source>
        <translation>
            <numerusform>%1 in %Ln row</numerusform>
            <numerusform>%1 in %Ln rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reschedule the %Ln that failed</source>
        <translation>
            <numerusform>Reschedule the %Ln that failed</numerusform>
            <numerusform>Reschedule the %Ln that failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Resubmit the %Ln that failed…</source>
        <translation>
            <numerusform>Resubmit the %Ln that failed…</numerusform>
            <numerusform>Resubmit the %Ln that failed…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::GraphTab</name>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n edge(s)</source>
        <translation>
            <numerusform>%n edge</numerusform>
            <numerusform>%n edges</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::GraphView</name>
    <message numerus="yes">
        <source>%n action(s)</source>
        <translation>
            <numerusform>%n action</numerusform>
            <numerusform>%n actions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::HistoryPage</name>
    <message numerus="yes">
        <source>%Ln day(s)</source>
        <translation>
            <numerusform>%Ln day</numerusform>
            <numerusform>%Ln days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln kind(s) of work</source>
        <translation>
            <numerusform>%Ln kind of work</numerusform>
            <numerusform>%Ln kinds of work</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::InsidePanels</name>
    <message numerus="yes">
        <source>The first %Ln thread(s) of the engine&apos;s loop; there are more</source>
        <translation>
            <numerusform>The first thread of the engine&apos;s loop; there are more</numerusform>
            <numerusform>The first %Ln threads of the engine&apos;s loop; there are more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln thread(s) of the engine&apos;s loop</source>
        <translation>
            <numerusform>%Ln thread of the engine&apos;s loop</numerusform>
            <numerusform>%Ln threads of the engine&apos;s loop</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::KindPanel</name>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::LockSource</name>
    <message numerus="yes">
        <source>%n or more wait</source>
        <translation>
            <numerusform>%n or more waits</numerusform>
            <numerusform>%n or more wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>%n waits</numerusform>
            <numerusform>%n wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::LogPanel</name>
    <message numerus="yes">
        <source>%Ln line(s), the latest first</source>
        <translation>
            <numerusform>%Ln line, the latest first</numerusform>
            <numerusform>%Ln lines, the latest first</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::MachinesPage</name>
    <message numerus="yes">
        <source>%Ln action(s) that it has end there and run elsewhere. It has to join again to get work.</source>
        <translation>
            <numerusform>%Ln action that it has ends there and runs elsewhere. It has to join again to get work.</numerusform>
            <numerusform>%Ln actions that it has end there and run elsewhere. It has to join again to get work.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::MainWindow</name>
    <message numerus="yes">
        <source>Quit while %n action(s) run?</source>
        <translation>
            <numerusform>Quit while %n action runs?</numerusform>
            <numerusform>Quit while %n actions run?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ObjectPanel</name>
    <message numerus="yes">
        <source>%Ln move(s)</source>
        <translation>
            <numerusform>%Ln move</numerusform>
            <numerusform>%Ln moves</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ObjectsPage</name>
    <message numerus="yes">
        <source>%Ln stuck</source>
        <translation>
            <numerusform>%Ln stuck</numerusform>
            <numerusform>%Ln stuck</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n were not moved: %1</source>
        <translation>
            <numerusform>%n was not moved: %1</numerusform>
            <numerusform>%n were not moved: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln object(s)?</source>
        <translation>
            <numerusform>Delete %Ln object?</numerusform>
            <numerusform>Delete %Ln objects?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln object(s)</source>
        <translation>
            <numerusform>Delete %Ln object</numerusform>
            <numerusform>Delete %Ln objects</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::OrphanBanner</name>
    <message numerus="yes">
        <source>%Ln object(s) are claimed by no actor</source>
        <translation>
            <numerusform>%Ln object is claimed by no actor</numerusform>
            <numerusform>%Ln objects are claimed by no actor</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::OutputCommands</name>
    <message numerus="yes">
        <source>Replace %n file(s) that are there already?</source>
        <translation>
            <numerusform>Replace %n file that is there already?</numerusform>
            <numerusform>Replace %n files that are there already?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saved %n file(s) in %1</source>
        <translation>
            <numerusform>Saved %n file in %1</numerusform>
            <numerusform>Saved %n files in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n stayed as they were</source>
        <translation>
            <numerusform>%n stayed as it was</numerusform>
            <numerusform>%n stayed as they were</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) are being fetched; drag again when they are here</source>
        <translation>
            <numerusform>%n file is being fetched; drag again when it is here</numerusform>
            <numerusform>%n files are being fetched; drag again when they are here</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::OutputSearch</name>
    <message numerus="yes">
        <source>In %Ln selected action(s)</source>
        <translation>
            <numerusform>In %Ln selected action</numerusform>
            <numerusform>In %Ln selected actions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s)</source>
        <translation>
            <numerusform>%Ln line</numerusform>
            <numerusform>%Ln lines</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::OutputTab</name>
    <message numerus="yes">
        <source>%Ln line(s), %1</source>
        <translation>
            <numerusform>%Ln line, %1</numerusform>
            <numerusform>%Ln lines, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::PoolPage</name>
    <message numerus="yes">
        <source> and %n more</source>
        <translation>
            <numerusform> and %n more</numerusform>
            <numerusform> and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::PoolStrip</name>
    <message numerus="yes">
        <source>for %n worker(s)</source>
        <translation>
            <numerusform>for %n worker</numerusform>
            <numerusform>for %n workers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::Preview</name>
    <message numerus="yes">
        <source>%n line(s)</source>
        <translation>
            <numerusform>%n line</numerusform>
            <numerusform>%n lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n column(s)</source>
        <translation>
            <numerusform>%n column</numerusform>
            <numerusform>%n columns</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::QueueCommands</name>
    <message numerus="yes">
        <source>It takes no new actions from then on; the %n it has run to their end.</source>
        <translation>
            <numerusform>It takes no new actions from then on; the %n it has runs to its end.</numerusform>
            <numerusform>It takes no new actions from then on; the %n it has run to their end.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n action(s) of it are cancelled. Its finished actions stay. This cannot be undone.</source>
        <translation>
            <numerusform>%n action of it is cancelled. Its finished actions stay. This cannot be undone.</numerusform>
            <numerusform>%n actions of it are cancelled. Its finished actions stay. This cannot be undone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %Ln action(s) in %1?</source>
        <translation>
            <numerusform>Cancel %Ln action in %1?</numerusform>
            <numerusform>Cancel %Ln actions in %1?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) and end(s) now; the queue takes no more. This cannot be undone.</source>
        <translation>
            <numerusform>%Ln runs and is ended; the queue takes no more. This cannot be undone.</numerusform>
            <numerusform>%Ln run and are ended; the queue takes no more. This cannot be undone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %Ln action(s)</source>
        <translation>
            <numerusform>Cancel %Ln action</numerusform>
            <numerusform>Cancel %Ln actions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::QueueDrop</name>
    <message numerus="yes">
        <source>Move %n action(s) to %1</source>
        <translation>
            <numerusform>Move %n action to %1</numerusform>
            <numerusform>Move %n actions to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Submit %n action(s) to %1</source>
        <translation>
            <numerusform>Submit %n action to %1</numerusform>
            <numerusform>Submit %n actions to %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::QueuePanel</name>
    <message numerus="yes">
        <source>%Ln running</source>
        <translation>
            <numerusform>%Ln running</numerusform>
            <numerusform>%Ln running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln waiting</source>
        <translation>
            <numerusform>%Ln waiting</numerusform>
            <numerusform>%Ln waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::RecordingPanel</name>
    <message numerus="yes">
        <source>%Ln action(s), never replayed</source>
        <translation>
            <numerusform>%Ln action, never replayed</numerusform>
            <numerusform>%Ln actions, never replayed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::RecordingsPage</name>
    <message numerus="yes">
        <source>%Ln action(s) and %1 of files go with it. This cannot be undone.</source>
        <translation>
            <numerusform>%Ln action and %1 of files go with it. This cannot be undone.</numerusform>
            <numerusform>%Ln actions and %1 of files go with it. This cannot be undone.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::RunsChart</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ScheduleForm</name>
    <message numerus="yes">
        <source>for %Ln more</source>
        <translation>
            <numerusform>for %Ln more</numerusform>
            <numerusform>for %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::StateView</name>
    <message numerus="yes">
        <source>%Ln object(s)</source>
        <translation>
            <numerusform>%Ln object</numerusform>
            <numerusform>%Ln objects</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::UpdatesBadge</name>
    <message numerus="yes">
        <source>%n update(s) wait</source>
        <translation>
            <numerusform>%n update waits</numerusform>
            <numerusform>%n updates wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::WorkerPanel</name>
    <message numerus="yes">
        <source>%n, %1</source>
        <translation>
            <numerusform>%n, %1</numerusform>
            <numerusform>%n, %1</numerusform>
        </translation>
    </message>
</context>
</TS>
