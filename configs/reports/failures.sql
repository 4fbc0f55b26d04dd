-- attempts that failed or were lost, by cause
select study, cause, count(*) as attempts, count(distinct trial) as trials, min(message) as example
from attempts where state in ('failed', 'lost') group by study, cause order by attempts desc
