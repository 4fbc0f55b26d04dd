-- SPDX-License-Identifier: Apache-2.0
-- By method and ranks, means over the seeds: accuracy after the last epoch; virtual seconds until it is 98 % of that of one
-- rank; how many times shorter the epochs are than those of one rank.
with settings as (
  select trial, max(case when name = 'op' then value end) as op, max(case when name = 'ranks' then value end) as ranks
  from params group by trial),
curves as (
  select op, ranks, step, avg(case when metric = 'val.accuracy' then value end) as accuracy,
    avg(case when metric = 'cluster.seconds' then value end) as seconds
  from metrics join settings using (trial) where committed = 1 group by op, ranks, step),
ends as (select * from curves where step = (select max(step) from curves)),
alone as (select accuracy, seconds from ends where op = 'ar_sgd' and ranks = 1)
select e.op, e.ranks, round(e.accuracy, 3) as accuracy,
  round((select min(c.seconds) from curves c where c.op = e.op and c.ranks = e.ranks and c.accuracy >= 0.98 * alone.accuracy), 2)
    as "s to 98 %",
  round(alone.seconds / e.seconds, 1) as "speed-up"
from ends e, alone order by e.ranks, e.accuracy desc, e.op
