-- The tables of `journal/memory.sqlite3`, a step for each version (memory/journal/store.py). Times are microseconds since
-- 1970, UTC. `near` is the turn before, with the speaker: a keyword there counts too, less. Source: seed 003 P3.2.

-- step
CREATE TABLE turns (number INTEGER PRIMARY KEY, session TEXT NOT NULL, id TEXT NOT NULL, who TEXT NOT NULL, text NOT NULL,
  at INTEGER NOT NULL, timezone TEXT NOT NULL, run TEXT NOT NULL, importance INTEGER NOT NULL, emotion TEXT NOT NULL,
  source TEXT NOT NULL, hash TEXT NOT NULL, last_accessed INTEGER, UNIQUE (session, id));
CREATE INDEX turns_of_session ON turns (session, at);
CREATE INDEX turns_at ON turns (at);
CREATE INDEX turns_hash ON turns (hash);
CREATE TABLE mentioned (number INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX mentioned_of ON mentioned (number);
CREATE INDEX mentioned_at ON mentioned (start, end);
CREATE TABLE tags (number INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (number, tag)) WITHOUT ROWID;
CREATE INDEX tagged ON tags (tag);
CREATE VIRTUAL TABLE words USING fts5 (own, near, content = '', tokenize = 'ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
CREATE TABLE episodes (number INTEGER PRIMARY KEY, session TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  scene_start INTEGER NOT NULL, scene_end INTEGER NOT NULL, summary TEXT NOT NULL, importance INTEGER NOT NULL,
  participants TEXT NOT NULL, hash TEXT NOT NULL, last_accessed INTEGER);
CREATE INDEX episodes_at ON episodes (session, start, end);
CREATE INDEX scenes_at ON episodes (session, scene_start, scene_end);
CREATE TABLE episode_members (number INTEGER PRIMARY KEY, episode INTEGER NOT NULL);
CREATE INDEX members_of ON episode_members (episode);
CREATE TABLE embeddings (hash TEXT NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (hash, model))
  WITHOUT ROWID;
CREATE TABLE queue (kind TEXT NOT NULL, key TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  not_before REAL NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '', PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE originals (name TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;

-- step
-- The mind graph (memory/graph). What one turn says is a row of `graph_evidence`; what rows agree on is an edge. A node
-- without edges, and an edge without evidence, stay for a while so that readers hear that they are gone.
CREATE TABLE graph_nodes (id TEXT PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
  name TEXT NOT NULL, role TEXT NOT NULL DEFAULT '', turn INTEGER, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
  degree INTEGER NOT NULL DEFAULT 0, seq INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX graph_nodes_named ON graph_nodes (key, session);
CREATE INDEX graph_nodes_changed ON graph_nodes (seq);
CREATE TABLE graph_edges (id TEXT PRIMARY KEY, session TEXT NOT NULL, subject TEXT NOT NULL, predicate TEXT NOT NULL,
  object TEXT NOT NULL, label TEXT NOT NULL, strength REAL NOT NULL, confidence REAL NOT NULL, first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL, count INTEGER NOT NULL, mentioned_start INTEGER, mentioned_end INTEGER, emotion TEXT NOT NULL,
  by TEXT NOT NULL, turn INTEGER NOT NULL, scene TEXT NOT NULL, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX graph_edges_from ON graph_edges (subject, strength);
CREATE INDEX graph_edges_to ON graph_edges (object, strength);
CREATE INDEX graph_edges_strong ON graph_edges (strength);
CREATE INDEX graph_edges_labelled ON graph_edges (label) WHERE label != '';
CREATE INDEX graph_edges_changed ON graph_edges (seq);
CREATE TABLE graph_evidence (number INTEGER NOT NULL, edge TEXT NOT NULL, subject TEXT NOT NULL, predicate TEXT NOT NULL,
  object TEXT NOT NULL, label TEXT NOT NULL, confidence REAL NOT NULL, emotion TEXT NOT NULL, by TEXT NOT NULL,
  scene TEXT NOT NULL);
CREATE INDEX graph_evidence_of ON graph_evidence (edge);
CREATE INDEX graph_evidence_turn ON graph_evidence (number);
CREATE INDEX graph_evidence_from ON graph_evidence (subject, label);
CREATE INDEX graph_evidence_to ON graph_evidence (object);
CREATE TABLE graph_readings (hash TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO queue (kind, key) SELECT 'graph', number FROM episodes;

-- step
-- With hundreds of thousands that wait after an import, the next ones are found without looking at all of them.
CREATE INDEX queue_due ON queue (kind, attempts, key);

-- step
-- The vectors of single words (memory/recall/words.py); those of older turns are made behind, where they are asked for.
CREATE TABLE word_vectors (word TEXT NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (word, model))
  WITHOUT ROWID;
INSERT OR IGNORE INTO queue (kind, key) SELECT 'embedding', hash FROM turns;

-- step
-- From here on `near` is the turn before by time, also when it comes later; an older file keeps its own until a rebuild.
INSERT INTO settings SELECT 'near', 'by time' WHERE NOT EXISTS (SELECT * FROM turns);
