create table link_templates (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  status text not null default 'active' check (status in ('active', 'revoked')),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index link_templates_by_tenant on link_templates (tenant_id, id desc);

-- A capture spec as it was published; never changed, so that a verification's template version can be read for ever.
create table link_template_versions (
  template_id text not null references link_templates,
  version integer not null,
  name text not null,
  request jsonb not null,
  published_at timestamptz not null,
  primary key (template_id, version)
);
