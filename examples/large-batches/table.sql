-- SPDX-License-Identifier: Apache-2.0
-- Accuracy after the last epoch, by scaling and micro-batches of a step: means of three seeds.
select s.value as scaling,
  round(max(case when n.value = 1 then objective end), 3) as batch_of_8,
  round(max(case when n.value = 16 then objective end), 3) as batch_of_128,
  round(max(case when n.value = 64 then objective end), 3) as batch_of_512
from trials t join params s on s.trial = t.trial and s.name = 'scaling'
  join params n on n.trial = t.trial and n.name = 'n'
group by s.value order by batch_of_512 desc, s.value
