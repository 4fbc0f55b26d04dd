-- SPDX-License-Identifier: Apache-2.0
-- The study under the names of Optuna's tables, schema 12, revision v3.2.0.a (docs/optuna.md), so that Optuna's tools can read
-- this file. Numbers of trials are the ids of Optuna: both count without gaps. Conditions on trial_id reach the tables below,
-- because Optuna asks for 500 trials at a time. printf with 17 digits keeps a number as it is, which JSON functions may not.

CREATE VIEW studies AS SELECT 1 AS study_id, name AS study_name FROM dl_study;

CREATE VIEW version_info AS SELECT 1 AS version_info_id, 12 AS schema_version, 'dlrun' AS library_version;

CREATE VIEW alembic_version AS SELECT 'v3.2.0.a' AS version_num;

CREATE VIEW study_directions AS
SELECT o.objective + 1 AS study_direction_id, coalesce(d.direction, iif(o.maximize, 'MAXIMIZE', 'MINIMIZE')) AS direction,
       1 AS study_id, o.objective AS objective
FROM dl_objective o LEFT JOIN dl_optuna_direction d ON d.objective = o.objective;

-- Of a study that Optuna carried out, its own attributes stand behind those that dlrun has: a note or a tag that was added
-- here takes the place of one that came along.
CREATE VIEW study_user_attributes AS
SELECT 1 AS study_user_attribute_id, 1 AS study_id, 'dlrun:state' AS "key", json_quote(state) AS value_json
FROM dl_study WHERE NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT 2, 1, 'dlrun:spec_hash', json_quote(hash) FROM dl_study WHERE NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT 3, 1, 'dlrun:seed', CAST(seed AS TEXT) FROM dl_study WHERE NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT 4, 1, 'dlrun:tags', json_group_array(tag) FROM dl_tag WHERE trial < 0 HAVING count(*) > 0
UNION ALL
SELECT place + 5, 1, name, value FROM dl_optuna_attribute
WHERE trial = -1 AND NOT is_system AND NOT (name = 'dlrun:tags' AND EXISTS (SELECT 1 FROM dl_tag WHERE trial < 0));

-- Notes are those of the dashboard: their number in `note_ver`, their text in `note_str:0`.
CREATE VIEW study_system_attributes AS
SELECT 1 AS study_system_attribute_id, 1 AS study_id, 'study:metric_names' AS "key", json_group_array(metric) AS value_json
FROM (SELECT metric FROM dl_objective ORDER BY objective) HAVING NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT 2, 1, 'dashboard:note_ver', CAST(count(*) AS TEXT) FROM dl_note WHERE trial IS NULL HAVING count(*) > 0
UNION ALL
SELECT 3, 1, 'dashboard:note_str:0', json_quote(group_concat(text, char(10, 10)))
FROM (SELECT text FROM dl_note WHERE trial IS NULL ORDER BY id) HAVING count(*) > 0
UNION ALL
SELECT trial * 2 + 4, 1, 'dashboard:' || trial || ':note_ver', CAST(count(*) AS TEXT)
FROM dl_note WHERE trial IS NOT NULL GROUP BY trial
UNION ALL
SELECT trial * 2 + 5, 1, 'dashboard:' || trial || ':note_str:0', json_quote(group_concat(text, char(10, 10)))
FROM (SELECT trial, text FROM dl_note WHERE trial IS NOT NULL ORDER BY trial, id) GROUP BY trial
UNION ALL
SELECT a.place + (1 << 40), 1, a.name, a.value FROM dl_optuna_attribute a
WHERE a.trial = -1 AND a.is_system
AND NOT (a.name GLOB 'dashboard:note_*' AND EXISTS (SELECT 1 FROM dl_note n WHERE n.trial IS NULL))
AND NOT (a.name GLOB 'dashboard:[0-9]*:note_*'
         AND EXISTS (SELECT 1 FROM dl_note n WHERE n.trial = CAST(substr(a.name, 11) AS INTEGER)));

-- Optuna has no paused and no cancelled trials: attributes say so. A completed trial without a result is none.
CREATE VIEW trials AS
SELECT trial AS trial_id, trial AS number, 1 AS study_id,
       CASE WHEN state = 0 OR (state = 1 AND started IS NULL) THEN 'WAITING'
            WHEN state < 3 THEN 'RUNNING'
            WHEN state = 3 AND objective IS NOT NULL THEN 'COMPLETE'
            WHEN state = 4 THEN 'PRUNED' ELSE 'FAIL' END AS state,
       iif(state = 0, NULL, strftime('%Y-%m-%d %H:%M:%S', coalesce(started, finished) / 1000, 'unixepoch')
                            || printf('.%03d000', coalesce(started, finished) % 1000)) AS datetime_start,
       iif(state < 3, NULL, strftime('%Y-%m-%d %H:%M:%S', finished / 1000, 'unixepoch')
                            || printf('.%03d000', finished % 1000)) AS datetime_complete
FROM dl_trial WHERE NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT trial, trial, 1, state, started, completed FROM dl_optuna_trial;

CREATE VIEW trial_user_attributes AS
SELECT trial * 16 AS trial_user_attribute_id, trial AS trial_id, 'dlrun:state' AS "key",
       iif(state = 2, '"paused"', '"cancelled"') AS value_json
FROM dl_trial WHERE state IN (2, 6) AND NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT trial * 16 + 1, trial, 'dlrun:cause',
       (SELECT json_quote(word) FROM dl_word WHERE family = 'cause' AND number = cause)
FROM dl_trial WHERE cause > 0 AND NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT trial * 16 + 2, trial, 'dlrun:message', json_quote(message)
FROM dl_trial WHERE message IS NOT NULL AND NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT trial * 16 + 3, trial, 'dlrun:epochs', CAST(epochs AS TEXT)
FROM dl_trial WHERE NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT trial * 16 + 4, trial, 'dlrun:seconds', printf('%!.17g', seconds)
FROM dl_trial WHERE NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT trial * 16 + 5, trial, 'dlrun:standard_error', printf('%!.17g', standard_error)
FROM dl_trial WHERE standard_error IS NOT NULL
UNION ALL
SELECT trial * 16 + 6, trial, 'dlrun:tags', json_group_array(tag) FROM dl_tag WHERE trial >= 0 GROUP BY trial
UNION ALL
SELECT trial * 16 + 7, trial, 'dlrun:notes', json_group_array(text)
FROM (SELECT trial, text FROM dl_note WHERE trial IS NOT NULL ORDER BY trial, id) GROUP BY trial
UNION ALL
SELECT (1 << 40) + a.place, a.trial, a.name, a.value FROM dl_optuna_attribute a
WHERE a.trial >= 0 AND NOT a.is_system
AND NOT (a.name = 'dlrun:tags' AND EXISTS (SELECT 1 FROM dl_tag t WHERE t.trial = a.trial))
AND NOT (a.name = 'dlrun:notes' AND EXISTS (SELECT 1 FROM dl_note n WHERE n.trial = a.trial));

-- Choices as JSON, in their order. Optuna knows scalars alone: lists and maps are their text.
CREATE VIEW dl_choice_json AS
SELECT q.parameter AS parameter, e.key AS choice,
       CASE e.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null'
                   WHEN 'integer' THEN CAST(e.value AS TEXT)
                   WHEN 'real' THEN iif(CAST(printf('%!.15g', e.value) AS REAL) = e.value, printf('%!.15g', e.value), printf('%!.17g', e.value))
                   ELSE json_quote('' || e.value) END AS json
FROM dl_parameter q, json_each(q.choices) e WHERE q.choices IS NOT NULL;

-- Optuna wants a whole number to be reached by steps from `low`, and no step on a log scale.
CREATE VIEW dl_distribution AS
SELECT parameter, name,
       CASE type
       WHEN 'float' THEN printf('{"name": "FloatDistribution", "attributes": {"step": %s, "low": %s, "high": %s, "log": %s}}',
                                iif(step > 0 AND NOT log, step_text, 'null'), low_text, high_text, iif(log, 'true', 'false'))
       WHEN 'int' THEN printf('{"name": "IntDistribution", "attributes": {"log": %s, "step": %d, "low": %d, "high": %d}}',
                              iif(log, 'true', 'false'), iif(step > 1 AND NOT log, step, 1), low,
                              iif(step > 1 AND NOT log, low + CAST((high - low) / step AS INTEGER) * step, high))
       ELSE printf('{"name": "CategoricalDistribution", "attributes": {"choices": [%s]}}',
                   (SELECT group_concat(json, ', ') FROM (SELECT c.json AS json FROM dl_choice_json c
                                                          WHERE c.parameter = q.parameter ORDER BY c.choice))) END AS json
FROM (SELECT parameter, name, type, low, high, step, log,
             iif(CAST(printf('%!.15g', low) AS REAL) = low, printf('%!.15g', low), printf('%!.17g', low)) AS low_text,
             iif(CAST(printf('%!.15g', high) AS REAL) = high, printf('%!.15g', high), printf('%!.17g', high)) AS high_text,
             iif(CAST(printf('%!.15g', step) AS REAL) = step, printf('%!.15g', step), printf('%!.17g', step)) AS step_text
      FROM dl_parameter) q;

-- LIMIT -1: each distribution is written once for each query, not for each trial.
CREATE VIEW trial_params AS
SELECT (p.trial << 20) + p.parameter AS param_id, p.trial AS trial_id, d.name AS param_name,
       CAST(p.value AS REAL) AS param_value, d.json AS distribution_json
FROM dl_param p JOIN (SELECT parameter, name, json FROM dl_distribution LIMIT -1) d ON d.parameter = p.parameter
WHERE NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT (trial << 20) + place, trial, name, value, distribution FROM dl_optuna_param;

CREATE VIEW trial_system_attributes AS
SELECT trial * 2 AS trial_system_attribute_id, trial AS trial_id, 'constraints' AS "key",
       '[' || printf('%!.17g', violation) || ']' AS value_json
FROM dl_trial WHERE violation IS NOT NULL AND NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT t.trial * 2 + 1, t.trial, 'fixed_params',
       '{' || (SELECT group_concat(json_quote(q.name) || ': '
                                   || coalesce(c.json, iif(q.type = 'int', CAST(p.value AS TEXT), printf('%!.17g', p.value))), ', ')
               FROM dl_param p JOIN dl_parameter q ON q.parameter = p.parameter
               LEFT JOIN dl_choice_json c ON c.parameter = p.parameter AND c.choice = p.value
               WHERE p.trial = t.trial) || '}'
FROM dl_trial t WHERE (t.state = 0 OR (t.state = 1 AND t.started IS NULL))
AND EXISTS (SELECT 1 FROM dl_param p WHERE p.trial = t.trial) AND NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT (1 << 40) + place, trial, name, value FROM dl_optuna_attribute WHERE trial >= 0 AND is_system;

CREATE VIEW trial_values AS
SELECT t.trial * 64 + o.objective AS trial_value_id, t.trial AS trial_id, o.objective AS objective,
       CASE o.objective WHEN 0 THEN t.objective ELSE v.value END AS value, 'FINITE' AS value_type
FROM dl_trial t CROSS JOIN dl_objective o LEFT JOIN dl_value v ON v.trial = t.trial AND v.objective = o.objective
WHERE t.objective IS NOT NULL AND t.state IN (3, 4) AND NOT EXISTS (SELECT 1 FROM dl_optuna_study)
UNION ALL
SELECT trial * 64 + objective, trial, objective, value, kind FROM dl_optuna_value;

-- The first objective after each epoch, of several members the mean. Optuna's TPE fails with a pruned trial's if there are
-- several objectives.
CREATE VIEW trial_intermediate_values AS
SELECT (m.trial << 32) + m.step AS trial_intermediate_value_id, m.trial AS trial_id, m.step AS step,
       iif(count(m.kind) = 0, avg(m.value), NULL) AS intermediate_value,
       CASE WHEN count(m.kind) = 0 THEN 'FINITE'
            WHEN max(m.kind = 'nan') = 1 OR count(DISTINCT m.kind) = 2 THEN 'NAN'
            WHEN max(m.kind = 'inf') = 1 THEN 'INF_POS' ELSE 'INF_NEG' END AS intermediate_value_type
FROM dl_metric m
WHERE m.metric = (SELECT n.metric FROM dl_metric_name n JOIN dl_objective o ON o.metric = n.name WHERE o.objective = 0)
AND NOT EXISTS (SELECT 1 FROM dl_trial t WHERE t.trial = m.trial AND t.state = 4
                AND (SELECT count(*) FROM dl_objective) > 1)
AND NOT EXISTS (SELECT 1 FROM dl_optuna_study)
GROUP BY m.trial, m.step
UNION ALL
SELECT (trial << 32) + step, trial, step, value, kind FROM dl_optuna_step;

CREATE VIEW trial_heartbeats AS
SELECT 0 AS trial_heartbeat_id, 0 AS trial_id, '' AS heartbeat WHERE 0;
