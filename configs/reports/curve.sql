-- learning curve of the best trial: every metric by epoch
select step as epoch, metric, avg(value) as value from metrics
where (study, trial) in (select study, trial from best limit 1) group by step, metric order by metric, step
