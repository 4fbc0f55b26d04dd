-- trials by state: how many, their epochs, seconds and median objective
select study, state, count(*) as trials, sum(c.epochs) as epochs, sum(c.seconds) as seconds,
       median(t.objective) as median_objective
from trials t join costs c using (study, trial, state) group by study, state order by study, trials desc
