-- SPDX-License-Identifier: Apache-2.0
-- A row for each trial: its parameters, and the step as a share of that on one device.
select max(case when name = 'placer' then value end) as placer, max(case when name = 'order' then value end) as "order",
  max(case when name = 'family' then value end) as family, max(case when name = 'graph' then value end) as graph,
  max(case when name = 'seed' then value end) as seed, objective as share
from trials join params using (trial) group by trial order by placer, family, "order", graph, seed
