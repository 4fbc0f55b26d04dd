-- SPDX-License-Identifier: Apache-2.0
-- Accuracy after the last epoch by learning rate, means over the seeds; `within` has how many of the rates are within two
-- points of the method's best.
with settings as (
  select trial, max(case when name = 'op' then value end) as op, max(case when name = 'lr' then value end) as lr
  from params group by trial),
ends as (select op, lr, objective from trials join settings using (trial)),
bests as (select op, max(objective) as best from ends group by op)
select op,
  round(max(case when lr = 0.0025 then objective end), 3) as "0.0025",
  round(max(case when lr = 0.005 then objective end), 3) as "0.005",
  round(max(case when lr = 0.01 then objective end), 3) as "0.01",
  round(max(case when lr = 0.02 then objective end), 3) as "0.02",
  round(max(case when lr = 0.04 then objective end), 3) as "0.04",
  round(max(case when lr = 0.08 then objective end), 3) as "0.08",
  sum(objective >= best - 0.02) as within
from ends join bests using (op) group by op order by within desc, best desc, op
