-- SPDX-License-Identifier: Apache-2.0
-- How many times shorter epochs are than those of one rank, by ranks, for a picture.
with settings as (
  select trial, max(case when name = 'op' then value end) as op, max(case when name = 'ranks' then value end) as ranks
  from params group by trial),
ends as (
  select op, ranks, avg(value) as seconds from metrics join settings using (trial)
  where metric = 'cluster.seconds' and committed = 1 and step = (select max(step) from metrics) group by op, ranks)
select ranks, (select seconds from ends where op = 'ar_sgd' and ranks = 1) / seconds as "speed-up", op,
  case when op in ('bsp', 'ar_sgd', 'asp', 'ssp') then 'gradients of all'
    when op in ('ad_psgd', 'aladdin', 'shat', 'sgp') then 'mixed at every step'
    else 'averaged now and then' end as family
from ends order by family desc, op, ranks
