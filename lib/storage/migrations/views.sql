-- SPDX-License-Identifier: Apache-2.0
-- The stable views (docs/store.md), made anew if a file that is opened for writing has others. Times are ISO 8601, UTC.

CREATE VIEW v_study AS
SELECT name AS study, state, reason, metric, CASE maximize WHEN 1 THEN 'maximize' ELSE 'minimize' END AS direction,
       seed, slack, hash, created, strftime('%Y-%m-%dT%H:%M:%fZ', started / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', finished / 1000.0, 'unixepoch') AS finished
FROM dl_study;

CREATE VIEW v_versions AS
SELECT (SELECT name FROM dl_study) AS study, v.version AS version,
       d.number AS decision,
       strftime('%Y-%m-%dT%H:%M:%fZ', l.time / 1000.0, 'unixepoch') AS time, v.hash AS hash, v.slack AS slack,
       v.changes AS changes, v.defaults AS defaults
FROM dl_spec v LEFT JOIN dl_log l ON l.seq = v.seq
LEFT JOIN (SELECT number, row_number() OVER (ORDER BY number) AS version FROM dl_decision WHERE kind = 5) d
ON d.version = v.version;  -- versions take effect in their order

CREATE VIEW v_trials AS
SELECT (SELECT name FROM dl_study) AS study, trial,
       CASE state WHEN 0 THEN 'waiting'
                  WHEN 1 THEN iif(EXISTS (SELECT 1 FROM dl_attempt a WHERE a.trial = dl_trial.trial AND a.state = 0),
                                  'running', 'waiting')  -- its next piece is decided, but no worker has it yet
                  WHEN 2 THEN 'paused' WHEN 3 THEN 'completed'
                  WHEN 4 THEN 'pruned' WHEN 5 THEN 'failed' WHEN 6 THEN 'cancelled' END AS state,
       objective, objective_step, epochs, seconds, attempts, worker,
       strftime('%Y-%m-%dT%H:%M:%fZ', started / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', finished / 1000.0, 'unixepoch') AS finished,
       (SELECT word FROM dl_word WHERE family = 'cause' AND number = cause AND cause > 0) AS cause, message,
       members, standard_error, low, high, violation, donor,
       (SELECT iif(count(*) = count(j), sum(j), NULL)  -- of all that a worker ran, or not known
        FROM (SELECT (SELECT iif(count(*) = count(e.joules), sum(e.joules), NULL) FROM dl_energy e
                      WHERE e.trial = a.trial AND e.replicate = a.replicate AND e.fold = a.fold AND e.piece = a.piece
                      AND e.attempt = a.attempt) AS j
              FROM dl_attempt a WHERE a.trial = dl_trial.trial AND a.worker IS NOT NULL AND a.state > 0)) AS joules
FROM dl_trial;

CREATE VIEW v_members AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, objective, objective_step, epochs FROM dl_member;

CREATE VIEW v_objectives AS
SELECT (SELECT name FROM dl_study) AS study, objective, metric,
       CASE maximize WHEN 1 THEN 'maximize' ELSE 'minimize' END AS direction, reference
FROM dl_objective;

CREATE VIEW v_scores AS
SELECT (SELECT name FROM dl_study) AS study, t.trial AS trial, o.objective AS objective, o.metric AS metric,
       CASE o.objective WHEN 0 THEN t.objective ELSE v.value END AS value
FROM dl_trial t CROSS JOIN dl_objective o LEFT JOIN dl_value v ON v.trial = t.trial AND v.objective = o.objective
WHERE t.objective IS NOT NULL;

CREATE VIEW v_params AS
SELECT (SELECT name FROM dl_study) AS study, p.trial AS trial, q.name AS name,
       CASE WHEN q.choices IS NULL THEN p.value
            ELSE (SELECT c.value FROM dl_choice c WHERE c.parameter = p.parameter AND c.choice = p.value) END AS value,
       q.type AS type, q.place AS place
FROM dl_param p JOIN dl_parameter q ON q.parameter = p.parameter;

CREATE VIEW v_metrics AS
SELECT (SELECT name FROM dl_study) AS study, m.trial AS trial, m.replicate AS replicate, m.fold AS fold, m.step AS step,
       n.name AS metric, m.value AS value, coalesce(m.kind, 'finite') AS kind, m.attempt AS attempt,
       m.committed AS committed
FROM dl_metric m JOIN dl_metric_name n ON n.metric = m.metric;

CREATE VIEW v_steps AS
SELECT (SELECT name FROM dl_study) AS study, s.trial AS trial, s.replicate AS replicate, s.fold AS fold, s.step AS step,
       n.name AS metric, s.value AS value, coalesce(s.kind, 'finite') AS kind, s.attempt AS attempt
FROM dl_step s JOIN dl_metric_name n ON n.metric = s.metric;

CREATE VIEW v_divergences AS
SELECT (SELECT name FROM dl_study) AS study, d.trial AS trial, d.replicate AS replicate, d.fold AS fold, d.step AS step,
       n.name AS metric, d.attempt AS attempt, d.first AS first, d.later AS later
FROM dl_divergence d JOIN dl_metric_name n ON n.metric = d.metric;

CREATE VIEW v_pieces AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, piece, number AS decision, from_step, to_step
FROM dl_decision WHERE kind < 2;

CREATE VIEW v_attempts AS
SELECT (SELECT name FROM dl_study) AS study, a.trial, a.replicate, a.fold, a.piece, a.attempt,
       CASE a.state WHEN 0 THEN 'running' WHEN 1 THEN 'completed' WHEN 2 THEN 'failed' WHEN 3 THEN 'lost'
                    WHEN 4 THEN 'cancelled' END AS state,
       (SELECT word FROM dl_word WHERE family = 'cause' AND number = a.cause AND a.cause > 0) AS cause,
       a.message, a.epoch AS driver, a.worker,
       strftime('%Y-%m-%dT%H:%M:%fZ', a.started / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', a.finished / 1000.0, 'unixepoch') AS finished, a.seconds, a.peak_rss, a.log_tail, a.repeated,
       w.device, w.threads, w.numerics,
       (SELECT iif(count(*) = count(e.joules), sum(e.joules), NULL) FROM dl_energy e
        WHERE e.trial = a.trial AND e.replicate = a.replicate AND e.fold = a.fold AND e.piece = a.piece
        AND e.attempt = a.attempt) AS joules
FROM dl_attempt a LEFT JOIN dl_worker w ON w.epoch = a.epoch AND w.worker = a.worker;

CREATE VIEW v_energy AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, piece, attempt, source, joules FROM dl_energy;

CREATE VIEW v_ranks AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, piece, attempt, step,
       iif(is_server, 'server', 'rank') AS role, number, gradients, computing, applying, transferring, waiting, sent,
       received, updates, staleness, most_stale, iif(is_virtual, 'virtual', 'measured') AS time
FROM dl_gang_node;

CREATE VIEW v_energy_rest AS
SELECT (SELECT name FROM dl_study) AS study, epoch AS driver, what, source, joules FROM dl_energy_rest;

CREATE VIEW v_repairs AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, piece, attempt, epoch AS driver, epochs, seconds,
       strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS time
FROM dl_repair;

-- Results of races (docs/winner.md). `counts` while no further trial of the search has completed.
CREATE VIEW v_winner AS
SELECT (SELECT name FROM dl_study) AS study, number, strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS time,
       trial, race, contenders, runs, measured, metric, value, low, high, rests_on,
       completed = (SELECT count(*) FROM dl_trial WHERE state = 3)
       AND number = (SELECT max(number) FROM dl_winner) AS counts
FROM dl_winner;

-- The rule of lib/study/best.hpp for completed trials, after the winner of a race that counts. Further objectives: seven at most.
CREATE VIEW v_best AS
SELECT (SELECT name FROM dl_study) AS study, t.trial AS trial, t.objective AS objective,
       t.objective_step AS objective_step, t.epochs AS epochs, t.seconds AS seconds
FROM dl_trial t LEFT JOIN (
  SELECT trial, max(cost) FILTER (WHERE objective = 1) AS c1, max(cost) FILTER (WHERE objective = 2) AS c2,
         max(cost) FILTER (WHERE objective = 3) AS c3, max(cost) FILTER (WHERE objective = 4) AS c4,
         max(cost) FILTER (WHERE objective = 5) AS c5, max(cost) FILTER (WHERE objective = 6) AS c6,
         max(cost) FILTER (WHERE objective = 7) AS c7
  FROM (SELECT v.trial AS trial, v.objective AS objective, iif(o.maximize, -v.value, v.value) AS cost
        FROM dl_value v JOIN dl_objective o ON o.objective = v.objective)
  GROUP BY trial) f ON f.trial = t.trial
WHERE t.objective IS NOT NULL AND ((t.state = 3 AND coalesce(t.violation, 0) <= 0)
                                   OR t.trial = (SELECT w.trial FROM v_winner w WHERE w.counts))
ORDER BY t.trial = coalesce((SELECT w.trial FROM v_winner w WHERE w.counts), -1) DESC,
         CASE (SELECT maximize FROM dl_study) WHEN 1 THEN -t.objective ELSE t.objective END,
         f.c1, f.c2, f.c3, f.c4, f.c5, f.c6, f.c7, t.trial;

CREATE VIEW v_artifacts AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, piece, attempt, role, step, sha256, bytes,
       strftime('%Y-%m-%dT%H:%M:%fZ', deleted / 1000.0, 'unixepoch') AS deleted
FROM dl_artifact;

CREATE VIEW v_decisions AS
SELECT (SELECT name FROM dl_study) AS study, number,
       (SELECT word FROM dl_word WHERE family = 'decision' AND dl_word.number = d.kind) AS kind, lane, at, "end", trial,
       replicate, fold, piece, from_step, to_step, reason
FROM dl_decision d;

CREATE VIEW v_events AS
SELECT (SELECT name FROM dl_study) AS study, seq,
       (SELECT word FROM dl_word WHERE family = 'log' AND number = kind) AS kind,
       strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS time, body
FROM dl_log WHERE kind > 0;

CREATE VIEW v_edges AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, piece, attempt, kind, from_piece, from_attempt,
       artifact, from_trial, from_study, epochs
FROM dl_edge;

CREATE VIEW v_starts AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, number, tensor, rule, artifact, source, shape_from,
       shape_to
FROM dl_start;

CREATE VIEW v_start_notes AS
SELECT (SELECT name FROM dl_study) AS study, trial, replicate, fold, number, text FROM dl_start_note;

CREATE VIEW v_workers AS
SELECT (SELECT name FROM dl_study) AS study, epoch AS driver, worker, pid, host, state,
       strftime('%Y-%m-%dT%H:%M:%fZ', started / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', changed / 1000.0, 'unixepoch') AS changed, libtorch, device, threads, cores,
       numerics
FROM dl_worker;

CREATE VIEW v_environment AS
SELECT (SELECT name FROM dl_study) AS study, w.epoch AS driver, w.pid AS pid,
       strftime('%Y-%m-%dT%H:%M:%fZ', w.started / 1000.0, 'unixepoch') AS started,
       e.version, e.host, e.os, e.device, e.compiler,
       (SELECT max(o.libtorch) FROM dl_worker o WHERE o.epoch = e.epoch) AS libtorch, e.git_revision, e.git_dirty, e.data_sha256, e.command,
       e.cores, e.arithmetic, e.program_revision, e.program_changes
FROM dl_environment e JOIN dl_writer w ON w.epoch = e.epoch;

CREATE VIEW v_program_files AS
SELECT (SELECT name FROM dl_study) AS study, epoch AS driver, path, sha256 FROM dl_program_file;

CREATE VIEW v_notes AS
SELECT (SELECT name FROM dl_study) AS study, trial, strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS time,
       text
FROM dl_note;

CREATE VIEW v_tags AS
SELECT (SELECT name FROM dl_study) AS study, CASE WHEN trial < 0 THEN NULL ELSE trial END AS trial, tag FROM dl_tag;

CREATE VIEW v_parameters AS
SELECT (SELECT name FROM dl_study) AS study, name, place, type, low, high, step, log, choices FROM dl_parameter;
