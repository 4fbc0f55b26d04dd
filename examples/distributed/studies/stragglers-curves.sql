-- SPDX-License-Identifier: Apache-2.0
-- Accuracy in the first ten virtual seconds of eight ranks, healthy and with one that is ten times slower, for a picture.
with settings as (select study, trial, value as op from params where name = 'op')
select avg(case when metric = 'cluster.seconds' then m.value end) as seconds,
  avg(case when metric = 'val.accuracy' then m.value end) as accuracy, op,
  iif(study glob '*-stragglers-1', 'healthy', 'one is ten times slower') as ranks
from metrics m join settings using (study, trial)
where committed = 1 and (study glob '*-stragglers-1' or study glob '*-stragglers-10') and op in ('ar_sgd', 'asp', 'easgd', 'sgp', 'aladdin')
group by study, op, step having seconds <= 10 order by study, op, step
