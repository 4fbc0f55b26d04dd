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
ON d.version = v.version  -- versions take effect in their order
WHERE v.version >= 0;     -- no settings that changed without a version

CREATE VIEW v_trials AS
SELECT (SELECT name FROM dl_study) AS study, trial,
       CASE state WHEN 0 THEN 'waiting'
                  WHEN 1 THEN iif(EXISTS (SELECT 1 FROM dl_attempt a LEFT JOIN dl_worker w ON w.epoch = a.epoch AND
                                          w.worker = a.worker WHERE a.trial = dl_trial.trial AND a.state = 0 AND
                                          coalesce(w.state, '') NOT IN ('ended', 'lost')),
                                  'running', 'waiting')  -- its next piece is decided, but no worker has it
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
       CASE a.state WHEN 0 THEN iif(w.state IN ('ended', 'lost'), 'lost', 'running') WHEN 1 THEN 'completed' WHEN 2 THEN 'failed' WHEN 3 THEN 'lost'
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
       e.cores, e.arithmetic, e.program_revision, e.program_changes, e.executor, e.executor_version, e.executor_sha256
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

-- Comparisons of an ablation, replicate by replicate. Names of metrics that are maximized: lib/recipe/metric_kinds.cpp, and
-- endings of names: lib/recipe/metric_direction.cpp.
-- json_each is the only function of JSON here: SQLite lets a view that is not trusted use it, but not json_extract.
CREATE VIEW v_ablation_effects AS
WITH plan AS (
  SELECT name AS study, spec, metric AS objective, maximize,
         coalesce(nullif((SELECT atom FROM json_each(spec, '$.ablation.analysis.metric')), ''), metric) AS metric
  FROM dl_study),
task AS (
  SELECT study, spec, objective, metric,
         iif(CASE metric WHEN objective THEN maximize
                  ELSE coalesce((SELECT (SELECT atom FROM json_each(o.value, '$.direction')) = 'maximize'
                                 FROM (SELECT iif(type = 'object', value, '{}') AS value FROM json_each(spec, '$.objective')) o
                                 WHERE (SELECT atom FROM json_each(o.value, '$.metric')) = plan.metric),
                  coalesce((SELECT atom FROM json_each(spec, '$.derived.ablation.maximize')), 0) OR  -- by a plugin
                  replace(metric, rtrim(metric, replace(metric, '.', '')), '') IN (
                    'accuracy', 'top_2', 'top_3', 'top_5', 'top_10', 'balanced_accuracy', 'f1', 'precision', 'recall',
                    'f1_macro', 'f1_weighted', 'f1_micro', 'precision_macro', 'precision_weighted', 'recall_macro',
                    'recall_weighted', 'kappa', 'mcc', 'auc', 'r2', 'explained_variance') OR
                  metric LIKE '%accuracy' OR metric LIKE '%acc' OR metric LIKE '%r2' OR metric LIKE '%auc' OR
                  metric LIKE '%f1' OR metric LIKE '%precision' OR metric LIKE '%recall' OR metric LIKE '%reward')
                  END, 1, -1) AS sign
  FROM plan),
variant AS (
  SELECT v.key AS place, (SELECT CAST(atom AS TEXT) FROM json_each(v.value, '$.id')) AS id,
         (SELECT atom FROM json_each(v.value, '$.kind')) AS kind, v.value AS edits,
         (SELECT count(*) FROM json_each(v.value, '$.components')) AS off
  FROM task, json_each(task.spec, '$.derived.ablation.variants') v),
component AS (SELECT DISTINCT c.value AS id FROM variant, json_each(variant.edits, '$.components') c),
contrast AS (                              -- beside all the others, or beside none of them
  SELECT 'left_out' AS contrast, v.place, v.id AS variant, v.kind, b.id AS base, -1 AS sign,
         (SELECT group_concat(c.value, ', ') FROM json_each(v.edits, '$.components') c) AS component
  FROM variant b JOIN variant v ON v.off > 0 WHERE b.off = 0
  UNION ALL
  SELECT 'put_back', v.place, v.id, v.kind, b.id, 1,
         (SELECT c.id FROM component c WHERE c.id NOT IN (SELECT o.value FROM json_each(v.edits, '$.components') o))
  FROM variant b JOIN variant v ON v.off = b.off - 1
  WHERE b.off > 1 AND b.off = (SELECT count(*) FROM component)),
run AS (                                   -- trials that are over; NULL: failed, or without the metric
  SELECT t.trial, CAST(v.value AS TEXT) AS variant, r.value AS replicate,
         CASE WHEN t.state <> 3 THEN NULL WHEN task.metric = task.objective THEN t.objective
              WHEN task.metric IN (SELECT o.metric FROM dl_objective o)  -- measured by its own `at`
              THEN (SELECT v.value FROM dl_value v JOIN dl_objective o ON o.objective = v.objective
                    WHERE v.trial = t.trial AND o.metric = task.metric)
              ELSE (SELECT avg(m.value) FROM dl_metric m JOIN dl_metric_name n ON n.metric = m.metric
                    WHERE m.trial = t.trial AND n.name = task.metric AND m.step = t.objective_step) END AS value
  FROM task JOIN dl_trial t JOIN v_params v ON v.trial = t.trial AND v.name = 'variant'
  JOIN v_params r ON r.trial = t.trial AND r.name = 'replicate' WHERE t.state IN (3, 5, 6)),
cell AS (
  SELECT variant, replicate, value
  FROM (SELECT *, row_number() OVER (PARTITION BY variant, replicate ORDER BY value IS NULL, trial) AS number FROM run)
  WHERE number = 1),
pair AS (
  SELECT c.*, v.replicate, iif(b.value IS NULL, NULL, v.value) AS value, iif(v.value IS NULL, NULL, b.value) AS base_value,
         avg(v.value - b.value) OVER (PARTITION BY c.contrast, c.place) AS middle
  FROM contrast c
  LEFT JOIN (cell v JOIN cell b ON b.replicate = v.replicate) ON v.variant = c.variant AND b.variant = c.base)
SELECT task.study AS study, variant, component, kind, contrast, base, metric,
       CASE task.sign WHEN 1 THEN 'maximize' ELSE 'minimize' END AS direction,
       count(value) AS n, count(replicate) - count(value) AS lost, avg(value) AS mean, avg(base_value) AS base_mean,
       avg(value - base_value) AS difference,
       iif(count(value) > 1, sqrt(sum((value - base_value - middle) * (value - base_value - middle)) / (count(value) - 1)),
           NULL) AS stdev,
       avg(value - base_value) * pair.sign * task.sign AS contribution
FROM task JOIN pair GROUP BY contrast, place ORDER BY contrast, place;

-- Costs of trials; their sums are those of lib/report/cost.cpp.
CREATE VIEW v_costs AS
WITH piece AS (SELECT trial, replicate, fold, piece, from_step, to_step FROM dl_decision WHERE kind < 2),
shared AS (                                -- epochs that another trial had trained
  SELECT e.trial, e.replicate, e.fold, e.piece, e.attempt, e.epochs - p.from_step AS epochs
  FROM dl_edge e JOIN piece p USING (trial, replicate, fold, piece) WHERE e.kind = 'shared_from'),
resumed AS (SELECT DISTINCT trial, replicate, fold, piece, attempt FROM dl_edge WHERE kind = 'resumed_from'),
reached AS (                               -- the last epoch of each member, also where none was reported after it
  SELECT p.trial, p.replicate, p.fold, max(coalesce(m.epochs, t.epochs), coalesce(r.step, 0)) AS step
  FROM (SELECT DISTINCT trial, replicate, fold FROM piece) p JOIN dl_trial t USING (trial)
  LEFT JOIN dl_member m USING (trial, replicate, fold)
  LEFT JOIN (SELECT trial, replicate, fold, max(step) AS step FROM dl_metric WHERE committed = 1
             GROUP BY trial, replicate, fold) r USING (trial, replicate, fold)),
of_kind AS (SELECT DISTINCT kind, trial, replicate, fold, piece FROM dl_edge WHERE kind IN ('continued_from', 'cited_from')),
saved AS (
  SELECT trial, sum(from_step) FILTER (WHERE kind = 'continued_from') AS continued,
         sum(to_step - from_step) FILTER (WHERE kind = 'cited_from') AS cited
  FROM of_kind JOIN piece USING (trial, replicate, fold, piece) GROUP BY trial),
known AS (                                 -- joules of an attempt: of the sources that answered, and of how many not
  SELECT trial, replicate, fold, piece, attempt, sum(joules) AS joules, count(*) - count(joules) AS silent
  FROM dl_energy GROUP BY trial, replicate, fold, piece, attempt),
attempt AS (                               -- epochs: to where the piece ended; not known of one that went on from an earlier one
  SELECT a.trial, a.state, a.worker, a.seconds, a.repeated, k.joules, k.silent,
         iif(u.trial IS NULL, max(0, iif(e.step > p.from_step, min(e.step, p.to_step), p.to_step)
                                     - p.from_step - coalesce(s.epochs, 0)), NULL) AS epochs
  FROM dl_attempt a LEFT JOIN piece p USING (trial, replicate, fold, piece)
  LEFT JOIN reached e USING (trial, replicate, fold)
  LEFT JOIN resumed u USING (trial, replicate, fold, piece, attempt)
  LEFT JOIN known k USING (trial, replicate, fold, piece, attempt)
  LEFT JOIN shared s USING (trial, replicate, fold, piece, attempt)),
spent AS (
  SELECT trial, sum(seconds) AS seconds, sum(iif(state = 1, 0, seconds)) AS lost_seconds,
         sum(joules) FILTER (WHERE state > 0) AS joules, sum(joules) FILTER (WHERE state > 1) AS lost_joules,
         count(*) FILTER (WHERE state > 0 AND worker IS NOT NULL AND coalesce(silent, 1) > 0) AS unmeasured,
         sum(repeated) AS repeated
  FROM attempt GROUP BY trial),
taken AS (                                 -- by what was completed here
  SELECT trial, sum(epochs) AS epochs, sum(seconds) AS seconds,
         sum(epochs) FILTER (WHERE silent = 0) AS measured, sum(joules) FILTER (WHERE silent = 0) AS joules
  FROM attempt WHERE state = 1 AND worker IS NOT NULL AND epochs IS NOT NULL GROUP BY trial),
mean AS (
  SELECT iif(sum(epochs) > 0, sum(seconds) / sum(epochs), NULL) AS seconds,
         iif(sum(measured) > 0, sum(joules) / sum(measured), NULL) AS joules FROM taken),
epoch AS (                                 -- what an epoch of each trial takes
  SELECT t.trial, coalesce(iif(taken.epochs > 0, taken.seconds / taken.epochs, NULL), mean.seconds) AS seconds,
         coalesce(iif(taken.measured > 0, taken.joules / taken.measured, NULL), mean.joules) AS joules
  FROM dl_trial t CROSS JOIN mean LEFT JOIN taken USING (trial)),
counted AS (
  SELECT trial, count(*) AS epochs
  FROM (SELECT DISTINCT trial, replicate, fold, step FROM dl_metric WHERE committed = 1 AND metric NOT IN
        (SELECT metric FROM dl_metric_name WHERE name LIKE 'test.%')) GROUP BY trial),
same AS (
  SELECT trial, sum(epochs) AS epochs
  FROM (SELECT trial, max(epochs) AS epochs FROM shared GROUP BY trial, replicate, fold, piece) GROUP BY trial),
members AS (
  SELECT trial, sum(from_step) AS begun FROM piece WHERE piece = 0 GROUP BY trial),
repaired AS (SELECT trial, sum(epochs) AS epochs, sum(seconds) AS seconds FROM dl_repair GROUP BY trial),
donated AS (
  SELECT trial, sum(step - 1) AS epochs
  FROM (SELECT trial, replicate, fold, min(step) AS step FROM dl_metric WHERE committed = 1 GROUP BY trial, replicate, fold)
  JOIN (SELECT DISTINCT trial, replicate, fold FROM dl_start) USING (trial, replicate, fold) GROUP BY trial),
trained AS (SELECT trial, sum(epochs) AS epochs FROM dl_member GROUP BY trial),  -- by several members
spec AS (
  SELECT name, (SELECT atom FROM json_each(spec, '$.trial.epochs'))
         * coalesce((SELECT atom FROM json_each(spec, '$.trial.replicates')), 1)
         * coalesce((SELECT atom FROM json_each(spec, '$.trial.folds')), 1) AS epochs FROM dl_study)
SELECT spec.name AS study, t.trial AS trial, v.state AS state, spec.epochs AS planned_epochs,
       spec.epochs * epoch.seconds AS planned_seconds, spec.epochs * epoch.joules AS planned_joules,
       max(coalesce(counted.epochs, 0),  -- programs need not report after every epoch
           coalesce(trained.epochs, t.epochs) - coalesce(members.begun, 0) - coalesce(donated.epochs, 0))
       - coalesce(saved.cited, 0) - coalesce(same.epochs, 0) AS epochs,
       coalesce(spent.seconds, 0) AS seconds, coalesce(spent.lost_seconds, 0) AS lost_seconds, spent.joules AS joules,
       spent.lost_joules AS lost_joules, coalesce(spent.unmeasured, 0) AS unmeasured,
       coalesce(repaired.epochs, 0) AS repaired_epochs, coalesce(repaired.seconds, 0) AS repaired_seconds,
       coalesce(spent.repeated, 0) AS repeated_epochs, coalesce(saved.continued, 0) AS continued,
       iif(t.donor IS NULL, 0, coalesce(members.begun, 0)) AS inherited, coalesce(saved.cited, 0) AS cited,
       coalesce(same.epochs, 0) AS shared, iif(t.state = 4, coalesce(spec.epochs - coalesce(trained.epochs, t.epochs), 0), 0) AS pruned,
       coalesce(donated.epochs, 0) AS donated, epoch.seconds AS seconds_per_epoch, epoch.joules AS joules_per_epoch
FROM dl_trial t JOIN v_trials v USING (trial) CROSS JOIN spec JOIN epoch USING (trial)
LEFT JOIN spent USING (trial) LEFT JOIN saved USING (trial) LEFT JOIN same USING (trial) LEFT JOIN counted USING (trial)
LEFT JOIN trained USING (trial) LEFT JOIN members USING (trial) LEFT JOIN repaired USING (trial) LEFT JOIN donated USING (trial);
