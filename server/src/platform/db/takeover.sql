-- Drops what only versions before the first release used, and keeps what it held.

-- Notes that statistics have not added up. A note needs a verification: any of the account does.
insert into verification_changes (scope, verification_id, counted)
select verification_scope(tenant_id, livemode), (select id from verifications v where v.tenant_id = c.tenant_id limit 1),
  jsonb_agg(to_jsonb(c))
from statistics_changes c group by tenant_id, livemode;

drop table analysis_clock, analysis_lanes, settings, statistics_changes;
alter table statistics_position drop column merged_from;
alter table reverse_scopes drop column files_later_from;

-- Waiting jobs get the flags by which an erasure finds them. Those that take turns move to their own queue.
do $$
declare
  job record;
begin
  -- The first start was killed before it made the queue.
  if to_regclass('graphile_worker.jobs') is null then
    return;
  end if;
  perform graphile_worker.force_unlock_workers(array(select locked_by from graphile_worker.jobs where locked_by is not null));
  for job in
    select j.*, ended.payload from graphile_worker.jobs j
    join graphile_worker.complete_jobs(array(select id from graphile_worker.jobs)) ended using (id)
    where j.attempts < j.max_attempts
  loop
    if job.task_identifier in ('check_subject', 'read_text', 'analyze_case') then
      insert into slow_jobs (task, subject_id, tenant_id, livemode)
      select job.task_identifier, coalesce(job.payload ->> 'capture_id', v.id), v.tenant_id, v.livemode from verifications v
      where v.id = coalesce(job.payload ->> 'verification_id',
        (select verification_id from captures where id = job.payload ->> 'capture_id'));
    else
      perform graphile_worker.add_job(job.task_identifier, job.payload, job.queue_name, job.run_at, job.max_attempts,
        job.key, job.priority, array(select value from json_each_text(job.payload) where key like '%\_id'));
    end if;
  end loop;
end $$;
