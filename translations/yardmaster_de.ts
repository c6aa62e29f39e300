<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>ActionColumns</name>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Where it stands</source>
        <translation>Wo sie steht</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Its number (LSN), never used twice</source>
        <translation>Ihre Nummer (LSN), nie zweimal vergeben</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>The program that carries it out</source>
        <translation>Das Programm, das sie ausführt</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>The queue it came in</source>
        <translation>Die Warteschlange, in die sie kam</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>Lief</translation>
    </message>
    <message>
        <source>Time from its process&apos;s start to its end, of the last try</source>
        <translation>Zeit vom Beginn ihres Prozesses bis zu seinem Ende, beim letzten Versuch</translation>
    </message>
    <message>
        <source>Peak mem.</source>
        <translation>Spitze Sp.</translation>
    </message>
    <message>
        <source>Most memory of its process tree</source>
        <translation>Meister Speicher ihres Prozessbaums</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>The worker&apos;s function</source>
        <translation>Die Funktion des Workers</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Attempts so far</source>
        <translation>Bisherige Versuche</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Processor time used</source>
        <translation>Verbrauchte Prozessorzeit</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>Gewartet</translation>
    </message>
    <message>
        <source>From submission to its last start</source>
        <translation>Von der Abgabe bis zum letzten Start</translation>
    </message>
    <message>
        <source>Prepared</source>
        <translation>Vorbereitet</translation>
    </message>
    <message>
        <source>From its start to its process</source>
        <translation>Vom Start bis zu ihrem Prozess</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>When its process began</source>
        <translation>Wann ihr Prozess begann</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>When it ended for good</source>
        <translation>Wann sie endgültig zu Ende war</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>-100 to 100, higher first</source>
        <translation>-100 bis 100, höhere zuerst</translation>
    </message>
    <message>
        <source>Exit</source>
        <translation>Exit</translation>
    </message>
    <message>
        <source>Exit code</source>
        <translation>Exit-Code</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Why it ended as it did</source>
        <translation>Warum sie so endete</translation>
    </message>
    <message>
        <source>%1 so far; %2 in use at the last look</source>
        <translation>bisher %1; %2 benutzt, als zuletzt nachgesehen wurde</translation>
    </message>
    <message>
        <source>Its label, else its command or function</source>
        <translation>Ihre Beschriftung, sonst ihr Befehl oder ihre Funktion</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>The next thing one would ask: first error, reason to wait, or progress</source>
        <translation>Was man als Nächstes fragen würde: erster Fehler, Wartegrund oder Fortschritt</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>Number in the order of its queue, while it waits</source>
        <translation>Nummer in der Reihenfolge ihrer Warteschlange, solange sie wartet</translation>
    </message>
    <message>
        <source>Given</source>
        <translation>Zugeteilt</translation>
    </message>
    <message>
        <source>Which ports, GPUs and the like it has, or had</source>
        <translation>Welche Ports, GPUs und dergleichen sie hat oder hatte</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Maschine</translation>
    </message>
    <message>
        <source>The other machine that it runs on, or ran on last</source>
        <translation>Die andere Maschine, auf der sie läuft oder zuletzt lief</translation>
    </message>
</context>
<context>
    <name>ActionEntries</name>
    <message>
        <source>It waits for no other action; see why.</source>
        <translation>Sie wartet auf keine andere Aktion; siehe Warum.</translation>
    </message>
    <message>
        <source>Show on timeline</source>
        <translation>Auf der Zeitachse zeigen</translation>
    </message>
    <message>
        <source>Show what it waits for</source>
        <translation>Zeigen, worauf sie wartet</translation>
    </message>
    <message>
        <source>Show same kind</source>
        <translation>Gleichartige zeigen</translation>
    </message>
    <message>
        <source>Show same queue</source>
        <translation>Gleiche Warteschlange zeigen</translation>
    </message>
    <message>
        <source>Show same worker</source>
        <translation>Gleichen Worker zeigen</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>LSN</source>
        <translation>LSN</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Shell command</source>
        <translation>Shell-Befehl</translation>
    </message>
</context>
<context>
    <name>ActionFields</name>
    <message>
        <source>A quote stays open, or a name is missing</source>
        <translation>Ein Anführungszeichen bleibt offen, oder ein Name fehlt</translation>
    </message>
    <message>
        <source>This is no JSON; text stands in quotes</source>
        <translation>Das ist kein JSON; Text steht in Anführungszeichen</translation>
    </message>
    <message>
        <source>This wants from-to: 0-99</source>
        <translation>Hier gehört von-bis hin: 0-99</translation>
    </message>
    <message>
        <source>This wants rows and columns: 24x80</source>
        <translation>Hier sind Zeilen und Spalten gefragt: 24x80</translation>
    </message>
    <message>
        <source>This wants numbers of actions: 12, 13 any</source>
        <translation>Hier gehören Nummern von Aktionen hin: 12, 13 any</translation>
    </message>
    <message>
        <source>This wants numbers of actions: 12, 13</source>
        <translation>Hier sind Nummern von Aktionen gefragt: 12, 13</translation>
    </message>
    <message>
        <source>This wants name=hash</source>
        <translation>Hier gehört Name=Hash hin</translation>
    </message>
    <message>
        <source>This wants name=amount: gpus=1</source>
        <translation>Hier ist Name=Menge gefragt: gpus=1</translation>
    </message>
    <message>
        <source>This wants a time: 22:30, or 2026-11-24 22:30</source>
        <translation>Hier ist eine Zeit gefragt: 22:30 oder 2026-11-24 22:30</translation>
    </message>
    <message>
        <source>This wants a whole number</source>
        <translation>Hier ist eine ganze Zahl gefragt</translation>
    </message>
    <message>
        <source>This wants a number</source>
        <translation>Hier gehört eine Zahl hin</translation>
    </message>
    <message>
        <source>This wants true, fifo or false</source>
        <translation>Hier wird true, fifo oder false gebraucht</translation>
    </message>
</context>
<context>
    <name>ActionFile</name>
    <message>
        <source>Line %1 is no action: %2</source>
        <translation>Zeile %1 ist keine Aktion: %2</translation>
    </message>
    <message>
        <source>There are no actions in it.</source>
        <translation>Es sind keine Aktionen darin.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 ist nicht lesbar: %2</translation>
    </message>
    <message>
        <source>%1 is too long.</source>
        <translation>%1 ist zu lang.</translation>
    </message>
</context>
<context>
    <name>ActionMenu</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Reschedule</source>
        <translation>Neu einreihen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Retire</source>
        <translation>Ablegen</translation>
    </message>
    <message>
        <source>Compare with the last good one</source>
        <translation>Mit dem letzten guten vergleichen</translation>
    </message>
</context>
<context>
    <name>ActionRow</name>
    <message>
        <source>Cancelling</source>
        <translation>Wird abgebrochen</translation>
    </message>
</context>
<context>
    <name>ActionsChoice</name>
    <message>
        <source>%1 is not selected in the list; the panel shows it.</source>
        <translation>%1 ist in der Liste nicht ausgewählt; das Feld daneben zeigt sie.</translation>
    </message>
</context>
<context>
    <name>AlertKinds</name>
    <message>
        <source>A queue has finished</source>
        <translation>Eine Warteschlange ist fertig</translation>
    </message>
    <message>
        <source>actions ended, at least</source>
        <translation>Aktionen zu Ende, mindestens</translation>
    </message>
    <message>
        <source>Actions of a queue failed in a row</source>
        <translation>Aktionen einer Warteschlange sind nacheinander fehlgeschlagen</translation>
    </message>
    <message>
        <source>in a row</source>
        <translation>nacheinander</translation>
    </message>
    <message>
        <source>Too many actions fail</source>
        <translation>Zu viele Aktionen schlagen fehl</translation>
    </message>
    <message>
        <source>% of those that ended</source>
        <translation>% derer, die zu Ende sind</translation>
    </message>
    <message>
        <source>An action has ended</source>
        <translation>Eine Aktion ist zu Ende</translation>
    </message>
    <message>
        <source>An action waits for long</source>
        <translation>Eine Aktion wartet lange</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>An action runs without a word</source>
        <translation>Eine Aktion läuft ohne ein Wort</translation>
    </message>
    <message>
        <source>Memory is nearly full</source>
        <translation>Der Speicher ist fast voll</translation>
    </message>
    <message>
        <source>% in use</source>
        <translation>% belegt</translation>
    </message>
    <message>
        <source>The disk is nearly full</source>
        <translation>Die Platte ist fast voll</translation>
    </message>
    <message>
        <source>A machine is lost</source>
        <translation>Ein Rechner ist verloren</translation>
    </message>
    <message>
        <source>Work takes longer than before</source>
        <translation>Arbeit dauert länger als bisher</translation>
    </message>
    <message>
        <source>A schedule missed its time</source>
        <translation>Ein Zeitplan hat seine Zeit verpasst</translation>
    </message>
    <message>
        <source>Nobody looks at an object</source>
        <translation>Niemand sieht nach einem Objekt</translation>
    </message>
    <message>
        <source>An object does not get on</source>
        <translation>Ein Objekt kommt nicht weiter</translation>
    </message>
    <message>
        <source>A GPU is lost</source>
        <translation>Eine GPU ist verloren</translation>
    </message>
</context>
<context>
    <name>AlertWords</name>
    <message numerus="yes">
        <source>%Ln alert(s), the newest: %1</source>
        <translation>
            <numerusform>%Ln Alarm: %1</numerusform>
            <numerusform>%Ln Alarme, der neueste: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AppearanceSection</name>
    <message>
        <source>Appearance</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>Use the desktop&apos;s font</source>
        <translation>Schrift des Desktops verwenden</translation>
    </message>
    <message>
        <source>as the desktop</source>
        <translation>wie der Desktop</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>dunkel</translation>
    </message>
    <message>
        <source>light</source>
        <translation>hell</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Thema</translation>
    </message>
    <message>
        <source>Light or dark.</source>
        <translation>Hell oder dunkel.</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>Schrift</translation>
    </message>
    <message>
        <source>Else Inter, where it is installed.</source>
        <translation>Sonst Inter, wo es installiert ist.</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>Rows and heads grow with it.</source>
        <translation>Zeilen und Köpfe wachsen mit.</translation>
    </message>
    <message>
        <source>compact</source>
        <translation>eng</translation>
    </message>
    <message>
        <source>comfortable</source>
        <translation>bequem</translation>
    </message>
    <message>
        <source>Rows of tables</source>
        <translation>Tabellenzeilen</translation>
    </message>
    <message>
        <source>24 or 28 pixels at 100 %.</source>
        <translation>24 oder 28 Pixel bei 100 %.</translation>
    </message>
</context>
<context>
    <name>CompareValues</name>
    <message>
        <source>input %1</source>
        <translation>Eingabe %1</translation>
    </message>
</context>
<context>
    <name>CourtesySection</name>
    <message>
        <source>Courtesy</source>
        <translation>Rücksicht</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>What work does for a person at the machine of this engine. The setting courtesy_profiles of the engine has profiles of your own.</source>
        <translation>Was Arbeit für eine Person am Rechner dieser Engine tut. Eigene Profile stehen in der Einstellung courtesy_profiles der Engine.</translation>
    </message>
    <message>
        <source>In force</source>
        <translation>In Kraft</translation>
    </message>
    <message>
        <source>Conditions</source>
        <translation>Bedingungen</translation>
    </message>
    <message>
        <source>The engine has not told it yet.</source>
        <translation>Die Engine hat es noch nicht gesagt.</translation>
    </message>
    <message>
        <source>Nothing: work runs as it likes.</source>
        <translation>Nichts: Arbeit läuft, wie sie will.</translation>
    </message>
    <message>
        <source>%1: %2 (%3)</source>
        <translation>%1: %2 (%3)</translation>
    </message>
    <message>
        <source>None is known.</source>
        <translation>Keine ist bekannt.</translation>
    </message>
</context>
<context>
    <name>CourtesyWords</name>
    <message>
        <source>Gentle</source>
        <translation>Sanft</translation>
    </message>
    <message>
        <source>Polite</source>
        <translation>Höflich</translation>
    </message>
    <message>
        <source>Night</source>
        <translation>Nachts</translation>
    </message>
    <message>
        <source>you are active</source>
        <translation>Sie sind aktiv</translation>
    </message>
    <message>
        <source>you were active</source>
        <translation>Sie waren aktiv</translation>
    </message>
    <message>
        <source>memory is short</source>
        <translation>der Speicher ist knapp</translation>
    </message>
    <message>
        <source>processors are short</source>
        <translation>die Prozessoren sind knapp</translation>
    </message>
    <message>
        <source>on battery</source>
        <translation>Akkubetrieb</translation>
    </message>
    <message>
        <source>the machine is hot</source>
        <translation>der Rechner ist heiß</translation>
    </message>
    <message>
        <source>the machine goes to sleep</source>
        <translation>der Rechner schläft gleich</translation>
    </message>
    <message>
        <source>the screen is locked</source>
        <translation>der Bildschirm ist gesperrt</translation>
    </message>
    <message>
        <source>the lid is closed</source>
        <translation>der Deckel ist zu</translation>
    </message>
    <message>
        <source>the machine saves power</source>
        <translation>der Rechner spart Strom</translation>
    </message>
    <message>
        <source>time of day</source>
        <translation>Tageszeit</translation>
    </message>
    <message>
        <source>%1 of %2 cores left free</source>
        <translation>%1 von %2 Kernen bleiben frei</translation>
    </message>
    <message>
        <source>nothing new starts</source>
        <translation>nichts Neues startet</translation>
    </message>
    <message>
        <source>idle priority</source>
        <translation>niedrigste Priorität</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>actions stand still</source>
        <translation>Aktionen stehen still</translation>
    </message>
    <message>
        <source>a program has the whole screen</source>
        <translation>ein Programm hat den ganzen Bildschirm</translation>
    </message>
    <message>
        <source>others use the processors</source>
        <translation>andere nutzen die Prozessoren</translation>
    </message>
</context>
<context>
    <name>EngineLink</name>
    <message>
        <source>The answer is too long to show; ask for less of it.</source>
        <translation>Die Antwort ist zu lang zum Anzeigen; fragen Sie nach weniger.</translation>
    </message>
    <message>
        <source>The engine does not answer: %1</source>
        <translation>Die Engine antwortet nicht: %1</translation>
    </message>
    <message>
        <source>What is at this address answers %1 and is no engine.</source>
        <translation>Was unter dieser Adresse steht, antwortet %1 und ist keine Engine.</translation>
    </message>
    <message>
        <source>The engine refuses the token.</source>
        <translation>Die Engine lehnt das Token ab.</translation>
    </message>
    <message>
        <source>There is no connection to the engine just now.</source>
        <translation>Gerade besteht keine Verbindung zur Engine.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 ist nicht lesbar: %2</translation>
    </message>
    <message>
        <source>The engine is not trusted: nothing is sent to it.</source>
        <translation>Der Engine wird nicht vertraut: An sie wird nichts gesendet.</translation>
    </message>
</context>
<context>
    <name>EngineSection</name>
    <message>
        <source>Capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>Guard</source>
        <translation>Wächter</translation>
    </message>
    <message>
        <source>Deadlines</source>
        <translation>Fristen</translation>
    </message>
    <message>
        <source>Retention</source>
        <translation>Aufbewahrung</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Sonstiges</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>The engine has not told its settings yet.</source>
        <translation>Die Engine hat ihre Einstellungen noch nicht genannt.</translation>
    </message>
    <message>
        <source>From %1 to %2.</source>
        <translation>Von %1 bis %2.</translation>
    </message>
    <message>
        <source>Default: %1.</source>
        <translation>Vorgabe: %1.</translation>
    </message>
    <message>
        <source>licence.maya = 4</source>
        <translation>licence.maya = 4</translation>
    </message>
    <message>
        <source>Resource of your own</source>
        <translation>Eigene Ressource</translation>
    </message>
    <message>
        <source>Write a name and an amount: licence.maya = 4</source>
        <translation>Name und Menge angeben: licence.maya = 4</translation>
    </message>
    <message>
        <source>This wants a number; empty is the default.</source>
        <translation>Hier gehört eine Zahl hin; leer ist die Vorgabe.</translation>
    </message>
    <message>
        <source>This wants %1 to %2.</source>
        <translation>Erlaubt ist %1 bis %2.</translation>
    </message>
    <message>
        <source>%1 waits for a restart of the engine</source>
        <translation>%1 wartet auf einen Neustart der Engine</translation>
    </message>
    <message>
        <source>actions, %1 are kept</source>
        <translation>Aktionen, %1 sind aufbewahrt</translation>
    </message>
    <message>
        <source>%, %1 of %2 used</source>
        <translation>%, %1 von %2 benutzt</translation>
    </message>
    <message>
        <source>%, %1 used</source>
        <translation>%, %1 benutzt</translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation>Sandbox</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>Left behind by engines that died</source>
        <translation>Von beendeten Engines zurückgelassen</translation>
    </message>
    <message>
        <source>Cleared up since the start: %1 of actions, %2 of locks.</source>
        <translation>Seit dem Start aufgeräumt: %1 von Aktionen, %2 von Sperren.</translation>
    </message>
    <message>
        <source>Takes effect at the next start of the engine.</source>
        <translation>Gilt ab dem nächsten Start der Engine.</translation>
    </message>
</context>
<context>
    <name>EngineSetting</name>
    <message>
        <source>Capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>Durability</source>
        <translation>Dauerhaftigkeit</translation>
    </message>
    <message>
        <source>Grace</source>
        <translation>Gnadenfrist</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>Frist</translation>
    </message>
    <message>
        <source>Keep days</source>
        <translation>Tage behalten</translation>
    </message>
    <message>
        <source>Keep actions</source>
        <translation>Aktionen behalten</translation>
    </message>
    <message>
        <source>Keep disk</source>
        <translation>Datenträger behalten</translation>
    </message>
    <message>
        <source>Chunk grace</source>
        <translation>Schonfrist für Chunks</translation>
    </message>
    <message>
        <source>Guard hold</source>
        <translation>Wächter hält an</translation>
    </message>
    <message>
        <source>Guard stop</source>
        <translation>Wächter beendet</translation>
    </message>
    <message>
        <source>Hung</source>
        <translation>Hängt</translation>
    </message>
    <message>
        <source>Pool max</source>
        <translation>Pool, höchstens</translation>
    </message>
    <message>
        <source>Pool max per group</source>
        <translation>Pool, je Gruppe</translation>
    </message>
    <message>
        <source>Pool max idle</source>
        <translation>Pool, untätig</translation>
    </message>
    <message>
        <source>Log level</source>
        <translation>Protokollstufe</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>Slots</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>Cores that actions have between them; 0 is the number of processors.</source>
        <translation>Kerne, die die Aktionen zusammen haben; 0 ist die Zahl der Prozessoren.</translation>
    </message>
    <message>
        <source>How much of a resource there is, instead of what was found: memory_mb (in MiB), gpus, or a name of your own such as licence.x. Of what is told apart its names: 5000-5015,6000.</source>
        <translation>Wie viel es von einer Ressource gibt, statt des Gefundenen: memory_mb (in MiB), gpus oder ein eigener Name wie licence.x. Von dem, was unterschieden wird, die Namen: 5000-5015,6000.</translation>
    </message>
    <message>
        <source>What accepted work survives: the death of the process, or a power cut as well (slower: it syncs every group, chunk and directory).</source>
        <translation>Was angenommene Arbeit übersteht: den Tod des Prozesses, oder auch einen Stromausfall (langsamer: jede Gruppe, jeder Chunk und jedes Verzeichnis wird gesichert).</translation>
    </message>
    <message>
        <source>Between SIGTERM and SIGKILL when an action is ended; for actions that start after the change, and never more than 2 when the engine itself ends.</source>
        <translation>Zwischen SIGTERM und SIGKILL, wenn eine Aktion beendet wird; für Aktionen, die nach der Änderung starten, und nie mehr als 2, wenn die Engine selbst endet.</translation>
    </message>
    <message>
        <source>How long an attempt may take when neither action, queue nor worker say; for attempts that start after the change.</source>
        <translation>Wie lange ein Versuch dauern darf, wenn weder Aktion noch Warteschlange noch Worker es sagen; für Versuche, die nach der Änderung starten.</translation>
    </message>
    <message>
        <source>How many finished actions are kept, the newest; 0 is any number.</source>
        <translation>Wie viele beendete Aktionen behalten werden, die neuesten; 0 ist beliebig viele.</translation>
    </message>
    <message>
        <source>How much of its file system the data directory may take before the oldest finished actions go; 0 is any share.</source>
        <translation>Wie viel seines Dateisystems das Datenverzeichnis einnehmen darf, bevor die ältesten beendeten Aktionen gehen; 0 ist jeder Anteil.</translation>
    </message>
    <message>
        <source>How long a chunk that nothing refers to is kept after it was last put or asked for.</source>
        <translation>Wie lange ein Chunk, auf den nichts verweist, behalten wird, nachdem er zuletzt abgelegt oder verlangt wurde.</translation>
    </message>
    <message>
        <source>After how long without output and processor time a running action is said to hang; 0 is never.</source>
        <translation>Nach wie langer Zeit ohne Ausgabe und Prozessorzeit eine laufende Aktion als hängend gilt; 0 ist nie.</translation>
    </message>
    <message>
        <source>How many warm processes there may be; 0 is twice the capacity, or 4. Never more than twice the capacity, or 16 where that is less.</source>
        <translation>Wie viele warme Prozesse es geben darf; 0 ist die doppelte Kapazität, oder 4. Nie mehr als die doppelte Kapazität, oder 16, wo das weniger ist.</translation>
    </message>
    <message>
        <source>How many of them one worker may have that does not say itself; 0 is all.</source>
        <translation>Wie viele davon ein Worker haben darf, der es nicht selbst sagt; 0 ist alle.</translation>
    </message>
    <message>
        <source>After how long without work a warm process ends; 0 is never.</source>
        <translation>Nach wie langer Zeit ohne Arbeit ein warmer Prozess endet; 0 ist nie.</translation>
    </message>
    <message>
        <source>The least important lines that are written to stderr.</source>
        <translation>Die unwichtigsten Zeilen, die nach stderr geschrieben werden.</translation>
    </message>
    <message>
        <source>Sandbox network</source>
        <translation>Netz in der Sandbox</translation>
    </message>
    <message>
        <source>Whether sandboxed workers whose descriptor asks for the network get it; for what starts after the change.</source>
        <translation>Ob Worker in der Sandbox, deren Beschreibung das Netz verlangt, es bekommen; für das, was nach der Änderung startet.</translation>
    </message>
    <message>
        <source>The size of the private /tmp of a sandbox, which is memory; never more than the memory of its action.</source>
        <translation>Die Größe des eigenen /tmp einer Sandbox, das Speicher ist; nie mehr als der Speicher ihrer Aktion.</translation>
    </message>
    <message>
        <source>Sandbox tmp</source>
        <translation>Sandbox-/tmp</translation>
    </message>
    <message>
        <source>Default memory</source>
        <translation>Speicher ohne Angabe</translation>
    </message>
    <message>
        <source>Max processes</source>
        <translation>Höchstens Prozesse</translation>
    </message>
    <message>
        <source>Max open files</source>
        <translation>Höchstens offene Dateien</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>The limit of memory in a sandbox for workers that ask for none; 0 is the machine&apos;s memory up to guard_hold_percent.</source>
        <translation>Die Speichergrenze in einer Sandbox für Worker, die keine verlangen; 0 ist der Speicher des Rechners bis guard_hold_percent.</translation>
    </message>
    <message>
        <source>How much of stdout and of stderr is kept of an attempt: of a longer one the first half and the last half; for attempts that start after the change.</source>
        <translation>Wie viel von stdout und von stderr eines Versuchs behalten wird: von längeren die erste und die letzte Hälfte; für Versuche, die nach der Änderung starten.</translation>
    </message>
    <message>
        <source>The most that limits.processes of a worker may be; one that asks for more gets this. For what starts after the change.</source>
        <translation>Wie viel limits.processes eines Workers höchstens sein darf; wer mehr verlangt, bekommt dies. Für das, was nach der Änderung startet.</translation>
    </message>
    <message>
        <source>The most that limits.open_files of a worker may be, for each of its processes; one that asks for more gets this. For what starts after the change.</source>
        <translation>Wie viel limits.open_files eines Workers höchstens sein darf, für jeden seiner Prozesse; wer mehr verlangt, bekommt dies. Für das, was nach der Änderung startet.</translation>
    </message>
    <message>
        <source>The most that limits.output_bytes of a worker may be; one that asks for more, or for no limit, gets this. For what starts after the change.</source>
        <translation>Wie viel limits.output_bytes eines Workers höchstens sein darf; wer mehr oder keine Grenze verlangt, bekommt dies. Für das, was nach der Änderung startet.</translation>
    </message>
    <message>
        <source>Stream bytes</source>
        <translation>Bytes je Ausgabe</translation>
    </message>
    <message>
        <source>Max output bytes</source>
        <translation>Höchstens Bytes an Ausgaben</translation>
    </message>
    <message>
        <source>Max pending</source>
        <translation>Höchstens wartend</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>Reservieren</translation>
    </message>
    <message>
        <source>How many actions may be pending: what would be more is refused with 429, a list or an array whole.</source>
        <translation>Wie viele Aktionen warten dürfen: was mehr wäre, wird mit 429 abgelehnt, eine Liste oder ein Array als Ganzes.</translation>
    </message>
    <message>
        <source>Env never kept</source>
        <translation>Nie gehaltene Variablen</translation>
    </message>
    <message>
        <source>Variables in env of an action whose values are never kept nor shown, as patterns with * between spaces; a retry after a restart lacks them. For what is submitted after the change.</source>
        <translation>Variablen in env einer Aktion, deren Werte nie aufbewahrt oder gezeigt werden, als Muster mit * zwischen Leerzeichen; einer Wiederholung nach einem Neustart fehlen sie. Für alles, was nach der Änderung eingereicht wird.</translation>
    </message>
    <message>
        <source>Max terminals</source>
        <translation>Terminals höchstens</translation>
    </message>
    <message>
        <source>terminals</source>
        <translation>Terminals</translation>
    </message>
    <message>
        <source>How many actions may have a terminal at once; others that want one wait. 0: no action gets one.</source>
        <translation>Wie viele Aktionen gleichzeitig ein Terminal haben dürfen; andere, die eines wollen, warten. 0: keine Aktion bekommt eines.</translation>
    </message>
    <message>
        <source>How long finished actions are kept; 0 is without limit.</source>
        <translation>Wie lange beendete Aktionen behalten werden; 0 ist ohne Grenze.</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>Cleanup every</source>
        <translation>Aufräumen alle</translation>
    </message>
    <message>
        <source>After how long the engine clears up again what is not kept, while something happens.</source>
        <translation>Nach welcher Zeit die Engine wieder aufräumt, was nicht behalten wird, solange etwas geschieht.</translation>
    </message>
    <message>
        <source>No action starts while at least this share of the machine&apos;s memory is in use; 0 is never.</source>
        <translation>Keine Aktion startet, solange mindestens dieser Anteil des Speichers des Rechners belegt ist; 0 ist nie.</translation>
    </message>
    <message>
        <source>While at least this share of the machine&apos;s memory is in use, the action furthest over the memory it asked for is stopped, to run again later; 0 is never.</source>
        <translation>Solange mindestens dieser Anteil des Speichers des Rechners belegt ist, wird die Aktion beendet, die am weitesten über dem verlangten Speicher liegt, um später erneut zu laufen; 0 ist nie.</translation>
    </message>
    <message>
        <source>Cores and memory that become free are kept for a large action for at most this long, then smaller actions pass it; 0 keeps nothing.</source>
        <translation>Kerne und Speicher, die frei werden, werden höchstens so lange für eine große Aktion aufgehoben, dann gehen kleinere Aktionen vor; 0 hebt nichts auf.</translation>
    </message>
    <message>
        <source>Guest cores</source>
        <translation>Kerne für Gäste</translation>
    </message>
    <message>
        <source>Guest memory</source>
        <translation>Speicher für Gäste</translation>
    </message>
    <message>
        <source>Guest store</source>
        <translation>Ablage für Gäste</translation>
    </message>
    <message>
        <source>Guest unsandboxed</source>
        <translation>Gäste ohne Sandbox</translation>
    </message>
    <message>
        <source>Cores that actions of other engines may have here between them (--join); 0 is all of the capacity. For what comes after the change.</source>
        <translation>Kerne, die Aktionen anderer Engines hier zusammen haben dürfen (--join); 0 ist die ganze Kapazität. Für das, was nach der Änderung kommt.</translation>
    </message>
    <message>
        <source>Memory that actions of other engines may have here between them; 0 is all of it. For what comes after the change.</source>
        <translation>Speicher, den Aktionen anderer Engines hier zusammen haben dürfen; 0 ist der ganze. Für das, was nach der Änderung kommt.</translation>
    </message>
    <message>
        <source>How much of inputs that other engines sent is kept here for the next time: the longest unused go first.</source>
        <translation>Wie viel von Eingaben, die andere Engines geschickt haben, hier für das nächste Mal bleibt: Was am längsten unbenutzt ist, geht zuerst.</translation>
    </message>
    <message>
        <source>Whether commands of other engines may run here without a sandbox: only for engines of your own.</source>
        <translation>Ob Befehle anderer Engines hier ohne Sandbox laufen dürfen: nur für eigene Engines.</translation>
    </message>
    <message>
        <source>Cloud probe</source>
        <translation>Cloud-Abfrage</translation>
    </message>
    <message>
        <source>On termination</source>
        <translation>Bei Entzug</translation>
    </message>
    <message>
        <source>Whether a headless engine asks the metadata services of AWS, Azure and Google which machine this is, and whether it is about to be taken away.</source>
        <translation>Ob eine Engine ohne Fenster die Metadatendienste von AWS, Azure und Google fragt, welcher Rechner dies ist und ob er bald entzogen wird.</translation>
    </message>
    <message>
        <source>What the engine does when its cloud takes the machine away: abandon the session, drain it, or nothing; needs cloud_probe.</source>
        <translation>Was die Engine tut, wenn ihre Cloud den Rechner entzieht: die Sitzung aufgeben, sie leerlaufen lassen oder nichts; braucht cloud_probe.</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>Frist einer Maschine</translation>
    </message>
    <message>
        <source>How long a machine that works for this engine may be silent: it ends what it has of this engine then, and 10 s later that runs elsewhere.</source>
        <translation>Wie lange eine Maschine, die für diese Engine arbeitet, schweigen darf: Dann beendet sie, was sie von dieser Engine hat, und 10 s später läuft es anderswo.</translation>
    </message>
    <message>
        <source>Webhook allow</source>
        <translation>Webhooks dürfen zu</translation>
    </message>
    <message>
        <source>Hosts, or networks such as 10.0.0.0/8, to which the webhook of an alert may redirect beside its own host, between spaces.</source>
        <translation>Rechner, oder Netze wie 10.0.0.0/8, zu denen der Webhook eines Alarms außer zu seinem eigenen Rechner umleiten darf, durch Leerzeichen getrennt.</translation>
    </message>
    <message>
        <source>Courtesy</source>
        <translation>Rücksicht</translation>
    </message>
    <message>
        <source>Courtesy profiles</source>
        <translation>Rücksicht-Profile</translation>
    </message>
    <message>
        <source>How work makes room for a person at this machine: off, gentle, polite, night, or a profile of your own; auto is gentle with a window and off without.</source>
        <translation>Wie Arbeit einer Person an diesem Rechner Platz macht: off, gentle, polite, night oder ein eigenes Profil; auto ist gentle mit Fenster und off ohne.</translation>
    </message>
    <message>
        <source>Profiles of your own for courtesy, as NAME: CONDITIONS -&gt; MEASURES; more rules between semicolons, more profiles between bars.</source>
        <translation>Eigene Profile der Rücksicht, als NAME: BEDINGUNGEN -&gt; MASSNAHMEN; weitere Regeln nach Semikolons, weitere Profile nach senkrechten Strichen.</translation>
    </message>
    <message>
        <source>Progress from output</source>
        <translation>Fortschritt aus der Ausgabe</translation>
    </message>
    <message>
        <source>Whether lines such as [12/841] and 45% in an action&apos;s output say how far it is.</source>
        <translation>Ob Zeilen wie [12/841] und 45% in der Ausgabe einer Aktion sagen, wie weit sie ist.</translation>
    </message>
</context>
<context>
    <name>EngineWords</name>
    <message>
        <source>the engine is starting</source>
        <translation>die Engine startet</translation>
    </message>
    <message>
        <source>it is held</source>
        <translation>sie ist angehalten</translation>
    </message>
    <message>
        <source>its queue is held</source>
        <translation>ihre Warteschlange ist angehalten</translation>
    </message>
    <message>
        <source>its queue is held after %1 failures</source>
        <translation>ihre Warteschlange ist nach %1 Fehlern angehalten</translation>
    </message>
    <message>
        <source>other actions to end</source>
        <translation>auf das Ende anderer Aktionen</translation>
    </message>
    <message>
        <source>1 action to end</source>
        <translation>auf das Ende einer Aktion</translation>
    </message>
    <message>
        <source>%1 or more actions to end</source>
        <translation>auf das Ende von %1 oder mehr Aktionen</translation>
    </message>
    <message>
        <source>%1 actions to end</source>
        <translation>auf das Ende von %1 Aktionen</translation>
    </message>
    <message>
        <source>action %1 to be completed</source>
        <translation>auf den Erfolg von Aktion %1</translation>
    </message>
    <message>
        <source>action %1 to end</source>
        <translation>auf das Ende von Aktion %1</translation>
    </message>
    <message>
        <source>action %1 to fail</source>
        <translation>auf das Scheitern von Aktion %1</translation>
    </message>
    <message>
        <source>backs off for %1 more</source>
        <translation>neuer Versuch in %1</translation>
    </message>
    <message>
        <source>is not to start for %1 more</source>
        <translation>soll erst in %1 starten</translation>
    </message>
    <message>
        <source>its queue runs %1 of at most %2 labelled &quot;%3&quot;</source>
        <translation>in ihrer Warteschlange laufen %1 von höchstens %2 namens „%3“</translation>
    </message>
    <message>
        <source>its queue runs %1 of at most %2</source>
        <translation>in ihrer Warteschlange laufen %1 von höchstens %2</translation>
    </message>
    <message>
        <source>lock %1 is held by action %2</source>
        <translation>Sperre %1 hat Aktion %2</translation>
    </message>
    <message>
        <source>lock %1 is held by another process</source>
        <translation>Sperre %1 hat ein anderer Prozess</translation>
    </message>
    <message>
        <source>lock %1 is kept for an action that needs several</source>
        <translation>Sperre %1 ist für eine Aktion reserviert, die mehrere braucht</translation>
    </message>
    <message>
        <source>%1 of %2 cores free</source>
        <translation>%1 von %2 Kernen frei</translation>
    </message>
    <message>
        <source>%1 of %2 slots free</source>
        <translation>%1 von %2 Plätzen frei</translation>
    </message>
    <message>
        <source>%1 of %2 MiB of memory free</source>
        <translation>%1 von %2 MiB Speicher frei</translation>
    </message>
    <message>
        <source>%1 of %2 %3 free</source>
        <translation>%1 von %2 %3 frei</translation>
    </message>
    <message>
        <source>it is next</source>
        <translation>sie ist die nächste</translation>
    </message>
    <message>
        <source>kept for action %1</source>
        <translation>reserviert für Aktion %1</translation>
    </message>
    <message>
        <source>kept for something larger</source>
        <translation>reserviert für Größeres</translation>
    </message>
    <message>
        <source>first of its queue</source>
        <translation>erste ihrer Warteschlange</translation>
    </message>
    <message>
        <source>about %1 of its queue before it</source>
        <translation>etwa %1 ihrer Warteschlange vor ihr</translation>
    </message>
    <message>
        <source>%1 of its queue before it</source>
        <translation>%1 ihrer Warteschlange vor ihr</translation>
    </message>
    <message>
        <source>it is being started</source>
        <translation>sie wird gestartet</translation>
    </message>
    <message>
        <source>not before a time of their own</source>
        <translation>nicht vor einer eigenen Zeit</translation>
    </message>
    <message>
        <source>on their way</source>
        <translation>auf dem Weg</translation>
    </message>
    <message>
        <source>being started</source>
        <translation>werden gestartet</translation>
    </message>
    <message>
        <source>the pool is full</source>
        <translation>der Pool ist voll</translation>
    </message>
    <message>
        <source>a warm process of their worker</source>
        <translation>ein warmer Prozess ihres Workers</translation>
    </message>
    <message>
        <source>all warm processes of their worker are busy (%1)</source>
        <translation>alle warmen Prozesse ihres Workers sind beschäftigt (%1)</translation>
    </message>
    <message>
        <source>its queue is held after 1 failure</source>
        <translation>ihre Warteschlange ist nach 1 Fehler angehalten</translation>
    </message>
    <message>
        <source>its worker has no process</source>
        <translation>ihr Worker hat keinen Prozess</translation>
    </message>
    <message>
        <source>its worker has 1 process</source>
        <translation>ihr Worker hat 1 Prozess</translation>
    </message>
    <message>
        <source>its worker has %1 processes</source>
        <translation>ihr Worker hat %1 Prozesse</translation>
    </message>
    <message>
        <source>its worker&apos;s 1 process is busy</source>
        <translation>der Prozess ihres Workers ist beschäftigt</translation>
    </message>
    <message>
        <source>its worker&apos;s %1 processes are busy</source>
        <translation>die %1 Prozesse ihres Workers sind beschäftigt</translation>
    </message>
    <message>
        <source>its worker has no process; it may have %1 at most</source>
        <translation>ihr Worker hat keinen Prozess; er darf höchstens %1 haben</translation>
    </message>
    <message>
        <source>its worker&apos;s 1 process is busy; it may have %1 at most</source>
        <translation>der Prozess ihres Workers ist beschäftigt; er darf höchstens %1 haben</translation>
    </message>
    <message>
        <source>its worker&apos;s %1 processes are busy; it may have %2 at most</source>
        <translation>die %1 Prozesse ihres Workers sind beschäftigt; er darf höchstens %2 haben</translation>
    </message>
    <message>
        <source>as every worker that does not say itself</source>
        <translation>wie jeder Worker, der es nicht selbst sagt</translation>
    </message>
    <message>
        <source>and others of its group have not ended yet</source>
        <translation>und andere seiner Gruppe sind noch nicht beendet</translation>
    </message>
    <message>
        <source>its worker has no process; the pool is full: %1 of %2 processes</source>
        <translation>ihr Worker hat keinen Prozess; der Pool ist voll: %1 von %2 Prozessen</translation>
    </message>
    <message>
        <source>its worker&apos;s 1 process is busy; the pool is full: %1 of %2 processes</source>
        <translation>der Prozess ihres Workers ist beschäftigt; der Pool ist voll: %1 von %2 Prozessen</translation>
    </message>
    <message>
        <source>its worker&apos;s %1 processes are busy; the pool is full: %2 of %3 processes</source>
        <translation>die %1 Prozesse ihres Workers sind beschäftigt; der Pool ist voll: %2 von %3 Prozessen</translation>
    </message>
    <message>
        <source>and waits for cores</source>
        <translation>er wartet auf Kerne</translation>
    </message>
    <message>
        <source>and gives its cores to other work</source>
        <translation>er gibt seine Kerne anderer Arbeit</translation>
    </message>
    <message>
        <source>its worker&apos;s first process is started next</source>
        <translation>der erste Prozess ihres Workers startet als Nächstes</translation>
    </message>
    <message>
        <source>%1 of %2 processes of its worker idle</source>
        <translation>%1 von %2 Prozessen ihres Workers frei</translation>
    </message>
    <message>
        <source>told to end</source>
        <translation>soll enden</translation>
    </message>
    <message>
        <source>SIGKILL follows</source>
        <translation>SIGKILL folgt</translation>
    </message>
    <message>
        <source>SIGKILL was sent</source>
        <translation>SIGKILL wurde gesendet</translation>
    </message>
    <message>
        <source>every slot for actions that do not take exactly one core is in use</source>
        <translation>jeder Slot für Aktionen, die nicht genau einen Kern brauchen, ist belegt</translation>
    </message>
    <message>
        <source>killed by %1; it printed nothing</source>
        <translation>von %1 beendet; es hat nichts ausgegeben</translation>
    </message>
    <message>
        <source>killed by %1; its last line: %2</source>
        <translation>von %1 beendet; die letzte Zeile: %2</translation>
    </message>
    <message>
        <source>it was ended by signal %1; it printed nothing</source>
        <translation>von Signal %1 beendet; er hat nichts ausgegeben</translation>
    </message>
    <message>
        <source>it was ended by signal %1; its last output: %2</source>
        <translation>von Signal %1 beendet; seine letzte Ausgabe: %2</translation>
    </message>
    <message>
        <source>it ended with exit code %1; it printed nothing</source>
        <translation>er endete mit Exit-Code %1; er hat nichts ausgegeben</translation>
    </message>
    <message>
        <source>it ended with exit code %1; its last output: %2</source>
        <translation>er endete mit Exit-Code %1; seine letzte Ausgabe: %2</translation>
    </message>
    <message>
        <source>its warm process died: it was ended by signal %1; it printed nothing</source>
        <translation>ihr warmer Prozess starb: von Signal %1 beendet; er hat nichts ausgegeben</translation>
    </message>
    <message>
        <source>its warm process died: it was ended by signal %1; its last output: %2</source>
        <translation>ihr warmer Prozess starb: von Signal %1 beendet; seine letzte Ausgabe: %2</translation>
    </message>
    <message>
        <source>its warm process died: it ended with exit code %1; it printed nothing</source>
        <translation>ihr warmer Prozess starb: er endete mit Exit-Code %1; er hat nichts ausgegeben</translation>
    </message>
    <message>
        <source>its warm process died: it ended with exit code %1; its last output: %2</source>
        <translation>ihr warmer Prozess starb: er endete mit Exit-Code %1; seine letzte Ausgabe: %2</translation>
    </message>
    <message>
        <source>%1 of %2 %3 have %4 free</source>
        <translation>bei %1 von %2 %3 ist %4 frei</translation>
    </message>
    <message>
        <source>%1 of %2 %3 fit</source>
        <translation>%1 von %2 %3 passen</translation>
    </message>
    <message>
        <source>it needs %1</source>
        <translation>sie braucht %1</translation>
    </message>
    <message>
        <source>%1 free in about %2 (%3)</source>
        <translation>%1 frei in etwa %2 (%3)</translation>
    </message>
</context>
<context>
    <name>EnginesSection</name>
    <message>
        <source>Engines and tokens</source>
        <translation>Engines und Tokens</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Of the engine; its API is expected below /compute unless the address says otherwise.</source>
        <translation>Der Engine; ihre API wird unter /compute erwartet, wenn die Adresse nichts anderes sagt.</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>From the file &quot;token&quot; in that engine&apos;s data directory. Empty: the one that was kept.</source>
        <translation>Aus der Datei &quot;token&quot; im Datenverzeichnis der Engine. Leer: das aufbewahrte.</translation>
    </message>
    <message>
        <source>Known engines</source>
        <translation>Bekannte Engines</translation>
    </message>
    <message>
        <source>in the system&apos;s keychain</source>
        <translation>im Schlüsselbund des Systems</translation>
    </message>
    <message>
        <source>in a file that only you can read</source>
        <translation>in einer Datei, die nur Sie lesen können</translation>
    </message>
    <message>
        <source>nowhere; asked for each time</source>
        <translation>nirgends; wird jedes Mal gefragt</translation>
    </message>
    <message>
        <source>Tokens are kept</source>
        <translation>Tokens liegen</translation>
    </message>
    <message>
        <source>The file is %1.</source>
        <translation>Die Datei ist %1.</translation>
    </message>
    <message>
        <source>Unlock it, or choose the file: it is readable by you alone, but not encrypted.</source>
        <translation>Entsperren Sie ihn, oder wählen Sie die Datei: nur Sie können sie lesen, doch sie ist nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>This program&apos;s</source>
        <translation>Die dieses Programms</translation>
    </message>
    <message>
        <source>Known</source>
        <translation>Bekannt</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>shown now</source>
        <translation>wird gezeigt</translation>
    </message>
    <message>
        <source>reachable</source>
        <translation>erreichbar</translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation>antwortet nicht</translation>
    </message>
    <message>
        <source>This is no address of an engine: http://forge-07:8640</source>
        <translation>Das ist keine Adresse einer Engine: http://forge-07:8640</translation>
    </message>
    <message>
        <source>There is no token of this engine yet.</source>
        <translation>Von dieser Engine gibt es noch kein Token.</translation>
    </message>
    <message>
        <source>Trying %1…</source>
        <translation>%1 wird versucht…</translation>
    </message>
    <message>
        <source>The token was not kept: %1</source>
        <translation>Das Token wurde nicht aufbewahrt: %1</translation>
    </message>
</context>
<context>
    <name>EstimateWords</name>
    <message>
        <source>no history</source>
        <translation>ohne Vorbild</translation>
    </message>
    <message>
        <source>some held</source>
        <translation>teils angehalten</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>Sitzung steht</translation>
    </message>
    <message>
        <source>after others</source>
        <translation>nach anderen</translation>
    </message>
    <message>
        <source>lock taken</source>
        <translation>Sperre fehlt</translation>
    </message>
    <message>
        <source>overdue</source>
        <translation>überfällig</translation>
    </message>
    <message>
        <source>open end</source>
        <translation>Ende offen</translation>
    </message>
    <message>
        <source>nothing like it has completed here</source>
        <translation>nichts dergleichen ist hier schon fertig geworden</translation>
    </message>
    <message>
        <source>it is held</source>
        <translation>sie ist angehalten</translation>
    </message>
    <message>
        <source>the session starts nothing</source>
        <translation>die Sitzung startet nichts</translation>
    </message>
    <message>
        <source>it waits for other actions</source>
        <translation>sie wartet auf andere Aktionen</translation>
    </message>
    <message>
        <source>another engine has its lock</source>
        <translation>eine andere Engine hat ihre Sperre</translation>
    </message>
    <message>
        <source>it takes longer than usual</source>
        <translation>sie dauert länger als üblich</translation>
    </message>
    <message>
        <source>what has to end first has no known end</source>
        <translation>was vorher enden muss, hat kein bekanntes Ende</translation>
    </message>
    <message>
        <source>nothing like one of its actions has completed here</source>
        <translation>nichts wie eine ihrer Aktionen ist hier schon fertig geworden</translation>
    </message>
    <message>
        <source>one of its actions is held</source>
        <translation>eine ihrer Aktionen ist angehalten</translation>
    </message>
    <message>
        <source>one of its actions waits for others</source>
        <translation>eine ihrer Aktionen wartet auf andere</translation>
    </message>
    <message>
        <source>another engine has a lock of one of its actions</source>
        <translation>eine andere Engine hat eine Sperre einer ihrer Aktionen</translation>
    </message>
    <message>
        <source>what is left takes longer than usual</source>
        <translation>was noch läuft, dauert länger als üblich</translation>
    </message>
</context>
<context>
    <name>Face</name>
    <message>
        <source>Pending</source>
        <translation>Wartend</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Gehalten</translation>
    </message>
    <message>
        <source>Retry waiting</source>
        <translation>Neuversuch</translation>
    </message>
    <message>
        <source>Submitting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Abandoned</source>
        <translation>Aufgegeben</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
</context>
<context>
    <name>FaceWithin</name>
    <message>
        <source>pending</source>
        <translation>wartend</translation>
    </message>
    <message>
        <source>held</source>
        <translation>gehalten</translation>
    </message>
    <message>
        <source>retry waiting</source>
        <translation>Neuversuch</translation>
    </message>
    <message>
        <source>submitting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>abandoned</source>
        <translation>aufgegeben</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
</context>
<context>
    <name>FailureColumns</name>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>How many actions failed so</source>
        <translation>Wie viele Aktionen so fehlgeschlagen sind</translation>
    </message>
    <message>
        <source>First error line</source>
        <translation>Erste Fehlerzeile</translation>
    </message>
    <message>
        <source>What they said alike; # stands for a number, &lt;path&gt; for a path</source>
        <translation>Was sie gleich gemeldet haben; # steht für eine Zahl, &lt;path&gt; für einen Pfad</translation>
    </message>
    <message>
        <source>Queues</source>
        <translation>Warteschlangen</translation>
    </message>
    <message>
        <source>The queue with most of them, and how many others there are</source>
        <translation>Die Warteschlange mit den meisten, und wie viele andere es gibt</translation>
    </message>
    <message>
        <source>Worker versions</source>
        <translation>Worker-Versionen</translation>
    </message>
    <message>
        <source>The worker with most of them, and how many others there are</source>
        <translation>Der Worker mit den meisten, und wie viele andere es gibt</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>The machine with most of them, and how many others there are</source>
        <translation>Der Rechner mit den meisten, und wie viele andere es gibt</translation>
    </message>
    <message>
        <source>By hour</source>
        <translation>Je Stunde</translation>
    </message>
    <message>
        <source>The last 24 hours, each row on its own scale</source>
        <translation>Die letzten 24 Stunden, jede Zeile mit eigenem Maßstab</translation>
    </message>
    <message>
        <source>First</source>
        <translation>Erste</translation>
    </message>
    <message>
        <source>When the first of them ended</source>
        <translation>Wann die erste von ihnen geendet hat</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>Letzte</translation>
    </message>
    <message>
        <source>When the newest of them ended</source>
        <translation>Wann die neueste von ihnen geendet hat</translation>
    </message>
    <message>
        <source>24 hours</source>
        <translation>24 Stunden</translation>
    </message>
    <message>
        <source>7 days</source>
        <translation>7 Tage</translation>
    </message>
    <message>
        <source>All that is kept</source>
        <translation>Alles Aufbewahrte</translation>
    </message>
</context>
<context>
    <name>FailureGroups</name>
    <message>
        <source>%1 in the last 24 hours, at most %2 in one of them</source>
        <translation>%1 in den letzten 24 Stunden, höchstens %2 in einer davon</translation>
    </message>
    <message>
        <source>muted</source>
        <translation>stumm</translation>
    </message>
    <message>
        <source>muted to %1</source>
        <translation>stumm bis %1</translation>
    </message>
</context>
<context>
    <name>FailureKinds</name>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>FailurePanel</name>
    <message>
        <source>What differs</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>What is masked in the line, in its order; then where it failed</source>
        <translation>Was in der Zeile maskiert ist, in ihrer Reihenfolge; dann, wo es fehlgeschlagen ist</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>What stood there</source>
        <translation>Was dort stand</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>How many of the group have this value</source>
        <translation>Wie viele der Gruppe diesen Wert haben</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>When it failed</source>
        <translation>Wann sie fehlgeschlagen ist</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Its number (LSN)</source>
        <translation>Ihre Nummer (LSN)</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Its label, else its command or function</source>
        <translation>Ihre Beschriftung, sonst ihr Befehl oder ihre Funktion</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>The queue it came in</source>
        <translation>Die Warteschlange, in die sie kam</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>How often it was tried</source>
        <translation>Wie oft sie versucht wurde</translation>
    </message>
    <message>
        <source>others</source>
        <translation>andere</translation>
    </message>
</context>
<context>
    <name>FilterWords</name>
    <message>
        <source>where it stands</source>
        <translation>wo sie steht</translation>
    </message>
    <message>
        <source>its queue, by name or number</source>
        <translation>ihre Warteschlange, mit Name oder Nummer</translation>
    </message>
    <message>
        <source>the program that carries it out</source>
        <translation>das Programm, das sie ausführt</translation>
    </message>
    <message>
        <source>the worker&apos;s function</source>
        <translation>die Funktion des Workers</translation>
    </message>
    <message>
        <source>what it is called</source>
        <translation>wie sie heißt</translation>
    </message>
    <message>
        <source>why it ended as it did</source>
        <translation>warum sie so endete</translation>
    </message>
    <message>
        <source>its number</source>
        <translation>ihre Nummer</translation>
    </message>
    <message>
        <source>attempts so far</source>
        <translation>Versuche bisher</translation>
    </message>
    <message>
        <source>exit code</source>
        <translation>Exit-Code</translation>
    </message>
    <message>
        <source>processor time, 50 or 10min</source>
        <translation>Prozessorzeit, 50 oder 10min</translation>
    </message>
    <message>
        <source>peak memory, 4GB</source>
        <translation>Spitze des Speichers, 4GB</translation>
    </message>
    <message>
        <source>how long it ran, 10min</source>
        <translation>wie lange sie lief, 10min</translation>
    </message>
    <message>
        <source>how long it waited, 1h</source>
        <translation>wie lange sie wartete, 1h</translation>
    </message>
    <message>
        <source>without output and processor time, 5min</source>
        <translation>ohne Ausgabe und Prozessorzeit, 5min</translation>
    </message>
    <message>
        <source>when it was submitted, today</source>
        <translation>wann sie eingereicht wurde, today</translation>
    </message>
    <message>
        <source>when it began, today or since-22:00</source>
        <translation>wann sie begann, today oder since-22:00</translation>
    </message>
    <message>
        <source>when it ended, today or since-22:00</source>
        <translation>wann sie endete, today oder since-22:00</translation>
    </message>
    <message>
        <source>a lock it asks for</source>
        <translation>eine Sperre, die sie verlangt</translation>
    </message>
    <message>
        <source>an action it was to wait for</source>
        <translation>eine Aktion, auf die sie warten sollte</translation>
    </message>
    <message>
        <source>what the sandbox denied</source>
        <translation>was die Sandbox verweigerte</translation>
    </message>
    <message>
        <source>where it ran</source>
        <translation>wo sie lief</translation>
    </message>
    <message>
        <source>its label</source>
        <translation>ihre Beschriftung</translation>
    </message>
    <message>
        <source>failed alike, the id of a group of failures</source>
        <translation>ebenso gescheitert, die Kennung einer Gruppe von Fehlschlägen</translation>
    </message>
    <message>
        <source>another one was submitted in its place, yes or no</source>
        <translation>an seiner Stelle wurde eine andere eingereicht, yes oder no</translation>
    </message>
    <message>
        <source>the colour people gave it, red or none</source>
        <translation>die Farbe, die jemand ihr gab, red oder none</translation>
    </message>
    <message>
        <source>what people wrote about it</source>
        <translation>was jemand über sie schrieb</translation>
    </message>
    <message>
        <source>what kind of machine that was, linux-*</source>
        <translation>von welcher Art die Maschine war, linux-*</translation>
    </message>
</context>
<context>
    <name>FoldedRows</name>
    <message numerus="yes">
        <source>%1 and %Ln other(s)</source>
        <translation>
            <numerusform>%1 und %Ln weitere</numerusform>
            <numerusform>%1 und %Ln weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Where it stands, of an array or a list all of it</source>
        <translation>Wo sie steht, bei einem Array oder einer Liste alles davon</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Its number (LSN), of an array or a list the first</source>
        <translation>Ihre Nummer (LSN), bei einem Array oder einer Liste die erste</translation>
    </message>
    <message>
        <source>Index, done</source>
        <translation>Index, fertig</translation>
    </message>
    <message>
        <source>How many of all have ended; of one of an array its index</source>
        <translation>Wie viele von allen geendet haben; bei einer eines Arrays ihr Index</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Its label, else its command or function</source>
        <translation>Ihre Beschriftung, sonst ihr Befehl oder ihre Funktion</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>How many failed or were abandoned</source>
        <translation>Wie viele gescheitert sind oder aufgegeben wurden</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>Lief</translation>
    </message>
    <message>
        <source>Of an array or a list since its first start, while it goes on</source>
        <translation>Bei einem Array oder einer Liste seit dem ersten Start, solange etwas davon läuft oder wartet</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>The commonest first error line, else the reason to wait, or progress</source>
        <translation>Die häufigste erste Fehlerzeile, sonst Wartegrund oder Fortschritt</translation>
    </message>
    <message>
        <source>Runs those that failed again</source>
        <translation>Führt die gescheiterten noch einmal aus</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>Reschedule the %Ln</source>
        <translation>
            <numerusform>Diese eine neu einreihen</numerusform>
            <numerusform>Diese %Ln neu einreihen</numerusform>
        </translation>
    </message>
    <message>
        <source>Show all %1</source>
        <translation>Alle %1 zeigen</translation>
    </message>
    <message>
        <source>%1 more: %2</source>
        <translation>%1 weitere: %2</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>Its number in the order of its queue, of an array or a list that of its next action</source>
        <translation>Nummer in der Reihenfolge ihrer Warteschlange; bei einem Array oder einer Liste die der nächsten Aktion</translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>&lt;%1 %</source>
        <translation>&lt;%1 %</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1 d %2 h</translation>
    </message>
    <message>
        <source>%1, in %2</source>
        <translation>%1, in %2</translation>
    </message>
    <message>
        <source>%1, %2 ago</source>
        <translation>%1, vor %2</translation>
    </message>
    <message>
        <source>&lt;%1 ms</source>
        <translation>&lt;%1 ms</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
</context>
<context>
    <name>GeneralSection</name>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>Anordnung zurücksetzen</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>Columns, their order and widths, splitters and the place of the window: as they come.</source>
        <translation>Spalten, ihre Folge und Breite, Trenner und der Platz des Fensters: wie mitgeliefert.</translation>
    </message>
    <message>
        <source>The layout is as it comes.</source>
        <translation>Die Anordnung ist wie mitgeliefert.</translation>
    </message>
    <message>
        <source>as the desktop</source>
        <translation>wie der Desktop</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>More are found in %1.</source>
        <translation>Weitere werden gefunden in %1.</translation>
    </message>
    <message>
        <source>from the next start on</source>
        <translation>ab dem nächsten Start</translation>
    </message>
    <message>
        <source>the one shown last</source>
        <translation>die zuletzt gezeigte</translation>
    </message>
    <message>
        <source>First page</source>
        <translation>Erste Seite</translation>
    </message>
    <message>
        <source>Which page the window opens with.</source>
        <translation>Mit welcher Seite das Fenster aufgeht.</translation>
    </message>
    <message>
        <source>Keep this machine awake while actions run</source>
        <translation>Diesen Rechner wach halten, solange Aktionen laufen</translation>
    </message>
    <message>
        <source>Sleep</source>
        <translation>Ruhezustand</translation>
    </message>
    <message>
        <source>Only for an engine on this machine.</source>
        <translation>Nur bei einer Engine auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Tonight begins</source>
        <translation>Die Nacht beginnt</translation>
    </message>
    <message>
        <source>What failed since then, the day before, is what &quot;tonight&quot; means.</source>
        <translation>Was seitdem fehlschlug, am Vortag, ist mit „heute Nacht“ gemeint.</translation>
    </message>
    <message>
        <source>This wants a time of day: 18:00</source>
        <translation>Hier gehört eine Uhrzeit hin: 18:00</translation>
    </message>
</context>
<context>
    <name>HistoryTabs</name>
    <message>
        <source>Kinds</source>
        <translation>Arten</translation>
    </message>
    <message>
        <source>Regressions</source>
        <translation>Verschlechterungen</translation>
    </message>
    <message>
        <source>Flaky</source>
        <translation>Unzuverlässig</translation>
    </message>
    <message>
        <source>Failures</source>
        <translation>Fehlschläge</translation>
    </message>
    <message>
        <source>Usage</source>
        <translation>Verbrauch</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>Alarme</translation>
    </message>
    <message>
        <source>Audit</source>
        <translation>Protokoll</translation>
    </message>
</context>
<context>
    <name>InsideColumns</name>
    <message>
        <source>Thread</source>
        <translation>Faden</translation>
    </message>
    <message>
        <source>Cooperative thread of the engine</source>
        <translation>Kooperativer Faden der Engine</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Running, ready, asleep or waiting</source>
        <translation>Läuft, bereit, schläft oder wartet</translation>
    </message>
    <message>
        <source>Waits in</source>
        <translation>Wartet in</translation>
    </message>
    <message>
        <source>Where the innermost function waits; the tool tip has those that called it</source>
        <translation>Wo die innerste Funktion wartet; der Hinweis nennt ihre Aufrufer</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>How long it has been so</source>
        <translation>Wie lange es so ist</translation>
    </message>
    <message>
        <source>Turns</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>How often it had its turn</source>
        <translation>Wie oft er an der Reihe war</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>Lief</translation>
    </message>
    <message>
        <source>Time on the processor, in all</source>
        <translation>Zeit auf dem Prozessor, insgesamt</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>Längste</translation>
    </message>
    <message>
        <source>Its longest turn</source>
        <translation>Seine längste Runde</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>When it ended</source>
        <translation>Wann sie endete</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>Schleife</translation>
    </message>
    <message>
        <source>Of the engine, or of the server of its API</source>
        <translation>Der Engine oder des Servers ihrer API</translation>
    </message>
    <message>
        <source>Who did not give way</source>
        <translation>Wer die anderen nicht ließ</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>So long nothing else of the loop ran</source>
        <translation>So lange lief nichts anderes der Schleife</translation>
    </message>
    <message>
        <source>Part of the engine</source>
        <translation>Teil der Engine</translation>
    </message>
    <message>
        <source>How much it has now</source>
        <translation>Wie viel er jetzt hat</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>asleep</source>
        <translation>schläft</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>beendet</translation>
    </message>
    <message>
        <source>waits for: %1</source>
        <translation>wartet auf: %1</translation>
    </message>
</context>
<context>
    <name>KeysSection</name>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Press the new keys in a field; Backspace takes them away. F1 shows the keys of the page that is open.</source>
        <translation>Drücken Sie die neuen Tasten in einem Feld; die Rücktaste nimmt sie weg. F1 zeigt die Tasten der offenen Seite.</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>All keys as they come</source>
        <translation>Alle Tasten wie mitgeliefert</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>comes without</source>
        <translation>mitgeliefert ohne</translation>
    </message>
    <message>
        <source>comes as %1</source>
        <translation>mitgeliefert: %1</translation>
    </message>
    <message>
        <source>%1 already does &quot;%2&quot;; give that another key first.</source>
        <translation>%1 tut schon „%2“; geben Sie dem zuerst eine andere Taste.</translation>
    </message>
    <message>
        <source>%1 is needed for typing; add Ctrl or Alt.</source>
        <translation>%1 wird zum Schreiben gebraucht; nehmen Sie Strg oder Alt dazu.</translation>
    </message>
</context>
<context>
    <name>KindWords</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>That completed or failed</source>
        <translation>Die fertig wurden oder fehlschlugen</translation>
    </message>
    <message>
        <source>Fails</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Share of the runs that failed</source>
        <translation>Anteil der Läufe, die fehlschlugen</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>Üblich</translation>
    </message>
    <message>
        <source>Median of the run time of those that completed</source>
        <translation>Median der Laufzeit derer, die fertig wurden</translation>
    </message>
    <message>
        <source>Slow (95 %)</source>
        <translation>Langsam (95 %)</translation>
    </message>
    <message>
        <source>One run in twenty takes longer</source>
        <translation>Einer von zwanzig Läufen dauert länger</translation>
    </message>
    <message>
        <source>Memory (95 %)</source>
        <translation>Speicher (95 %)</translation>
    </message>
    <message>
        <source>One run in twenty has a higher peak</source>
        <translation>Einer von zwanzig Läufen hat eine höhere Spitze</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Worker and function; of commands the label, else the program</source>
        <translation>Worker und Funktion; bei Befehlen die Bezeichnung, sonst das Programm</translation>
    </message>
    <message>
        <source>Flaky</source>
        <translation>Unzuverlässig</translation>
    </message>
    <message>
        <source>Inputs that both worked and failed; bold where it is flaky for certain</source>
        <translation>Eingaben, mit denen es gelang und fehlschlug; fett, wo es sicher unzuverlässig ist</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>When the last run ended</source>
        <translation>Wann der letzte Lauf endete</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>What changed, and what is flaky</source>
        <translation>Was sich geändert hat und was unzuverlässig ist</translation>
    </message>
    <message>
        <source>%1 % more memory since %2</source>
        <translation>%1 % mehr Speicher seit %2</translation>
    </message>
    <message>
        <source>%1 % less memory since %2</source>
        <translation>%1 % weniger Speicher seit %2</translation>
    </message>
    <message>
        <source>slower by %1 % since %2</source>
        <translation>um %1 % langsamer seit %2</translation>
    </message>
    <message>
        <source>faster by %1 % since %2</source>
        <translation>um %1 % schneller seit %2</translation>
    </message>
    <message>
        <source>, with version %1</source>
        <translation>, mit Version %1</translation>
    </message>
    <message>
        <source>, on machine %1</source>
        <translation>, auf Maschine %1</translation>
    </message>
    <message>
        <source>fails %1 % of the time on inputs that work</source>
        <translation>schlägt in %1 % der Fälle fehl, mit Eingaben, die gelingen</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>When the first run ended that differs</source>
        <translation>Wann der erste Lauf endete, der anders ist</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Median before it</source>
        <translation>Median davor</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Median since then</source>
        <translation>Median seither</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>What changed, and the version or machine that came then</source>
        <translation>Was sich änderte, und welche Version oder Maschine dann kam</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>A hash of what was asked, its inputs and its worker</source>
        <translation>Ein Hash von Auftrag, Eingaben und Worker</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Runs that failed, of all with these inputs</source>
        <translation>Läufe, die fehlschlugen, von allen mit diesen Eingaben</translation>
    </message>
    <message>
        <source>Newest failure</source>
        <translation>Neuester Fehler</translation>
    </message>
    <message>
        <source>Its number (LSN)</source>
        <translation>Ihre Nummer (LSN)</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>ask for %1 instead of %2: %3 times as many would fit</source>
        <translation>%1 statt %2 verlangen: %3-mal so viele passten</translation>
    </message>
</context>
<context>
    <name>LogWords</name>
    <message>
        <source>debug</source>
        <translation>Fehlersuche</translation>
    </message>
    <message>
        <source>info</source>
        <translation>Info</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>When it was written</source>
        <translation>Wann sie geschrieben wurde</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>How grave it is</source>
        <translation>Wie schwer es wiegt</translation>
    </message>
    <message>
        <source>Area</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Part of the engine</source>
        <translation>Teil der Engine</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>What was written</source>
        <translation>Was geschrieben wurde</translation>
    </message>
</context>
<context>
    <name>MachineWords</name>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Ausgelastet</translation>
    </message>
    <message>
        <source>Draining</source>
        <translation>Läuft leer</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Silent</source>
        <translation>Stumm</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Verloren</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>Abgewiesen</translation>
    </message>
    <message>
        <source>Leaving</source>
        <translation>Geht</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>Verbindet</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>Plätze</translation>
    </message>
    <message>
        <source>Actions of one core that it can run at once</source>
        <translation>Aktionen mit einem Kern, die sie zugleich ausführen kann</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Taken by actions, of all that it gives</source>
        <translation>Von Aktionen belegt, von allem, was sie gibt</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Reserved by actions, of all that it gives</source>
        <translation>Von Aktionen reserviert, von allem, was sie gibt</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Laufend</translation>
    </message>
    <message>
        <source>Actions that run there</source>
        <translation>Aktionen, die dort laufen</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartend</translation>
    </message>
    <message>
        <source>Actions that it was given and has not begun</source>
        <translation>Aktionen, die sie bekam und noch nicht begonnen hat</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Version of its Yardmaster</source>
        <translation>Version ihres Yardmasters</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Maschine</translation>
    </message>
    <message>
        <source>Its name, and the way it came</source>
        <translation>Ihr Name, und wie sie herkam</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>What it can take now</source>
        <translation>Was sie jetzt nehmen kann</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>How long it has been in this state</source>
        <translation>Wie lange sie in diesem Zustand ist</translation>
    </message>
    <message>
        <source>Last word</source>
        <translation>Letztes Wort</translation>
    </message>
    <message>
        <source>What becomes of it next, or why it is as it is</source>
        <translation>Was als Nächstes aus ihr wird, oder warum sie so ist</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>diese Maschine</translation>
    </message>
    <message>
        <source>joined</source>
        <translation>beigetreten</translation>
    </message>
    <message numerus="yes">
        <source>counts as lost in %1, then its %Ln action(s) return</source>
        <translation>
            <numerusform>gilt in %1 als verloren, dann kommt ihre %Ln Aktion zurück</numerusform>
            <numerusform>gilt in %1 als verloren, dann kommen ihre %Ln Aktionen zurück</numerusform>
        </translation>
    </message>
    <message>
        <source>has nothing, gets nothing new</source>
        <translation>hat nichts, bekommt nichts Neues</translation>
    </message>
    <message numerus="yes">
        <source>gets nothing new; %Ln action(s) left</source>
        <translation>
            <numerusform>bekommt nichts Neues; noch %Ln Aktion</numerusform>
            <numerusform>bekommt nichts Neues; noch %Ln Aktionen</numerusform>
        </translation>
    </message>
    <message>
        <source>what it had runs elsewhere</source>
        <translation>was sie hatte, läuft anderswo</translation>
    </message>
    <message>
        <source>no link, and nothing of it is out</source>
        <translation>keine Verbindung, und nichts ist bei ihr</translation>
    </message>
    <message>
        <source>full</source>
        <translation>voll</translation>
    </message>
    <message numerus="yes">
        <source>%Ln silent</source>
        <translation>
            <numerusform>%Ln stumm</numerusform>
            <numerusform>%Ln stumm</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln lost</source>
        <translation>
            <numerusform>%Ln verloren</numerusform>
            <numerusform>%Ln verloren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln refused</source>
        <translation>
            <numerusform>%Ln abgewiesen</numerusform>
            <numerusform>%Ln abgewiesen</numerusform>
        </translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Given to actions, of all that it has</source>
        <translation>An Aktionen vergeben, von allen, die sie hat</translation>
    </message>
    <message>
        <source>GPU %1 is lost: %2</source>
        <translation>GPU %1 ist verloren: %2</translation>
    </message>
    <message>
        <source>by its address</source>
        <translation>über ihre Adresse</translation>
    </message>
    <message>
        <source>by ssh</source>
        <translation>über ssh</translation>
    </message>
    <message>
        <source>asked for by %1</source>
        <translation>angefordert von %1</translation>
    </message>
</context>
<context>
    <name>ManyChange</name>
    <message>
        <source>They run again.</source>
        <translation>Sie laufen noch einmal.</translation>
    </message>
    <message>
        <source>Those that run are ended; this cannot be undone.</source>
        <translation>Was läuft, wird beendet; das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Their results and their output are forgotten; this cannot be undone.</source>
        <translation>Ihre Ergebnisse und Ausgaben werden vergessen; das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>They do not start until they are released.</source>
        <translation>Sie beginnen erst, wenn sie freigegeben werden.</translation>
    </message>
    <message>
        <source>They start as soon as they can.</source>
        <translation>Sie beginnen, sobald sie können.</translation>
    </message>
    <message>
        <source>Those with a higher priority start first.</source>
        <translation>Was höhere Priorität hat, beginnt zuerst.</translation>
    </message>
    <message>
        <source>They wait for their turn in that queue.</source>
        <translation>Sie warten in jener Warteschlange, bis sie an der Reihe sind.</translation>
    </message>
    <message>
        <source>Marks are for people: nothing starts earlier or later for them.</source>
        <translation>Markierungen sind für Menschen: Nichts beginnt ihretwegen früher oder später.</translation>
    </message>
</context>
<context>
    <name>Mark</name>
    <message>
        <source>Red</source>
        <translation>Rot</translation>
    </message>
    <message>
        <source>Orange</source>
        <translation>Orange</translation>
    </message>
    <message>
        <source>Yellow</source>
        <translation>Gelb</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>Grün</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>Blau</translation>
    </message>
    <message>
        <source>Purple</source>
        <translation>Violett</translation>
    </message>
    <message>
        <source>Grey</source>
        <translation>Grau</translation>
    </message>
</context>
<context>
    <name>MarkMenu</name>
    <message>
        <source>Mark</source>
        <translation>Markieren</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>Kommentar</translation>
    </message>
    <message>
        <source>What others should know of it</source>
        <translation>Was andere darüber wissen sollten</translation>
    </message>
</context>
<context>
    <name>Measure</name>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>processor time of all its processes</source>
        <translation>Prozessorzeit aller ihrer Prozesse</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>most memory of its processes at once</source>
        <translation>der meiste Speicher ihrer Prozesse zugleich</translation>
    </message>
    <message>
        <source>I/O</source>
        <translation>E/A</translation>
    </message>
    <message>
        <source>disk</source>
        <translation>Platten</translation>
    </message>
    <message>
        <source>what its processes read from disks and wrote to them</source>
        <translation>was ihre Prozesse von Platten lasen und auf sie schrieben</translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>A queue has finished</source>
        <translation>Eine Warteschlange ist fertig</translation>
    </message>
    <message>
        <source>The first failure of a queue in 10 minutes</source>
        <translation>Erster Fehlschlag einer Warteschlange in 10 Minuten</translation>
    </message>
    <message>
        <source>A worker is gone</source>
        <translation>Ein Worker ist weg</translation>
    </message>
    <message>
        <source>The memory guard stopped an action</source>
        <translation>Der Speicherwächter hat eine Aktion beendet</translation>
    </message>
    <message>
        <source>The disk with the data is nearly full</source>
        <translation>Der Datenträger mit den Daten ist fast voll</translation>
    </message>
    <message>
        <source>There has been no connection for 30 s</source>
        <translation>Seit 30 s keine Verbindung</translation>
    </message>
    <message>
        <source>%1 has finished</source>
        <translation>%1 ist fertig</translation>
    </message>
    <message numerus="yes">
        <source>%n queue(s) have finished: %1</source>
        <translation>
            <numerusform>%n Warteschlange ist fertig: %1</numerusform>
            <numerusform>%n Warteschlangen sind fertig: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed in %1</source>
        <translation>
            <numerusform>%n gescheitert in %1</numerusform>
            <numerusform>%n gescheitert in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n worker(s) gone: %1</source>
        <translation>
            <numerusform>%n Worker ist weg: %1</numerusform>
            <numerusform>%n Worker sind weg: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The memory guard stopped %n action(s)</source>
        <translation>
            <numerusform>Der Speicherwächter hat %n Aktion beendet</numerusform>
            <numerusform>Der Speicherwächter hat %n Aktionen beendet</numerusform>
        </translation>
    </message>
    <message>
        <source>The disk with the data is nearly full: %1 are free</source>
        <translation>Der Datenträger mit den Daten ist fast voll: %1 sind frei</translation>
    </message>
    <message>
        <source>There has been no connection to the engine for 30 s</source>
        <translation>Seit 30 s besteht keine Verbindung zur Engine</translation>
    </message>
    <message>
        <source>What an engine that died left behind was cleared up</source>
        <translation>Was eine beendete Engine zurückließ, wurde aufgeräumt</translation>
    </message>
    <message numerus="yes">
        <source>Cleared up after %n action(s) of an engine that died</source>
        <translation>
            <numerusform>Hinter %n Aktion einer beendeten Engine aufgeräumt</numerusform>
            <numerusform>Hinter %n Aktionen einer beendeten Engine aufgeräumt</numerusform>
        </translation>
    </message>
    <message>
        <source>An alert of the engine for the desktop</source>
        <translation>Ein Alarm der Engine für den Desktop</translation>
    </message>
</context>
<context>
    <name>NotificationsSection</name>
    <message>
        <source>Notifications</source>
        <translation>Benachrichtigungen</translation>
    </message>
    <message>
        <source>Told while the window is not in front, at most one of a kind a minute; the bell keeps the last %1. What you just did yourself is not told.</source>
        <translation>Gemeldet wird, solange das Fenster nicht vorn ist, höchstens eine je Art und Minute; die Glocke behält die letzten %1. Was Sie gerade selbst getan haben, wird nicht gemeldet.</translation>
    </message>
    <message>
        <source>Tell me when</source>
        <translation>Melden, wenn</translation>
    </message>
    <message>
        <source>Tray</source>
        <translation>Leiste</translation>
    </message>
    <message>
        <source>Show an icon in the desktop&apos;s tray</source>
        <translation>Ein Symbol in der Leiste des Desktops zeigen</translation>
    </message>
    <message>
        <source>With counts, Hold all and Release all; notices are shown there, else the window asks for attention in the task bar.</source>
        <translation>Mit Zahlen, Alle anhalten und Alle freigeben; Meldungen erscheinen dort, sonst bittet das Fenster in der Taskleiste um Aufmerksamkeit.</translation>
    </message>
</context>
<context>
    <name>ObjectColumnWords</name>
    <message>
        <source>Next look</source>
        <translation>Nächster Blick</translation>
    </message>
    <message>
        <source>When an actor is to look at it; a dash once it has ended</source>
        <translation>Wann ein Akteur danach sehen soll; ein Strich, sobald es zu Ende ist</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>How often it entered its status again, or a look at it failed</source>
        <translation>Wie oft es in seinen Zustand zurückkam oder ein Blick darauf misslang</translation>
    </message>
    <message>
        <source>Actor</source>
        <translation>Akteur</translation>
    </message>
    <message>
        <source>The launch key of the actor that looks at it just now</source>
        <translation>Der Startschlüssel des Akteurs, der gerade danach sieht</translation>
    </message>
    <message>
        <source>Parent</source>
        <translation>Eltern</translation>
    </message>
    <message>
        <source>The object that it is a child of</source>
        <translation>Das Objekt, dessen Kind es ist</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>When something of it was written last</source>
        <translation>Wann zuletzt etwas daran geschrieben wurde</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>What becomes of it next, or why it is as it is</source>
        <translation>Was als Nächstes daraus wird, oder warum es so ist</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>Objekt</translation>
    </message>
    <message>
        <source>Its number; the newest stands first</source>
        <translation>Seine Nummer; das neueste steht vorn</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>What it was called when it was made</source>
        <translation>Wie es genannt wurde, als es entstand</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Its state machine</source>
        <translation>Seine Zustandsmaschine</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Where in its state machine it is</source>
        <translation>Wo in seiner Zustandsmaschine es ist</translation>
    </message>
</context>
<context>
    <name>ObjectValueWords</name>
    <message>
        <source>its type has no actor</source>
        <translation>sein Typ hat keinen Akteur</translation>
    </message>
    <message>
        <source>no actor looks at this status</source>
        <translation>kein Akteur sieht nach diesem Zustand</translation>
    </message>
    <message>
        <source>the worker of its type is not registered</source>
        <translation>der Worker seines Typs ist nicht angemeldet</translation>
    </message>
    <message>
        <source>a field of its launch key is missing</source>
        <translation>ein Feld seines Startschlüssels fehlt</translation>
    </message>
    <message>
        <source>what it creates is not there yet</source>
        <translation>was es anlegt, ist noch nicht da</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>in %1</translation>
    </message>
    <message>
        <source>looked at for %1</source>
        <translation>wird seit %1 angesehen</translation>
    </message>
    <message>
        <source>stuck: %1</source>
        <translation>steckt fest: %1</translation>
    </message>
    <message>
        <source>%1; try %2 of %3 next</source>
        <translation>%1; Versuch %2 von %3 folgt</translation>
    </message>
    <message>
        <source>hot: it is woken again and again, and looked at every 100 ms</source>
        <translation>heiß: es wird immer wieder geweckt und alle 100 ms angesehen</translation>
    </message>
    <message>
        <source>The type &quot;%1&quot; is not known, so nobody looks at it</source>
        <translation>Der Typ „%1“ ist nicht bekannt, also sieht es niemand an</translation>
    </message>
    <message>
        <source>Its type has no such status, so nobody looks at it</source>
        <translation>Sein Typ hat diesen Zustand nicht, also sieht es niemand an</translation>
    </message>
    <message>
        <source>%1, unknown</source>
        <translation>%1, unbekannt</translation>
    </message>
    <message>
        <source>Look now</source>
        <translation>Jetzt ansehen</translation>
    </message>
    <message>
        <source>woken by object %1</source>
        <translation>von Objekt %1 geweckt</translation>
    </message>
    <message>
        <source>child %1 ended</source>
        <translation>Kind %1 endete</translation>
    </message>
    <message>
        <source>action %1 ended</source>
        <translation>Aktion %1 endete</translation>
    </message>
    <message>
        <source>not looked at yet</source>
        <translation>noch nicht angesehen</translation>
    </message>
    <message>
        <source>moved to %1</source>
        <translation>ging nach %1</translation>
    </message>
    <message>
        <source>stayed where it was</source>
        <translation>blieb, wo es war</translation>
    </message>
    <message>
        <source>the look failed</source>
        <translation>der Blick misslang</translation>
    </message>
    <message>
        <source>it ended before, as %1</source>
        <translation>es endete vorher, als %1</translation>
    </message>
</context>
<context>
    <name>ObjectWords</name>
    <message>
        <source>&quot;%1&quot; is not FIELD:VALUE</source>
        <translation>„%1“ ist nicht FELD:WERT</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no number of an object</source>
        <translation>„%1“ ist keine Nummer eines Objekts</translation>
    </message>
</context>
<context>
    <name>Operation</name>
    <message numerus="yes">
        <source>Reschedule %n action(s)</source>
        <translation>
            <numerusform>%n Aktion neu einreihen</numerusform>
            <numerusform>%n Aktionen neu einreihen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n action(s)</source>
        <translation>
            <numerusform>%n Aktion abbrechen</numerusform>
            <numerusform>%n Aktionen abbrechen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Retire %n action(s)</source>
        <translation>
            <numerusform>%n Aktion ablegen</numerusform>
            <numerusform>%n Aktionen ablegen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Hold %n action(s)</source>
        <translation>
            <numerusform>%n Aktion anhalten</numerusform>
            <numerusform>%n Aktionen anhalten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release %n action(s)</source>
        <translation>
            <numerusform>%n Aktion freigeben</numerusform>
            <numerusform>%n Aktionen freigeben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Set priority of %n action(s)</source>
        <translation>
            <numerusform>Priorität von %n Aktion setzen</numerusform>
            <numerusform>Priorität von %n Aktionen setzen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) to %1</source>
        <translation>
            <numerusform>%n Aktion nach %1 verschieben</numerusform>
            <numerusform>%n Aktionen nach %1 verschieben</numerusform>
        </translation>
    </message>
    <message>
        <source>Hold %1</source>
        <translation>%1 anhalten</translation>
    </message>
    <message>
        <source>Release %1</source>
        <translation>%1 freigeben</translation>
    </message>
    <message>
        <source>Drain %1</source>
        <translation>%1 leerlaufen lassen</translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n action(s) in %1</source>
        <translation>
            <numerusform>%n Aktion in %1 abbrechen</numerusform>
            <numerusform>%n Aktionen in %1 abbrechen</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Create queue %1</source>
        <translation>Warteschlange %1 anlegen</translation>
    </message>
    <message>
        <source>Change settings of %1</source>
        <translation>Einstellungen von %1 ändern</translation>
    </message>
    <message>
        <source>Pause: hold every queue</source>
        <translation>Pause: alle Warteschlangen anhalten</translation>
    </message>
    <message>
        <source>Resume: release every queue</source>
        <translation>Fortsetzen: alle Warteschlangen freigeben</translation>
    </message>
    <message>
        <source>Drain the engine</source>
        <translation>Die Engine leerlaufen lassen</translation>
    </message>
    <message>
        <source>Pause the session</source>
        <translation>Die Sitzung pausieren</translation>
    </message>
    <message>
        <source>Abandon the session</source>
        <translation>Die Sitzung aufgeben</translation>
    </message>
    <message>
        <source>Sunset: end the engine</source>
        <translation>Sonnenuntergang: die Engine beenden</translation>
    </message>
    <message numerus="yes">
        <source>Submit %n action(s) to %1</source>
        <translation>
            <numerusform>%n Aktion an %1 abgeben</numerusform>
            <numerusform>%n Aktionen an %1 abgeben</numerusform>
        </translation>
    </message>
    <message>
        <source>Register worker %1</source>
        <translation>Worker %1 registrieren</translation>
    </message>
    <message>
        <source>Remove worker %1</source>
        <translation>Worker %1 entfernen</translation>
    </message>
    <message>
        <source>Change settings</source>
        <translation>Einstellungen ändern</translation>
    </message>
    <message>
        <source>Restart the processes of %1 one by one</source>
        <translation>Prozesse von %1 nacheinander neu starten</translation>
    </message>
    <message>
        <source>Detach process %1</source>
        <translation>Prozess %1 herauslösen</translation>
    </message>
    <message>
        <source>Change the limits of the pool</source>
        <translation>Grenzen des Pools ändern</translation>
    </message>
    <message>
        <source>Show the action</source>
        <translation>Aktion zeigen</translation>
    </message>
    <message>
        <source>List actions</source>
        <translation>Aktionen auflisten</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Take the mark from %n action(s)</source>
        <translation>
            <numerusform>Markierung von %n Aktion entfernen</numerusform>
            <numerusform>Markierung von %n Aktionen entfernen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Mark %n action(s)</source>
        <translation>
            <numerusform>%n Aktion markieren</numerusform>
            <numerusform>%n Aktionen markieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Comment on action %1</source>
        <translation>Kommentar zu Aktion %1</translation>
    </message>
    <message>
        <source>Take the mark from %1</source>
        <translation>Markierung von %1 entfernen</translation>
    </message>
    <message>
        <source>Mark %1</source>
        <translation>%1 markieren</translation>
    </message>
    <message>
        <source>Comment on %1</source>
        <translation>Kommentar zu %1</translation>
    </message>
    <message>
        <source>Show failures</source>
        <translation>Fehlschläge zeigen</translation>
    </message>
    <message>
        <source>Unmute failures</source>
        <translation>Fehlschläge nicht mehr stumm schalten</translation>
    </message>
    <message>
        <source>Mute failures</source>
        <translation>Fehlschläge stumm schalten</translation>
    </message>
    <message>
        <source>Search in output</source>
        <translation>In der Ausgabe suchen</translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) to the top</source>
        <translation>
            <numerusform>%n Aktion an den Anfang verschieben</numerusform>
            <numerusform>%n Aktionen an den Anfang verschieben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) up</source>
        <translation>
            <numerusform>%n Aktion nach oben verschieben</numerusform>
            <numerusform>%n Aktionen nach oben verschieben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) down</source>
        <translation>
            <numerusform>%n Aktion nach unten verschieben</numerusform>
            <numerusform>%n Aktionen nach unten verschieben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) to the bottom</source>
        <translation>
            <numerusform>%n Aktion ans Ende verschieben</numerusform>
            <numerusform>%n Aktionen ans Ende verschieben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n action(s) before another one</source>
        <translation>
            <numerusform>%n Aktion vor eine andere verschieben</numerusform>
            <numerusform>%n Aktionen vor eine andere verschieben</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the machine</source>
        <translation>Die Maschine zeigen</translation>
    </message>
    <message>
        <source>Drain machine %1</source>
        <translation>Maschine %1 leerlaufen lassen</translation>
    </message>
    <message>
        <source>Pause machine %1</source>
        <translation>Maschine %1 anhalten</translation>
    </message>
    <message>
        <source>Resume machine %1</source>
        <translation>Maschine %1 fortsetzen</translation>
    </message>
    <message>
        <source>Remove machine %1</source>
        <translation>Maschine %1 entfernen</translation>
    </message>
    <message>
        <source>List machines</source>
        <translation>Maschinen auflisten</translation>
    </message>
    <message>
        <source>List objects</source>
        <translation>Objekte auflisten</translation>
    </message>
    <message>
        <source>Show the object</source>
        <translation>Das Objekt zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Look at %n object(s) now</source>
        <translation>
            <numerusform>%n Objekt jetzt ansehen</numerusform>
            <numerusform>%n Objekte jetzt ansehen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n object(s) to %1</source>
        <translation>
            <numerusform>%n Objekt nach %1 bringen</numerusform>
            <numerusform>%n Objekte nach %1 bringen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n object(s)</source>
        <translation>
            <numerusform>%n Objekt löschen</numerusform>
            <numerusform>%n Objekte löschen</numerusform>
        </translation>
    </message>
    <message>
        <source>Set %1 of object %2</source>
        <translation>%1 von Objekt %2 setzen</translation>
    </message>
    <message>
        <source>Add alert %1</source>
        <translation>Alarm %1 hinzufügen</translation>
    </message>
    <message>
        <source>Change alert %1</source>
        <translation>Alarm %1 ändern</translation>
    </message>
    <message>
        <source>Remove alert %1</source>
        <translation>Alarm %1 entfernen</translation>
    </message>
    <message>
        <source>Silence alert %1</source>
        <translation>Alarm %1 stumm schalten</translation>
    </message>
    <message>
        <source>End the silence of alert %1</source>
        <translation>Alarm %1 wieder laut schalten</translation>
    </message>
    <message>
        <source>Add schedule %1</source>
        <translation>Zeitplan %1 hinzufügen</translation>
    </message>
    <message>
        <source>Change schedule %1</source>
        <translation>Zeitplan %1 ändern</translation>
    </message>
    <message>
        <source>Remove schedule %1</source>
        <translation>Zeitplan %1 entfernen</translation>
    </message>
    <message>
        <source>Run schedule %1 now</source>
        <translation>Zeitplan %1 jetzt ausführen</translation>
    </message>
    <message>
        <source>Pause schedule %1</source>
        <translation>Zeitplan %1 anhalten</translation>
    </message>
    <message>
        <source>Resume schedule %1</source>
        <translation>Zeitplan %1 fortsetzen</translation>
    </message>
    <message>
        <source>List kinds of work</source>
        <translation>Arten von Arbeit auflisten</translation>
    </message>
    <message>
        <source>Show the kind of work</source>
        <translation>Art der Arbeit zeigen</translation>
    </message>
    <message>
        <source>Show its flaky inputs</source>
        <translation>Ihre unzuverlässigen Eingaben zeigen</translation>
    </message>
    <message>
        <source>List regressions</source>
        <translation>Verschlechterungen auflisten</translation>
    </message>
    <message>
        <source>List recordings</source>
        <translation>Aufzeichnungen auflisten</translation>
    </message>
    <message>
        <source>Show recording %1</source>
        <translation>Aufzeichnung %1 zeigen</translation>
    </message>
    <message>
        <source>Start recording %1</source>
        <translation>Aufzeichnung %1 beginnen</translation>
    </message>
    <message>
        <source>Stop recording %1</source>
        <translation>Aufzeichnung %1 beenden</translation>
    </message>
    <message>
        <source>Delete recording %1</source>
        <translation>Aufzeichnung %1 löschen</translation>
    </message>
    <message>
        <source>Note on recording %1</source>
        <translation>Notiz zur Aufzeichnung %1</translation>
    </message>
    <message>
        <source>Replay %1</source>
        <translation>%1 erneut ausführen</translation>
    </message>
    <message>
        <source>List replays</source>
        <translation>Wiederholungen auflisten</translation>
    </message>
    <message>
        <source>Cancel the replay of %1</source>
        <translation>Wiederholung von %1 abbrechen</translation>
    </message>
    <message>
        <source>List allocators</source>
        <translation>Zuteiler auflisten</translation>
    </message>
    <message>
        <source>Pause allocator %1</source>
        <translation>Zuteiler %1 anhalten</translation>
    </message>
    <message>
        <source>Resume allocator %1</source>
        <translation>Zuteiler %1 fortsetzen</translation>
    </message>
    <message>
        <source>Set the hours of machine %1</source>
        <translation>Zeiten der Maschine %1 setzen</translation>
    </message>
    <message>
        <source>Remove allocator %1</source>
        <translation>Zuteiler %1 entfernen</translation>
    </message>
    <message>
        <source>Create an object of the type %1</source>
        <translation>Ein Objekt vom Typ %1 anlegen</translation>
    </message>
    <message>
        <source>Show what work used</source>
        <translation>Zeigen, was Arbeit verbraucht hat</translation>
    </message>
    <message>
        <source>Show who changed what</source>
        <translation>Zeigen, wer was geändert hat</translation>
    </message>
</context>
<context>
    <name>OutputSearch</name>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Its number (LSN)</source>
        <translation>Ihre Nummer (LSN)</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Its label, else its command or function</source>
        <translation>Ihre Beschriftung, sonst ihr Befehl oder ihre Funktion</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>Strom</translation>
    </message>
    <message>
        <source>stdout or stderr</source>
        <translation>stdout oder stderr</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Number of the line in its stream</source>
        <translation>Nummer der Zeile in ihrem Strom</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>The line, or what of a long one is around the text</source>
        <translation>Die Zeile, oder von einer langen, was um den Text herum steht</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Dashboard</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>Queues</source>
        <translation>Warteschlangen</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>Zeitlinien</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>Failures</source>
        <translation>Fehlschläge</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Maschinen</translation>
    </message>
    <message>
        <source>Console</source>
        <translation>Konsole</translation>
    </message>
    <message>
        <source>Objects</source>
        <translation>Objekte</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
</context>
<context>
    <name>PastWords</name>
    <message>
        <source>Firing</source>
        <translation>Schlägt an</translation>
    </message>
    <message>
        <source>Silenced</source>
        <translation>Stumm</translation>
    </message>
    <message>
        <source>Silenced to %1</source>
        <translation>Stumm bis %1</translation>
    </message>
    <message>
        <source>Over</source>
        <translation>Vorbei</translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation>Ruhig</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>not told yet: %1</source>
        <translation>noch nicht gemeldet: %1</translation>
    </message>
    <message>
        <source>By worker</source>
        <translation>Nach Worker</translation>
    </message>
    <message>
        <source>By label</source>
        <translation>Nach Label</translation>
    </message>
    <message>
        <source>By machine</source>
        <translation>Nach Maschine</translation>
    </message>
    <message>
        <source>By day (UTC)</source>
        <translation>Nach Tag (UTC)</translation>
    </message>
    <message>
        <source>By hour (UTC)</source>
        <translation>Nach Stunde (UTC)</translation>
    </message>
    <message>
        <source>Wasted, by how it ended</source>
        <translation>Vergeudet, nach Ende</translation>
    </message>
    <message>
        <source>By queue</source>
        <translation>Nach Warteschlange</translation>
    </message>
    <message>
        <source>%1 core hours, %2 of them wasted (%3)</source>
        <translation>%1 Kernstunden, davon %2 vergeudet (%3)</translation>
    </message>
    <message numerus="yes">
        <source>; of %Ln action(s) that are not kept any more nothing is known</source>
        <translation>
            <numerusform>; von %Ln Aktion, die nicht mehr aufbewahrt ist, ist nichts bekannt</numerusform>
            <numerusform>; von %Ln Aktionen, die nicht mehr aufbewahrt sind, ist nichts bekannt</numerusform>
        </translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>What the row sums up</source>
        <translation>Was die Zeile zusammenfasst</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>That ended in this time</source>
        <translation>Die in dieser Zeit endeten</translation>
    </message>
    <message>
        <source>Core h</source>
        <translation>Kern-h</translation>
    </message>
    <message>
        <source>Cores that were reserved, times the time that work ran</source>
        <translation>Reservierte Kerne mal die Zeit, in der Arbeit lief</translation>
    </message>
    <message>
        <source>Wasted</source>
        <translation>Vergeudet</translation>
    </message>
    <message>
        <source>Core hours of attempts that did not complete</source>
        <translation>Kernstunden von Versuchen, die nicht gelangen</translation>
    </message>
    <message>
        <source>Wasted, %</source>
        <translation>Davon, %</translation>
    </message>
    <message>
        <source>Part of its core hours</source>
        <translation>Teil seiner Kernstunden</translation>
    </message>
    <message>
        <source>Memory, GB h</source>
        <translation>Speicher, GB h</translation>
    </message>
    <message>
        <source>Memory that was reserved, else used at most, times the same time</source>
        <translation>Reservierter, sonst höchster benutzter Speicher mal dieselbe Zeit</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>Gewartet</translation>
    </message>
    <message>
        <source>Mean of its actions, for their last start</source>
        <translation>Mittel seiner Aktionen, auf ihren letzten Start</translation>
    </message>
    <message>
        <source>the desktop</source>
        <translation>der Desktop</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Name of the rule</source>
        <translation>Name der Regel</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Whether what it is about holds now</source>
        <translation>Ob jetzt gilt, worum es geht</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>When it came into this state</source>
        <translation>Seit wann es so ist</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Worüber</translation>
    </message>
    <message>
        <source>The kind of the rule, and its filter</source>
        <translation>Die Art der Regel und ihr Filter</translation>
    </message>
    <message>
        <source>Last told</source>
        <translation>Zuletzt gemeldet</translation>
    </message>
    <message>
        <source>Its newest message</source>
        <translation>Ihre neueste Meldung</translation>
    </message>
    <message>
        <source>To whom</source>
        <translation>Wem</translation>
    </message>
    <message>
        <source>Desktop, program, or host of a webhook</source>
        <translation>Desktop, Programm oder Host eines Webhooks</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>When it was asked for</source>
        <translation>Wann es verlangt wurde</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Wer</translation>
    </message>
    <message>
        <source>Name of the token; the owner has none</source>
        <translation>Name des Tokens; der Eigentümer hat keinen</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Woher</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Vorgang</translation>
    </message>
    <message>
        <source>What was asked for; Enter copies it for curl</source>
        <translation>Was verlangt wurde; Enter kopiert es für curl</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Status of the answer, as of HTTP</source>
        <translation>Status der Antwort, wie bei HTTP</translation>
    </message>
    <message>
        <source>the owner</source>
        <translation>der Eigentümer</translation>
    </message>
</context>
<context>
    <name>PoolColumns</name>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>Worker, and its processes</source>
        <translation>Worker und seine Prozesse</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>What the process is about</source>
        <translation>Was der Prozess gerade ist</translation>
    </message>
    <message>
        <source>Doing now</source>
        <translation>Tut gerade</translation>
    </message>
    <message>
        <source>The action it works on</source>
        <translation>Die Aktion, an der er arbeitet</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>How long it has worked on the oldest of them</source>
        <translation>Wie lange er schon an der ältesten davon arbeitet</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Offen</translation>
    </message>
    <message>
        <source>Requests it has</source>
        <translation>Anfragen, die er hat</translation>
    </message>
    <message>
        <source>Served</source>
        <translation>Bedient</translation>
    </message>
    <message>
        <source>Requests it has answered</source>
        <translation>Anfragen, die er beantwortet hat</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Processor in use, in cores</source>
        <translation>Genutzter Prozessor, in Kernen</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Resident memory of its process tree</source>
        <translation>Belegter Speicher seines Prozessbaums</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>How long it has lived</source>
        <translation>Wie lange er schon lebt</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>When its newest request was answered</source>
        <translation>Wann seine letzte Anfrage beantwortet war</translation>
    </message>
    <message>
        <source>Started because</source>
        <translation>Gestartet wegen</translation>
    </message>
    <message>
        <source>Why it was started</source>
        <translation>Warum er gestartet wurde</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>When it was gone</source>
        <translation>Wann er weg war</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Its worker</source>
        <translation>Sein Worker</translation>
    </message>
    <message>
        <source>Proc.</source>
        <translation>Proz.</translation>
    </message>
    <message>
        <source>Number of the process</source>
        <translation>Nummer des Prozesses</translation>
    </message>
    <message>
        <source>Why it was let go</source>
        <translation>Warum er gehen musste</translation>
    </message>
    <message>
        <source>Lived</source>
        <translation>Gelebt</translation>
    </message>
    <message>
        <source>From its start to its end</source>
        <translation>Von seinem Start bis zu seinem Ende</translation>
    </message>
    <message>
        <source>Requests it answered</source>
        <translation>Anfragen, die er beantwortet hat</translation>
    </message>
</context>
<context>
    <name>PoolWords</name>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>beschäftigt</translation>
    </message>
    <message>
        <source>finishing</source>
        <translation>läuft aus</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>endet</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>weg</translation>
    </message>
    <message>
        <source>first request</source>
        <translation>erste Anfrage</translation>
    </message>
    <message>
        <source>all were busy</source>
        <translation>alle waren beschäftigt</translation>
    </message>
    <message>
        <source>kept warm (min %1)</source>
        <translation>warm gehalten (min. %1)</translation>
    </message>
    <message>
        <source>restart</source>
        <translation>Neustart</translation>
    </message>
    <message>
        <source>idle for longer than it may</source>
        <translation>länger frei, als er darf</translation>
    </message>
    <message>
        <source>evicted: the pool was full and another worker needed a process</source>
        <translation>verdrängt: der Pool war voll und ein anderer Worker brauchte einen Prozess</translation>
    </message>
    <message>
        <source>served as many requests as it may</source>
        <translation>hat so viele Anfragen bedient, wie er darf</translation>
    </message>
    <message>
        <source>replaced by a restart</source>
        <translation>durch einen Neustart ersetzt</translation>
    </message>
    <message>
        <source>detached by hand, finished its requests first</source>
        <translation>von Hand herausgelöst, hat seine Anfragen erst beendet</translation>
    </message>
    <message>
        <source>its worker was removed</source>
        <translation>sein Worker wurde entfernt</translation>
    </message>
    <message>
        <source>a newer version of its worker is there</source>
        <translation>eine neuere Fassung seines Workers ist da</translation>
    </message>
    <message>
        <source>over its memory limit, recycled between requests</source>
        <translation>über seiner Speichergrenze, zwischen Anfragen ersetzt</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>abgestürzt</translation>
    </message>
    <message>
        <source>did not come up</source>
        <translation>kam nicht hoch</translation>
    </message>
    <message>
        <source>ended with its action</source>
        <translation>mit seiner Aktion beendet</translation>
    </message>
    <message>
        <source>ended before it was needed</source>
        <translation>beendet, bevor er gebraucht wurde</translation>
    </message>
    <message>
        <source>no process</source>
        <translation>kein Prozess</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 here</source>
        <translation>%1 da</translation>
    </message>
    <message>
        <source> and one starting</source>
        <translation> und einer startet</translation>
    </message>
    <message>
        <source>restarts one at a time, %1 of %2 done</source>
        <translation>wird nacheinander neu gestartet, %1 von %2 fertig</translation>
    </message>
    <message>
        <source>least busy first</source>
        <translation>der am wenigsten Beschäftigte zuerst</translation>
    </message>
    <message>
        <source>one queue for all</source>
        <translation>eine Schlange für alle</translation>
    </message>
    <message>
        <source>hit rate %1</source>
        <translation>Trefferquote %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln wait</source>
        <translation>
            <numerusform>%Ln wartet</numerusform>
            <numerusform>%Ln warten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>The engine lacks %1… and none of the files named here has this content.</source>
        <translation>Der Engine fehlt %1… und keine der hier genannten Dateien hat diesen Inhalt.</translation>
    </message>
    <message>
        <source>%1 could not be sent: %2</source>
        <translation>%1 konnte nicht gesendet werden: %2</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n geändert</numerusform>
            <numerusform>%n geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused: %1</source>
        <translation>
            <numerusform>%n abgelehnt: %1</numerusform>
            <numerusform>%n abgelehnt: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>queue %1</source>
        <translation>Warteschlange %1</translation>
    </message>
    <message>
        <source>New queue</source>
        <translation>Neue Warteschlange</translation>
    </message>
    <message>
        <source>Tag, what people know it by</source>
        <translation>Name, unter dem man sie kennt</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Create queue</source>
        <translation>Warteschlange anlegen</translation>
    </message>
    <message>
        <source>Give it a tag first</source>
        <translation>Geben Sie ihr zuerst einen Namen</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Gehalten</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Draining</source>
        <translation>Läuft leer</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Abandoned</source>
        <translation>Aufgegeben</translation>
    </message>
    <message>
        <source>Sunset</source>
        <translation>Beendet sich</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Angelegt</translation>
    </message>
    <message>
        <source>Not possible here now</source>
        <translation>Hier und jetzt nicht möglich</translation>
    </message>
    <message numerus="yes">
        <source>%n replaced by others passed over</source>
        <translation>
            <numerusform>%n durch eine andere ersetzte übergangen</numerusform>
            <numerusform>%n durch andere ersetzte übergangen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n with a terminal passed over</source>
        <translation>
            <numerusform>%n mit Terminal übergangen</numerusform>
            <numerusform>%n mit Terminal übergangen</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing starts</source>
        <translation>Nichts startet</translation>
    </message>
</context>
<context>
    <name>QShortcut</name>
    <message>
        <source>Ctrl</source>
        <translation>Strg</translation>
    </message>
    <message>
        <source>Shift</source>
        <translation>Umschalt</translation>
    </message>
    <message>
        <source>Alt</source>
        <translation>Alt</translation>
    </message>
    <message>
        <source>Meta</source>
        <translation>Meta</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Entf</translation>
    </message>
    <message>
        <source>Ins</source>
        <translation>Einfg</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Pos1</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>Runter</translation>
    </message>
    <message>
        <source>PgUp</source>
        <translation>Bild auf</translation>
    </message>
    <message>
        <source>PgDown</source>
        <translation>Bild ab</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>Backspace</source>
        <translation>Rücktaste</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Return</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Tab</source>
        <translation>Tab</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
</context>
<context>
    <name>QueueRows</name>
    <message>
        <source>Draining</source>
        <translation>Läuft leer</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Gehalten</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>Aktiv</translation>
    </message>
    <message>
        <source>on release</source>
        <translation>Freigabe</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>The queue&apos;s tag, or its number</source>
        <translation>Der Name der Warteschlange oder ihre Nummer</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Whether it starts actions</source>
        <translation>Ob sie Aktionen startet</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Its share of the machine against other queues</source>
        <translation>Ihr Anteil am Rechner gegenüber anderen Warteschlangen</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Actions by state; the legend is below</source>
        <translation>Aktionen nach Zustand; die Legende steht unten</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <source>Share of its actions that are in a final state</source>
        <translation>Anteil ihrer Aktionen in einem Endzustand</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Actions pending, held or waiting to be retried</source>
        <translation>Aktionen, die warten, angehalten sind oder neu versucht werden</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Actions running now</source>
        <translation>Aktionen, die gerade laufen</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Actions that succeeded</source>
        <translation>Aktionen, die gelungen sind</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Actions that failed for good</source>
        <translation>Aktionen, die endgültig fehlschlugen</translation>
    </message>
    <message>
        <source>Per min</source>
        <translation>Pro min</translation>
    </message>
    <message>
        <source>Finish in</source>
        <translation>Fertig in</translation>
    </message>
    <message>
        <source>When what waits and runs should be done</source>
        <translation>Wann erledigt sein dürfte, was wartet und läuft</translation>
    </message>
    <message>
        <source>%1 completed, %2 failed, %3 abandoned, %4 cancelled, %5 running, %6 waiting</source>
        <translation>%1 fertig, %2 gescheitert, %3 aufgegeben, %4 abgebrochen, %5 laufen, %6 warten</translation>
    </message>
    <message>
        <source>Not known: %1</source>
        <translation>Nicht bekannt: %1</translation>
    </message>
    <message>
        <source>Actions that completed within the last 60 s</source>
        <translation>Aktionen, die in den letzten 60 s fertig wurden</translation>
    </message>
    <message>
        <source>, %1 of them held by themselves</source>
        <translation>, davon %1 selbst angehalten</translation>
    </message>
</context>
<context>
    <name>Reason</name>
    <message>
        <source>exit code %1</source>
        <translation>Exit-Code %1</translation>
    </message>
    <message>
        <source>signal %1</source>
        <translation>Signal %1</translation>
    </message>
    <message>
        <source>deadline passed</source>
        <translation>Frist abgelaufen</translation>
    </message>
    <message>
        <source>memory limit</source>
        <translation>Speichergrenze</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>abandoned</source>
        <translation>aufgegeben</translation>
    </message>
    <message>
        <source>the engine died</source>
        <translation>die Engine ist gestorben</translation>
    </message>
    <message>
        <source>the engine was stopped</source>
        <translation>die Engine wurde beendet</translation>
    </message>
    <message>
        <source>could not be started</source>
        <translation>konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>the runner was lost</source>
        <translation>der Runner ging verloren</translation>
    </message>
    <message>
        <source>the machine ran out of memory</source>
        <translation>der Rechner hatte keinen Speicher mehr</translation>
    </message>
    <message>
        <source>the worker crashed</source>
        <translation>der Worker ist abgestürzt</translation>
    </message>
    <message>
        <source>an output is missing</source>
        <translation>eine Ausgabe fehlt</translation>
    </message>
    <message>
        <source>its result is too large</source>
        <translation>das Ergebnis ist zu groß</translation>
    </message>
    <message>
        <source>what it waited for failed</source>
        <translation>worauf sie wartete, schlug fehl</translation>
    </message>
    <message>
        <source>its GPU was lost</source>
        <translation>ihre GPU ging verloren</translation>
    </message>
    <message>
        <source>GPU memory limit</source>
        <translation>Grenze des GPU-Speichers</translation>
    </message>
</context>
<context>
    <name>RecordingWords</name>
    <message>
        <source>Recording</source>
        <translation>Zeichnet auf</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Vollständig</translation>
    </message>
    <message>
        <source>Cut short</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Of the recording, and of its file</source>
        <translation>Der Aufzeichnung und ihrer Datei</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>When it was begun</source>
        <translation>Wann sie begonnen wurde</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>From its begin to its end</source>
        <translation>Von ihrem Beginn bis zu ihrem Ende</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Actions that are in it</source>
        <translation>Aktionen, die darin sind</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Those of them that failed</source>
        <translation>Davon fehlgeschlagen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Of its file</source>
        <translation>Ihrer Datei</translation>
    </message>
    <message>
        <source>Taken on</source>
        <translation>Aufgenommen auf</translation>
    </message>
    <message>
        <source>The engine that made it</source>
        <translation>Die Engine, die sie gemacht hat</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Whether it goes on, or how it ended</source>
        <translation>Ob sie läuft oder wie sie endete</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Why it ended, what is not in it, and what people wrote</source>
        <translation>Warum sie endete, was fehlt und was Menschen schrieben</translation>
    </message>
    <message>
        <source>the engine ended while it ran</source>
        <translation>die Engine endete währenddessen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s) to be written</source>
        <translation>
            <numerusform>%Ln Aktion noch zu schreiben</numerusform>
            <numerusform>%Ln Aktionen noch zu schreiben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s) missed</source>
        <translation>
            <numerusform>%Ln Aktion verpasst</numerusform>
            <numerusform>%Ln Aktionen verpasst</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) not kept any more</source>
        <translation>
            <numerusform>%Ln Datei nicht mehr vorhanden</numerusform>
            <numerusform>%Ln Dateien nicht mehr vorhanden</numerusform>
        </translation>
    </message>
    <message>
        <source>without files: a replay compares by hash</source>
        <translation>ohne Dateien: Vergleich nur nach Hash</translation>
    </message>
    <message>
        <source>this engine</source>
        <translation>diese Engine</translation>
    </message>
    <message>
        <source>%1 of %2 compared</source>
        <translation>%1 von %2 verglichen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln differ(s)</source>
        <translation>
            <numerusform>%Ln weicht ab</numerusform>
            <numerusform>%Ln weichen ab</numerusform>
        </translation>
    </message>
    <message>
        <source>done in about %1</source>
        <translation>fertig in etwa %1</translation>
    </message>
    <message>
        <source>%1 of %2 the same</source>
        <translation>%1 von %2 gleich</translation>
    </message>
    <message numerus="yes">
        <source>%Ln could not be run</source>
        <translation>
            <numerusform>%Ln konnte nicht laufen</numerusform>
            <numerusform>%Ln konnten nicht laufen</numerusform>
        </translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>could not be run</source>
        <translation>konnte nicht laufen</translation>
    </message>
    <message>
        <source>output %1</source>
        <translation>Ausgabe %1</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>exit code</source>
        <translation>Exit-Code</translation>
    </message>
    <message>
        <source>result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>run time</source>
        <translation>Laufzeit</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>Spitzenspeicher</translation>
    </message>
    <message>
        <source>Recorded</source>
        <translation>Aufgezeichnet</translation>
    </message>
    <message>
        <source>Number (LSN) of the action that was recorded</source>
        <translation>Nummer (LSN) der aufgezeichneten Aktion</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Number (LSN) of the action that was run again</source>
        <translation>Nummer (LSN) der erneut ausgeführten Aktion</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>Was abweicht</translation>
    </message>
    <message>
        <source>State, exit code, result, an output, or a stream</source>
        <translation>Zustand, Exit-Code, Ergebnis, eine Ausgabe oder ein Strom</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>Damals</translation>
    </message>
    <message>
        <source>What was recorded</source>
        <translation>Was aufgezeichnet wurde</translation>
    </message>
    <message>
        <source>Now it is</source>
        <translation>Jetzt ist es</translation>
    </message>
    <message>
        <source>What the replay did</source>
        <translation>Was die Wiederholung ergab</translation>
    </message>
    <message>
        <source>How it ended</source>
        <translation>Wie sie endete</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Its number (LSN) where it was recorded</source>
        <translation>Ihre Nummer (LSN), wo sie aufgezeichnet wurde</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Its label, else its command or function</source>
        <translation>Ihre Bezeichnung, sonst ihr Befehl oder ihre Funktion</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Maschine</translation>
    </message>
    <message>
        <source>That it ran on</source>
        <translation>Auf der sie lief</translation>
    </message>
    <message>
        <source>Exit</source>
        <translation>Exit</translation>
    </message>
    <message>
        <source>Exit code</source>
        <translation>Exit-Code</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>Lief</translation>
    </message>
    <message>
        <source>From its begin to its exit</source>
        <translation>Von ihrem Beginn bis zu ihrem Exit</translation>
    </message>
    <message>
        <source>Peak mem.</source>
        <translation>Spitzensp.</translation>
    </message>
    <message>
        <source>Peak memory of all its processes</source>
        <translation>Spitzenspeicher aller ihrer Prozesse</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>When it ended</source>
        <translation>Wann sie endete</translation>
    </message>
</context>
<context>
    <name>ReproductionText</name>
    <message>
        <source>Enter closes this window.</source>
        <translation>Enter schließt dieses Fenster.</translation>
    </message>
</context>
<context>
    <name>Resubmit</name>
    <message>
        <source>Only element %1 of its array is submitted again.</source>
        <translation>Nur Element %1 des Arrays wird noch einmal abgegeben.</translation>
    </message>
    <message>
        <source>The token of this window does not see environment, inputs and stdin of an action: they are not in this copy.</source>
        <translation>Das Token dieses Fensters sieht Umgebung, Eingaben und Standardeingabe einer Aktion nicht: Sie fehlen in dieser Kopie.</translation>
    </message>
</context>
<context>
    <name>Sandbox</name>
    <message>
        <source>the machine&apos;s</source>
        <translation>das des Rechners</translation>
    </message>
    <message>
        <source>asked for, not granted</source>
        <translation>verlangt, nicht gewährt</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>sandbox</source>
        <translation>Sandbox</translation>
    </message>
    <message>
        <source>none: an exec has one when it says &quot;sandbox&quot;: true</source>
        <translation>keine: exec hat eine mit &quot;sandbox&quot;: true</translation>
    </message>
    <message>
        <source>none: the engine was started without</source>
        <translation>keine: die Engine läuft ohne</translation>
    </message>
    <message>
        <source>Allow the network</source>
        <translation>Netzwerk erlauben</translation>
    </message>
    <message>
        <source>Every worker whose descriptor asks for the network gets it (sandbox_network).</source>
        <translation>Jeder Worker, dessen Beschreibung das Netzwerk verlangt, bekommt es (sandbox_network).</translation>
    </message>
    <message>
        <source>It is allowed by now; the action only has to run again.</source>
        <translation>Inzwischen ist es erlaubt; die Aktion muss nur noch einmal laufen.</translation>
    </message>
    <message>
        <source>Allow %1 of memory</source>
        <translation>%1 Speicher erlauben</translation>
    </message>
    <message>
        <source>The action is submitted again with a limit twice as high.</source>
        <translation>Die Aktion wird mit doppelter Grenze neu eingereicht.</translation>
    </message>
    <message>
        <source>Allow twice the outputs</source>
        <translation>Doppelte Ausgaben erlauben</translation>
    </message>
    <message>
        <source>Run it without a sandbox</source>
        <translation>Ohne Sandbox laufen lassen</translation>
    </message>
    <message>
        <source>The action is submitted again with the rights of the engine&apos;s user: it can read and write whatever that user can, the engine&apos;s token included.</source>
        <translation>Die Aktion wird mit den Rechten des Benutzers der Engine neu eingereicht: Sie kann lesen und schreiben, was er kann, auch das Token der Engine.</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>files, processes, users of its own</source>
        <translation>eigene Dateien und Prozesse</translation>
    </message>
    <message>
        <source>network</source>
        <translation>Netzwerk</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>open files</source>
        <translation>offene Dateien</translation>
    </message>
    <message>
        <source>largest file</source>
        <translation>größte Datei</translation>
    </message>
    <message>
        <source>output files</source>
        <translation>Ausgabedateien</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>/tmp</source>
        <translation>/tmp</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>liest</translation>
    </message>
    <message>
        <source>links are not kept; copy the file</source>
        <translation>Links bleiben nicht; Datei kopieren</translation>
    </message>
    <message>
        <source>only files are kept as outputs</source>
        <translation>nur Dateien werden Ausgaben</translation>
    </message>
    <message>
        <source>the network can be allowed</source>
        <translation>das Netzwerk lässt sich erlauben</translation>
    </message>
    <message>
        <source>allowed without a sandbox only</source>
        <translation>nur ohne Sandbox erlaubt</translation>
    </message>
    <message>
        <source>no worker is allowed this</source>
        <translation>darf kein Worker</translation>
    </message>
    <message>
        <source>%1 is registered again with %2; actions that call it by its name use that one from then on.</source>
        <translation>%1 wird mit %2 erneut registriert; Aktionen, die den Worker beim Namen nennen, verwenden ihn von da an.</translation>
    </message>
</context>
<context>
    <name>SaveAs</name>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>ScheduleWords</name>
    <message>
        <source>every %1</source>
        <translation>alle %1</translation>
    </message>
    <message>
        <source>once, %1</source>
        <translation>einmal, %1</translation>
    </message>
</context>
<context>
    <name>TerminalText</name>
    <message>
        <source>No terminal was found: install xterm, or name yours in $TERMINAL.</source>
        <translation>Kein Terminal gefunden: xterm installieren oder das eigene in $TERMINAL nennen.</translation>
    </message>
    <message>
        <source>The terminal %1 did not start: %2</source>
        <translation>Das Terminal %1 startete nicht: %2</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>There is no key %1 here; there are state, worker, label, lsn and tries&gt;.</source>
        <translation>Den Schlüssel %1 gibt es hier nicht; es gibt state, worker, label, lsn und tries&gt;.</translation>
    </message>
    <message>
        <source>Whole day</source>
        <translation>Ganzer Tag</translation>
    </message>
    <message>
        <source>In all</source>
        <translation>Insgesamt</translation>
    </message>
    <message>
        <source>%1 to now</source>
        <translation>%1 bis jetzt</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>%1 of %2 busy at the cursor</source>
        <translation>%1 von %2 beschäftigt am Zeiger</translation>
    </message>
    <message>
        <source>%1 of %2 busy</source>
        <translation>%1 von %2 beschäftigt</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>Slots</translation>
    </message>
    <message>
        <source>slot %1</source>
        <translation>Slot %1</translation>
    </message>
    <message>
        <source>1 idle slot</source>
        <translation>1 freier Slot</translation>
    </message>
    <message>
        <source>%1 idle slots</source>
        <translation>%1 freie Slots</translation>
    </message>
    <message>
        <source>Reading what has run…</source>
        <translation>Was lief, wird gelesen</translation>
    </message>
    <message>
        <source>No action has run in this range</source>
        <translation>In diesem Bereich lief keine Aktion</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>of %1 cores</source>
        <translation>von %1 Kernen</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>benutzt</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>%1 cores</source>
        <translation>%1 Kerne</translation>
    </message>
    <message>
        <source>no new starts above %1</source>
        <translation>keine Starts über %1</translation>
    </message>
    <message>
        <source>no data</source>
        <translation>keine Daten</translation>
    </message>
    <message>
        <source>%1 slot %2</source>
        <translation>%1 Slot %2</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>seit %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1, %2, %3, %4 slot %5, %6</source>
        <translation>%1, %2, %3, %4 Slot %5, %6</translation>
    </message>
    <message>
        <source>last %1, between %2 and %3</source>
        <translation>zuletzt %1, zwischen %2 und %3</translation>
    </message>
</context>
<context>
    <name>WaitReasons</name>
    <message>
        <source>%1: %2 of %3 free</source>
        <translation>%1: %2 von %3 frei</translation>
    </message>
    <message>
        <source>after another action</source>
        <translation>nach einer anderen Aktion</translation>
    </message>
    <message>
        <source>the default queue</source>
        <translation>die Standard-Warteschlange</translation>
    </message>
    <message>
        <source>queue %1</source>
        <translation>Warteschlange %1</translation>
    </message>
    <message>
        <source>back-off after a failure</source>
        <translation>Pause nach einem Fehlschlag</translation>
    </message>
    <message>
        <source>held by themselves</source>
        <translation>selbst angehalten</translation>
    </message>
    <message>
        <source>%1 is held</source>
        <translation>%1 ist angehalten</translation>
    </message>
    <message>
        <source>being looked at</source>
        <translation>wird gerade angesehen</translation>
    </message>
    <message>
        <source>next in %1</source>
        <translation>als Nächste in %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>other reasons</source>
        <translation>andere Gründe</translation>
    </message>
    <message>
        <source>%1 runs %2 of at most %3</source>
        <translation>%1: %2 von höchstens %3 laufen</translation>
    </message>
    <message>
        <source>%1 runs %2 of at most %3 labelled &quot;%4&quot;</source>
        <translation>%1: %2 von höchstens %3 namens „%4“ laufen</translation>
    </message>
</context>
<context>
    <name>WindowServices</name>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
</context>
<context>
    <name>WorkerColumns</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name of the worker</source>
        <translation>Name des Workers</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Version of the worker</source>
        <translation>Version des Workers</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>process: started for each action; warm: stays between actions</source>
        <translation>process: für jede Aktion gestartet; warm: bleibt zwischen Aktionen</translation>
    </message>
    <message>
        <source>Functions</source>
        <translation>Funktionen</translation>
    </message>
    <message>
        <source>What it can run</source>
        <translation>Was er ausführen kann</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>What it was built for</source>
        <translation>Wofür er gebaut wurde</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Its actions that run now</source>
        <translation>Seine Aktionen, die gerade laufen</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Its actions that are pending</source>
        <translation>Seine Aktionen, die warten</translation>
    </message>
    <message>
        <source>Failed (7 d)</source>
        <translation>Fehler (7 T)</translation>
    </message>
    <message>
        <source>Its actions that failed within the last 7 days</source>
        <translation>Seine Aktionen, die in den letzten 7 Tagen fehlschlugen</translation>
    </message>
    <message>
        <source>Usual time</source>
        <translation>Übliche Zeit</translation>
    </message>
    <message>
        <source>Median of the completed ones of its last 200 runs</source>
        <translation>Median der gelungenen seiner letzten 200 Läufe</translation>
    </message>
    <message>
        <source>Peak mem.</source>
        <translation>Spitze Sp.</translation>
    </message>
    <message>
        <source>The most memory of its last 200 runs</source>
        <translation>Der meiste Speicher seiner letzten 200 Läufe</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt benutzt</translation>
    </message>
    <message>
        <source>When its newest finished action ended</source>
        <translation>Wann seine letzte beendete Aktion endete</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>The first 8 digits of its hash</source>
        <translation>Die ersten 8 Stellen seines Hashs</translation>
    </message>
</context>
<context>
    <name>WorkerDraft</name>
    <message>
        <source>guessed from the name</source>
        <translation>geraten nach dem Namen</translation>
    </message>
    <message>
        <source>guessed: nothing says</source>
        <translation>geraten: nichts sagt es</translation>
    </message>
    <message>
        <source>guessed: this machine&apos;s</source>
        <translation>geraten: die dieses Rechners</translation>
    </message>
    <message>
        <source>guessed: the only program there</source>
        <translation>geraten: das einzige Programm dort</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 ist nicht lesbar: %2</translation>
    </message>
    <message>
        <source>%1 is too long for a descriptor.</source>
        <translation>%1 ist zu lang für eine Beschreibung.</translation>
    </message>
    <message>
        <source>A descriptor is a JSON object; this is none.</source>
        <translation>Eine Beschreibung ist ein JSON-Objekt; dies ist keines.</translation>
    </message>
    <message>
        <source>guessed: the program alone</source>
        <translation>geraten: nur das Programm</translation>
    </message>
    <message>
        <source>%1 is not there.</source>
        <translation>%1 ist nicht da.</translation>
    </message>
    <message>
        <source>This folder has no worker.json and not exactly one program; choose the program.</source>
        <translation>Dieser Ordner hat kein worker.json und nicht genau ein Programm; wählen Sie das Programm.</translation>
    </message>
    <message>
        <source>%1 is neither a program, nor a folder, nor a descriptor (a .json file).</source>
        <translation>%1 ist weder Programm noch Ordner noch Beschreibung (eine .json-Datei).</translation>
    </message>
    <message>
        <source>Line %1, column %2</source>
        <translation>Zeile %1, Spalte %2</translation>
    </message>
    <message>
        <source>It does not answer --describe with its functions.</source>
        <translation>Es antwortet auf --describe nicht mit seinen Funktionen.</translation>
    </message>
</context>
<context>
    <name>WorkerFacts</name>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsCommands</name>
    <message>
        <source>Reschedule</source>
        <translation>Neu einreihen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Retire</source>
        <translation>Ablegen</translation>
    </message>
    <message>
        <source>Hold or release</source>
        <translation>Anhalten oder freigeben</translation>
    </message>
    <message>
        <source>Move to queue…</source>
        <translation>In Warteschlange verschieben…</translation>
    </message>
    <message>
        <source>Set priority…</source>
        <translation>Priorität setzen…</translation>
    </message>
    <message>
        <source>Edit and resubmit</source>
        <translation>Bearbeiten und neu abgeben</translation>
    </message>
    <message>
        <source>Compare with the last good one</source>
        <translation>Mit dem letzten guten vergleichen</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Reschedule what failed of an array or a list</source>
        <translation>Gescheiterte eines Arrays oder einer Liste neu einreihen</translation>
    </message>
    <message>
        <source>Arrays folded</source>
        <translation>Arrays gefaltet</translation>
    </message>
    <message>
        <source>Open in a window of its own</source>
        <translation>In einem eigenen Fenster öffnen</translation>
    </message>
    <message>
        <source>Search in output…</source>
        <translation>In der Ausgabe suchen…</translation>
    </message>
    <message>
        <source>Tab %1</source>
        <translation>Reiter %1</translation>
    </message>
    <message>
        <source>Select an action first</source>
        <translation>Wählen Sie zuerst eine Aktion</translation>
    </message>
    <message>
        <source>Only what waits can be changed so</source>
        <translation>Das geht nur mit dem, was wartet</translation>
    </message>
    <message>
        <source>Only what failed or was abandoned runs again; edit and resubmit the rest</source>
        <translation>Neu einreihen lässt sich nur, was gescheitert oder aufgegeben ist; anderes bearbeiten und neu abgeben</translation>
    </message>
    <message>
        <source>It has ended already</source>
        <translation>Sie ist schon beendet</translation>
    </message>
    <message>
        <source>Only what has ended can be retired</source>
        <translation>Nur was beendet ist, lässt sich ablegen</translation>
    </message>
    <message>
        <source>Fold arrays first</source>
        <translation>Zuerst Arrays falten</translation>
    </message>
    <message>
        <source>Select one action</source>
        <translation>Genau eine Aktion auswählen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Comment…</source>
        <translation>Kommentar …</translation>
    </message>
    <message>
        <source>Move to queue</source>
        <translation>In Warteschlange verschieben</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Set priority</source>
        <translation>Priorität setzen</translation>
    </message>
    <message>
        <source>-100 to 100, higher first</source>
        <translation>-100 bis 100, höhere zuerst</translation>
    </message>
    <message>
        <source>Move to the top</source>
        <translation>An den Anfang</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Move to the bottom</source>
        <translation>Ans Ende</translation>
    </message>
    <message>
        <source>Place in the queue</source>
        <translation>Platz in der Warteschlange</translation>
    </message>
    <message numerus="yes">
        <source>%Ln actions are too many to move by number: choose all that match a filter.</source>
        <translation>
            <numerusform>%Ln Aktion ist zu viel, um sie nach Nummer zu verschieben: alle wählen, die zu einem Filter passen.</numerusform>
            <numerusform>%Ln Aktionen sind zu viele, um sie nach Nummern zu verschieben: alle wählen, die zu einem Filter passen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Open in a terminal, to run it again</source>
        <translation>In einem Terminal öffnen, um sie erneut auszuführen</translation>
    </message>
    <message>
        <source>It has not begun yet</source>
        <translation>Sie hat noch nicht begonnen</translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsElsewhere</name>
    <message numerus="yes">
        <source>%n window(s) of actions are open: close one first</source>
        <translation>
            <numerusform>%n Fenster einer Aktion ist offen: zuerst eines schließen</numerusform>
            <numerusform>%n Fenster von Aktionen sind offen: zuerst eines schließen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsHead</name>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Reschedule</source>
        <translation>Neu einreihen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Arrays folded</source>
        <translation>Arrays gefaltet</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Reschedule %1</source>
        <translation>%1 neu einreihen</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>%1 abbrechen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s)</source>
        <translation>
            <numerusform>%Ln Aktion</numerusform>
            <numerusform>%Ln Aktionen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reschedule %Ln action(s)</source>
        <translation>
            <numerusform>%Ln Aktion neu einreihen</numerusform>
            <numerusform>%Ln Aktionen neu einreihen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %Ln action(s)</source>
        <translation>
            <numerusform>%Ln Aktion abbrechen</numerusform>
            <numerusform>%Ln Aktionen abbrechen</numerusform>
        </translation>
    </message>
    <message>
        <source>All that match</source>
        <translation>Alle, die passen</translation>
    </message>
    <message>
        <source>Reschedule all that match</source>
        <translation>Alle neu einreihen, die passen</translation>
    </message>
    <message>
        <source>Cancel all that match</source>
        <translation>Alle abbrechen, die passen</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Verschieben</translation>
    </message>
    <message>
        <source>Within the order of its queue</source>
        <translation>Innerhalb der Reihenfolge ihrer Warteschlange</translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsLists</name>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsModel</name>
    <message>
        <source>about %1 left</source>
        <translation>noch etwa %1</translation>
    </message>
    <message>
        <source>longer than usual</source>
        <translation>länger als üblich</translation>
    </message>
    <message>
        <source>replaced by %1</source>
        <translation>ersetzt durch %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::ActionsPage</name>
    <message>
        <source>state:failed queue:nightly cpu&gt;50 text…</source>
        <translation>state:failed queue:nightly cpu&gt;50 Text…</translation>
    </message>
    <message>
        <source>%1 and more</source>
        <translation>%1 und mehr</translation>
    </message>
    <message>
        <source>%1 selected, %2 in view</source>
        <translation>%1 ausgewählt, %2 zu sehen</translation>
    </message>
    <message>
        <source>%1, %2 selected</source>
        <translation>%1, %2 ausgewählt</translation>
    </message>
    <message>
        <source>, as of %1</source>
        <translation>, Stand %1</translation>
    </message>
    <message>
        <source>No action matches this filter.</source>
        <translation>Keine Aktion passt zu diesem Filter.</translation>
    </message>
    <message>
        <source>Nothing has been submitted yet. Ctrl+N submits, or type: %1</source>
        <translation>Noch wurde nichts abgegeben. Strg+N gibt ab, oder tippen Sie: %1</translation>
    </message>
    <message>
        <source>%1, nothing selected</source>
        <translation>%1, nichts ausgewählt</translation>
    </message>
</context>
<context>
    <name>yard::ui::ActorStrip</name>
    <message>
        <source>busy</source>
        <translation>beschäftigt</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>seit %1</translation>
    </message>
    <message>
        <source>%1: object %2</source>
        <translation>%1: Objekt %2</translation>
    </message>
    <message>
        <source>%1 of %2: object %3</source>
        <translation>%1 von %2: Objekt %3</translation>
    </message>
    <message>
        <source>Actors</source>
        <translation>Akteure</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>did not start</source>
        <translation>nicht gestartet</translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>und %Ln weiterer</numerusform>
            <numerusform>und %Ln weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::AddMachine</name>
    <message>
        <source>Make a join token</source>
        <translation>Beitritts-Token erzeugen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>A machine joins with a token. It needs yardmaster, and a way to this engine&apos;s address.</source>
        <translation>Eine Maschine tritt mit einem Token bei. Sie braucht yardmaster und einen Weg zur Adresse dieser Engine.</translation>
    </message>
    <message>
        <source>Add a machine</source>
        <translation>Eine Maschine hinzufügen</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 Tag</translation>
    </message>
    <message>
        <source>7 days</source>
        <translation>7 Tagen</translation>
    </message>
    <message>
        <source>Command for the other machine</source>
        <translation>Befehl für die andere Maschine</translation>
    </message>
    <message>
        <source>Cores, at most</source>
        <translation>Kerne, höchstens</translation>
    </message>
    <message>
        <source>Empty: all that the machine gives.</source>
        <translation>Leer: alle, die die Maschine gibt.</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Maschinen</translation>
    </message>
    <message>
        <source>So many may join with the token.</source>
        <translation>So viele dürfen mit dem Token beitreten.</translation>
    </message>
    <message>
        <source>Ends after</source>
        <translation>Endet nach</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The engine is asked</source>
        <translation>Die Engine wird gefragt</translation>
    </message>
    <message>
        <source>This engine makes no join tokens. Make a token with the right admin (yardctl tokens new NAME --right admin) and put it in place of TOKEN.</source>
        <translation>Diese Engine erzeugt keine Beitritts-Token. Erzeugen Sie ein Token mit dem Recht admin (yardctl tokens new NAME --right admin) und setzen Sie es für TOKEN ein.</translation>
    </message>
    <message>
        <source>The engine sent no token.</source>
        <translation>Die Engine hat kein Token geschickt.</translation>
    </message>
    <message>
        <source>Type this on the other machine. The token is shown once.</source>
        <translation>Geben Sie das auf der anderen Maschine ein. Das Token wird nur einmal gezeigt.</translation>
    </message>
    <message>
        <source>Type this on the other machine by %1. The token is shown once.</source>
        <translation>Geben Sie das bis %1 auf der anderen Maschine ein. Das Token wird nur einmal gezeigt.</translation>
    </message>
    <message>
        <source>The engine listens on this machine alone: start it with --listen and TLS for others.</source>
        <translation>Die Engine hört nur auf dieser Maschine: starten Sie sie für andere mit --listen und TLS.</translation>
    </message>
    <message>
        <source>This wants a whole number from 1 to %L1</source>
        <translation>Hier ist eine ganze Zahl von 1 bis %L1 gefragt</translation>
    </message>
    <message>
        <source>It joins with a token</source>
        <translation>Sie tritt mit einem Token bei</translation>
    </message>
    <message>
        <source>This engine links to it</source>
        <translation>Diese Engine verbindet sich mit ihr</translation>
    </message>
    <message>
        <source>How it comes</source>
        <translation>Wie sie kommt</translation>
    </message>
    <message>
        <source>An allocator asks another system for it</source>
        <translation>Ein Zuteiler holt sie von einem anderen System</translation>
    </message>
</context>
<context>
    <name>yard::ui::AlertForm</name>
    <message>
        <source>Firing</source>
        <translation>Schlägt an</translation>
    </message>
    <message>
        <source>Silenced</source>
        <translation>Stumm</translation>
    </message>
    <message>
        <source>Resolved</source>
        <translation>Vorbei</translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation>Ruhig</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Its name</source>
        <translation>Ihr Name</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Whether it holds now</source>
        <translation>Ob sie jetzt zutrifft</translation>
    </message>
    <message>
        <source>What it is about</source>
        <translation>Worum es geht</translation>
    </message>
    <message>
        <source>What has to happen</source>
        <translation>Was geschehen muss</translation>
    </message>
    <message>
        <source>a notice on this desktop</source>
        <translation>eine Meldung auf diesem Desktop</translation>
    </message>
    <message>
        <source>New rule</source>
        <translation>Neue Regel</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Silence for 1 h</source>
        <translation>1 h stumm</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>Alarme</translation>
    </message>
    <message>
        <source>A rule says what is told to whom. It is tried on what is kept of last week while you write.</source>
        <translation>Eine Regel sagt, was wem gemeldet wird. Während Sie schreiben, wird sie an dem erprobt, was von der letzten Woche da ist.</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Information</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Critical</source>
        <translation>Kritisch</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wenn</translation>
    </message>
    <message>
        <source>How bad it is</source>
        <translation>Wie schlimm es ist</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Only of</source>
        <translation>Nur von</translation>
    </message>
    <message>
        <source>queue:nightly label:render* …; empty: of all</source>
        <translation>queue:nightly label:render* …; leer: von allen</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Ab</translation>
    </message>
    <message>
        <source>Holds for</source>
        <translation>Hält an für</translation>
    </message>
    <message>
        <source>Seconds; empty: it is told at once.</source>
        <translation>Sekunden; leer: es wird sofort gemeldet.</translation>
    </message>
    <message>
        <source>Tell by</source>
        <translation>Melden durch</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Runs as an action, with the text as its last argument.</source>
        <translation>Läuft als Aktion, mit dem Text als letztem Argument.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>https://…: the message is sent there as JSON.</source>
        <translation>https://…: die Meldung geht als JSON dorthin.</translation>
    </message>
    <message>
        <source>Then quiet for</source>
        <translation>Danach Ruhe für</translation>
    </message>
    <message>
        <source>Seconds; what comes meanwhile is told together. Empty: 600.</source>
        <translation>Sekunden; was inzwischen kommt, wird zusammen gemeldet. Leer: 600.</translation>
    </message>
    <message>
        <source>Only at</source>
        <translation>Nur um</translation>
    </message>
    <message>
        <source>08:00-20:00; empty: at any time</source>
        <translation>08:00-20:00; leer: jederzeit</translation>
    </message>
    <message>
        <source>Last week</source>
        <translation>Letzte Woche</translation>
    </message>
    <message>
        <source>What it would have said last week</source>
        <translation>Was sie letzte Woche gemeldet hätte</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>There is no rule</source>
        <translation>Es gibt keine Regel</translation>
    </message>
    <message>
        <source>End the silence</source>
        <translation>Wieder laut</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Choose a rule first</source>
        <translation>Wählen Sie erst eine Regel aus</translation>
    </message>
    <message>
        <source>It would have told nothing.</source>
        <translation>Sie hätte nichts gemeldet.</translation>
    </message>
    <message numerus="yes">
        <source>It would have told something %Ln time(s).</source>
        <translation>
            <numerusform>Sie hätte %Ln Mal etwas gemeldet.</numerusform>
            <numerusform>Sie hätte %Ln Mal etwas gemeldet.</numerusform>
        </translation>
    </message>
    <message>
        <source>It needs a name</source>
        <translation>Sie braucht einen Namen</translation>
    </message>
    <message>
        <source>Remove alert %1?</source>
        <translation>Alarm %1 entfernen?</translation>
    </message>
    <message>
        <source>What it has to tell still is told. After that it says nothing.</source>
        <translation>Was sie noch zu melden hat, wird gemeldet. Danach sagt sie nichts mehr.</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Seconds; empty: 3600.</source>
        <translation>Sekunden; leer: 3600.</translation>
    </message>
</context>
<context>
    <name>yard::ui::AllocatorDialog</name>
    <message>
        <source>Add an allocator</source>
        <translation>Zuteiler hinzufügen</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>yard::ui::AllocatorForm</name>
    <message>
        <source>They go on when this engine ends</source>
        <translation>Sie laufen weiter, wenn diese Engine endet</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Slurm</source>
        <translation>Slurm</translation>
    </message>
    <message>
        <source>Commands of your own</source>
        <translation>Eigene Befehle</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Jobs are called by it; it stays.</source>
        <translation>Jobs heißen danach; er bleibt.</translation>
    </message>
    <message>
        <source>Asks</source>
        <translation>Fragt</translation>
    </message>
    <message>
        <source>Partition</source>
        <translation>Partition</translation>
    </message>
    <message>
        <source>Empty: Slurm&apos;s own choice.</source>
        <translation>Leer: Slurm wählt selbst.</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>As it is called on a node.</source>
        <translation>Wie es auf einem Knoten heißt.</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Begins a machine, and prints the job as its first line.</source>
        <translation>Beginnt eine Maschine und gibt in der ersten Zeile den Job aus.</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>Prints a line for each job.</source>
        <translation>Gibt je Job eine Zeile aus.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Ends the job that $YARD_JOB names.</source>
        <translation>Beendet den Job, den $YARD_JOB nennt.</translation>
    </message>
    <message>
        <source>Time, minutes</source>
        <translation>Zeit, Minuten</translation>
    </message>
    <message>
        <source>So long is a machine there.</source>
        <translation>So lange ist eine Maschine da.</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Memory, MiB</source>
        <translation>Speicher, MiB</translation>
    </message>
    <message>
        <source>At least</source>
        <translation>Mindestens</translation>
    </message>
    <message>
        <source>So many machines are there though nothing waits.</source>
        <translation>So viele Maschinen sind da, auch wenn nichts wartet.</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>Idle, seconds</source>
        <translation>Ohne Arbeit, Sekunden</translation>
    </message>
    <message>
        <source>A machine without work goes after this.</source>
        <translation>Danach geht eine Maschine ohne Arbeit.</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Maschinen</translation>
    </message>
    <message>
        <source>Give it a name</source>
        <translation>Einen Namen angeben</translation>
    </message>
    <message>
        <source>Give the three commands</source>
        <translation>Die drei Befehle angeben</translation>
    </message>
    <message>
        <source>The engine is asked</source>
        <translation>Die Engine wird gefragt</translation>
    </message>
    <message>
        <source>The engine did not answer.</source>
        <translation>Die Engine antwortete nicht.</translation>
    </message>
</context>
<context>
    <name>yard::ui::AlertsPane</name>
    <message>
        <source>Rules of alerts</source>
        <translation>Regeln der Alarme</translation>
    </message>
    <message>
        <source>Silence for 1 h</source>
        <translation>1 h stumm</translation>
    </message>
    <message>
        <source>Alert rules…</source>
        <translation>Alarmregeln…</translation>
    </message>
    <message>
        <source>List alerts</source>
        <translation>Alarme auflisten</translation>
    </message>
    <message numerus="yes">
        <source>%Ln rule(s)</source>
        <translation>
            <numerusform>%Ln Regel</numerusform>
            <numerusform>%Ln Regeln</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln firing</source>
        <translation>
            <numerusform>%Ln schlägt an</numerusform>
            <numerusform>%Ln schlagen an</numerusform>
        </translation>
    </message>
    <message>
        <source>No rule says what is told to whom</source>
        <translation>Keine Regel sagt, was wem gemeldet wird</translation>
    </message>
    <message>
        <source>No rule has this in its row</source>
        <translation>Keine Regel hat das in ihrer Zeile</translation>
    </message>
    <message>
        <source>Select a rule first</source>
        <translation>Zuerst eine Regel auswählen</translation>
    </message>
    <message>
        <source>End the silence</source>
        <translation>Wieder laut</translation>
    </message>
</context>
<context>
    <name>yard::ui::AllocatorStrip</name>
    <message>
        <source>Allocators</source>
        <translation>Zuteiler</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume %1</source>
        <translation>%1 fortsetzen</translation>
    </message>
    <message>
        <source>Pause %1</source>
        <translation>%1 anhalten</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Change %1…</source>
        <translation>%1 ändern…</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Remove %1…</source>
        <translation>%1… entfernen</translation>
    </message>
    <message>
        <source>Remove %1?</source>
        <translation>%1 entfernen?</translation>
    </message>
    <message>
        <source>Its jobs are ended first; what their machines run goes elsewhere.</source>
        <translation>Zuerst werden seine Jobs beendet; was ihre Maschinen ausführen, läuft anderswo weiter.</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>yard::ui::AttemptsTable</name>
    <message>
        <source>Try</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>Attempts, newest first</source>
        <translation>Versuche, neueste zuerst</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>When its process began</source>
        <translation>Wann ihr Prozess begann</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>Lief</translation>
    </message>
    <message>
        <source>From its process&apos;s start to its end</source>
        <translation>Vom Beginn ihres Prozesses bis zu seinem Ende</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>It was never tried</source>
        <translation>Sie wurde nie versucht</translation>
    </message>
    <message>
        <source>Not tried yet</source>
        <translation>Noch nicht versucht</translation>
    </message>
</context>
<context>
    <name>yard::ui::AuditPane</name>
    <message>
        <source>Who changed what</source>
        <translation>Wer was geändert hat</translation>
    </message>
    <message numerus="yes">
        <source>%Ln change(s), the latest first</source>
        <translation>
            <numerusform>%Ln Änderung</numerusform>
            <numerusform>%Ln Änderungen, die neuesten zuerst</numerusform>
        </translation>
    </message>
    <message>
        <source>; there are older ones</source>
        <translation>; es gibt ältere</translation>
    </message>
    <message numerus="yes">
        <source>; %Ln could not be kept</source>
        <translation>
            <numerusform>; %Ln konnte nicht aufbewahrt werden</numerusform>
            <numerusform>; %Ln konnten nicht aufbewahrt werden</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing was changed in this time</source>
        <translation>In dieser Zeit wurde nichts geändert</translation>
    </message>
    <message>
        <source>No change has this in its row</source>
        <translation>Keine Änderung hat das in ihrer Zeile</translation>
    </message>
</context>
<context>
    <name>yard::ui::CellMap</name>
    <message>
        <source>Map of actions</source>
        <translation>Karte der Aktionen</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
</context>
<context>
    <name>yard::ui::Chart</name>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>%1: %2, between %3 and %4</source>
        <translation>%1: %2, zwischen %3 und %4</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>von %1 bis %2</translation>
    </message>
    <message numerus="yes">
        <source>%n failure(s)</source>
        <translation>
            <numerusform>%n Fehler</numerusform>
            <numerusform>%n Fehler</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ChunkDownload</name>
    <message>
        <source>The engine does not say where its content is.</source>
        <translation>Die Engine sagt nicht, wo der Inhalt ist.</translation>
    </message>
    <message>
        <source>What came is not what the engine said; try again.</source>
        <translation>Was kam, ist nicht, was die Engine nannte; versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Its content is gone: the engine does not have it any more.</source>
        <translation>Der Inhalt ist weg: Die Engine hat ihn nicht mehr.</translation>
    </message>
    <message>
        <source>The file could not be put into its place.</source>
        <translation>Die Datei ließ sich nicht an ihren Platz bringen.</translation>
    </message>
</context>
<context>
    <name>yard::ui::CommandRegistry</name>
    <message>
        <source>There is no engine yet</source>
        <translation>Es gibt noch keine Engine</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
</context>
<context>
    <name>yard::ui::Commands</name>
    <message>
        <source>%1: not sent, the connection was lost.</source>
        <translation>%1: nicht gesendet, die Verbindung ging verloren.</translation>
    </message>
    <message>
        <source>%1: taken back, nothing was sent.</source>
        <translation>%1: zurückgenommen, nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Nothing was changed, as it is not known how many it is: %1</source>
        <translation>Nichts wurde geändert, denn die Anzahl ist nicht bekannt: %1</translation>
    </message>
    <message>
        <source>None of these can be changed so.</source>
        <translation>Keine davon lässt sich so ändern.</translation>
    </message>
    <message>
        <source>They are all that match %1.</source>
        <translation>Es sind alle, auf die %1 passt.</translation>
    </message>
    <message>
        <source>%1?</source>
        <translation>%1?</translation>
    </message>
    <message>
        <source>Leave them</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>Meanwhile there are more than you confirmed.</source>
        <translation>Inzwischen sind es mehr, als Sie bestätigt haben.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of them came after you selected.</source>
        <translation>
            <numerusform>%Ln davon kam nach der Auswahl dazu.</numerusform>
            <numerusform>%Ln davon kamen nach der Auswahl dazu.</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing to take back: what a question was answered for is done at once.</source>
        <translation>Es gibt nichts zurückzunehmen: was auf eine Frage hin bestätigt wurde, geschieht sofort.</translation>
    </message>
</context>
<context>
    <name>yard::ui::CompareTab</name>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>Was verglichen wird</translation>
    </message>
    <message>
        <source>This one</source>
        <translation>Dieser</translation>
    </message>
    <message>
        <source>The action of this panel</source>
        <translation>Die Aktion in diesem Feld</translation>
    </message>
    <message>
        <source>Last good one</source>
        <translation>Letzter guter</translation>
    </message>
    <message>
        <source>The newest that completed, of the same worker, function and label</source>
        <translation>Der neueste gelungene mit gleichem Worker, gleicher Funktion und Beschriftung</translation>
    </message>
    <message>
        <source>Differs</source>
        <translation>Anders</translation>
    </message>
    <message>
        <source>Whether they differ</source>
        <translation>Ob sie sich unterscheiden</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>Was sich unterscheidet</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>anders</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Exit code</source>
        <translation>Exit-Code</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>Ran</source>
        <translation>Lief</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Spitze Speicher</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Only differences</source>
        <translation>Nur Unterschiede</translation>
    </message>
    <message>
        <source>No other one like it has completed yet.</source>
        <translation>Noch keine andere dieser Art ist fertig geworden.</translation>
    </message>
    <message>
        <source>Reading both outputs…</source>
        <translation>Beide Ausgaben werden gelesen…</translation>
    </message>
    <message>
        <source>Both were submitted with the same values.</source>
        <translation>Beide wurden mit denselben Werten abgegeben.</translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) that they were submitted with differ.</source>
        <translation>
            <numerusform>%n Wert, mit dem sie abgegeben wurden, ist verschieden.</numerusform>
            <numerusform>%n Werte, mit denen sie abgegeben wurden, sind verschieden.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::ConsoleLine</name>
    <message>
        <source>(the rest is left out)</source>
        <translation>(der Rest fehlt hier)</translation>
    </message>
    <message>
        <source>The console was closed. Enter opens it again.</source>
        <translation>Die Konsole wurde geschlossen. Die Eingabetaste öffnet sie wieder.</translation>
    </message>
    <message>
        <source>The engine&apos;s console cannot be opened: %1. Enter tries again.</source>
        <translation>Die Konsole der Engine lässt sich nicht öffnen: %1. Die Eingabetaste versucht es noch einmal.</translation>
    </message>
</context>
<context>
    <name>yard::ui::ConsolePage</name>
    <message>
        <source>Console</source>
        <translation>Konsole</translation>
    </message>
    <message>
        <source>Prompt into the process</source>
        <translation>Eingabe in den Prozess</translation>
    </message>
    <message>
        <source>help lists the commands</source>
        <translation>help zeigt die Befehle</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Changes allowed</source>
        <translation>Änderungen erlaubt</translation>
    </message>
    <message>
        <source>Allow changes</source>
        <translation>Änderungen erlauben</translation>
    </message>
    <message>
        <source>of an engine elsewhere</source>
        <translation>einer Engine auf einem anderen Rechner</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>nur lesen</translation>
    </message>
    <message>
        <source>Allow changes in the console, or no more</source>
        <translation>Änderungen in der Konsole erlauben oder nicht mehr</translation>
    </message>
    <message>
        <source>Clear the console</source>
        <translation>Konsole leeren</translation>
    </message>
    <message>
        <source>Profile the engine, or stop and show</source>
        <translation>Engine messen, oder beenden und zeigen</translation>
    </message>
</context>
<context>
    <name>yard::ui::ConsolePrompt</name>
    <message>
        <source>What the console said</source>
        <translation>Was die Konsole sagte</translation>
    </message>
    <message>
        <source>A line for the engine&apos;s console</source>
        <translation>Eine Zeile für die Konsole der Engine</translation>
    </message>
    <message>
        <source>help, threads, latency, queues() …</source>
        <translation>help, threads, latency, queues() …</translation>
    </message>
    <message>
        <source>The prompt is a socket of the engine&apos;s own machine: it is never reached over the network. On that machine run:</source>
        <translation>Die Eingabe ist ein Socket auf dem Rechner der Engine: Über das Netz ist sie nie erreichbar. Dort hilft:</translation>
    </message>
</context>
<context>
    <name>yard::ui::DashboardPage</name>
    <message>
        <source>Dashboard</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>Charts show</source>
        <translation>Kurven zeigen</translation>
    </message>
    <message>
        <source>Queues</source>
        <translation>Warteschlangen</translation>
    </message>
    <message>
        <source>15 minutes</source>
        <translation>15 Minuten</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>24 hours</source>
        <translation>24 Stunden</translation>
    </message>
    <message>
        <source>Charts show %1</source>
        <translation>Kurven zeigen %1</translation>
    </message>
    <message>
        <source>%1 cores</source>
        <translation>%1 Kerne</translation>
    </message>
    <message>
        <source>%1 GPUs</source>
        <translation>%1 GPUs</translation>
    </message>
    <message>
        <source>as of %1</source>
        <translation>Stand %1</translation>
    </message>
    <message>
        <source>all work done in about %1, %2</source>
        <translation>alle Arbeit erledigt in etwa %1, %2</translation>
    </message>
</context>
<context>
    <name>yard::ui::DayStrip</name>
    <message>
        <source>The next 24 hours</source>
        <translation>Die nächsten 24 Stunden</translation>
    </message>
    <message numerus="yes">
        <source>from %1: %Ln times, %2</source>
        <translation>
            <numerusform>ab %1: einmal, %2</numerusform>
            <numerusform>ab %1: %Ln-mal, %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::Describer</name>
    <message numerus="yes">
        <source>It did not answer --describe within %n second(s).</source>
        <translation>
            <numerusform>Es antwortete nicht auf --describe binnen %n Sekunde.</numerusform>
            <numerusform>Es antwortete nicht auf --describe binnen %n Sekunden.</numerusform>
        </translation>
    </message>
    <message>
        <source>It cannot be started: %1</source>
        <translation>Es lässt sich nicht starten: %1</translation>
    </message>
    <message>
        <source>It wrote too much in answer to --describe.</source>
        <translation>Es schrieb zu viel als Antwort auf --describe.</translation>
    </message>
</context>
<context>
    <name>yard::ui::DetailHead</name>
    <message>
        <source>Reschedule</source>
        <translation>Neu einreihen</translation>
    </message>
    <message>
        <source>Edit and resubmit</source>
        <translation>Bearbeiten und neu abgeben</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>Close the panel</source>
        <translation>Das Feld schließen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>yardctl: show it</source>
        <translation>yardctl: zeigen</translation>
    </message>
    <message>
        <source>yardctl: its output</source>
        <translation>yardctl: ihre Ausgabe</translation>
    </message>
    <message>
        <source>yardctl: submit it again</source>
        <translation>yardctl: erneut abgeben</translation>
    </message>
    <message>
        <source>curl: show it</source>
        <translation>curl: zeigen</translation>
    </message>
    <message>
        <source>curl: submit it again</source>
        <translation>curl: erneut abgeben</translation>
    </message>
    <message>
        <source>JSON of the action</source>
        <translation>JSON der Aktion</translation>
    </message>
    <message>
        <source>JSON of the result</source>
        <translation>JSON des Ergebnisses</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Nummer</translation>
    </message>
    <message>
        <source>, in %1</source>
        <translation>, in %1</translation>
    </message>
    <message>
        <source>yardctl: run it again in a directory</source>
        <translation>yardctl: in einem Verzeichnis erneut ausführen</translation>
    </message>
    <message>
        <source>Open in a terminal, to run it again</source>
        <translation>In einem Terminal öffnen, um sie erneut auszuführen</translation>
    </message>
</context>
<context>
    <name>yard::ui::DetailPanel</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Path within the directory</source>
        <translation>Pfad im Verzeichnis</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>Hash</translation>
    </message>
    <message>
        <source>SHA-256 of its bytes</source>
        <translation>SHA-256 der Bytes</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation>Sandbox</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Result as JSON</source>
        <translation>Ergebnis als JSON</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Wrap</source>
        <translation>Umbrechen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message numerus="yes">
        <source>%n denial(s)</source>
        <translation>
            <numerusform>%n verweigert</numerusform>
            <numerusform>%n verweigert</numerusform>
        </translation>
    </message>
    <message>
        <source>It takes no input files.</source>
        <translation>Sie nimmt keine Eingabedateien.</translation>
    </message>
    <message>
        <source>reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>needs %1, %2 free</source>
        <translation>braucht %1, %2 frei</translation>
    </message>
    <message>
        <source>in line</source>
        <translation>in der Reihe</translation>
    </message>
    <message>
        <source>lock %1</source>
        <translation>Sperre %1</translation>
    </message>
    <message>
        <source>held</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>held by %1</source>
        <translation>gehalten von %1</translation>
    </message>
    <message>
        <source>after</source>
        <translation>nach</translation>
    </message>
    <message>
        <source>back-off</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>not before</source>
        <translation>nicht vor</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>until it is released</source>
        <translation>bis sie freigegeben wird</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>starts</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>it runs</source>
        <translation>sie läuft</translation>
    </message>
    <message>
        <source>How it ended</source>
        <translation>Wie sie endete</translation>
    </message>
    <message>
        <source>Why it stopped</source>
        <translation>Warum sie anhielt</translation>
    </message>
    <message>
        <source>While it runs</source>
        <translation>Während sie läuft</translation>
    </message>
    <message>
        <source>Why it waits</source>
        <translation>Warum sie wartet</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>gewartet</translation>
    </message>
    <message>
        <source>prepared</source>
        <translation>vorbereitet</translation>
    </message>
    <message>
        <source>ran</source>
        <translation>lief</translation>
    </message>
    <message>
        <source>collected</source>
        <translation>eingesammelt</translation>
    </message>
    <message>
        <source>wall time</source>
        <translation>Gesamtzeit</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>noch nicht bekannt</translation>
    </message>
    <message>
        <source>free</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>held by this one</source>
        <translation>von dieser gehalten</translation>
    </message>
    <message>
        <source>held by another engine, pid %1</source>
        <translation>von anderer Engine gehalten, PID %1</translation>
    </message>
    <message>
        <source>held by a warm process</source>
        <translation>von einem warmen Prozess gehalten</translation>
    </message>
    <message>
        <source>since</source>
        <translation>seit</translation>
    </message>
    <message>
        <source>waiting for it</source>
        <translation>warten darauf</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>first error</source>
        <translation>erster Fehler</translation>
    </message>
    <message>
        <source>kept for</source>
        <translation>freigehalten für</translation>
    </message>
    <message>
        <source>not known: %1</source>
        <translation>nicht bekannt: %1</translation>
    </message>
    <message>
        <source>terminal</source>
        <translation>Terminal</translation>
    </message>
    <message>
        <source>%1 rows, %2 columns</source>
        <translation>%1 Zeilen, %2 Spalten</translation>
    </message>
    <message>
        <source>replaced by</source>
        <translation>ersetzt durch</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>mark</source>
        <translation>Markierung</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
    <message>
        <source>comment</source>
        <translation>Kommentar</translation>
    </message>
    <message numerus="yes">
        <source>%n before it</source>
        <translation>
            <numerusform>%n davor</numerusform>
            <numerusform>%n davor</numerusform>
        </translation>
    </message>
    <message>
        <source>exit code</source>
        <translation>Exit-Code</translation>
    </message>
    <message>
        <source>held by</source>
        <translation>belegt von</translation>
    </message>
    <message>
        <source>%1 of %2 MiB</source>
        <translation>%1 von %2 MiB</translation>
    </message>
    <message>
        <source>by itself</source>
        <translation>sie selbst</translation>
    </message>
    <message>
        <source>with its queue</source>
        <translation>mit ihrer Warteschlange</translation>
    </message>
    <message>
        <source>with the session</source>
        <translation>mit der Sitzung</translation>
    </message>
    <message>
        <source>while memory is short</source>
        <translation>solange Speicher fehlt</translation>
    </message>
    <message>
        <source>while few files may be opened</source>
        <translation>solange nur noch wenige Dateien geöffnet werden können</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>jobserver</source>
        <translation>Jobserver</translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n Token</numerusform>
            <numerusform>%n Token</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::DetailSide</name>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Grenzen</translation>
    </message>
</context>
<context>
    <name>yard::ui::DiffView</name>
    <message>
        <source>Both outputs</source>
        <translation>Beide Ausgaben</translation>
    </message>
    <message>
        <source>%1: both wrote nothing</source>
        <translation>%1: beide haben nichts geschrieben</translation>
    </message>
    <message>
        <source>; only the last %1 of each are compared</source>
        <translation>; nur die letzten %1 von beiden werden verglichen</translation>
    </message>
    <message>
        <source>; more than %1 came and went, so they are not aligned</source>
        <translation>; mehr als %1 kamen oder fielen weg, darum stehen gleiche nicht nebeneinander</translation>
    </message>
    <message>
        <source>no line</source>
        <translation>keine Zeile</translation>
    </message>
    <message>
        <source>the same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>other: %1</source>
        <translation>andere: %1</translation>
    </message>
    <message numerus="yes">
        <source>%1: the same, %Ln line(s)</source>
        <translation>
            <numerusform>%1: gleich, %Ln Zeile</numerusform>
            <numerusform>%1: gleich, %Ln Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln line(s) differ</source>
        <translation>
            <numerusform>%1: %Ln Zeile ist verschieden</numerusform>
            <numerusform>%1: %Ln Zeilen sind verschieden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln equal line(s)</source>
        <translation>
            <numerusform>%Ln gleiche Zeile</numerusform>
            <numerusform>%Ln gleiche Zeilen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::EngineAttachment</name>
    <message>
        <source>embedded</source>
        <translation>eingebettet</translation>
    </message>
</context>
<context>
    <name>yard::ui::EngineCommands</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Newest failure</source>
        <translation>Neuester Fehlschlag</translation>
    </message>
    <message>
        <source>Copy as yardctl</source>
        <translation>Als yardctl kopieren</translation>
    </message>
    <message>
        <source>Copy as curl</source>
        <translation>Als curl kopieren</translation>
    </message>
    <message>
        <source>Pause: hold every queue</source>
        <translation>Pause: alle Warteschlangen anhalten</translation>
    </message>
    <message>
        <source>Resume: release every queue</source>
        <translation>Fortsetzen: alle Warteschlangen freigeben</translation>
    </message>
    <message>
        <source>Rerun all failures of tonight</source>
        <translation>Alle Fehlschläge von heute Nacht wiederholen</translation>
    </message>
    <message>
        <source>Drain: no new work, the rest runs to its end</source>
        <translation>Leerlaufen: keine neue Arbeit, der Rest läuft zu Ende</translation>
    </message>
    <message>
        <source>Drain the engine?</source>
        <translation>Die Engine leerlaufen lassen?</translation>
    </message>
    <message>
        <source>It takes no new work from then on; what was submitted runs to its end. Only a restart of the engine takes new work again.</source>
        <translation>Sie nimmt von da an keine neue Arbeit; was abgegeben wurde, läuft zu Ende. Erst ein Neustart der Engine nimmt wieder neue Arbeit an.</translation>
    </message>
    <message>
        <source>Drain</source>
        <translation>Leerlaufen</translation>
    </message>
    <message>
        <source>Stop starting: nothing new, nothing starts</source>
        <translation>Nichts starten: nichts Neues, nichts startet</translation>
    </message>
    <message>
        <source>Pause the session?</source>
        <translation>Die Sitzung pausieren?</translation>
    </message>
    <message>
        <source>Nothing is taken and nothing starts from then on; what runs finishes. Only a restart of the engine ends it. Pause in the bar holds the queues, and can be released.</source>
        <translation>Von da an wird nichts angenommen und nichts gestartet; was läuft, läuft zu Ende. Erst ein Neustart der Engine beendet das. Pause in der Leiste hält die Warteschlangen an und lässt sich zurücknehmen.</translation>
    </message>
    <message>
        <source>Pause the session</source>
        <translation>Die Sitzung pausieren</translation>
    </message>
    <message>
        <source>Abandon…</source>
        <translation>Aufgeben…</translation>
    </message>
    <message>
        <source>Abandon everything?</source>
        <translation>Alles aufgeben?</translation>
    </message>
    <message>
        <source>All that runs is ended and all that waits is marked abandoned. It can be rescheduled one by one; this cannot be undone.</source>
        <translation>Alles Laufende wird beendet, alles Wartende als aufgegeben markiert. Es kann einzeln neu eingereiht werden; rückgängig machen lässt es sich nicht.</translation>
    </message>
    <message>
        <source>Abandon everything</source>
        <translation>Alles aufgeben</translation>
    </message>
    <message>
        <source>Sunset…</source>
        <translation>Sonnenuntergang…</translation>
    </message>
    <message>
        <source>End the engine?</source>
        <translation>Die Engine beenden?</translation>
    </message>
    <message>
        <source>What runs is ended and goes back to pending; the engine&apos;s process ends.</source>
        <translation>Was läuft, wird beendet und wartet wieder; der Prozess der Engine endet.</translation>
    </message>
    <message>
        <source>End the engine</source>
        <translation>Die Engine beenden</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>Lassen</translation>
    </message>
    <message>
        <source>Nothing here to copy as curl.</source>
        <translation>Hier gibt es nichts als curl zu kopieren.</translation>
    </message>
    <message>
        <source>yardctl has no command for this; copy it as curl.</source>
        <translation>yardctl hat dafür keinen Befehl; kopieren Sie es als curl.</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
    <message>
        <source>Nothing has failed.</source>
        <translation>Nichts ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Nothing has failed since %1.</source>
        <translation>Seit %1 ist nichts fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Look at an example</source>
        <translation>Ein Beispiel ansehen</translation>
    </message>
    <message>
        <source>Remove the example</source>
        <translation>Das Beispiel entfernen</translation>
    </message>
</context>
<context>
    <name>yard::ui::EngineLink</name>
    <message>
        <source>This connection cannot send files.</source>
        <translation>Diese Verbindung kann keine Dateien senden.</translation>
    </message>
</context>
<context>
    <name>yard::ui::EngineMenu</name>
    <message>
        <source>%1, this program&apos;s</source>
        <translation>%1, die dieses Programms</translation>
    </message>
    <message>
        <source>%1, does not answer</source>
        <translation>%1, antwortet nicht</translation>
    </message>
    <message>
        <source>Attach…</source>
        <translation>Verbinden…</translation>
    </message>
    <message>
        <source>Remove the example</source>
        <translation>Das Beispiel entfernen</translation>
    </message>
</context>
<context>
    <name>yard::ui::EngineState</name>
    <message>
        <source>There is no connection to the engine</source>
        <translation>Es besteht keine Verbindung zur Engine</translation>
    </message>
    <message>
        <source>engine time, %1</source>
        <translation>Zeit der Engine, %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::Engines</name>
    <message>
        <source>%1 does not answer: %2.</source>
        <translation>%1 antwortet nicht: %2.</translation>
    </message>
    <message>
        <source>%1 refuses this token.</source>
        <translation>%1 lehnt dieses Token ab.</translation>
    </message>
    <message>
        <source>What is at %1 is no engine.</source>
        <translation>Was unter %1 steht, ist keine Engine.</translation>
    </message>
</context>
<context>
    <name>yard::ui::ExampleRun</name>
    <message>
        <source>No temporary file can be written: %1.</source>
        <translation>Es kann keine temporäre Datei geschrieben werden: %1.</translation>
    </message>
    <message numerus="yes">
        <source>The example is there: %n action(s).</source>
        <translation>
            <numerusform>Das Beispiel ist da: %n Aktion.</numerusform>
            <numerusform>Das Beispiel ist da: %n Aktionen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The example is there already.</source>
        <translation>Das Beispiel ist schon da.</translation>
    </message>
    <message>
        <source>There is no example to remove.</source>
        <translation>Es ist kein Beispiel da.</translation>
    </message>
    <message numerus="yes">
        <source>The example is gone, with %n action(s).</source>
        <translation>
            <numerusform>Das Beispiel ist weg, mit %n Aktion.</numerusform>
            <numerusform>Das Beispiel ist weg, mit %n Aktionen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of its queues stay(s): there is other work.</source>
        <translation>
            <numerusform>%n seiner Warteschlangen bleibt: Darin ist andere Arbeit.</numerusform>
            <numerusform>%n seiner Warteschlangen bleiben: Darin ist andere Arbeit.</numerusform>
        </translation>
    </message>
    <message>
        <source>Its worker stays: other work waits for it.</source>
        <translation>Sein Worker bleibt: andere Arbeit wartet auf ihn.</translation>
    </message>
    <message>
        <source>The example is being loaded or removed: wait until that has ended.</source>
        <translation>Das Beispiel wird geladen oder entfernt: warten Sie, bis das zu Ende ist.</translation>
    </message>
</context>
<context>
    <name>yard::ui::Facts</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
</context>
<context>
    <name>yard::ui::FailurePanel</name>
    <message>
        <source>Mute</source>
        <translation>Stumm schalten</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>The newest</source>
        <translation>Die neuesten</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>What differs, and where it failed</source>
        <translation>Was sich unterscheidet, und wo es fehlgeschlagen ist</translation>
    </message>
    <message>
        <source>The newest actions that failed so</source>
        <translation>Die neuesten Aktionen, die so fehlgeschlagen sind</translation>
    </message>
    <message>
        <source>asking…</source>
        <translation>wird abgefragt …</translation>
    </message>
    <message numerus="yes">
        <source>%Ln failure(s)</source>
        <translation>
            <numerusform>%Ln Fehlschlag</numerusform>
            <numerusform>%Ln Fehlschläge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>in %Ln queue(s), %1 to %2</source>
        <translation>
            <numerusform>in %Ln Warteschlange, %1 bis %2</numerusform>
            <numerusform>in %Ln Warteschlangen, %1 bis %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Reschedule %1</source>
        <translation>%1 neu einreihen</translation>
    </message>
    <message>
        <source>Show %1 in Actions</source>
        <translation>%1 in Aktionen zeigen</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Rechner</translation>
    </message>
</context>
<context>
    <name>yard::ui::FailuresPage</name>
    <message>
        <source>Failures</source>
        <translation>Fehlschläge</translation>
    </message>
    <message>
        <source>queue:nightly text…</source>
        <translation>queue:nightly Text…</translation>
    </message>
    <message>
        <source>Failures by likeness</source>
        <translation>Fehlschläge nach Ähnlichkeit</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>Stumm schalten</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>No failure matches this filter</source>
        <translation>Kein Fehlschlag passt zu diesem Filter</translation>
    </message>
    <message numerus="yes">
        <source>%Ln failure(s)</source>
        <translation>
            <numerusform>%Ln Fehlschlag</numerusform>
            <numerusform>%Ln Fehlschläge</numerusform>
        </translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>mindestens %1</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln group(s)</source>
        <translation>
            <numerusform>%Ln Gruppe</numerusform>
            <numerusform>%Ln Gruppen</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing failed in these 24 hours</source>
        <translation>In diesen 24 Stunden ist nichts fehlgeschlagen</translation>
    </message>
    <message>
        <source>Nothing failed in these 7 days</source>
        <translation>In diesen 7 Tagen ist nichts fehlgeschlagen</translation>
    </message>
    <message>
        <source>Nothing that is kept has failed</source>
        <translation>Nichts Aufbewahrtes ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Select a group of failures first</source>
        <translation>Zuerst eine Gruppe von Fehlschlägen auswählen</translation>
    </message>
    <message>
        <source>It is not muted</source>
        <translation>Sie ist nicht stumm</translation>
    </message>
    <message>
        <source>Reschedule failures of the group</source>
        <translation>Fehlschläge der Gruppe neu einreihen</translation>
    </message>
    <message>
        <source>Mute…</source>
        <translation>Stumm schalten…</translation>
    </message>
    <message>
        <source>Unmute</source>
        <translation>Nicht mehr stumm schalten</translation>
    </message>
    <message>
        <source>Show actions of the group</source>
        <translation>Aktionen der Gruppe zeigen</translation>
    </message>
    <message>
        <source>Copy the error line</source>
        <translation>Fehlerzeile kopieren</translation>
    </message>
    <message>
        <source>For 1 hour</source>
        <translation>Für 1 Stunde</translation>
    </message>
    <message>
        <source>For a day</source>
        <translation>Für einen Tag</translation>
    </message>
    <message>
        <source>To Monday</source>
        <translation>Bis Montag</translation>
    </message>
    <message>
        <source>Until it is unmuted</source>
        <translation>Bis sie nicht mehr stumm geschaltet ist</translation>
    </message>
    <message>
        <source>Error line</source>
        <translation>Fehlerzeile</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>%1 muted</source>
        <translation>%1 stumm</translation>
    </message>
</context>
<context>
    <name>yard::ui::FailuresPanel</name>
    <message>
        <source>Latest failures</source>
        <translation>Letzte Fehlschläge</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>When it failed for good</source>
        <translation>Wann sie endgültig fehlschlug</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Its number (LSN)</source>
        <translation>Ihre Nummer (LSN)</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>First error line</source>
        <translation>Erste Fehlerzeile</translation>
    </message>
    <message>
        <source>What it said, or how it ended</source>
        <translation>Was sie sagte, oder wie sie endete</translation>
    </message>
    <message>
        <source>Reschedule</source>
        <translation>Neu einreihen</translation>
    </message>
    <message>
        <source>Nothing has failed.</source>
        <translation>Nichts ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>%1, %2 of them in the last 10 minutes</source>
        <translation>%1, davon %2 in den letzten 10 Minuten</translation>
    </message>
    <message>
        <source>%1 or more</source>
        <translation>%1 oder mehr</translation>
    </message>
    <message>
        <source>Reschedule all of tonight (%1)</source>
        <translation>Alle von heute Nacht neu einreihen (%1)</translation>
    </message>
    <message>
        <source>What failed since %1; another time is in the menu of the list</source>
        <translation>Was seit %1 fehlschlug; eine andere Zeit steht im Menü der Liste</translation>
    </message>
    <message>
        <source>Nothing has failed since %1</source>
        <translation>Seit %1 ist nichts fehlgeschlagen</translation>
    </message>
    <message>
        <source>Tonight begins at</source>
        <translation>Die Nacht beginnt um</translation>
    </message>
    <message>
        <source>Its label, else its command or function</source>
        <translation>Ihre Beschriftung, sonst ihr Befehl oder ihre Funktion</translation>
    </message>
</context>
<context>
    <name>yard::ui::FileCopies</name>
    <message>
        <source>Other files are being fetched; try again when they are here.</source>
        <translation>Andere Dateien werden geholt; versuchen Sie es wieder, wenn sie da sind.</translation>
    </message>
    <message>
        <source>It is too large for a copy; save it instead.</source>
        <translation>Sie ist zu groß für eine Kopie; speichern Sie sie.</translation>
    </message>
    <message>
        <source>There is no place for a copy; save it instead.</source>
        <translation>Für eine Kopie ist kein Platz; speichern Sie sie.</translation>
    </message>
</context>
<context>
    <name>yard::ui::FilterPopup</name>
    <message>
        <source>What fits the filter</source>
        <translation>Was zum Filter passt</translation>
    </message>
</context>
<context>
    <name>yard::ui::FirstStart</name>
    <message>
        <source>Nothing has been submitted yet</source>
        <translation>Noch wurde nichts abgegeben</translation>
    </message>
    <message>
        <source>From a shell:</source>
        <translation>In einer Shell:</translation>
    </message>
    <message>
        <source>Run a command…</source>
        <translation>Einen Befehl ausführen…</translation>
    </message>
    <message>
        <source>Type it into the form, and submit it.</source>
        <translation>Ins Formular schreiben und abgeben.</translation>
    </message>
    <message>
        <source>Choose a program…</source>
        <translation>Ein Programm wählen…</translation>
    </message>
    <message>
        <source>Or drop it here: the form opens with it.</source>
        <translation>Oder hier ablegen: Das Formular öffnet sich damit.</translation>
    </message>
    <message>
        <source>Look at an example</source>
        <translation>Ein Beispiel ansehen</translation>
    </message>
    <message>
        <source>Some 300 actions, so that every page has something to show. They go again as one.</source>
        <translation>Etwa 300 Aktionen, damit jede Seite etwas zeigt. Sie gehen auf einmal wieder.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Choose a program</source>
        <translation>Ein Programm wählen</translation>
    </message>
    <message>
        <source>%1 cannot be executed: choose a program, or run it by its interpreter.</source>
        <translation>%1 ist nicht ausführbar: Ein Programm wählen, oder es mit seinem Interpreter ausführen.</translation>
    </message>
    <message>
        <source>The example is being loaded.</source>
        <translation>Das Beispiel wird geladen.</translation>
    </message>
</context>
<context>
    <name>yard::ui::FoldPanel</name>
    <message>
        <source>Map</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Close the panel</source>
        <translation>Das Feld schließen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s)</source>
        <translation>
            <numerusform>%Ln Aktion</numerusform>
            <numerusform>%Ln Aktionen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::FoldedList</name>
    <message>
        <source>Actions, arrays folded</source>
        <translation>Aktionen, Arrays gefaltet</translation>
    </message>
    <message>
        <source>%1 and more</source>
        <translation>%1 und mehr</translation>
    </message>
    <message>
        <source>%1 in %2 rows</source>
        <translation>%1 in %2 Zeilen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln Zeile</numerusform>
            <numerusform>%Ln Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 in %Ln row(s)</source>
        <translation>
            <numerusform>%1 in %Ln Zeile</numerusform>
            <numerusform>%1 in %Ln Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>Select an array or a list first</source>
        <translation>Zuerst ein Array oder eine Liste wählen</translation>
    </message>
    <message>
        <source>None of it failed or was abandoned</source>
        <translation>Nichts davon ist gescheitert oder wurde aufgegeben</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>Falten</translation>
    </message>
    <message>
        <source>Unfold</source>
        <translation>Aufklappen</translation>
    </message>
    <message>
        <source>Show all %1</source>
        <translation>Alle %1 zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Reschedule the %Ln that failed</source>
        <translation>
            <numerusform>Die %Ln gescheiterte neu einreihen</numerusform>
            <numerusform>Die %Ln gescheiterten neu einreihen</numerusform>
        </translation>
    </message>
    <message>
        <source>Resubmit all of it…</source>
        <translation>Alles davon neu abgeben…</translation>
    </message>
    <message>
        <source>No action matches this filter.</source>
        <translation>Keine Aktion passt zu diesem Filter.</translation>
    </message>
    <message>
        <source>Nothing has been submitted yet.</source>
        <translation>Noch wurde nichts abgegeben.</translation>
    </message>
    <message>
        <source>Resubmit this index…</source>
        <translation>Diesen Index neu abgeben…</translation>
    </message>
    <message>
        <source>What failed of it was submitted again already.</source>
        <translation>Was davon scheiterte, wurde schon neu abgegeben.</translation>
    </message>
    <message>
        <source>More than %1 failed: too many for one list.</source>
        <translation>Mehr als %1 scheiterten: zu viele für eine Liste.</translation>
    </message>
    <message numerus="yes">
        <source>Resubmit the %Ln that failed…</source>
        <translation>
            <numerusform>Die %Ln gescheiterte neu abgeben…</numerusform>
            <numerusform>Die %Ln gescheiterten neu abgeben…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::FolderSave</name>
    <message>
        <source>This name leads nowhere within the folder.</source>
        <translation>Dieser Name führt nicht in den Ordner.</translation>
    </message>
    <message>
        <source>A link is in its place, and could lead out of the folder.</source>
        <translation>An seiner Stelle ist ein Link, der aus dem Ordner führen könnte.</translation>
    </message>
    <message>
        <source>Its folder cannot be made there.</source>
        <translation>Sein Ordner lässt sich dort nicht anlegen.</translation>
    </message>
</context>
<context>
    <name>yard::ui::FormRow</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::GraphTab</name>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Reading who waits for whom…</source>
        <translation>Liest, wer auf wen wartet …</translation>
    </message>
    <message>
        <source>It waits for nothing, and nothing waits for it</source>
        <translation>Sie wartet auf nichts, und nichts wartet auf sie</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n Knoten</numerusform>
            <numerusform>%n Knoten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n edge(s)</source>
        <translation>
            <numerusform>%n Kante</numerusform>
            <numerusform>%n Kanten</numerusform>
        </translation>
    </message>
    <message>
        <source>critical path: %1 left</source>
        <translation>kritischer Pfad: noch %1</translation>
    </message>
    <message>
        <source>no critical path: %1 of %2 have no usual time</source>
        <translation>kein kritischer Pfad: %1 von %2 haben keine übliche Dauer</translation>
    </message>
    <message>
        <source>there is more: these are the nearest</source>
        <translation>es gibt mehr: dies sind die nächsten</translation>
    </message>
</context>
<context>
    <name>yard::ui::GraphView</name>
    <message>
        <source>Who waits for whom</source>
        <translation>Wer auf wen wartet</translation>
    </message>
    <message numerus="yes">
        <source>%n action(s)</source>
        <translation>
            <numerusform>%n Aktion</numerusform>
            <numerusform>%n Aktionen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>kritischer Pfad</translation>
    </message>
    <message>
        <source>%1 to spare</source>
        <translation>%1 Spielraum</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>wartet auf %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>yard::ui::HistoryPage</name>
    <message>
        <source>part of a kind&apos;s name…</source>
        <translation>Teil des Namens einer Art…</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>All that is kept</source>
        <translation>Alles, was aufgehoben ist</translation>
    </message>
    <message>
        <source>Kinds of work</source>
        <translation>Arten von Arbeit</translation>
    </message>
    <message>
        <source>What got slower or larger</source>
        <translation>Was langsamer oder größer wurde</translation>
    </message>
    <message numerus="yes">
        <source>%Ln day(s)</source>
        <translation>
            <numerusform>%Ln Tag</numerusform>
            <numerusform>%Ln Tage</numerusform>
        </translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Nothing got slower or larger</source>
        <translation>Nichts wurde langsamer oder größer</translation>
    </message>
    <message numerus="yes">
        <source>%Ln kind(s) of work</source>
        <translation>
            <numerusform>%Ln Art von Arbeit</numerusform>
            <numerusform>%Ln Arten von Arbeit</numerusform>
        </translation>
    </message>
    <message>
        <source>No kind has this in its name</source>
        <translation>Keine Art hat das im Namen</translation>
    </message>
    <message>
        <source>No kind fails on inputs that work</source>
        <translation>Keine Art schlägt mit Eingaben fehl, die gelingen</translation>
    </message>
    <message>
        <source>Nothing has ended yet</source>
        <translation>Noch nichts ist beendet</translation>
    </message>
    <message>
        <source>Nothing ended in this time</source>
        <translation>In dieser Zeit endete nichts</translation>
    </message>
    <message>
        <source>Select a kind first</source>
        <translation>Erst eine Art auswählen</translation>
    </message>
    <message>
        <source>Show actions</source>
        <translation>Aktionen zeigen</translation>
    </message>
    <message>
        <source>Copy the name of the kind</source>
        <translation>Namen der Art kopieren</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
</context>
<context>
    <name>yard::ui::Icicle</name>
    <message>
        <source>What the engine&apos;s functions took</source>
        <translation>Was die Funktionen der Engine brauchten</translation>
    </message>
    <message>
        <source>loop %1</source>
        <translation>Schleife %1</translation>
    </message>
    <message>
        <source>%1: %2 ms, %3 % of the time on the processor</source>
        <translation>%1: %2 ms, %3 % der Zeit auf dem Prozessor</translation>
    </message>
    <message>
        <source>, %1 ms by itself, %L2 calls</source>
        <translation>, %1 ms selbst, %L2 Aufrufe</translation>
    </message>
    <message>
        <source>, %1 ms by itself, %L2 samples</source>
        <translation>, %1 ms selbst, %L2 Stichproben</translation>
    </message>
</context>
<context>
    <name>yard::ui::ImageView</name>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
</context>
<context>
    <name>yard::ui::InsidePanels</name>
    <message>
        <source>Threads</source>
        <translation>Fäden</translation>
    </message>
    <message>
        <source>Longest turns</source>
        <translation>Längste Runden</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Descriptors</source>
        <translation>Deskriptoren</translation>
    </message>
    <message>
        <source>Cooperative threads</source>
        <translation>Kooperative Fäden</translation>
    </message>
    <message>
        <source>Memory by part</source>
        <translation>Speicher nach Teilen</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Descriptors by owner</source>
        <translation>Deskriptoren nach Besitzern</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Offen</translation>
    </message>
    <message numerus="yes">
        <source>The first %Ln thread(s) of the engine&apos;s loop; there are more</source>
        <translation>
            <numerusform>Der erste Faden der Schleife der Engine; es gibt mehr</numerusform>
            <numerusform>Die ersten %Ln Fäden der Schleife der Engine; es gibt mehr</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln thread(s) of the engine&apos;s loop</source>
        <translation>
            <numerusform>%Ln Faden der Schleife der Engine</numerusform>
            <numerusform>%Ln Fäden der Schleife der Engine</numerusform>
        </translation>
    </message>
    <message>
        <source>No turn took 1 ms or more since the start</source>
        <translation>Seit dem Start dauerte keine Runde 1 ms oder länger</translation>
    </message>
    <message>
        <source>Turns of 1 ms and more since the start, the longest first</source>
        <translation>Runden ab 1 ms seit dem Start, die längste zuerst</translation>
    </message>
    <message>
        <source>%1 resident</source>
        <translation>%1 im Arbeitsspeicher</translation>
    </message>
    <message>
        <source>%L1 of %L2 are open</source>
        <translation>%L1 von %L2 sind offen</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
</context>
<context>
    <name>yard::ui::JsonTreeModel</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
</context>
<context>
    <name>yard::ui::KeyOverlay</name>
    <message>
        <source>In tables</source>
        <translation>In Tabellen</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Open and go there</source>
        <translation>Öffnen und hingehen</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>Open and stay</source>
        <translation>Öffnen und bleiben</translation>
    </message>
    <message>
        <source>Ctrl+A</source>
        <translation>Strg+A</translation>
    </message>
    <message>
        <source>Select all that match</source>
        <translation>Alle passenden auswählen</translation>
    </message>
    <message>
        <source>Ctrl+C</source>
        <translation>Strg+C</translation>
    </message>
    <message>
        <source>Copy rows as text</source>
        <translation>Zeilen als Text kopieren</translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation>Pos1, Ende</translation>
    </message>
    <message>
        <source>First and last row</source>
        <translation>Erste und letzte Zeile</translation>
    </message>
    <message>
        <source>Shift+F10</source>
        <translation>Umschalt+F10</translation>
    </message>
    <message>
        <source>Menu of the row</source>
        <translation>Menü der Zeile</translation>
    </message>
    <message>
        <source>letters</source>
        <translation>Buchstaben</translation>
    </message>
    <message>
        <source>Into the filter</source>
        <translation>In den Filter</translation>
    </message>
    <message>
        <source>Keys of this page</source>
        <translation>Tasten dieser Seite</translation>
    </message>
    <message>
        <source>Esc closes    Settings, Keys changes them</source>
        <translation>Esc schließt    Einstellungen, Tasten ändert sie</translation>
    </message>
    <message>
        <source>In output</source>
        <translation>In der Ausgabe</translation>
    </message>
    <message>
        <source>Ctrl+F</source>
        <translation>Strg+F</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>F3, Shift+F3</source>
        <translation>F3, Umschalt+F3</translation>
    </message>
    <message>
        <source>Next and previous match</source>
        <translation>Nächster und voriger Treffer</translation>
    </message>
</context>
<context>
    <name>yard::ui::KindPanel</name>
    <message>
        <source>Show actions</source>
        <translation>Aktionen zeigen</translation>
    </message>
    <message>
        <source>Run time</source>
        <translation>Laufzeit</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>By day</source>
        <translation>Nach Tagen</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Maschine</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>95 %</source>
        <translation>95 %</translation>
    </message>
    <message>
        <source>By version</source>
        <translation>Nach Version</translation>
    </message>
    <message>
        <source>By machine</source>
        <translation>Nach Maschine</translation>
    </message>
    <message>
        <source>Failed, and worked on the same inputs</source>
        <translation>Mit denselben Eingaben fehlgeschlagen und gelungen</translation>
    </message>
    <message>
        <source>Inputs on which it is flaky</source>
        <translation>Eingaben, mit denen sie unzuverlässig ist</translation>
    </message>
    <message>
        <source>What its figures say</source>
        <translation>Was ihre Zahlen sagen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln Lauf</numerusform>
            <numerusform>%Ln Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>asking…</source>
        <translation>fragt…</translation>
    </message>
    <message>
        <source>None is known</source>
        <translation>Keine ist bekannt</translation>
    </message>
    <message>
        <source>No inputs both worked and failed</source>
        <translation>Keine Eingaben gelangen und schlugen fehl</translation>
    </message>
    <message>
        <source>Nothing completed in these weeks</source>
        <translation>In diesen Wochen wurde nichts fertig</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Finish times</source>
        <translation>Endzeiten</translation>
    </message>
    <message>
        <source>%1, from its median</source>
        <translation>%1, aus ihrem Median</translation>
    </message>
    <message>
        <source>Memory to ask for</source>
        <translation>Anzufordernder Speicher</translation>
    </message>
    <message>
        <source>not known before 20 runs</source>
        <translation>nicht bekannt vor 20 Läufen</translation>
    </message>
    <message>
        <source>Flaky</source>
        <translation>Unzuverlässig</translation>
    </message>
    <message>
        <source>%1 % of the runs on inputs that work</source>
        <translation>%1 % der Läufe mit Eingaben, die gelingen</translation>
    </message>
    <message>
        <source>Failures say</source>
        <translation>Fehler sagen</translation>
    </message>
    <message>
        <source>Last run</source>
        <translation>Letzter Lauf</translation>
    </message>
</context>
<context>
    <name>yard::ui::LimitsPanel</name>
    <message>
        <source>Limits of the pool</source>
        <translation>Grenzen des Pools</translation>
    </message>
    <message>
        <source>apply at once</source>
        <translation>gelten sofort</translation>
    </message>
    <message>
        <source>by capacity</source>
        <translation>nach Kapazität</translation>
    </message>
    <message>
        <source>Processes, at most</source>
        <translation>Prozesse, höchstens</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Processes of a worker, at most</source>
        <translation>Prozesse eines Workers, höchstens</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Idle for, at most</source>
        <translation>Frei, höchstens</translation>
    </message>
    <message>
        <source>from its descriptor</source>
        <translation>aus seiner Beschreibung</translation>
    </message>
    <message>
        <source>Limits of %1</source>
        <translation>Grenzen von %1</translation>
    </message>
    <message>
        <source>Processes, at least</source>
        <translation>Prozesse, mindestens</translation>
    </message>
    <message>
        <source>the pool&apos;s</source>
        <translation>die des Pools</translation>
    </message>
    <message>
        <source>Requests per process, at most</source>
        <translation>Anfragen je Prozess, höchstens</translation>
    </message>
    <message>
        <source>Memory per process</source>
        <translation>Speicher je Prozess</translation>
    </message>
    <message>
        <source>Requests at once per process</source>
        <translation>Anfragen zugleich je Prozess</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Schlange</translation>
    </message>
    <message>
        <source>least busy first</source>
        <translation>der am wenigsten Beschäftigte zuerst</translation>
    </message>
    <message>
        <source>one for all</source>
        <translation>eine für alle</translation>
    </message>
    <message>
        <source>forever</source>
        <translation>für immer</translation>
    </message>
</context>
<context>
    <name>yard::ui::LoadCharts</name>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>others</source>
        <translation>andere</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>benutzt</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>completed a minute</source>
        <translation>fertig pro Minute</translation>
    </message>
    <message>
        <source>%1 of %2 cores</source>
        <translation>%1 von %2 Kernen</translation>
    </message>
    <message>
        <source>holds at %1</source>
        <translation>Halt %1</translation>
    </message>
    <message>
        <source>stops at %1</source>
        <translation>Ende %1</translation>
    </message>
    <message>
        <source>%1 of %2 GB</source>
        <translation>%1 von %2 GB</translation>
    </message>
    <message>
        <source>Completed per minute</source>
        <translation>Fertig pro Minute</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>ausgelastet</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>yard::ui::LockSource</name>
    <message>
        <source>held by nobody</source>
        <translation>von niemand gehalten</translation>
    </message>
    <message>
        <source>held by %1</source>
        <translation>gehalten von %1</translation>
    </message>
    <message>
        <source>held by another engine</source>
        <translation>von einer anderen Engine gehalten</translation>
    </message>
    <message>
        <source>held by a warm process</source>
        <translation>von einem warmen Prozess gehalten</translation>
    </message>
    <message numerus="yes">
        <source>%n or more wait</source>
        <translation>
            <numerusform>%n oder mehr wartet</numerusform>
            <numerusform>%n oder mehr warten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>%n wartet</numerusform>
            <numerusform>%n warten</numerusform>
        </translation>
    </message>
    <message>
        <source>lock</source>
        <translation>Sperre</translation>
    </message>
    <message>
        <source>Lock, %1</source>
        <translation>Sperre, %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::LogPane</name>
    <message>
        <source>Find; Enter for the next</source>
        <translation>Suchen; Enter für den nächsten</translation>
    </message>
    <message>
        <source>Find in output</source>
        <translation>In der Ausgabe suchen</translation>
    </message>
    <message>
        <source>Only lines that hold…</source>
        <translation>Nur Zeilen mit…</translation>
    </message>
    <message>
        <source>Filter output</source>
        <translation>Ausgabe filtern</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Close find</source>
        <translation>Suche schließen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
</context>
<context>
    <name>yard::ui::LogPanel</name>
    <message>
        <source>Lines with a text</source>
        <translation>Zeilen mit einem Text</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Area of the log</source>
        <translation>Bereich des Protokolls</translation>
    </message>
    <message>
        <source>All areas</source>
        <translation>Alle Bereiche</translation>
    </message>
    <message>
        <source>Level from which on lines are written</source>
        <translation>Stufe, ab der Zeilen geschrieben werden</translation>
    </message>
    <message>
        <source>Lines of the log</source>
        <translation>Zeilen des Protokolls</translation>
    </message>
    <message>
        <source>as all areas</source>
        <translation>wie alle Bereiche</translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s), the latest first</source>
        <translation>
            <numerusform>%Ln Zeile, die neueste</numerusform>
            <numerusform>%Ln Zeilen, die neuesten zuerst</numerusform>
        </translation>
    </message>
    <message>
        <source>%L1 of %L2 lines, the latest first</source>
        <translation>%L1 von %L2 Zeilen, die neuesten zuerst</translation>
    </message>
</context>
<context>
    <name>yard::ui::LogView</name>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>No line holds “%1”</source>
        <translation>Keine Zeile enthält „%1“</translation>
    </message>
    <message>
        <source>Lines %1 to %2 of %3</source>
        <translation>Zeilen %1 bis %2 von %3</translation>
    </message>
    <message>
        <source>line %1, the first error</source>
        <translation>Zeile %1, der erste Fehler</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>Zeile %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::LsnIndex</name>
    <message>
        <source>The engine&apos;s list of numbers cannot be read.</source>
        <translation>Die Nummernliste der Engine ist nicht lesbar.</translation>
    </message>
</context>
<context>
    <name>yard::ui::MachineAddress</name>
    <message>
        <source>Copy the program there first</source>
        <translation>Das Programm zuerst dorthin kopieren</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>ssh://USER@HOST, or https://HOST:PORT of its engine.</source>
        <translation>ssh://BENUTZER@RECHNER, oder https://RECHNER:PORT ihrer Engine.</translation>
    </message>
    <message>
        <source>Its token</source>
        <translation>Ihr Token</translation>
    </message>
    <message>
        <source>One of its engine, with the right admin; it has to run with --serve on.</source>
        <translation>Eines ihrer Engine mit dem Recht admin; sie muss mit --serve on laufen.</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Where no yardmaster is installed there.</source>
        <translation>Wo dort kein yardmaster installiert ist.</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Empty: as it calls itself.</source>
        <translation>Leer: wie sie sich selbst nennt.</translation>
    </message>
    <message>
        <source>Say which machine</source>
        <translation>Geben Sie an, welche Maschine</translation>
    </message>
    <message>
        <source>Say which machine, and give a token of its engine</source>
        <translation>Geben Sie an, welche Maschine, und ein Token ihrer Engine</translation>
    </message>
    <message>
        <source>Its key is compared with known_hosts of the engine&apos;s user, whose keys it has to take.</source>
        <translation>Ihr Schlüssel wird mit known_hosts des Benutzers der Engine verglichen, dessen Schlüssel sie annehmen muss.</translation>
    </message>
    <message>
        <source>The engine links to it</source>
        <translation>Die Engine verbindet sich mit ihr</translation>
    </message>
    <message>
        <source>Trust it and add</source>
        <translation>Vertrauen und hinzufügen</translation>
    </message>
    <message>
        <source>It shows the key %1. Its engine prints that when it starts, and &apos;yardctl session&apos; there: compare all of it.</source>
        <translation>Sie zeigt den Schlüssel %1. Ihre Engine gibt ihn beim Start aus, und „yardctl session“ dort auch: Vergleichen Sie ihn ganz.</translation>
    </message>
    <message>
        <source>The engine did not answer; if it still links to it the list shows that.</source>
        <translation>Die Engine hat nicht geantwortet; wenn sie sich noch verbindet, zeigt es die Liste.</translation>
    </message>
</context>
<context>
    <name>yard::ui::MachineHours</name>
    <message>
        <source>Hours</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Such as mon-fri 19:00-07:00, with commas between several, by the machine&apos;s clock. Empty: always.</source>
        <translation>Etwa mon-fri 19:00-07:00, mehrere durch Kommas getrennt, nach der Uhr der Maschine. Leer: immer.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Hours of %1</source>
        <translation>Zeiten von %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The engine is asked</source>
        <translation>Die Engine wird gefragt</translation>
    </message>
</context>
<context>
    <name>yard::ui::MachinePanel</name>
    <message>
        <source>Show actions</source>
        <translation>Aktionen zeigen</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>Plätze</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Kennzeichen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>diese Maschine</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Laufend</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartend</translation>
    </message>
    <message>
        <source>Counts as lost</source>
        <translation>Gilt als verloren</translation>
    </message>
    <message>
        <source>Last word</source>
        <translation>Letztes Wort</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Hours</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Leaves</source>
        <translation>Geht</translation>
    </message>
</context>
<context>
    <name>yard::ui::MachinesPage</name>
    <message>
        <source>Machines</source>
        <translation>Maschinen</translation>
    </message>
    <message>
        <source>Drain</source>
        <translation>Leerlaufen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Add machine…</source>
        <translation>Maschine hinzufügen…</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>No other machine runs actions for this engine</source>
        <translation>Keine andere Maschine führt Aktionen für diese Engine aus</translation>
    </message>
    <message>
        <source>Select a machine first</source>
        <translation>Wählen Sie zuerst eine Maschine</translation>
    </message>
    <message>
        <source>This is the engine&apos;s own machine: pause or drain the engine</source>
        <translation>Das ist die Maschine der Engine: halten Sie die Engine an oder lassen Sie sie leerlaufen</translation>
    </message>
    <message>
        <source>It is drained already</source>
        <translation>Sie läuft schon leer</translation>
    </message>
    <message>
        <source>It gets work as it is</source>
        <translation>Sie bekommt Arbeit, wie sie ist</translation>
    </message>
    <message>
        <source>It is paused already</source>
        <translation>Sie ist schon angehalten</translation>
    </message>
    <message>
        <source>It has no link now</source>
        <translation>Sie hat jetzt keine Verbindung</translation>
    </message>
    <message>
        <source>Show actions</source>
        <translation>Aktionen zeigen</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>It runs nothing. It has to join again to get work.</source>
        <translation>Sie führt nichts aus. Um Arbeit zu bekommen, muss sie wieder beitreten.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s) that it has end there and run elsewhere. It has to join again to get work.</source>
        <translation>
            <numerusform>%Ln Aktion, die sie hat, endet dort und läuft anderswo. Um Arbeit zu bekommen, muss sie wieder beitreten.</numerusform>
            <numerusform>%Ln Aktionen, die sie hat, enden dort und laufen anderswo. Um Arbeit zu bekommen, muss sie wieder beitreten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove %1?</source>
        <translation>%1 entfernen?</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>Hours…</source>
        <translation>Zeiten…</translation>
    </message>
    <message>
        <source>Add allocator…</source>
        <translation>Zuteiler hinzufügen…</translation>
    </message>
</context>
<context>
    <name>yard::ui::MainWindow</name>
    <message>
        <source>Go to %1</source>
        <translation>Gehe zu %1</translation>
    </message>
    <message>
        <source>Filter this page</source>
        <translation>Diese Seite filtern</translation>
    </message>
    <message>
        <source>Submit…</source>
        <translation>Abgeben…</translation>
    </message>
    <message>
        <source>Take waiting updates</source>
        <translation>Wartende Änderungen zeigen</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vor</translation>
    </message>
    <message>
        <source>Close what is open</source>
        <translation>Offenes schließen</translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation>Nächster Bereich</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Vollbild</translation>
    </message>
    <message>
        <source>Narrow or wide rail</source>
        <translation>Schmale oder breite Leiste</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Drop a file with actions onto the queue that is to have them.</source>
        <translation>Legen Sie eine Datei mit Aktionen auf die Warteschlange, die sie haben soll.</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>Search, or run a command</source>
        <translation>Suchen oder Befehl ausführen</translation>
    </message>
    <message>
        <source>Keys of this page</source>
        <translation>Tasten dieser Seite</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>Anordnung zurücksetzen</translation>
    </message>
    <message>
        <source>Register a worker…</source>
        <translation>Einen Worker registrieren…</translation>
    </message>
    <message>
        <source>Attach an engine…</source>
        <translation>Mit einer Engine verbinden…</translation>
    </message>
    <message>
        <source>Change keys…</source>
        <translation>Tasten ändern…</translation>
    </message>
    <message numerus="yes">
        <source>Quit while %n action(s) run?</source>
        <translation>
            <numerusform>Beenden, während %n Aktion läuft?</numerusform>
            <numerusform>Beenden, während %n Aktionen laufen?</numerusform>
        </translation>
    </message>
    <message>
        <source>The engine ends with its window. What runs is ended and goes back to pending; the next start runs it again. An engine started with --headless goes on.</source>
        <translation>Die Engine endet mit ihrem Fenster. Was läuft, wird beendet und wartet wieder; der nächste Start führt es erneut aus. Eine mit --headless gestartete Engine läuft weiter.</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
    <message>
        <source>The engine is starting…</source>
        <translation>Die Engine startet…</translation>
    </message>
    <message>
        <source>%1 shows the fingerprint %2, and %3 is known: the engine was set up again, or somebody is in between. Nothing is sent to it.</source>
        <translation>%1 zeigt den Fingerabdruck %2, bekannt ist %3: Die Engine wurde neu aufgesetzt, oder jemand ist dazwischen. An sie wird nichts gesendet.</translation>
    </message>
    <message>
        <source>Trust the engine at %1?</source>
        <translation>Der Engine unter %1 vertrauen?</translation>
    </message>
    <message>
        <source>Its fingerprint is %1. Compare it with what the engine printed when it started. From now on another one is refused.</source>
        <translation>Ihr Fingerabdruck ist %1. Vergleichen Sie ihn mit dem, den die Engine beim Start ausgegeben hat. Ab jetzt wird jeder andere abgelehnt.</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Vertrauen</translation>
    </message>
    <message>
        <source>Do not trust</source>
        <translation>Nicht vertrauen</translation>
    </message>
    <message>
        <source>The engine at %1 is not the one that was asked about any more: nothing is trusted.</source>
        <translation>Die Engine unter %1 ist nicht mehr die, nach der gefragt wurde: Es wird nichts vertraut.</translation>
    </message>
    <message>
        <source>Alerts…</source>
        <translation>Alarme…</translation>
    </message>
</context>
<context>
    <name>yard::ui::MapPane</name>
    <message>
        <source>index %1</source>
        <translation>Index %1</translation>
    </message>
    <message>
        <source>ran %1</source>
        <translation>lief %1</translation>
    </message>
    <message>
        <source>1 cell = 1 action</source>
        <translation>1 Zelle = 1 Aktion</translation>
    </message>
    <message>
        <source>1 cell = %1 actions, in the worst of their states</source>
        <translation>1 Zelle = %1 Aktionen, im schlechtesten ihrer Zustände</translation>
    </message>
    <message>
        <source>Reading the states…</source>
        <translation>Die Zustände werden gelesen …</translation>
    </message>
    <message>
        <source>There is no action</source>
        <translation>Es gibt keine Aktion</translation>
    </message>
</context>
<context>
    <name>yard::ui::NewObjectForm</name>
    <message>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>Anlegen</translation>
    </message>
    <message>
        <source>New object</source>
        <translation>Neues Objekt</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Where it begins.</source>
        <translation>Wo es beginnt.</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Unique in its type: with one that is there already it is that object.</source>
        <translation>Im Typ einmalig: Gibt es ihn schon, ist es jenes Objekt.</translation>
    </message>
    <message>
        <source>Parent</source>
        <translation>Eltern</translation>
    </message>
    <message>
        <source>Number of the object that it is a child of.</source>
        <translation>Nummer des Objekts, dessen Kind es ist.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>required</source>
        <translation>nötig</translation>
    </message>
    <message>
        <source>Its type wants this</source>
        <translation>Sein Typ verlangt das</translation>
    </message>
    <message>
        <source>This wants the number of an object</source>
        <translation>Hier gehört die Nummer eines Objekts hin</translation>
    </message>
    <message>
        <source>The engine is asked</source>
        <translation>Die Engine wird gefragt</translation>
    </message>
</context>
<context>
    <name>yard::ui::NoticeList</name>
    <message>
        <source>Notices</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>Choose what is told…</source>
        <translation>Wählen, was gemeldet wird…</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Nothing has happened</source>
        <translation>Nichts ist geschehen</translation>
    </message>
    <message>
        <source>Alerts…</source>
        <translation>Alarme…</translation>
    </message>
</context>
<context>
    <name>yard::ui::NumberSource</name>
    <message>
        <source>Action %1</source>
        <translation>Aktion %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::ObjectFieldEdit</name>
    <message>
        <source>This wants a whole number</source>
        <translation>Hier gehört eine ganze Zahl hin</translation>
    </message>
    <message>
        <source>This wants a number</source>
        <translation>Hier gehört eine Zahl hin</translation>
    </message>
    <message>
        <source>This wants true or false</source>
        <translation>Hier gehört true oder false hin</translation>
    </message>
    <message>
        <source>This wants JSON</source>
        <translation>Hier gehört JSON hin</translation>
    </message>
    <message>
        <source>required</source>
        <translation>nötig</translation>
    </message>
    <message>
        <source>It is too long to be changed here</source>
        <translation>Es ist zu lang, um hier geändert zu werden</translation>
    </message>
</context>
<context>
    <name>yard::ui::ObjectFields</name>
    <message>
        <source>It has no fields</source>
        <translation>Es hat keine Felder</translation>
    </message>
    <message>
        <source>It has ended: its fields stay as they are</source>
        <translation>Es ist zu Ende: seine Felder bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>Changed meanwhile; yours was &quot;%1&quot;</source>
        <translation>Inzwischen geändert; von Ihnen war „%1“</translation>
    </message>
</context>
<context>
    <name>yard::ui::ObjectPanel</name>
    <message>
        <source>Look now</source>
        <translation>Jetzt ansehen</translation>
    </message>
    <message>
        <source>Move to…</source>
        <translation>Bringen nach…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Children</source>
        <translation>Kinder</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>Felder</translation>
    </message>
    <message>
        <source>change in place</source>
        <translation>an Ort und Stelle ändern</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Next look</source>
        <translation>Nächster Blick</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Zu Ende</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Parent</source>
        <translation>Eltern</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>Entstanden</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Revision</source>
        <translation>Revision</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Last error</source>
        <translation>Letzter Fehler</translation>
    </message>
    <message>
        <source>made, %1</source>
        <translation>entstanden, %1</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln move(s)</source>
        <translation>
            <numerusform>%Ln Schritt</numerusform>
            <numerusform>%Ln Schritte</numerusform>
        </translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Pokes</source>
        <translation>Anstöße</translation>
    </message>
    <message>
        <source>who moved its next look</source>
        <translation>wer den nächsten Blick vorzog</translation>
    </message>
</context>
<context>
    <name>yard::ui::ObjectsPage</name>
    <message>
        <source>type:snapshot status:queued field:value</source>
        <translation>type:snapshot status:queued feld:wert</translation>
    </message>
    <message>
        <source>Objects</source>
        <translation>Objekte</translation>
    </message>
    <message>
        <source>Move to…</source>
        <translation>Bringen nach…</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>No type of objects is known yet</source>
        <translation>Noch ist kein Typ von Objekten bekannt</translation>
    </message>
    <message>
        <source>An object moves through states of its own, over days: a page to archive, a host to patch.</source>
        <translation>Ein Objekt geht über Tage durch eigene Zustände: eine Seite, die archiviert wird, ein Rechner, der Updates braucht.</translation>
    </message>
    <message>
        <source>Describe its states and who looks after it in a file, and begin:</source>
        <translation>Beschreiben Sie in einer Datei seine Zustände und wer danach sieht, und beginnen Sie:</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>No object matches</source>
        <translation>Kein Objekt passt</translation>
    </message>
    <message>
        <source>There is no such object any more</source>
        <translation>Dieses Objekt gibt es nicht mehr</translation>
    </message>
    <message>
        <source>the first %1 here</source>
        <translation>die ersten %1 hier</translation>
    </message>
    <message numerus="yes">
        <source>%Ln stuck</source>
        <translation>
            <numerusform>%Ln steckt fest</numerusform>
            <numerusform>%Ln stecken fest</numerusform>
        </translation>
    </message>
    <message>
        <source>Look now</source>
        <translation>Jetzt ansehen</translation>
    </message>
    <message>
        <source>Show children</source>
        <translation>Kinder zeigen</translation>
    </message>
    <message>
        <source>Show parent</source>
        <translation>Eltern zeigen</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Select an object first</source>
        <translation>Wählen Sie erst ein Objekt aus</translation>
    </message>
    <message>
        <source>At most %1 at once</source>
        <translation>Höchstens %1 auf einmal</translation>
    </message>
    <message>
        <source>They are of several types</source>
        <translation>Sie sind von mehreren Typen</translation>
    </message>
    <message>
        <source>It has ended: nobody looks at it again</source>
        <translation>Es ist zu Ende: niemand sieht mehr danach</translation>
    </message>
    <message>
        <source>Select one object</source>
        <translation>Wählen Sie ein einziges Objekt aus</translation>
    </message>
    <message>
        <source>It is nobody&apos;s child</source>
        <translation>Es ist niemandes Kind</translation>
    </message>
    <message>
        <source>Force</source>
        <translation>Erzwingen</translation>
    </message>
    <message>
        <source>Its type allows no move from here</source>
        <translation>Sein Typ erlaubt von hier keinen Schritt</translation>
    </message>
    <message numerus="yes">
        <source>%n were not moved: %1</source>
        <translation>
            <numerusform>%n blieb, wo es war: %1</numerusform>
            <numerusform>%n blieben, wo sie waren: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Their history goes with them, and what they were about to do. Children stay.</source>
        <translation>Ihr Verlauf geht mit ihnen, und was sie gerade vorhatten. Kinder bleiben.</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln object(s)?</source>
        <translation>
            <numerusform>%Ln Objekt löschen?</numerusform>
            <numerusform>%Ln Objekte löschen?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln object(s)</source>
        <translation>
            <numerusform>%Ln Objekt löschen</numerusform>
            <numerusform>%Ln Objekte löschen</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Command to begin with</source>
        <translation>Befehl zum Anfangen</translation>
    </message>
    <message>
        <source>It is not known yet</source>
        <translation>Es ist noch nicht bekannt</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>It did not come to a bad end, and is not stuck</source>
        <translation>Es ist nicht schlecht ausgegangen und steckt nicht fest</translation>
    </message>
    <message>
        <source>New object…</source>
        <translation>Neues Objekt…</translation>
    </message>
    <message>
        <source>Add a type of objects first</source>
        <translation>Erst einen Typ von Objekten anlegen</translation>
    </message>
</context>
<context>
    <name>yard::ui::OrphanBanner</name>
    <message numerus="yes">
        <source>%Ln object(s) are claimed by no actor</source>
        <translation>
            <numerusform>%Ln Objekt beansprucht kein Akteur</numerusform>
            <numerusform>%Ln Objekte beansprucht kein Akteur</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 in %2: %3</source>
        <translation>%1 in %2: %3</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>%1 zeigen</translation>
    </message>
</context>
<context>
    <name>yard::ui::OutputCommands</name>
    <message>
        <source>Save outputs into a folder</source>
        <translation>Ausgaben in einen Ordner speichern</translation>
    </message>
    <message>
        <source>Other files are being saved; try again when they are there.</source>
        <translation>Andere Dateien werden gespeichert; versuchen Sie es wieder, wenn sie da sind.</translation>
    </message>
    <message>
        <source>Save an output</source>
        <translation>Ausgabe speichern</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message numerus="yes">
        <source>Replace %n file(s) that are there already?</source>
        <translation>
            <numerusform>%n Datei ersetzen, die schon da ist?</numerusform>
            <numerusform>%n Dateien ersetzen, die schon da sind?</numerusform>
        </translation>
    </message>
    <message>
        <source>What is in them now is lost. The others are saved either way.</source>
        <translation>Was jetzt darin steht, geht verloren. Die anderen werden in jedem Fall gespeichert.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Leave them</source>
        <translation>Lassen</translation>
    </message>
    <message numerus="yes">
        <source>Saved %n file(s) in %1</source>
        <translation>
            <numerusform>%n Datei in %1 gespeichert</numerusform>
            <numerusform>%n Dateien in %1 gespeichert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n stayed as they were</source>
        <translation>
            <numerusform>%n blieb, wie sie war</numerusform>
            <numerusform>%n blieben, wie sie waren</numerusform>
        </translation>
    </message>
    <message>
        <source>Saving was stopped; the files that are there are whole.</source>
        <translation>Das Speichern wurde beendet; die Dateien, die da sind, sind vollständig.</translation>
    </message>
    <message>
        <source>The desktop has no program that opens %1</source>
        <translation>Der Desktop hat kein Programm, das %1 öffnet</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) are being fetched; drag again when they are here</source>
        <translation>
            <numerusform>%n Datei wird geholt; ziehen Sie noch einmal, wenn sie da ist</numerusform>
            <numerusform>%n Dateien werden geholt; ziehen Sie noch einmal, wenn sie da sind</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is here now: drag it</source>
        <translation>%1 ist jetzt da und lässt sich ziehen</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Open with another program</source>
        <translation>Mit einem anderen Programm öffnen</translation>
    </message>
    <message>
        <source>Copy the name</source>
        <translation>Namen kopieren</translation>
    </message>
    <message>
        <source>Copy the hash</source>
        <translation>Hash kopieren</translation>
    </message>
    <message>
        <source>Copy as curl</source>
        <translation>Als curl kopieren</translation>
    </message>
</context>
<context>
    <name>yard::ui::OutputSearch</name>
    <message>
        <source>Capitals count</source>
        <translation>Großschreibung zählt</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search in output</source>
        <translation>In der Ausgabe suchen</translation>
    </message>
    <message>
        <source>Text of a line</source>
        <translation>Text einer Zeile</translation>
    </message>
    <message>
        <source>Text to look for</source>
        <translation>Gesuchter Text</translation>
    </message>
    <message>
        <source>Lines that were found</source>
        <translation>Gefundene Zeilen</translation>
    </message>
    <message numerus="yes">
        <source>In %Ln selected action(s)</source>
        <translation>
            <numerusform>In %Ln ausgewählten Aktion</numerusform>
            <numerusform>In %Ln ausgewählten Aktionen</numerusform>
        </translation>
    </message>
    <message>
        <source>In all actions</source>
        <translation>In allen Aktionen</translation>
    </message>
    <message>
        <source>In all that match %1</source>
        <translation>In allen, auf die %1 passt</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s)</source>
        <translation>
            <numerusform>%Ln Zeile</numerusform>
            <numerusform>%Ln Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>, %1 searched, %2 read</source>
        <translation>, %1 durchsucht, %2 gelesen</translation>
    </message>
    <message>
        <source>, searching…</source>
        <translation>, sucht…</translation>
    </message>
    <message>
        <source>, stopped</source>
        <translation>, angehalten</translation>
    </message>
    <message>
        <source>Enter searches; Enter on a line opens its action there</source>
        <translation>Eingabe sucht; Eingabe auf einer Zeile öffnet ihre Aktion dort</translation>
    </message>
    <message>
        <source>; there may be more</source>
        <translation>; es kann mehr geben</translation>
    </message>
    <message>
        <source>No line has this text</source>
        <translation>Keine Zeile hat diesen Text</translation>
    </message>
</context>
<context>
    <name>yard::ui::OutputTab</name>
    <message>
        <source>This try has not started; choose one before it at the right.</source>
        <translation>Dieser Versuch hat nicht begonnen; wählen Sie rechts einen früheren.</translation>
    </message>
    <message>
        <source>It has not started; there is no output yet.</source>
        <translation>Sie hat nicht begonnen; es gibt noch keine Ausgabe.</translation>
    </message>
    <message>
        <source>It wrote nothing.</source>
        <translation>Sie schrieb nichts.</translation>
    </message>
    <message>
        <source>the last %1 of %2</source>
        <translation>die letzten %1 von %2</translation>
    </message>
    <message>
        <source>Save output</source>
        <translation>Ausgabe speichern</translation>
    </message>
    <message>
        <source>What it wrote was lost: the engine and its launcher ended before it was kept.</source>
        <translation>Was sie schrieb, ist verloren: Engine und Launcher endeten, bevor es gesichert war.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s), %1</source>
        <translation>
            <numerusform>%Ln Zeile, %1</numerusform>
            <numerusform>%Ln Zeilen, %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 to %2 of %3</source>
        <translation>%1 bis %2 von %3</translation>
    </message>
</context>
<context>
    <name>yard::ui::OutputsTab</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Path within the directory</source>
        <translation>Pfad im Verzeichnis</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>What its name says that it is</source>
        <translation>Was es dem Namen nach ist</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>Hash</translation>
    </message>
    <message>
        <source>SHA-256 of its bytes</source>
        <translation>SHA-256 der Bytes</translation>
    </message>
    <message>
        <source>image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>It left no files in outputs/.</source>
        <translation>Sie ließ keine Dateien in outputs/.</translation>
    </message>
    <message>
        <source>Files it leaves in outputs/ appear when it has ended.</source>
        <translation>Dateien, die sie in outputs/ lässt, erscheinen, wenn sie zu Ende ist.</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Save all…</source>
        <translation>Alle speichern …</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Stop saving</source>
        <translation>Nicht weiter speichern</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
</context>
<context>
    <name>yard::ui::PageHead</name>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
</context>
<context>
    <name>yard::ui::Palette</name>
    <message>
        <source>Palette</source>
        <translation>Palette</translation>
    </message>
    <message>
        <source>A command, a number, the name of a queue, worker or lock</source>
        <translation>Ein Befehl, eine Nummer, der Name einer Warteschlange, eines Workers, einer Sperre</translation>
    </message>
    <message>
        <source>What to do or where to go</source>
        <translation>Was tun oder wohin gehen</translation>
    </message>
    <message>
        <source>What fits</source>
        <translation>Was passt</translation>
    </message>
    <message>
        <source>Nothing fits what is typed</source>
        <translation>Nichts passt zur Eingabe</translation>
    </message>
    <message>
        <source>Enter does it    &gt; only commands    @ queues    # a number    worker slot 3 03:00 on the timeline</source>
        <translation>Enter führt aus    &gt; nur Befehle    @ Warteschlangen    # eine Nummer    worker slot 3 03:00 auf der Zeitlinie</translation>
    </message>
</context>
<context>
    <name>yard::ui::PictureStrip</name>
    <message>
        <source>%1 of action %2</source>
        <translation>%1 von Aktion %2</translation>
    </message>
    <message>
        <source>Last pictures</source>
        <translation>Letzte Bilder</translation>
    </message>
</context>
<context>
    <name>yard::ui::PlaceDrop</name>
    <message>
        <source>Choose one queue and sort by Place: then a drag moves actions in it.</source>
        <translation>Eine Warteschlange wählen und nach Platz sortieren: dann verschiebt Ziehen Aktionen darin.</translation>
    </message>
    <message>
        <source>Only what waits has a place.</source>
        <translation>Nur was wartet, hat einen Platz.</translation>
    </message>
    <message>
        <source>They are of another queue: choose one queue.</source>
        <translation>Sie sind aus einer anderen Warteschlange: eine Warteschlange wählen.</translation>
    </message>
    <message>
        <source>These rows are still being read.</source>
        <translation>Diese Zeilen werden noch gelesen.</translation>
    </message>
    <message>
        <source>A move stays within a priority: give them the same one first.</source>
        <translation>Verschoben wird innerhalb einer Priorität: ihnen zuerst dieselbe geben.</translation>
    </message>
</context>
<context>
    <name>yard::ui::PoolPage</name>
    <message>
        <source>Pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>Restart one by one</source>
        <translation>Nacheinander neu starten</translation>
    </message>
    <message>
        <source>Detach process</source>
        <translation>Prozess herauslösen</translation>
    </message>
    <message>
        <source>Gone lately</source>
        <translation>Zuletzt gegangen</translation>
    </message>
    <message>
        <source>Warm processes by worker</source>
        <translation>Warme Prozesse nach Worker</translation>
    </message>
    <message>
        <source>Processes that are gone</source>
        <translation>Prozesse, die weg sind</translation>
    </message>
    <message>
        <source>No process has ended yet</source>
        <translation>Noch ist kein Prozess zu Ende gegangen</translation>
    </message>
    <message>
        <source>warm processes that stay between actions</source>
        <translation>warme Prozesse, die zwischen Aktionen bleiben</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>No warm worker is registered. This is one:</source>
        <translation>Kein warmer Worker ist registriert. Das ist einer:</translation>
    </message>
    <message>
        <source>Copy the example</source>
        <translation>Beispiel kopieren</translation>
    </message>
    <message>
        <source>Register…</source>
        <translation>Registrieren…</translation>
    </message>
    <message>
        <source>Copied the example</source>
        <translation>Das Beispiel ist kopiert</translation>
    </message>
    <message>
        <source>process %1</source>
        <translation>Prozess %1</translation>
    </message>
    <message>
        <source>%1, pid %2</source>
        <translation>%1, PID %2</translation>
    </message>
    <message>
        <source>action %1</source>
        <translation>Aktion %1</translation>
    </message>
    <message numerus="yes">
        <source> and %n more</source>
        <translation>
            <numerusform> und %n weitere</numerusform>
            <numerusform> und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>Select a worker or a process first</source>
        <translation>Erst einen Worker oder Prozess wählen</translation>
    </message>
    <message>
        <source>Select a process first</source>
        <translation>Erst einen Prozess wählen</translation>
    </message>
    <message>
        <source>It ends already</source>
        <translation>Er endet schon</translation>
    </message>
    <message>
        <source>Show its actions</source>
        <translation>Seine Aktionen zeigen</translation>
    </message>
    <message>
        <source>Show on timeline</source>
        <translation>Auf der Zeitachse zeigen</translation>
    </message>
    <message>
        <source>Open what it works on</source>
        <translation>Öffnen, woran er arbeitet</translation>
    </message>
    <message>
        <source>Copy pid</source>
        <translation>PID kopieren</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Warm processes</source>
        <translation>Warme Prozesse</translation>
    </message>
    <message>
        <source>It works on nothing</source>
        <translation>Er arbeitet an nichts</translation>
    </message>
    <message>
        <source>It has no pid yet</source>
        <translation>Er hat noch keine PID</translation>
    </message>
    <message>
        <source>Open output</source>
        <translation>Ausgabe öffnen</translation>
    </message>
    <message>
        <source>Output of a warm process</source>
        <translation>Ausgabe eines warmen Prozesses</translation>
    </message>
</context>
<context>
    <name>yard::ui::PoolStrip</name>
    <message>
        <source>The pool in figures</source>
        <translation>Der Pool in Zahlen</translation>
    </message>
    <message>
        <source>%1 busy</source>
        <translation>%1 beschäftigt</translation>
    </message>
    <message>
        <source>%1 idle</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>%1 starting</source>
        <translation>%1 starten</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>für %1</translation>
    </message>
    <message numerus="yes">
        <source>for %n worker(s)</source>
        <translation>
            <numerusform>für %n Worker</numerusform>
            <numerusform>für %n Worker</numerusform>
        </translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>Found an idle process</source>
        <translation>Fanden einen freien Prozess</translation>
    </message>
    <message>
        <source>Starts saved</source>
        <translation>Gesparte Starts</translation>
    </message>
    <message>
        <source>Waiting for a process</source>
        <translation>Warten auf einen Prozess</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>oldest %1</source>
        <translation>längste %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::Preview</name>
    <message>
        <source>Actual size</source>
        <translation>Originalgröße</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>The engine does not say where its content is.</source>
        <translation>Die Engine sagt nicht, wo der Inhalt ist.</translation>
    </message>
    <message>
        <source>The file is empty.</source>
        <translation>Die Datei ist leer.</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Its content is gone: the engine does not have it any more.</source>
        <translation>Der Inhalt ist weg: Die Engine hat ihn nicht mehr.</translation>
    </message>
    <message>
        <source>The content ended too early; choose the file again.</source>
        <translation>Der Inhalt endete zu früh; wählen Sie die Datei noch einmal.</translation>
    </message>
    <message>
        <source>An image of %1 is too large to show; these are its bytes.</source>
        <translation>Ein Bild von %1 ist zu groß zum Zeigen; dies sind seine Bytes.</translation>
    </message>
    <message>
        <source>JSON over %1 is shown as text.</source>
        <translation>JSON über %1 wird als Text gezeigt.</translation>
    </message>
    <message>
        <source>This is no JSON at byte %1, so it is shown as text.</source>
        <translation>Bei Byte %1 ist dies kein JSON; darum steht es hier als Text.</translation>
    </message>
    <message>
        <source>It has more values, or deeper ones, than are shown.</source>
        <translation>Es hat mehr oder tiefere Werte, als gezeigt werden.</translation>
    </message>
    <message>
        <source>%1 × %2 pixels</source>
        <translation>%1 × %2 Pixel</translation>
    </message>
    <message>
        <source>It begins as an image and cannot be read as one; these are its bytes.</source>
        <translation>Es beginnt wie ein Bild und lässt sich nicht als Bild lesen; dies sind seine Bytes.</translation>
    </message>
    <message>
        <source>The first %1 lines are shown.</source>
        <translation>Die ersten %1 Zeilen werden gezeigt.</translation>
    </message>
    <message>
        <source>The first %1 columns are shown.</source>
        <translation>Die ersten %1 Spalten werden gezeigt.</translation>
    </message>
    <message>
        <source>A quote is not closed: what follows it is taken as it is.</source>
        <translation>Ein Anführungszeichen hat kein Ende: Was ihm folgt, steht hier, wie es ist.</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>It has names of columns, and nothing below them.</source>
        <translation>Es hat Namen von Spalten und nichts darunter.</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s)</source>
        <translation>
            <numerusform>%n Zeile</numerusform>
            <numerusform>%n Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n column(s)</source>
        <translation>
            <numerusform>%n Spalte</numerusform>
            <numerusform>%n Spalten</numerusform>
        </translation>
    </message>
    <message>
        <source>The first %1 of %2.</source>
        <translation>Die ersten %1 von %2.</translation>
    </message>
    <message>
        <source>Bytes %1 to %2 of %3.</source>
        <translation>Bytes %1 bis %2 von %3.</translation>
    </message>
</context>
<context>
    <name>yard::ui::ProcessOutput</name>
    <message>
        <source>Close the output</source>
        <translation>Ausgabe schließen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Output of process %1</source>
        <translation>Ausgabe von Prozess %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>It has printed nothing.</source>
        <translation>Er hat nichts ausgegeben.</translation>
    </message>
    <message>
        <source>What it printed is no longer kept.</source>
        <translation>Was er ausgegeben hat, ist nicht mehr aufgehoben.</translation>
    </message>
    <message>
        <source>%1, %2; the end of each is kept</source>
        <translation>%1, %2; von beiden ist das Ende aufgehoben</translation>
    </message>
</context>
<context>
    <name>yard::ui::ProcessorPanel</name>
    <message>
        <source>Using the processor now</source>
        <translation>Wer den Prozessor benutzt</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>What runs</source>
        <translation>Was läuft</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>What runs it</source>
        <translation>Wer es ausführt</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Cores in use, over the last look</source>
        <translation>Benutzte Kerne, beim letzten Blick</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Of all its processes</source>
        <translation>Aller ihrer Prozesse</translation>
    </message>
    <message>
        <source>1 more action</source>
        <translation>1 weitere Aktion</translation>
    </message>
    <message>
        <source>%1 more actions</source>
        <translation>%1 weitere Aktionen</translation>
    </message>
    <message>
        <source>others</source>
        <translation>andere</translation>
    </message>
    <message>
        <source>none runs</source>
        <translation>nichts läuft</translation>
    </message>
    <message>
        <source>1 running</source>
        <translation>1 läuft</translation>
    </message>
    <message>
        <source>All %1 running</source>
        <translation>Alle %1 laufenden</translation>
    </message>
</context>
<context>
    <name>yard::ui::ProfilePanel</name>
    <message>
        <source>Profiler</source>
        <translation>Profiler</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>Bericht…</translation>
    </message>
    <message>
        <source>Stop and show</source>
        <translation>Beenden und zeigen</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Measure first</source>
        <translation>Zuerst messen</translation>
    </message>
    <message>
        <source>Measuring what the engine&apos;s threads do…</source>
        <translation>Es wird gemessen, was die Fäden der Engine tun…</translation>
    </message>
    <message>
        <source>On the engine&apos;s machine: yardctl profile show %1</source>
        <translation>Auf dem Rechner der Engine: yardctl profile show %1</translation>
    </message>
    <message>
        <source>%1, of them %2 on the processor</source>
        <translation>%1, davon %2 auf dem Prozessor</translation>
    </message>
    <message>
        <source>Width is time on the processor. A click zooms, a click above goes back.</source>
        <translation>Die Breite ist Zeit auf dem Prozessor. Ein Klick vergrößert, ein Klick darüber geht zurück.</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Bericht speichern</translation>
    </message>
</context>
<context>
    <name>yard::ui::QueueCommands</name>
    <message>
        <source>Show actions</source>
        <translation>Aktionen zeigen</translation>
    </message>
    <message>
        <source>Show failures</source>
        <translation>Fehlschläge zeigen</translation>
    </message>
    <message>
        <source>Reschedule failures</source>
        <translation>Fehlschläge neu einreihen</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>Freigeben</translation>
    </message>
    <message>
        <source>Drain…</source>
        <translation>Leerlaufen…</translation>
    </message>
    <message>
        <source>Cancel…</source>
        <translation>Abbrechen…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Copy token</source>
        <translation>Token kopieren</translation>
    </message>
    <message>
        <source>Select a queue first</source>
        <translation>Wählen Sie zuerst eine Warteschlange</translation>
    </message>
    <message>
        <source>The default queue can be held, but not drained, cancelled or deleted</source>
        <translation>Die Standard-Warteschlange kann angehalten, aber nicht leerlaufen gelassen, abgebrochen oder gelöscht werden</translation>
    </message>
    <message>
        <source>Nothing of it has failed</source>
        <translation>Nichts von ihr ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>It is held already</source>
        <translation>Sie ist schon angehalten</translation>
    </message>
    <message>
        <source>It is not held</source>
        <translation>Sie ist nicht angehalten</translation>
    </message>
    <message>
        <source>Drain %1?</source>
        <translation>%1 leerlaufen lassen?</translation>
    </message>
    <message numerus="yes">
        <source>It takes no new actions from then on; the %n it has run to their end.</source>
        <translation>
            <numerusform>Sie nimmt von da an keine neuen Aktionen; die %n, die sie hat, läuft zu Ende.</numerusform>
            <numerusform>Sie nimmt von da an keine neuen Aktionen; die %n, die sie hat, laufen zu Ende.</numerusform>
        </translation>
    </message>
    <message>
        <source>Drain %1</source>
        <translation>%1 leerlaufen lassen</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>Lassen</translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Delete %1?</source>
        <translation>%1 löschen?</translation>
    </message>
    <message numerus="yes">
        <source>%n action(s) of it are cancelled. Its finished actions stay. This cannot be undone.</source>
        <translation>
            <numerusform>%n Aktion von ihr wird abgebrochen. Ihre beendeten Aktionen bleiben. Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>%n Aktionen von ihr werden abgebrochen. Ihre beendeten Aktionen bleiben. Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message numerus="yes">
        <source>Cancel %Ln action(s) in %1?</source>
        <translation>
            <numerusform>%Ln Aktion in %1 abbrechen?</numerusform>
            <numerusform>%Ln Aktionen in %1 abbrechen?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) and end(s) now; the queue takes no more. This cannot be undone.</source>
        <translation>
            <numerusform>%Ln läuft und wird beendet; die Warteschlange nimmt keine mehr. Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>%Ln laufen und werden beendet; die Warteschlange nimmt keine mehr. Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %Ln action(s)</source>
        <translation>
            <numerusform>%Ln Aktion abbrechen</numerusform>
            <numerusform>%Ln Aktionen abbrechen</numerusform>
        </translation>
    </message>
    <message>
        <source>Comment…</source>
        <translation>Kommentar …</translation>
    </message>
    <message>
        <source>Set weight…</source>
        <translation>Gewicht setzen…</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Set weight</source>
        <translation>Gewicht setzen</translation>
    </message>
    <message>
        <source>Share against other queues</source>
        <translation>Anteil gegenüber anderen Warteschlangen</translation>
    </message>
</context>
<context>
    <name>yard::ui::QueueDrop</name>
    <message numerus="yes">
        <source>Move %n action(s) to %1</source>
        <translation>
            <numerusform>%n Aktion nach %1 verschieben</numerusform>
            <numerusform>%n Aktionen nach %1 verschieben</numerusform>
        </translation>
    </message>
    <message>
        <source>Submit actions to %1</source>
        <translation>Aktionen an %1 abgeben</translation>
    </message>
    <message numerus="yes">
        <source>Submit %n action(s) to %1</source>
        <translation>
            <numerusform>%n Aktion an %1 abgeben</numerusform>
            <numerusform>%n Aktionen an %1 abgeben</numerusform>
        </translation>
    </message>
    <message>
        <source>Drop a file with actions onto the queue that is to have them.</source>
        <translation>Legen Sie eine Datei mit Aktionen auf die Warteschlange, die sie haben soll.</translation>
    </message>
</context>
<context>
    <name>yard::ui::QueuePanel</name>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Weight against other queues</source>
        <translation>Gewicht gegenüber anderen</translation>
    </message>
    <message>
        <source>Running at once, at most</source>
        <translation>Höchstens gleichzeitig</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Retries</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>Frist</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>the engine&apos;s</source>
        <translation>die der Engine</translation>
    </message>
    <message>
        <source>Stop after failures</source>
        <translation>Halt nach Fehlschlägen</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>Forgotten when idle for</source>
        <translation>Vergessen, wenn leer seit</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>change in place</source>
        <translation>hier ändern</translation>
    </message>
    <message>
        <source>No queue</source>
        <translation>Keine Warteschlange</translation>
    </message>
    <message>
        <source>queue %1</source>
        <translation>Nr. %1</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>done %1</source>
        <translation>erledigt %1</translation>
    </message>
    <message>
        <source>left</source>
        <translation>übrig</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 Fehler</translation>
    </message>
    <message numerus="yes">
        <source>%Ln running</source>
        <translation>
            <numerusform>%Ln läuft</numerusform>
            <numerusform>%Ln laufen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln waiting</source>
        <translation>
            <numerusform>%Ln wartet</numerusform>
            <numerusform>%Ln warten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::QueuePictures</name>
    <message>
        <source>Last pictures</source>
        <translation>Letzte Bilder</translation>
    </message>
</context>
<context>
    <name>yard::ui::QueueSource</name>
    <message>
        <source>queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Queue, %1 left, %2 failed</source>
        <translation>Warteschlange, %1 übrig, %2 gescheitert</translation>
    </message>
</context>
<context>
    <name>yard::ui::QueueTroubles</name>
    <message>
        <source>Failures by kind</source>
        <translation>Fehlschläge nach Art</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>How it ended, and what ran</source>
        <translation>Wie es endete, und was lief</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Actions that failed so</source>
        <translation>Aktionen, die so fehlschlugen</translation>
    </message>
    <message>
        <source>Recent events</source>
        <translation>Letzte Ereignisse</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>%1 zeigen</translation>
    </message>
    <message>
        <source>Reschedule</source>
        <translation>Neu einreihen</translation>
    </message>
    <message>
        <source>Nothing of it has failed.</source>
        <translation>Nichts von ihr ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>of the last %1</source>
        <translation>der letzten %1</translation>
    </message>
    <message>
        <source>%1 failed: %2</source>
        <translation>%1 gescheitert: %2</translation>
    </message>
    <message>
        <source>Nothing yet.</source>
        <translation>Noch nichts.</translation>
    </message>
</context>
<context>
    <name>yard::ui::QueueWork</name>
    <message>
        <source>Waits for</source>
        <translation>Wartet auf</translation>
    </message>
    <message>
        <source>What pending actions wait for</source>
        <translation>Worauf wartende Aktionen warten</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>How many of them</source>
        <translation>Wie viele davon</translation>
    </message>
    <message>
        <source>Actions left</source>
        <translation>Übrige Aktionen</translation>
    </message>
    <message>
        <source>actions left</source>
        <translation>übrige Aktionen</translation>
    </message>
    <message>
        <source>What waiting actions wait for</source>
        <translation>Worauf die Wartenden warten</translation>
    </message>
    <message>
        <source>No queue</source>
        <translation>Keine Warteschlange</translation>
    </message>
    <message>
        <source>%1: actions left</source>
        <translation>%1: übrige Aktionen</translation>
    </message>
    <message>
        <source>None of its actions waits</source>
        <translation>Keine ihrer Aktionen wartet</translation>
    </message>
    <message>
        <source>What its waiting action waits for</source>
        <translation>Worauf ihre wartende Aktion wartet</translation>
    </message>
    <message>
        <source>What its %1 waiting actions wait for</source>
        <translation>Worauf ihre %1 wartenden Aktionen warten</translation>
    </message>
    <message>
        <source>of the first %1 to start</source>
        <translation>der ersten %1 beim Starten</translation>
    </message>
    <message>
        <source>now: %1 left</source>
        <translation>jetzt: %1 übrig</translation>
    </message>
    <message>
        <source>done %1</source>
        <translation>erledigt %1</translation>
    </message>
    <message>
        <source>done %1, between %2 and %3</source>
        <translation>erledigt %1, zwischen %2 und %3</translation>
    </message>
    <message>
        <source>when it is done is not known yet</source>
        <translation>wann sie fertig ist, ist noch nicht bekannt</translation>
    </message>
    <message>
        <source>end not known: %1</source>
        <translation>Ende nicht bekannt: %1</translation>
    </message>
    <message>
        <source>%1 completed within the last 60 s</source>
        <translation>%1 in den letzten 60 s fertig</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Übrig</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Karte</translation>
    </message>
</context>
<context>
    <name>yard::ui::QueuesPage</name>
    <message>
        <source>Queues</source>
        <translation>Warteschlangen</translation>
    </message>
    <message>
        <source>Filter queues</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Drain…</source>
        <translation>Leerlaufen…</translation>
    </message>
    <message>
        <source>Cancel…</source>
        <translation>Abbrechen…</translation>
    </message>
    <message>
        <source>New queue…</source>
        <translation>Neue Warteschlange…</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>Freigeben</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>Zeitpläne</translation>
    </message>
    <message>
        <source>Queues and schedules</source>
        <translation>Warteschlangen und Zeitpläne</translation>
    </message>
    <message>
        <source>Filter schedules</source>
        <translation>Zeitpläne filtern</translation>
    </message>
    <message>
        <source>Go to the tab Queues first</source>
        <translation>Zuerst auf den Reiter Warteschlangen wechseln</translation>
    </message>
</context>
<context>
    <name>yard::ui::Rail</name>
    <message>
        <source>Ctrl+,</source>
        <translation>Strg+,</translation>
    </message>
    <message>
        <source>Ctrl+%1</source>
        <translation>Strg+%1</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
</context>
<context>
    <name>yard::ui::RecordForm</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Letters, digits, dots, dashes and underscores.</source>
        <translation>Buchstaben, Ziffern, Punkte, Striche und Unterstriche.</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Aufzeichnen</translation>
    </message>
    <message>
        <source>Record actions</source>
        <translation>Aktionen aufzeichnen</translation>
    </message>
    <message>
        <source>What ends from now on, until it is stopped</source>
        <translation>Was von jetzt an endet, bis sie gestoppt wird</translation>
    </message>
    <message>
        <source>What has ended, and is kept</source>
        <translation>Was beendet und aufgehoben ist</translation>
    </message>
    <message>
        <source>All that they read and left</source>
        <translation>Alles, was sie lasen und hinterließen</translation>
    </message>
    <message>
        <source>What they read</source>
        <translation>Was sie lasen</translation>
    </message>
    <message>
        <source>None: only hashes</source>
        <translation>Keine: nur Hashes</translation>
    </message>
    <message>
        <source>Which</source>
        <translation>Welche</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>As on the page Actions. Empty: all of them.</source>
        <translation>Wie auf der Seite Aktionen. Leer: alle.</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Without what they left a replay compares by hash alone.</source>
        <translation>Ohne das, was sie hinterließen, wird nur nach Hash verglichen.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>This wants letters, digits, dots, dashes or underscores, at most 100</source>
        <translation>Hier gehören Buchstaben, Ziffern, Punkte, Striche oder Unterstriche hin, höchstens 100</translation>
    </message>
    <message>
        <source>The engine is asked</source>
        <translation>Die Engine wird gefragt</translation>
    </message>
</context>
<context>
    <name>yard::ui::RecordedList</name>
    <message>
        <source>The action as it was posted and as it ended</source>
        <translation>Die Aktion, wie sie aufgegeben wurde und wie sie endete</translation>
    </message>
    <message>
        <source>Actions of the recording</source>
        <translation>Aktionen der Aufzeichnung</translation>
    </message>
    <message>
        <source>Reading the recording…</source>
        <translation>Liest die Aufzeichnung…</translation>
    </message>
    <message>
        <source>an action has more text than is shown here</source>
        <translation>eine Aktion hat mehr Text, als hier gezeigt wird</translation>
    </message>
    <message>
        <source>the engine sent what is no recording</source>
        <translation>die Engine sandte etwas, das keine Aufzeichnung ist</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>The recording has no actions</source>
        <translation>Die Aufzeichnung hat keine Aktionen</translation>
    </message>
</context>
<context>
    <name>yard::ui::RecordingPanel</name>
    <message>
        <source>Earlier replays</source>
        <translation>Frühere Wiederholungen</translation>
    </message>
    <message>
        <source>Replay again</source>
        <translation>Erneut ausführen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Abweichungen</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>What a replay did otherwise</source>
        <translation>Was eine Wiederholung anders machte</translation>
    </message>
    <message>
        <source>Replay of %1</source>
        <translation>Wiederholung von %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s), never replayed</source>
        <translation>
            <numerusform>%Ln Aktion, nie wiederholt</numerusform>
            <numerusform>%Ln Aktionen, nie wiederholt</numerusform>
        </translation>
    </message>
    <message>
        <source>Replay…</source>
        <translation>Wiederholen…</translation>
    </message>
    <message>
        <source>Replay again…</source>
        <translation>Erneut wiederholen…</translation>
    </message>
    <message>
        <source>Stop the recording to see its actions</source>
        <translation>Die Aufzeichnung stoppen, um ihre Aktionen zu sehen</translation>
    </message>
    <message>
        <source>It was not replayed since the engine started</source>
        <translation>Seit dem Start der Engine wurde sie nicht wiederholt</translation>
    </message>
    <message>
        <source>asking…</source>
        <translation>fragt…</translation>
    </message>
    <message>
        <source>No difference until now</source>
        <translation>Bis jetzt keine Abweichung</translation>
    </message>
    <message>
        <source>Nothing differs</source>
        <translation>Nichts weicht ab</translation>
    </message>
    <message>
        <source>Select a difference to see both sides</source>
        <translation>Eine Abweichung auswählen, um beide Seiten zu sehen</translation>
    </message>
</context>
<context>
    <name>yard::ui::RecordingsPage</name>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Replay…</source>
        <translation>Wiederholen…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Record…</source>
        <translation>Aufzeichnen…</translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation>Aufzeichnung öffnen…</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Nothing was recorded yet</source>
        <translation>Noch nichts wurde aufgezeichnet</translation>
    </message>
    <message>
        <source>Select a recording first</source>
        <translation>Erst eine Aufzeichnung auswählen</translation>
    </message>
    <message>
        <source>Stop it first</source>
        <translation>Sie erst stoppen</translation>
    </message>
    <message>
        <source>It is over already</source>
        <translation>Sie ist schon beendet</translation>
    </message>
    <message>
        <source>No replay of it runs</source>
        <translation>Keine Wiederholung von ihr läuft</translation>
    </message>
    <message>
        <source>Cancel the replay</source>
        <translation>Wiederholung abbrechen</translation>
    </message>
    <message>
        <source>Show its actions</source>
        <translation>Ihre Aktionen zeigen</translation>
    </message>
    <message>
        <source>Write a note…</source>
        <translation>Notiz schreiben…</translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation>Aufzeichnung öffnen</translation>
    </message>
    <message>
        <source>Recordings (*.yrec)</source>
        <translation>Aufzeichnungen (*.yrec)</translation>
    </message>
    <message>
        <source>%1 is no name of a recording.</source>
        <translation>%1 ist kein Name einer Aufzeichnung.</translation>
    </message>
    <message>
        <source>Bringing %1 to the engine…</source>
        <translation>Bringt %1 zur Engine…</translation>
    </message>
    <message>
        <source>%1 is here</source>
        <translation>%1 ist da</translation>
    </message>
    <message>
        <source>Export the recording</source>
        <translation>Aufzeichnung exportieren</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Gespeichert als %1</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Note on %1</source>
        <translation>Notiz zu %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln action(s) and %1 of files go with it. This cannot be undone.</source>
        <translation>
            <numerusform>%Ln Aktion und %1 an Dateien gehen mit ihr. Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>%Ln Aktionen und %1 an Dateien gehen mit ihr. Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete %1?</source>
        <translation>%1 löschen?</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>Another engine made it: its times are not in these Timelines</source>
        <translation>Eine andere Engine hat sie gemacht: ihre Zeiten sind nicht in diesen Zeitlinien</translation>
    </message>
    <message>
        <source>When it was is not known</source>
        <translation>Wann sie war, ist nicht bekannt</translation>
    </message>
    <message>
        <source>Open in Timelines</source>
        <translation>In Zeitlinien öffnen</translation>
    </message>
</context>
<context>
    <name>yard::ui::RegisterForm</name>
    <message>
        <source>may use the network</source>
        <translation>darf das Netz benutzen</translation>
    </message>
    <message>
        <source>Ask it</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Register</source>
        <translation>Registrieren</translation>
    </message>
    <message>
        <source>Register a worker</source>
        <translation>Einen Worker registrieren</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Program, folder or descriptor</source>
        <translation>Programm, Ordner oder Beschreibung</translation>
    </message>
    <message>
        <source>A program, a folder with worker.json, or a descriptor; or drop one here</source>
        <translation>Ein Programm, ein Ordner mit worker.json oder eine Beschreibung; oder legen Sie eines hier ab</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>Datei…</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Ordner…</translation>
    </message>
    <message>
        <source>Program or descriptor</source>
        <translation>Programm oder Beschreibung</translation>
    </message>
    <message>
        <source>Folder of the worker</source>
        <translation>Ordner des Workers</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Relative to the folder; one of its files.</source>
        <translation>Relativ zum Ordner; eine seiner Dateien.</translation>
    </message>
    <message>
        <source>Functions</source>
        <translation>Funktionen</translation>
    </message>
    <message>
        <source>Separated by commas, each with its version behind it: thumb 1, convert 2</source>
        <translation>Durch Komma getrennt, jede mit ihrer Version: thumb 1, convert 2</translation>
    </message>
    <message>
        <source>Runs the program once with --describe, for 5 s at most</source>
        <translation>Startet das Programm einmal mit --describe, höchstens 5 s lang</translation>
    </message>
    <message>
        <source>process: started for each action</source>
        <translation>process: für jede Aktion gestartet</translation>
    </message>
    <message>
        <source>warm: stays between actions</source>
        <translation>warm: bleibt zwischen Aktionen</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Reserved for each action; empty is 1.</source>
        <translation>Für jede Aktion reserviert; leer ist 1.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Reserved, and the limit in the sandbox; empty is the engine&apos;s own.</source>
        <translation>Reserviert, und die Grenze in der Sandbox; leer ist die der Engine.</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>Frist</translation>
    </message>
    <message>
        <source>How long an attempt may take; empty is the engine&apos;s own.</source>
        <translation>Wie lange ein Versuch dauern darf; leer ist die der Engine.</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Descriptor</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Descriptor as JSON</source>
        <translation>Beschreibung als JSON</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 wird gelesen…</translation>
    </message>
    <message>
        <source>This wants a number</source>
        <translation>Hier gehört eine Zahl hin</translation>
    </message>
    <message>
        <source>A descriptor is a JSON object.</source>
        <translation>Eine Beschreibung ist ein JSON-Objekt.</translation>
    </message>
    <message>
        <source>asking the program…</source>
        <translation>das Programm wird gefragt…</translation>
    </message>
    <message>
        <source>as the program says</source>
        <translation>wie das Programm sagt</translation>
    </message>
    <message>
        <source>Reading and hashing its files…</source>
        <translation>Seine Dateien werden gelesen und gehasht…</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>Wird gesendet…</translation>
    </message>
    <message>
        <source>%1 is registered as %2</source>
        <translation>%1 ist registriert als %2</translation>
    </message>
    <message>
        <source>See %1.</source>
        <translation>%1 ansehen.</translation>
    </message>
    <message>
        <source>It is being registered</source>
        <translation>Er wird gerade registriert</translation>
    </message>
    <message>
        <source>Choose a program, a folder or a descriptor first</source>
        <translation>Wählen Sie zuerst ein Programm, einen Ordner oder eine Beschreibung</translation>
    </message>
    <message>
        <source>There is no program yet</source>
        <translation>Noch gibt es kein Programm</translation>
    </message>
</context>
<context>
    <name>yard::ui::ReplayForm</name>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>So many times as fast as recorded. Empty: as fast as it goes.</source>
        <translation>So viel Mal so schnell wie aufgezeichnet. Leer: so schnell es geht.</translation>
    </message>
    <message>
        <source>Numbers may differ by</source>
        <translation>Zahlen dürfen abweichen um</translation>
    </message>
    <message>
        <source>Relative to the larger one, from 0 to 1. Empty: not at all.</source>
        <translation>Im Verhältnis zur größeren, von 0 bis 1. Leer: gar nicht.</translation>
    </message>
    <message>
        <source>Its actions are submitted again, in a queue of their own. What they write elsewhere they write again.</source>
        <translation>Ihre Aktionen werden erneut aufgegeben, in einer eigenen Warteschlange. Was sie anderswo schreiben, schreiben sie wieder.</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Replay %1</source>
        <translation>%1 erneut ausführen</translation>
    </message>
    <message>
        <source>Worker instead</source>
        <translation>Anderer Worker</translation>
    </message>
    <message>
        <source>name@version, in place of its other versions.</source>
        <translation>name@version, anstelle seiner anderen Versionen.</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Which of its actions. Empty: all of them.</source>
        <translation>Welche ihrer Aktionen. Leer: alle.</translation>
    </message>
    <message>
        <source>Do not compare</source>
        <translation>Nicht vergleichen</translation>
    </message>
    <message>
        <source>This wants a number from 0.001 to 1,000,000</source>
        <translation>Hier gehört eine Zahl von 0,001 bis 1.000.000 hin</translation>
    </message>
    <message>
        <source>This wants a number from 0 to 1</source>
        <translation>Hier gehört eine Zahl von 0 bis 1 hin</translation>
    </message>
    <message>
        <source>The engine is asked</source>
        <translation>Die Engine wird gefragt</translation>
    </message>
</context>
<context>
    <name>yard::ui::ResultView</name>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>the first %1 of %2</source>
        <translation>die ersten %1 von %2</translation>
    </message>
    <message>
        <source>Copied the result of action %1</source>
        <translation>Ergebnis der Aktion %1 kopiert</translation>
    </message>
    <message>
        <source>Save the result</source>
        <translation>Ergebnis speichern</translation>
    </message>
</context>
<context>
    <name>yard::ui::RunsChart</name>
    <message>
        <source>Durations and memory of the last runs</source>
        <translation>Dauer und Speicher der letzten Läufe</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Spitze Speicher</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>It has not run yet</source>
        <translation>Er lief noch nicht</translation>
    </message>
    <message>
        <source>%1 %2, %3: %4, %5</source>
        <translation>%1 %2, %3: %4, %5</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 fehlgeschlagen</translation>
    </message>
</context>
<context>
    <name>yard::ui::SamplesView</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Cores it used while it ran</source>
        <translation>Kerne, die sie während des Laufs belegte</translation>
    </message>
    <message>
        <source>Memory it used while it ran</source>
        <translation>Speicher, den sie während des Laufs belegte</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Reading what it used…</source>
        <translation>Verbrauch wird gelesen …</translation>
    </message>
    <message>
        <source>It ran too short to be measured over time</source>
        <translation>Sie lief zu kurz, um über die Zeit gemessen zu werden</translation>
    </message>
    <message>
        <source>It never started</source>
        <translation>Sie ist nie gestartet</translation>
    </message>
    <message>
        <source>It has not started yet</source>
        <translation>Sie ist noch nicht gestartet</translation>
    </message>
    <message>
        <source>It has not been measured yet</source>
        <translation>Sie wurde noch nicht gemessen</translation>
    </message>
    <message>
        <source>Utilisation of its GPUs while it ran</source>
        <translation>Auslastung ihrer GPUs, während sie lief</translation>
    </message>
    <message>
        <source>Memory of its GPUs that it used while it ran</source>
        <translation>Speicher ihrer GPUs, den sie nutzte, während sie lief</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU-Speicher</translation>
    </message>
</context>
<context>
    <name>yard::ui::SandboxTab</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>When it was refused</source>
        <translation>Wann es verweigert wurde</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>System call, link or special file</source>
        <translation>Systemaufruf, Link oder besondere Datei</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>What it was about</source>
        <translation>Worum es ging</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>What the program was told</source>
        <translation>Was dem Programm gesagt wurde</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>Which process, by its number in the sandbox</source>
        <translation>Welcher Prozess, mit seiner Nummer in der Sandbox</translation>
    </message>
    <message>
        <source>What helps</source>
        <translation>Was hilft</translation>
    </message>
    <message>
        <source>What can be done about it</source>
        <translation>Was sich dagegen tun lässt</translation>
    </message>
    <message>
        <source>You may allow</source>
        <translation>Sie können erlauben</translation>
    </message>
    <message>
        <source>What the sandbox denied</source>
        <translation>Was die Sandbox verweigerte</translation>
    </message>
    <message>
        <source>In force</source>
        <translation>In Kraft</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>Allow…</source>
        <translation>Erlauben…</translation>
    </message>
    <message>
        <source>Nothing was denied.</source>
        <translation>Nichts wurde verweigert.</translation>
    </message>
    <message>
        <source>%1, and run the action again?</source>
        <translation>%1 und die Aktion noch einmal laufen lassen?</translation>
    </message>
    <message>
        <source>Allow and run again</source>
        <translation>Erlauben und noch einmal</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>Lassen</translation>
    </message>
</context>
<context>
    <name>yard::ui::ScheduleForm</name>
    <message>
        <source>Started late</source>
        <translation>Verspätet gestartet</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>Verpasst</translation>
    </message>
    <message>
        <source>The one before ran</source>
        <translation>Der vorige lief noch</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>Abgewiesen</translation>
    </message>
    <message>
        <source>Due</source>
        <translation>Fällig</translation>
    </message>
    <message>
        <source>When it was to start</source>
        <translation>Wann er starten sollte</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>What became of it</source>
        <translation>Was daraus wurde</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>The first of its actions</source>
        <translation>Die erste seiner Aktionen</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>Times that it stands for, or why it was refused</source>
        <translation>Zeiten, für die er steht, oder warum er abgewiesen wurde</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>A line of /bin/sh.</source>
        <translation>Eine Zeile für /bin/sh.</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>at times of the day</source>
        <translation>zu Uhrzeiten</translation>
    </message>
    <message>
        <source>again and again</source>
        <translation>immer wieder</translation>
    </message>
    <message>
        <source>once</source>
        <translation>einmal</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Minute, hour, day, month, weekday: 0 3 * * 1-5; or @daily.</source>
        <translation>Minute, Stunde, Tag, Monat, Wochentag: 0 3 * * 1-5; oder @daily.</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
    <message>
        <source>Europe/Berlin; empty: that of the engine</source>
        <translation>Europe/Berlin; leer: die der Engine</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Moment</source>
        <translation>Zeitpunkt</translation>
    </message>
    <message>
        <source>2026-12-24 18:00, by the clock of this machine</source>
        <translation>2026-12-24 18:00, nach der Uhr dieses Rechners</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Its number; empty: queue 0</source>
        <translation>Ihre Nummer; leer: Warteschlange 0</translation>
    </message>
    <message>
        <source>What was missed</source>
        <translation>Was verpasst wurde</translation>
    </message>
    <message>
        <source>runs once</source>
        <translation>läuft einmal</translation>
    </message>
    <message>
        <source>does not run</source>
        <translation>läuft nicht</translation>
    </message>
    <message>
        <source>runs each time</source>
        <translation>läuft jedes Mal</translation>
    </message>
    <message>
        <source>If the one before runs</source>
        <translation>Wenn der vorige noch läuft</translation>
    </message>
    <message>
        <source>it does not start</source>
        <translation>startet er nicht</translation>
    </message>
    <message>
        <source>it waits for its end</source>
        <translation>wartet er auf dessen Ende</translation>
    </message>
    <message>
        <source>that is cancelled</source>
        <translation>wird der vorige abgebrochen</translation>
    </message>
    <message>
        <source>both run</source>
        <translation>laufen beide</translation>
    </message>
    <message>
        <source>Later by up to</source>
        <translation>Später um bis zu</translation>
    </message>
    <message>
        <source>Always by the same; empty: at once.</source>
        <translation>Immer um dasselbe; leer: sofort.</translation>
    </message>
    <message>
        <source>The next ten times</source>
        <translation>Die nächsten zehn Zeiten</translation>
    </message>
    <message>
        <source>The last hundred runs</source>
        <translation>Die letzten hundert Läufe</translation>
    </message>
    <message>
        <source>stays as it is</source>
        <translation>bleibt, wie er ist</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message numerus="yes">
        <source>for %Ln more</source>
        <translation>
            <numerusform>für einen weiteren</numerusform>
            <numerusform>für %Ln weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>von Hand</translation>
    </message>
    <message>
        <source>Its runs stand here</source>
        <translation>Hier stehen seine Läufe</translation>
    </message>
    <message>
        <source>It has not run yet</source>
        <translation>Er lief noch nicht</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>in %1</translation>
    </message>
    <message>
        <source>It would never be due.</source>
        <translation>Er wäre nie fällig.</translation>
    </message>
    <message>
        <source>It needs a name</source>
        <translation>Er braucht einen Namen</translation>
    </message>
    <message>
        <source>Say what is to run</source>
        <translation>Sagen Sie, was laufen soll</translation>
    </message>
</context>
<context>
    <name>yard::ui::SchedulesPane</name>
    <message>
        <source>Schedule</source>
        <translation>Zeitplan</translation>
    </message>
    <message>
        <source>Its name</source>
        <translation>Sein Name</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>A line of crontab, a distance, or a moment</source>
        <translation>Eine Zeile wie in crontab, ein Abstand oder ein Zeitpunkt</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächster</translation>
    </message>
    <message>
        <source>When it starts next</source>
        <translation>Wann er als Nächstes startet</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>Letzter</translation>
    </message>
    <message>
        <source>When it was last due, and whether it started</source>
        <translation>Wann er zuletzt fällig war, und ob er startete</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Its runs that have not ended</source>
        <translation>Seine Läufe, die noch nicht zu Ende sind</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>New schedule</source>
        <translation>Neuer Zeitplan</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>Zeitpläne</translation>
    </message>
    <message>
        <source>Nothing runs at certain times yet</source>
        <translation>Noch läuft nichts zu bestimmten Zeiten</translation>
    </message>
    <message>
        <source>Choose a schedule first</source>
        <translation>Zuerst einen Zeitplan wählen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Remove schedule %1?</source>
        <translation>Zeitplan %1 entfernen?</translation>
    </message>
    <message>
        <source>What runs of it goes on. Nothing of it is due any more.</source>
        <translation>Was davon läuft, läuft weiter. Fällig ist davon nichts mehr.</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>yard::ui::SearchButton</name>
    <message>
        <source>Search actions, or run a command</source>
        <translation>Aktion oder Befehl suchen</translation>
    </message>
    <message>
        <source>Ctrl K</source>
        <translation>Strg K</translation>
    </message>
    <message>
        <source>Search, command</source>
        <translation>Suche, Befehl</translation>
    </message>
</context>
<context>
    <name>yard::ui::SearchSource</name>
    <message>
        <source>Search actions for %1</source>
        <translation>Aktionen suchen: %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::SelectionStrip</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>The selected bar</source>
        <translation>Der gewählte Balken</translation>
    </message>
    <message>
        <source>Select a bar first</source>
        <translation>Wählen Sie zuerst einen Balken</translation>
    </message>
    <message>
        <source>No bar is selected</source>
        <translation>Kein Balken ist gewählt</translation>
    </message>
    <message>
        <source>Click a bar, or press F3 with a filter</source>
        <translation>Klicken Sie einen Balken an, oder F3 mit einem Filter</translation>
    </message>
    <message>
        <source>and %1 more in one step; zoom in</source>
        <translation>und %1 weitere in einem Schritt; hineinzoomen</translation>
    </message>
    <message>
        <source>slot %1</source>
        <translation>Slot %1</translation>
    </message>
    <message>
        <source>%1 slot %2</source>
        <translation>%1 Slot %2</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>seit %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1, %2, %3</translation>
    </message>
</context>
<context>
    <name>yard::ui::SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>No setting matches</source>
        <translation>Keine Einstellung passt</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
</context>
<context>
    <name>yard::ui::SleepGuard</name>
    <message>
        <source>Actions run</source>
        <translation>Aktionen laufen</translation>
    </message>
</context>
<context>
    <name>yard::ui::StateChip</name>
    <message>
        <source>%1 and more</source>
        <translation>%1 und mehr</translation>
    </message>
</context>
<context>
    <name>yard::ui::StateHistory</name>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>The states it was in, oldest first</source>
        <translation>Die Zustände, in denen sie war, ältester zuerst</translation>
    </message>
    <message>
        <source>At</source>
        <translation>Um</translation>
    </message>
    <message>
        <source>When it came</source>
        <translation>Wann er kam</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>How long, until the next one came</source>
        <translation>Wie lange, bis der nächste kam</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>Of which attempt</source>
        <translation>Von welchem Versuch</translation>
    </message>
    <message>
        <source>Slot</source>
        <translation>Slot</translation>
    </message>
    <message>
        <source>In which slot of its worker the attempt was, as far as the timelines know</source>
        <translation>In welchem Slot seines Workers der Versuch war, soweit die Zeitachsen es wissen</translation>
    </message>
    <message>
        <source>Exit</source>
        <translation>Exit</translation>
    </message>
    <message>
        <source>The exit code</source>
        <translation>Der Exit-Code</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Why the attempt ended</source>
        <translation>Warum der Versuch endete</translation>
    </message>
    <message>
        <source>State history</source>
        <translation>Verlauf der Zustände</translation>
    </message>
    <message>
        <source>Collecting</source>
        <translation>Wird eingesammelt</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1 für %2</translation>
    </message>
    <message>
        <source>attempt %1</source>
        <translation>Versuch %1</translation>
    </message>
    <message>
        <source>slot %1</source>
        <translation>Slot %1</translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation>Exit-Code %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::StateMap</name>
    <message>
        <source>The engine&apos;s list of numbers cannot be read.</source>
        <translation>Die Nummernliste der Engine ist nicht lesbar.</translation>
    </message>
    <message>
        <source>The engine did not come to the end of its list.</source>
        <translation>Die Engine kam nicht ans Ende ihrer Liste.</translation>
    </message>
    <message>
        <source>%1 actions are too many for a map, which takes %2.</source>
        <translation>%1 Aktionen sind zu viele für eine Karte, die %2 fasst.</translation>
    </message>
</context>
<context>
    <name>yard::ui::StateStrip</name>
    <message>
        <source>Actions by state</source>
        <translation>Aktionen nach Zustand</translation>
    </message>
</context>
<context>
    <name>yard::ui::StateView</name>
    <message>
        <source>States and moves</source>
        <translation>Zustände und Schritte</translation>
    </message>
    <message numerus="yes">
        <source>%Ln object(s)</source>
        <translation>
            <numerusform>%Ln Objekt</numerusform>
            <numerusform>%Ln Objekte</numerusform>
        </translation>
    </message>
    <message>
        <source>new objects begin here</source>
        <translation>neue Objekte beginnen hier</translation>
    </message>
    <message>
        <source>final</source>
        <translation>am Ende</translation>
    </message>
    <message>
        <source>claimed by nobody</source>
        <translation>beansprucht niemand</translation>
    </message>
    <message>
        <source>may become %1</source>
        <translation>wird zu %1</translation>
    </message>
    <message>
        <source>begins here</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>%1 made per min</source>
        <translation>%1 neu pro min</translation>
    </message>
    <message>
        <source>%1 (%2 per min)</source>
        <translation>%1 (%2 pro min)</translation>
    </message>
    <message>
        <source>Numbers on arrows: moves per minute, of the last ten minutes</source>
        <translation>Zahlen an Pfeilen: Übergänge pro Minute, der letzten zehn Minuten</translation>
    </message>
    <message>
        <source>usual stay %1</source>
        <translation>bleibt meist %1</translation>
    </message>
    <message>
        <source>%1: %2 per min</source>
        <translation>%1: %2 je min</translation>
    </message>
</context>
<context>
    <name>yard::ui::StatusBar</name>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>Refused: token</source>
        <translation>Abgelehnt: Token</translation>
    </message>
    <message>
        <source>Reconnecting, %1</source>
        <translation>Neue Verbindung, %1</translation>
    </message>
    <message>
        <source>lag %1</source>
        <translation>Verzug %1</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 events/s</source>
        <translation>%1 Ereign./s</translation>
    </message>
    <message>
        <source>engine %1 cores, %2</source>
        <translation>Engine %1 Kerne, %2</translation>
    </message>
    <message>
        <source>engine %1</source>
        <translation>Engine %1</translation>
    </message>
    <message>
        <source>journal %1</source>
        <translation>Journal %1</translation>
    </message>
    <message>
        <source>%1 of %2 cores taken</source>
        <translation>%1 von %2 Kernen belegt</translation>
    </message>
    <message>
        <source>Connected, not encrypted</source>
        <translation>Verbunden, unverschlüsselt</translation>
    </message>
    <message>
        <source>Not trusted</source>
        <translation>Nicht vertraut</translation>
    </message>
</context>
<context>
    <name>yard::ui::SubmitForm</name>
    <message>
        <source>until it is released</source>
        <translation>bis sie freigegeben wird</translation>
    </message>
    <message>
        <source>Submit</source>
        <translation>Abgeben</translation>
    </message>
    <message>
        <source>Action as JSON</source>
        <translation>Aktion als JSON</translation>
    </message>
    <message>
        <source>Into queue</source>
        <translation>In Warteschlange</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Program and arguments, quoted as for a shell; no shell runs it.</source>
        <translation>Programm und Argumente, wie für eine Shell in Anführungszeichen; es läuft keine Shell.</translation>
    </message>
    <message>
        <source>Directory</source>
        <translation>Verzeichnis</translation>
    </message>
    <message>
        <source>Where it runs; empty is a scratch directory of its own.</source>
        <translation>Wo es läuft; leer ist ein eigenes Arbeitsverzeichnis.</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Any JSON.</source>
        <translation>Beliebiges JSON.</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Beschriftung</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>Files it finds below inputs/; drop them here. What the engine lacks is sent.</source>
        <translation>Dateien, die es unter inputs/ findet; legen Sie sie hier ab. Was der Engine fehlt, wird gesendet.</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Hinzufügen…</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Memory in MiB</source>
        <translation>Speicher in MiB</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>-100 to 100; higher first.</source>
        <translation>-100 bis 100; höhere zuerst.</translation>
    </message>
    <message>
        <source>Array</source>
        <translation>Array</translation>
    </message>
    <message>
        <source>0-99: one action for each number; {index} in the command becomes it.</source>
        <translation>0-99: eine Aktion je Nummer; {index} im Befehl wird zu ihr.</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>Numbers of actions, with commas; &quot;12 any&quot;, &quot;12 failed&quot; for how they must end.</source>
        <translation>Nummern von Aktionen, mit Komma; „12 any“, „12 failed“ dafür, wie sie enden müssen.</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>yardctl</source>
        <translation>yardctl</translation>
    </message>
    <message>
        <source>curl</source>
        <translation>curl</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>A list of actions has no form; it can be submitted from here.</source>
        <translation>Eine Liste von Aktionen hat kein Formular; sie kann von hier abgegeben werden.</translation>
    </message>
    <message>
        <source>It is being submitted</source>
        <translation>Sie wird gerade abgegeben</translation>
    </message>
    <message>
        <source>Its inputs are being read</source>
        <translation>Ihre Eingaben werden gelesen</translation>
    </message>
    <message>
        <source>At character %1: %2</source>
        <translation>Bei Zeichen %1: %2</translation>
    </message>
    <message>
        <source>Fix the JSON first</source>
        <translation>Bessern Sie zuerst das JSON aus</translation>
    </message>
    <message>
        <source>See %1</source>
        <translation>%1 ansehen</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
    <message>
        <source>See %1.</source>
        <translation>%1 ansehen.</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Strg+Eingabe</translation>
    </message>
    <message>
        <source>Expected outputs</source>
        <translation>Erwartete Ausgaben</translation>
    </message>
    <message>
        <source>Paths below outputs/ that must be there at its end, with commas.</source>
        <translation>Pfade unter outputs/, die am Ende da sein müssen, mit Kommas.</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>A=1 B=&apos;two words&apos;; the value of a name alone is not kept.</source>
        <translation>A=1 B=&apos;zwei Wörter&apos;; der Wert eines Namens allein wird nicht aufbewahrt.</translation>
    </message>
    <message>
        <source>Engine&apos;s environment</source>
        <translation>Umgebung der Engine</translation>
    </message>
    <message>
        <source>as well</source>
        <translation>ebenfalls</translation>
    </message>
    <message>
        <source>Standard input</source>
        <translation>Standardeingabe</translation>
    </message>
    <message>
        <source>A text, \n for a new line; or the hash of a chunk.</source>
        <translation>Ein Text, \n für eine neue Zeile; oder der Hash eines Chunks.</translation>
    </message>
    <message>
        <source>Other resources</source>
        <translation>Andere Ressourcen</translation>
    </message>
    <message>
        <source>gpus=1, licence.x=2</source>
        <translation>gpus=1, licence.x=2</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>Names, with commas; no other one with one of them runs meanwhile.</source>
        <translation>Namen, mit Kommas; keine andere mit einer davon läuft währenddessen.</translation>
    </message>
    <message>
        <source>Deadline in seconds</source>
        <translation>Frist in Sekunden</translation>
    </message>
    <message>
        <source>Of each attempt; empty is that of its queue or worker.</source>
        <translation>Für jeden Versuch; leer ist die ihrer Warteschlange oder ihres Workers.</translation>
    </message>
    <message>
        <source>Retries</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>Empty is what its queue says.</source>
        <translation>Leer ist, was ihre Warteschlange sagt.</translation>
    </message>
    <message>
        <source>Interruptions</source>
        <translation>Unterbrechungen</translation>
    </message>
    <message>
        <source>How often it runs again after the engine or a machine was lost.</source>
        <translation>Wie oft sie wieder läuft, nachdem Engine oder Maschine verloren gingen.</translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation>Sandbox</translation>
    </message>
    <message>
        <source>as for a registered worker</source>
        <translation>wie für einen registrierten Worker</translation>
    </message>
    <message>
        <source>Terminal</source>
        <translation>Terminal</translation>
    </message>
    <message>
        <source>Rows and columns, 24x80; empty is none.</source>
        <translation>Zeilen und Spalten, 24x80; leer ist keines.</translation>
    </message>
    <message>
        <source>Not before</source>
        <translation>Nicht vor</translation>
    </message>
    <message>
        <source>22:30, or 2026-11-24 22:30.</source>
        <translation>22:30 oder 2026-11-24 22:30.</translation>
    </message>
    <message>
        <source>Replaces</source>
        <translation>Ersetzt</translation>
    </message>
    <message>
        <source>Numbers of actions that this is a changed copy of; pending ones are cancelled.</source>
        <translation>Nummern von Aktionen, deren geänderte Kopie dies ist; wartende werden abgebrochen.</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>By which others of a list name it.</source>
        <translation>Unter dem andere einer Liste sie nennen.</translation>
    </message>
    <message>
        <source>Give a command</source>
        <translation>Einen Befehl angeben</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Names with commas, tag:NAME, local or any; empty is what its queue says.</source>
        <translation>Namen mit Kommas, tag:NAME, local oder any; leer gilt, was die Warteschlange sagt.</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>linux-x86_64; empty is any, of a worker its own.</source>
        <translation>linux-x86_64; leer ist jede, bei einem Worker seine eigene.</translation>
    </message>
    <message>
        <source>Jobserver</source>
        <translation>Jobserver</translation>
    </message>
    <message>
        <source>For make, cargo, ninja in it: true, fifo or false; empty is what its queue says.</source>
        <translation>Für make, cargo und ninja darin: true, fifo oder false; leer ist, was ihre Warteschlange sagt.</translation>
    </message>
</context>
<context>
    <name>yard::ui::TableModel</name>
    <message>
        <source>marked %1</source>
        <translation>markiert %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::Tabs</name>
    <message>
        <source>shown</source>
        <translation>wird gezeigt</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
</context>
<context>
    <name>yard::ui::TimelineLegend</name>
    <message>
        <source>prepare, run, collect</source>
        <translation>vorbereiten, laufen, einsammeln</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>waits to retry</source>
        <translation>wartet auf neuen Versuch</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
</context>
<context>
    <name>yard::ui::TimelinesPage</name>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Written to %1</source>
        <translation>Nach %1 geschrieben</translation>
    </message>
    <message>
        <source>%1 cannot be written</source>
        <translation>%1 lässt sich nicht schreiben</translation>
    </message>
    <message>
        <source>Reading the range…</source>
        <translation>Der Bereich wird gelesen…</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>State of the attempt</source>
        <translation>Zustand des Versuchs</translation>
    </message>
    <message>
        <source>Action (LSN)</source>
        <translation>Aktion (LSN)</translation>
    </message>
    <message>
        <source>Number of the action</source>
        <translation>Nummer der Aktion</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Who ran it</source>
        <translation>Wer sie ausführte</translation>
    </message>
    <message>
        <source>Slot</source>
        <translation>Slot</translation>
    </message>
    <message>
        <source>Where it ran</source>
        <translation>Wo sie lief</translation>
    </message>
    <message>
        <source>Began</source>
        <translation>Begann</translation>
    </message>
    <message>
        <source>When it was taken from the queue</source>
        <translation>Wann sie aus der Warteschlange kam</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Endete</translation>
    </message>
    <message>
        <source>When it was over</source>
        <translation>Wann sie zu Ende war</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Dauerte</translation>
    </message>
    <message>
        <source>From its beginning to its end, or to now</source>
        <translation>Von ihrem Beginn bis zu ihrem Ende oder bis jetzt</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>Zeitlinien</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Follow now</source>
        <translation>Jetzt folgen</translation>
    </message>
    <message>
        <source>Type to filter bars</source>
        <translation>Balken filtern</translation>
    </message>
    <message>
        <source>By worker</source>
        <translation>Nach Worker</translation>
    </message>
    <message>
        <source>Go to the last one</source>
        <translation>Zur letzten gehen</translation>
    </message>
    <message>
        <source>Bars in view</source>
        <translation>Balken im Bild</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Zoom out (Ctrl+-)</source>
        <translation>Verkleinern (Strg+-)</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom in (Ctrl++)</source>
        <translation>Vergrößern (Strg++)</translation>
    </message>
    <message>
        <source>Range of time</source>
        <translation>Zeitbereich</translation>
    </message>
    <message>
        <source>Picture of what is shown (PNG)…</source>
        <translation>Bild des Gezeigten (PNG)…</translation>
    </message>
    <message>
        <source>Drawing of what is shown (SVG)…</source>
        <translation>Zeichnung des Gezeigten (SVG)…</translation>
    </message>
    <message>
        <source>Trace of the range (Chrome trace format)…</source>
        <translation>Spur des Bereichs (Chrome-Trace-Format)…</translation>
    </message>
    <message>
        <source>Last minute</source>
        <translation>Letzte Minute</translation>
    </message>
    <message>
        <source>Last 5 minutes</source>
        <translation>Letzte 5 Minuten</translation>
    </message>
    <message>
        <source>Last 15 minutes</source>
        <translation>Letzte 15 Minuten</translation>
    </message>
    <message>
        <source>Last hour</source>
        <translation>Letzte Stunde</translation>
    </message>
    <message>
        <source>Last 6 hours</source>
        <translation>Letzte 6 Stunden</translation>
    </message>
    <message>
        <source>Last 24 hours</source>
        <translation>Letzte 24 Stunden</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Compare with the last good one</source>
        <translation>Mit dem letzten guten vergleichen</translation>
    </message>
    <message>
        <source>Bars in view as a table</source>
        <translation>Balken im Bild als Tabelle</translation>
    </message>
    <message>
        <source>Fit everything</source>
        <translation>Alles einpassen</translation>
    </message>
    <message>
        <source>By slot</source>
        <translation>Nach Slot</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 to now</source>
        <translation>%1 bis jetzt</translation>
    </message>
    <message>
        <source>Back to now</source>
        <translation>Zurück zu jetzt</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>1 bar</source>
        <translation>1 Balken</translation>
    </message>
    <message>
        <source>%1 bars</source>
        <translation>%1 Balken</translation>
    </message>
    <message>
        <source>at least %1 of %2</source>
        <translation>mindestens %1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Select a bar first</source>
        <translation>Wählen Sie zuerst einen Balken</translation>
    </message>
    <message>
        <source>Nothing has run within the last week</source>
        <translation>In der letzten Woche lief nichts</translation>
    </message>
    <message>
        <source>Nothing has run in slot %1 then</source>
        <translation>In Slot %1 lief dann nichts</translation>
    </message>
    <message>
        <source>That action has no bar in the range shown</source>
        <translation>Diese Aktion hat im gezeigten Bereich keinen Balken</translation>
    </message>
    <message>
        <source>Its label, else its command or function</source>
        <translation>Ihre Beschriftung, sonst ihr Befehl oder ihre Funktion</translation>
    </message>
    <message>
        <source>That action has not run</source>
        <translation>Diese Aktion ist noch nicht gelaufen</translation>
    </message>
    <message>
        <source>Another day</source>
        <translation>Ein anderer Tag</translation>
    </message>
</context>
<context>
    <name>yard::ui::TokenStore</name>
    <message>
        <source>it does not answer; it may wait to be unlocked</source>
        <translation>er antwortet nicht; vielleicht wartet er darauf, entsperrt zu werden</translation>
    </message>
    <message>
        <source>The system&apos;s keychain cannot be used: %1.</source>
        <translation>Der Schlüsselbund des Systems ist nicht benutzbar: %1.</translation>
    </message>
    <message>
        <source>it does not give back what it took</source>
        <translation>er gibt nicht zurück, was er bekam</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 ist nicht lesbar: %2</translation>
    </message>
    <message>
        <source>%1 could be read by others; make it yours alone (chmod 600), or delete it.</source>
        <translation>%1 könnten andere lesen; machen Sie sie zu Ihrer allein (chmod 600), oder löschen Sie sie.</translation>
    </message>
    <message>
        <source>%1 is too long to be ours.</source>
        <translation>%1 ist zu lang, um unsere zu sein.</translation>
    </message>
    <message>
        <source>%1 is not a token file. Move or delete it.</source>
        <translation>%1 ist keine Token-Datei. Verschieben oder löschen Sie sie.</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 lässt sich nicht schreiben: %2</translation>
    </message>
</context>
<context>
    <name>yard::ui::TopBar</name>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Drain</source>
        <translation>Leerlaufen</translation>
    </message>
    <message>
        <source>Submit…</source>
        <translation>Abgeben…</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>New work (Ctrl+N)</source>
        <translation>Neue Arbeit (Strg+N)</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Release every queue</source>
        <translation>Alle Warteschlangen freigeben</translation>
    </message>
    <message>
        <source>Hold every queue: running actions go on, none starts</source>
        <translation>Alle Warteschlangen anhalten: Laufendes läuft weiter, nichts startet</translation>
    </message>
</context>
<context>
    <name>yard::ui::Tray</name>
    <message>
        <source>No engine</source>
        <translation>Keine Engine</translation>
    </message>
    <message>
        <source>Show the window</source>
        <translation>Das Fenster zeigen</translation>
    </message>
    <message>
        <source>Hold all</source>
        <translation>Alle anhalten</translation>
    </message>
    <message>
        <source>Release all</source>
        <translation>Alle freigeben</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>No connection</source>
        <translation>Keine Verbindung</translation>
    </message>
    <message>
        <source>%1 running, %2 failed</source>
        <translation>%1 laufen, %2 gescheitert</translation>
    </message>
</context>
<context>
    <name>yard::ui::TypeList</name>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Types of objects, and their states</source>
        <translation>Typen von Objekten und ihre Zustände</translation>
    </message>
    <message>
        <source>How many of its objects wait, are worked on, are done, are bad</source>
        <translation>Wie viele seiner Objekte warten, in Arbeit, fertig oder schlecht sind</translation>
    </message>
    <message>
        <source>Objects</source>
        <translation>Objekte</translation>
    </message>
    <message>
        <source>How many there are</source>
        <translation>Wie viele es sind</translation>
    </message>
    <message>
        <source>Types of objects</source>
        <translation>Typen von Objekten</translation>
    </message>
    <message>
        <source>%1, version %2</source>
        <translation>%1, Version %2</translation>
    </message>
    <message>
        <source>%1, claimed by nobody</source>
        <translation>%1, beansprucht niemand</translation>
    </message>
</context>
<context>
    <name>yard::ui::UndoBar</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Ctrl Z</source>
        <translation>Strg Z</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>%1, in %2 s</source>
        <translation>%1, in %2 s</translation>
    </message>
</context>
<context>
    <name>yard::ui::UpdatesBadge</name>
    <message>
        <source>F5</source>
        <translation>F5</translation>
    </message>
    <message numerus="yes">
        <source>%n update(s) wait</source>
        <translation>
            <numerusform>%n Änderung wartet</numerusform>
            <numerusform>%n Änderungen warten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::UsagePane</name>
    <message>
        <source>What work used</source>
        <translation>Was Arbeit verbraucht hat</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Save as a table</source>
        <translation>Als Tabelle speichern</translation>
    </message>
    <message>
        <source>all others</source>
        <translation>alle anderen</translation>
    </message>
    <message>
        <source>no label</source>
        <translation>kein Label</translation>
    </message>
    <message>
        <source>queue %1</source>
        <translation>Warteschlange %1</translation>
    </message>
    <message>
        <source>Nothing ran in this time</source>
        <translation>In dieser Zeit lief nichts</translation>
    </message>
    <message>
        <source>No row has this in its name</source>
        <translation>Keine Zeile hat das im Namen</translation>
    </message>
</context>
<context>
    <name>yard::ui::ValueField</name>
    <message>
        <source>This wants a number</source>
        <translation>Hier gehört eine Zahl hin</translation>
    </message>
</context>
<context>
    <name>yard::ui::ViewsButton</name>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Tonight</source>
        <translation>Heute Nacht</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Waiting long</source>
        <translation>Warten lange</translation>
    </message>
    <message>
        <source>Silent for 10 min</source>
        <translation>Still seit 10 min</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Keep this filter as a view…</source>
        <translation>Diesen Filter als Ansicht behalten…</translation>
    </message>
    <message>
        <source>Keep as a view</source>
        <translation>Als Ansicht behalten</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Forget the views of your own</source>
        <translation>Eigene Ansichten vergessen</translation>
    </message>
</context>
<context>
    <name>yard::ui::WaitingPanel</name>
    <message>
        <source>Why work is waiting</source>
        <translation>Warum Arbeit wartet</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>Wartet auf</translation>
    </message>
    <message>
        <source>What pending actions wait for</source>
        <translation>Worauf wartende Aktionen warten</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>How many of them</source>
        <translation>Wie viele davon</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Nothing waits.</source>
        <translation>Nichts wartet.</translation>
    </message>
    <message>
        <source>of the first %1</source>
        <translation>der ersten %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::WindowNotices</name>
    <message>
        <source>kept awake by %1</source>
        <translation>wach gehalten von %1</translation>
    </message>
    <message>
        <source>this desktop has no service that would</source>
        <translation>dieser Desktop hat keinen Dienst dafür</translation>
    </message>
</context>
<context>
    <name>yard::ui::WorkerPanel</name>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Member</source>
        <translation>Feld</translation>
    </message>
    <message>
        <source>Member of the descriptor</source>
        <translation>Feld der Beschreibung</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>As it was registered</source>
        <translation>Wie registriert</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Path below the worker&apos;s directory</source>
        <translation>Pfad unter dem Verzeichnis des Workers</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Bytes of the file</source>
        <translation>Bytes der Datei</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>Hash</translation>
    </message>
    <message>
        <source>SHA-256 of its content, the first 8 digits</source>
        <translation>SHA-256 ihres Inhalts, die ersten 8 Stellen</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>When it ended</source>
        <translation>Wann sie endete</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Number of the action</source>
        <translation>Nummer der Aktion</translation>
    </message>
    <message>
        <source>First error line</source>
        <translation>Erste Fehlerzeile</translation>
    </message>
    <message>
        <source>The first line that looks like an error</source>
        <translation>Die erste Zeile, die nach einem Fehler aussieht</translation>
    </message>
    <message>
        <source>Descriptor</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Recent failures</source>
        <translation>Letzte Fehlschläge</translation>
    </message>
    <message>
        <source>Nothing of it has failed lately</source>
        <translation>Zuletzt ist nichts von ihm fehlgeschlagen</translation>
    </message>
    <message>
        <source>Last runs</source>
        <translation>Letzte Läufe</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>all functions</source>
        <translation>alle Funktionen</translation>
    </message>
    <message numerus="yes">
        <source>%n, %1</source>
        <translation>
            <numerusform>%n, %1</numerusform>
            <numerusform>%n, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>yard::ui::WorkerSource</name>
    <message>
        <source>slot %1</source>
        <translation>Slot %1</translation>
    </message>
    <message>
        <source>at %1</source>
        <translation>um %1</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>Zeitlinien</translation>
    </message>
    <message>
        <source>Timelines, version %1</source>
        <translation>Zeitlinien, Version %1</translation>
    </message>
    <message>
        <source>slot</source>
        <translation>Slot</translation>
    </message>
    <message>
        <source>worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Worker, version %1</source>
        <translation>Worker, Version %1</translation>
    </message>
</context>
<context>
    <name>yard::ui::WorkersPage</name>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Filter workers</source>
        <translation>Worker filtern</translation>
    </message>
    <message>
        <source>Submit…</source>
        <translation>Abgeben…</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Register…</source>
        <translation>Registrieren…</translation>
    </message>
    <message>
        <source>No worker is registered. Drop a program, a folder with worker.json, or a descriptor here.</source>
        <translation>Kein Worker ist registriert. Legen Sie ein Programm, einen Ordner mit worker.json oder eine Beschreibung hier ab.</translation>
    </message>
    <message>
        <source>Select a worker first</source>
        <translation>Wählen Sie zuerst einen Worker</translation>
    </message>
    <message>
        <source>Its processes are not kept warm</source>
        <translation>Seine Prozesse werden nicht warm gehalten</translation>
    </message>
    <message>
        <source>Submit with this worker…</source>
        <translation>Mit diesem Worker abgeben…</translation>
    </message>
    <message>
        <source>Show actions</source>
        <translation>Aktionen zeigen</translation>
    </message>
    <message>
        <source>Show on timeline</source>
        <translation>Auf der Zeitlinie zeigen</translation>
    </message>
    <message>
        <source>Open pool group</source>
        <translation>Pool-Gruppe öffnen</translation>
    </message>
    <message>
        <source>Copy id</source>
        <translation>Id kopieren</translation>
    </message>
    <message>
        <source>Remove %1?</source>
        <translation>%1 entfernen?</translation>
    </message>
    <message>
        <source>%1 of its actions wait or run; they are cancelled. This cannot be undone.</source>
        <translation>%1 seiner Aktionen warten oder laufen; sie werden abgebrochen. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>yardctl: show it</source>
        <translation>yardctl: zeigen</translation>
    </message>
    <message>
        <source>yardctl: its actions</source>
        <translation>yardctl: seine Aktionen</translation>
    </message>
    <message>
        <source>curl: show it</source>
        <translation>curl: zeigen</translation>
    </message>
    <message>
        <source>JSON of the descriptor</source>
        <translation>JSON der Beschreibung</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
</context>
<context>
    <name>yard::ui::timeline::HoverCard</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>What the pointer is over</source>
        <translation>Worüber der Zeiger steht</translation>
    </message>
    <message>
        <source>%1 in one step</source>
        <translation>%1 in einem Schritt</translation>
    </message>
    <message>
        <source>%1 short actions</source>
        <translation>%1 kurze Aktionen</translation>
    </message>
    <message>
        <source>the worst is %1: %2; zoom in to see each</source>
        <translation>die schlimmste ist %1: %2; hineinzoomen zeigt jede</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>covered</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>began</source>
        <translation>begann</translation>
    </message>
    <message>
        <source>%1, %2 ago</source>
        <translation>%1, vor %2</translation>
    </message>
    <message>
        <source>prepare %1</source>
        <translation>vorbereitet %1</translation>
    </message>
    <message>
        <source>running for %1</source>
        <translation>läuft seit %1</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>lief %1</translation>
    </message>
    <message>
        <source>collect %1</source>
        <translation>eingesammelt %1</translation>
    </message>
    <message>
        <source>preparing for %1</source>
        <translation>bereitet sich seit %1 vor</translation>
    </message>
    <message>
        <source>%1 in all</source>
        <translation>%1 insgesamt</translation>
    </message>
    <message>
        <source>split</source>
        <translation>Aufteilung</translation>
    </message>
    <message>
        <source>, </source>
        <translation>, </translation>
    </message>
    <message>
        <source>number</source>
        <translation>Nummer</translation>
    </message>
    <message>
        <source>%1, try %2</source>
        <translation>%1, Versuch %2</translation>
    </message>
    <message>
        <source>Click selects   Enter opens   Ctrl L log   Ctrl D compare</source>
        <translation>Klick wählt   Enter öffnet   Strg L Ausgabe   Strg D vergleicht</translation>
    </message>
    <message>
        <source>%1 of processor</source>
        <translation>%1 Prozessor</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>Spitze %1</translation>
    </message>
    <message>
        <source>used</source>
        <translation>benutzt</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>exit code %1</source>
        <translation>Exit-Code %1</translation>
    </message>
    <message>
        <source>tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>memory at %1, no starts above %2</source>
        <translation>Speicher bei %1, keine Starts über %2</translation>
    </message>
    <message>
        <source>nothing waited</source>
        <translation>nichts wartete</translation>
    </message>
    <message>
        <source>slot %1</source>
        <translation>Slot %1</translation>
    </message>
    <message>
        <source>%1 slot %2</source>
        <translation>%1 Slot %2</translation>
    </message>
    <message>
        <source>%1: idle</source>
        <translation>%1: frei</translation>
    </message>
    <message>
        <source>nothing started here for %1</source>
        <translation>hier startete nichts seit %1</translation>
    </message>
    <message>
        <source>before what is shown</source>
        <translation>vor dem Gezeigten</translation>
    </message>
    <message>
        <source>until</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>after what is shown</source>
        <translation>nach dem Gezeigten</translation>
    </message>
    <message>
        <source>because</source>
        <translation>weil</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>warten</translation>
    </message>
    <message>
        <source>%1 actions in all</source>
        <translation>%1 Aktionen insgesamt</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vor</translation>
    </message>
    <message>
        <source>%1 %2, %3</source>
        <translation>%1 %2, %3</translation>
    </message>
    <message>
        <source>The machine at %1</source>
        <translation>Der Rechner um %1</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>%1 cores</source>
        <translation>%1 Kerne</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>no data: the engine was not there, or was not asked</source>
        <translation>keine Daten: die Engine war nicht da oder wurde nicht gefragt</translation>
    </message>
    <message>
        <source>longest</source>
        <translation>längste</translation>
    </message>
    <message>
        <source>%1, for %2</source>
        <translation>%1, seit %2</translation>
    </message>
    <message>
        <source>given</source>
        <translation>erhielt</translation>
    </message>
</context>
<context>
    <name>yard::ui::timeline::TimelineSource</name>
    <message>
        <source>The engine did not answer.</source>
        <translation>Die Engine antwortete nicht.</translation>
    </message>
    <message>
        <source>There is too much in this range to export; zoom in first.</source>
        <translation>In diesem Bereich ist zu viel zum Exportieren; zoomen Sie zuerst hinein.</translation>
    </message>
</context>
<context>
    <name>yard::ui::timeline::TimelineView</name>
    <message>
        <source>Timelines</source>
        <translation>Zeitlinien</translation>
    </message>
</context>
</TS>
