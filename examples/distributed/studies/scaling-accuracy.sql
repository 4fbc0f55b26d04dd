-- SPDX-License-Identifier: Apache-2.0
-- Accuracy after the last epoch by ranks, for a picture.
select max(case when name = 'ranks' then value end) as ranks, t.objective as accuracy,
  max(case when name = 'op' then value end) as op,
  case when max(case when name = 'op' then value end) in ('bsp', 'ar_sgd', 'asp', 'ssp') then 'gradients of all'
    when max(case when name = 'op' then value end) in ('ad_psgd', 'aladdin', 'shat', 'sgp') then 'mixed at every step'
    else 'averaged now and then' end as family
from trials t join params p using (trial)
group by t.trial order by family desc, op, ranks
