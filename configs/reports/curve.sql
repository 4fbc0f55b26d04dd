-- learning curve of the best trial: every metric by epoch
select study, step as epoch, metric, iif(count(*) = count(value), avg(value), null) as value from metrics
where (study, trial) in (select s.study, (select trial from best b where b.study = s.study limit 1) from study s)
group by study, step, metric order by study, metric, step
