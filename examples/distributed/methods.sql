-- SPDX-License-Identifier: Apache-2.0
-- Accuracy, virtual seconds and megabytes sent after the last epoch, by method and ranks: means of three seeds.
with settings as (
  select trial, max(case when name = 'op' then value end) as op, max(case when name = 'ranks' then value end) as ranks
  from params group by trial)
select op, ranks,
  round(avg(case when metric = 'val.accuracy' then value end), 3) as accuracy,
  round(avg(case when metric = 'cluster.seconds' then value end), 1) as virtual_s,
  round(avg(case when metric = 'cluster.gbytes' then value end) * 1000, 1) as megabytes
from metrics join settings using (trial)
where step = 10 and committed = 1
group by op, ranks order by ranks, accuracy desc, op
