-- Origins whose pages may frame the capture page, and where its last screen leads.
alter table tenants add column allowed_origins text[] not null default '{}';
alter table brands add column allowed_origins text[] not null default '{}';
alter table brands add column return_url text;
alter table link_template_versions add column return_url text;
