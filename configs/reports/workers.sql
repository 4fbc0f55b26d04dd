-- workers: attempts that each carried out, and seconds it worked
select study, driver, worker, count(*) as attempts, sum(seconds) as seconds, max(peak_rss) / 1e6 as peak_mb
from attempts where worker is not null group by study, driver, worker order by study, driver, worker
