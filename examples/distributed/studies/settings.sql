-- SPDX-License-Identifier: Apache-2.0
-- Accuracy, virtual seconds and megabytes after the last epoch by the methods' own settings, means over the seeds.
with settings as (
  select trial, max(case when name = 'op' then value end) as op,
    max(case when name <> 'op' then name || ' ' || value end) as setting, max(case when name <> 'op' then value end) as value_of
  from params group by trial)
select op, setting,
  round(avg(case when metric = 'val.accuracy' then value end), 3) as accuracy,
  round(avg(case when metric = 'cluster.seconds' then value end), 2) as seconds,
  round(avg(case when metric = 'cluster.gbytes' then value end) * 1000, 1) as megabytes
from metrics join settings using (trial)
where committed = 1 and step = (select max(step) from metrics)
group by op, setting order by op, cast(value_of as real)
