-- SPDX-License-Identifier: Apache-2.0
-- Beside a rank that is 2, 4 or 10 times slower, means over the seeds: what is left of the healthy ranks' speed; accuracy
-- after the last epoch, healthy and beside the slowest; and what that one has reached when healthy ar_sgd is done.
with settings as (select study, trial, value as op from params where name = 'op'),
curves as (
  select study, op, step, avg(case when metric = 'val.accuracy' then value end) as accuracy,
    avg(case when metric = 'cluster.seconds' then value end) as seconds
  from metrics join settings using (study, trial) where committed = 1 group by study, op, step),
ends as (select * from curves where step = (select max(step) from curves)),
healthy as (select * from ends where study glob '*-stragglers-1'),
time as (select seconds from healthy where op = 'ar_sgd')
select e.op,
  round(max(case when e.study glob '*-stragglers-2' then h.seconds / e.seconds end), 2) as "x2",
  round(max(case when e.study glob '*-stragglers-4' then h.seconds / e.seconds end), 2) as "x4",
  round(max(case when e.study glob '*-stragglers-10' then h.seconds / e.seconds end), 2) as "x10",
  round(max(h.accuracy), 3) as healthy,
  round(max(case when e.study glob '*-stragglers-10' then e.accuracy end), 3) as "x10 accuracy",
  round((select c.accuracy from curves c, time where c.study glob '*-stragglers-10' and c.op = e.op and c.seconds <= time.seconds
    order by c.step desc limit 1), 3) as "in the same time"
from ends e join healthy h using (op) group by e.op order by "in the same time" desc, e.op
