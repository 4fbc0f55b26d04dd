-- trials by state: how many, their epochs, seconds and median objective
select study, state, count(*) as trials, sum(epochs) as epochs, sum(seconds) as seconds,
       median(objective) as median_objective
from trials group by study, state order by study, trials desc
