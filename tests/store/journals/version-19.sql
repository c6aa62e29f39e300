-- A journal of version 15.
CREATE TABLE accepting(first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
CREATE TABLE array(base INTEGER PRIMARY KEY, live INTEGER NOT NULL, size INTEGER) STRICT;
INSERT INTO "array" VALUES(10,3,3);
CREATE TABLE attempt(
    id INTEGER PRIMARY KEY, state INTEGER NOT NULL, reason INTEGER NOT NULL, exit_code INTEGER, signal INTEGER,
    cpu_us INTEGER, max_rss INTEGER, flags INTEGER NOT NULL, t_submitting INTEGER, t_running INTEGER, t_exited INTEGER,
    t_end INTEGER, out BLOB, err BLOB, outputs BLOB, result TEXT, denied BLOB, note TEXT, samples BLOB, io_bytes INTEGER, given TEXT, machine TEXT) STRICT;
CREATE TABLE blob(
    id INTEGER PRIMARY KEY, key INTEGER NOT NULL, hash BLOB NOT NULL, size INTEGER NOT NULL, bytes BLOB, pack INTEGER,
    at INTEGER) STRICT;
CREATE TABLE comment(
    id INTEGER PRIMARY KEY, lsn INTEGER, queue INTEGER, t INTEGER NOT NULL, who TEXT NOT NULL,
    text TEXT NOT NULL) STRICT;
INSERT INTO "comment" VALUES(1,3,NULL,1700000000000000,'kim','look at this one');
CREATE TABLE dependent(
    parent INTEGER NOT NULL, lsn INTEGER NOT NULL, count INTEGER NOT NULL, span INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(parent, lsn)) STRICT, WITHOUT ROWID;
INSERT INTO "dependent" VALUES(3,4,1,1);
CREATE TABLE dict_class(
    id INTEGER PRIMARY KEY, text TEXT NOT NULL, worker TEXT NOT NULL, worker_name TEXT NOT NULL,
    function TEXT NOT NULL) STRICT;
INSERT INTO "dict_class" VALUES(1,'exec','exec','','');
CREATE TABLE dict_label(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
INSERT INTO "dict_label" VALUES(1,'render 7');
CREATE TABLE document(
    kind TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(kind, name)) STRICT, WITHOUT ROWID;
INSERT INTO "document" VALUES('note','first','{"text":"kept"}');
CREATE TABLE done(
    lsn INTEGER PRIMARY KEY, queue INTEGER NOT NULL, class INTEGER NOT NULL, label INTEGER NOT NULL,
    priority INTEGER NOT NULL, state INTEGER NOT NULL, reason INTEGER NOT NULL, exit_code INTEGER, signal INTEGER,
    cpu_us INTEGER, max_rss INTEGER, flags INTEGER NOT NULL, attempts INTEGER NOT NULL, retry_count INTEGER NOT NULL,
    own_failures INTEGER NOT NULL, interruptions INTEGER NOT NULL, t_new INTEGER NOT NULL, d_pending INTEGER,
    d_submitting INTEGER, d_running INTEGER, d_exited INTEGER, d_end INTEGER, array_base INTEGER, array_index INTEGER,
    note TEXT, name TEXT, id TEXT, io_bytes INTEGER) STRICT;
INSERT INTO "done" VALUES(1,4,1,0,0,4,0,0,NULL,900,4096,19,1,0,0,0,1700000000000001,5,100,110,120,130,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "done" VALUES(2,4,1,0,0,5,1,7,NULL,900,4096,19,1,0,1,0,1700000000000002,5,100,110,120,130,NULL,NULL,'no such frame',NULL,NULL,NULL);
CREATE TABLE fold(
    first INTEGER PRIMARY KEY, last INTEGER NOT NULL, kind INTEGER NOT NULL, completed INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0, abandoned INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0,
    gone INTEGER NOT NULL DEFAULT 0, started INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "fold" VALUES(10,12,0,0,0,0,0,0,0);
CREATE TABLE idem(
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body BLOB NOT NULL, answer TEXT NOT NULL, t INTEGER NOT NULL) STRICT;
CREATE TABLE mark(lsn INTEGER PRIMARY KEY, colour INTEGER NOT NULL) STRICT;
INSERT INTO "mark" VALUES(3,2);
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES('finished','2');
INSERT INTO "meta" VALUES('last_queue','4');
INSERT INTO "meta" VALUES('next_lsn','100001');
CREATE TABLE op(id INTEGER PRIMARY KEY, body TEXT NOT NULL, last INTEGER NOT NULL, cursor INTEGER NOT NULL) STRICT;
CREATE TABLE pack(id INTEGER PRIMARY KEY, size INTEGER NOT NULL) STRICT;
CREATE TABLE pending(
    lsn INTEGER PRIMARY KEY, queue INTEGER NOT NULL, class INTEGER NOT NULL, label INTEGER NOT NULL,
    priority INTEGER NOT NULL, flags INTEGER NOT NULL, t_new INTEGER NOT NULL, d_pending INTEGER, not_before INTEGER,
    array_base INTEGER, array_index INTEGER, attempts INTEGER NOT NULL, retry_count INTEGER NOT NULL,
    own_failures INTEGER NOT NULL, interruptions INTEGER NOT NULL, edges BLOB, name TEXT, id TEXT, place TEXT) STRICT;
INSERT INTO "pending" VALUES(3,4,1,1,0,0,1700000000000003,5,NULL,NULL,NULL,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "pending" VALUES(4,4,1,0,0,0,1700000000000004,5,NULL,NULL,NULL,0,0,0,0,NULL,'echo 4',NULL,NULL);
INSERT INTO "pending" VALUES(10,4,1,0,0,0,1700000000000010,5,NULL,10,0,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "pending" VALUES(11,4,1,0,0,0,1700000000000011,5,NULL,10,1,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "pending" VALUES(12,4,1,0,0,0,1700000000000012,5,NULL,10,2,0,0,0,0,NULL,NULL,NULL,NULL);
CREATE TABLE queue(
    id INTEGER PRIMARY KEY, token TEXT NOT NULL, tag TEXT NOT NULL, state INTEGER NOT NULL, held INTEGER NOT NULL,
    config TEXT NOT NULL, created INTEGER NOT NULL, completed INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0, abandoned INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0, failed_before INTEGER NOT NULL DEFAULT 0, mark INTEGER NOT NULL DEFAULT 0, deleting INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "queue" VALUES(0,'','',0,0,'{}',0,0,0,0,0,0,0,0);
INSERT INTO "queue" VALUES(4,'t4','nightly',0,0,'{}',1700000000000000,1,1,0,0,0,0,0);
CREATE TABLE recent(slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL, lsns BLOB NOT NULL) STRICT;
CREATE TABLE replaced(lsn INTEGER PRIMARY KEY, successor INTEGER NOT NULL) STRICT;
INSERT INTO "replaced" VALUES(2,3);
CREATE TABLE spec(lsn INTEGER PRIMARY KEY, text TEXT NOT NULL, chunks BLOB) STRICT;
INSERT INTO "spec" VALUES(3,'{"worker":"exec","argv":["/bin/echo","3"],"label":"render 7"}',NULL);
INSERT INTO "spec" VALUES(4,'{"worker":"exec","argv":["/bin/echo","4"],"after":[3]}',NULL);
INSERT INTO "spec" VALUES(10,'{"worker":"exec","argv":["/bin/echo","{index}"],"array":{"from":0,"to":2}}',NULL);
CREATE TABLE worker(
    id BLOB PRIMARY KEY, canonical TEXT NOT NULL, registered INTEGER NOT NULL, chunks BLOB) STRICT, WITHOUT ROWID;
CREATE INDEX done_not_completed ON done(state, queue, reason) WHERE state<>4;
CREATE INDEX blob_key ON blob(key);
CREATE INDEX blob_pack ON blob(pack) WHERE pack IS NOT NULL;
CREATE INDEX spec_chunks ON spec(lsn) WHERE chunks IS NOT NULL;
CREATE INDEX dependent_lsn ON dependent(lsn);
CREATE INDEX dependent_arrays ON dependent(parent, span) WHERE span>1;
CREATE INDEX comment_lsn ON comment(lsn) WHERE lsn IS NOT NULL;
CREATE INDEX comment_queue ON comment(queue) WHERE queue IS NOT NULL;
CREATE TABLE object_type(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
CREATE TABLE object(
    id INTEGER PRIMARY KEY AUTOINCREMENT, type INTEGER NOT NULL, status TEXT NOT NULL, retry_at INTEGER, key TEXT,
    launch TEXT, parent INTEGER, fields TEXT NOT NULL, retries INTEGER NOT NULL DEFAULT 0,
    stuck INTEGER NOT NULL DEFAULT 0, start_ts INTEGER, end_ts INTEGER, created INTEGER NOT NULL,
    modified INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 0, last_error TEXT, note TEXT) STRICT;
CREATE UNIQUE INDEX object_key ON object(type, key) WHERE key IS NOT NULL;
CREATE INDEX object_status ON object(type, status);
CREATE INDEX object_parent ON object(parent) WHERE parent IS NOT NULL;
CREATE TABLE object_history(
    object INTEGER NOT NULL, revision INTEGER NOT NULL, t INTEGER NOT NULL, came_from TEXT NOT NULL,
    went_to TEXT NOT NULL, actor TEXT NOT NULL, tick_ms INTEGER NOT NULL,
    PRIMARY KEY(object, revision)) STRICT, WITHOUT ROWID;
CREATE TABLE outbox(
    object INTEGER NOT NULL, revision INTEGER NOT NULL, position INTEGER NOT NULL, kind INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY(object, revision, position)) STRICT, WITHOUT ROWID;
INSERT INTO "object_type" VALUES(1,'snapshot','{"name":"snapshot"}');
INSERT INTO "object"(id, type, status, retry_at, key, fields, created, modified) VALUES(1,1,'queued',1700000000000000,'a','{"url":"a"}',1700000000000000,1700000000000000);
INSERT INTO "outbox" VALUES(1,0,0,2,'{}');
CREATE TABLE object_action(
    lsn INTEGER PRIMARY KEY, object INTEGER NOT NULL, name TEXT NOT NULL, told INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX object_action_object ON object_action(object, name);
CREATE INDEX object_action_untold ON object_action(lsn) WHERE told=0;
INSERT INTO "object_action" VALUES(1,1,'pdf',0);
PRAGMA user_version=19;
