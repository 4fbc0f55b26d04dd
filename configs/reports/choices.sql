-- objective by choice of each categorical parameter: trials, median, best and worst
select study, p.name as parameter, p.value as choice, count(*) as trials, median(t.objective) as median,
       min(t.objective) as lowest, max(t.objective) as highest
from params p join trials t using (study, trial)
where p.type in ('categorical', 'ordinal') and t.objective is not null
group by study, p.name, p.value order by study, p.name, median
