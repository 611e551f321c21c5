-- Casts of vendors' texts count on NULL for what does not fit; ANSI mode would stop the run.

select 'ANSI mode is on' as problem
where cast('x' as int) is not null
