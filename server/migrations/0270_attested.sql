-- A third policy for live photos: an app on a genuine device must attest their bytes.
alter table tenants
  drop constraint tenants_depth_policy_check,
  add constraint tenants_depth_policy_check check (depth_policy in ('lenient', 'strict', 'attested'));
