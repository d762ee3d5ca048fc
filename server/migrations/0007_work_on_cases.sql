-- verification/verifications: who a case is assigned to, and how often its reviews or its assignee changed.

alter table verifications
  add column review_version integer not null default 0,
  add column review_assigned_to jsonb;
create index verifications_by_assignee on verifications
  (tenant_id, livemode, (review_assigned_to ->> 'person_id'), created_at desc, id desc) where review_assigned_to is not null;

-- desk/reviews: what people of the account write to each other about a case. Nobody else reads it, and it is erased with the case.
create table review_comments (
  id text primary key,
  number bigint generated always as identity,
  verification_id text not null references verifications,
  tenant_id text not null references tenants,
  person_id text not null references persons,
  person_name text not null,
  text text not null,
  -- Ids of people who are told of it by mail.
  mentions text[] not null,
  created_at timestamptz not null
);
create index review_comments_by_verification on review_comments (verification_id, number);
