-- objective by choice of each categorical parameter: trials, median, best and worst
select p.name as parameter, p.value as choice, count(*) as trials, median(t.objective) as median,
       min(t.objective) as lowest, max(t.objective) as highest
from params p join trials t using (study, trial) join parameters q on q.study = p.study and q.name = p.name
where q.type in ('categorical', 'ordinal') and t.objective is not null
group by p.name, p.value order by p.name, median
