-- identity/tenants: when the public page of a verification says the verdict: always, or once no review is open.

alter table tenants
  add column public_verdict text not null default 'always' check (public_verdict in ('always', 'decided'));
