-- SPDX-License-Identifier: Apache-2.0
-- Means over the seeds after the last epoch: virtual seconds, megabytes sent, accuracy.
with settings as (
  select trial, max(case when name = 'op' then value end) as op, max(case when name = 'sharding' then value end) as sharding,
    max(case when name = 'wait_free' then value end) as wait_free, max(case when name = 'codec' then value end) as codec
  from params group by trial)
select op, sharding, wait_free, codec,
  round(avg(case when metric = 'cluster.seconds' then value end), 2) as seconds,
  round(avg(case when metric = 'cluster.gbytes' then value end) * 1000, 1) as megabytes,
  round(avg(case when metric = 'val.accuracy' then value end), 3) as accuracy
from metrics join settings using (trial)
where committed = 1 and step = (select max(step) from metrics)
group by 1, 2, 3, 4 order by op, codec, sharding, wait_free
