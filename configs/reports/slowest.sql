-- trials that took longest, with their seconds per epoch
select study, trial, state, seconds, epochs, seconds / nullif(epochs, 0) as seconds_per_epoch
from costs order by seconds desc limit 20
