-- SPDX-License-Identifier: Apache-2.0
-- Accuracy after the last epoch by learning rate, for a picture.
with settings as (
  select trial, max(case when name = 'op' then value end) as op, max(case when name = 'lr' then value end) as lr
  from params group by trial)
select lr as "learning rate", objective as accuracy, op,
  case when op in ('bsp', 'ar_sgd', 'asp', 'ssp') then 'gradients of all'
    when op in ('ad_psgd', 'aladdin', 'shat', 'sgp') then 'mixed at every step'
    else 'averaged now and then' end as family
from trials join settings using (trial) order by family desc, op, lr
