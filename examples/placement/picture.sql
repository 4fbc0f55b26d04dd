-- SPDX-License-Identifier: Apache-2.0
-- Geometric means over graphs by order, a panel for each family.
with settings as (
  select trial, max(case when name = 'placer' then value end) as placer, max(case when name = 'order' then value end) as ord,
    max(case when name = 'family' then value end) as family
  from params group by trial)
select ord as "order", exp(avg(ln(objective))) as "step over one device's", placer, family
from trials join settings using (trial) group by placer, ord, family order by family, placer, ord
