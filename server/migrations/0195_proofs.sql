-- A person belongs to one account, and every way in says which persons it opens and by which proof.

-- Who was a member of several accounts becomes one person in each. The first account keeps the person and the ways in;
-- in the others the person proves the address or number again.
create temporary table split on commit drop as
select m.tenant_id, m.person_id as old_id,
  -- The time of the old id, and sixteen random digits of the same alphabet.
  substr(m.person_id, 1, 14) || (
    select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + floor(random() * 32)::integer, 1), '')
    from generate_series(1, 16) where m.person_id is not null
  ) as new_id
from (
  select tenant_id, person_id, row_number() over (partition by person_id order by created_at, tenant_id) as n
  from memberships
) m
where m.n > 1;

drop index persons_by_email;
drop index persons_by_phone;
alter table persons add column email_proven_at timestamptz;
alter table persons add column phone_proven_at timestamptz;

-- With two contacts nobody knows which one was proven, so neither counts until it is proven again.
update persons set
  email_proven_at = case when phone_e164 is null and email is not null then proven_at end,
  phone_proven_at = case when email is null and phone_e164 is not null then proven_at end;
insert into persons (id, name, email, phone_e164, created_at)
select s.new_id, p.name, p.email, p.phone_e164, p.created_at from split s join persons p on p.id = s.old_id;
update reviews r set person_id = s.new_id from split s where r.tenant_id = s.tenant_id and r.person_id = s.old_id;
update sign_in_tokens t set person_id = s.new_id from split s where t.tenant_id = s.tenant_id and t.person_id = s.old_id;
update memberships m set person_id = s.new_id from split s where m.tenant_id = s.tenant_id and m.person_id = s.old_id;
drop index memberships_by_person;
create unique index memberships_by_person on memberships (person_id);

-- The same address may be a person's in each account. Within one account it is one person's: people/manage.ts checks it
-- under the lock of the account.
create index persons_by_email on persons (email) where email is not null;
create index persons_by_phone on persons (phone_e164) where phone_e164 is not null;

-- What a session opens, and why: by an address or number that its sign-in proved, by a link that the account handed over,
-- by a link of the operator, or by a provider whose people join the account.
create table session_persons (
  session_id text not null references sessions (id) on delete cascade,
  person_id text not null references persons (id),
  proof text not null check (proof in ('email', 'phone_e164', 'link', 'operator', 'provider')),
  primary key (session_id, person_id)
);
create index session_persons_by_person on session_persons (person_id);

-- What a passkey opens: what the session opened that added it.
create table passkey_persons (
  passkey_id text not null references passkeys (id) on delete cascade,
  person_id text not null references persons (id),
  proof text not null check (proof in ('email', 'phone_e164', 'link', 'operator', 'provider')),
  primary key (passkey_id, person_id)
);
create index passkey_persons_by_person on passkey_persons (person_id);

-- A provider's person opens several persons: each whose address the provider verified in a sign-in there, and whoever joined by it.
alter table person_identities add column proof text check (proof in ('email', 'provider'));
update person_identities i set proof = case when p.email is null then 'provider' else 'email' end
from persons p where p.id = i.person_id;
alter table person_identities alter column proof set not null;
alter table person_identities drop constraint person_identities_pkey;
alter table person_identities add constraint person_identities_pkey primary key (issuer, subject, person_id);
-- The account a person was removed from: a provider does not add them there again.
alter table persons add column removed_from text references tenants (id);
update persons set removed_from = last_tenant_id where removed_at is not null;

insert into passkey_persons (passkey_id, person_id, proof)
select k.id, k.person_id, case when p.proven_at is null then 'link' when p.email_proven_at is not null then 'email'
  when p.phone_proven_at is not null then 'phone_e164' else 'operator' end
from passkeys k join persons p on p.id = k.person_id where p.removed_at is null;
-- Nobody knows what an open session proved: everybody signs in once more.
update sessions set ended_at = now() where ended_at is null;

-- A mailed link proves the address and opens whoever has it; any other link opens its one person.
alter table sign_in_tokens alter column person_id drop not null;
alter table sign_in_tokens add column email text;
update sign_in_tokens t set email = p.email from persons p where p.id = t.person_id and t.mail_id is not null;
delete from sign_in_tokens where mail_id is not null and email is null;
alter table sign_in_tokens drop column proves;
alter table sign_in_tokens drop column tenant_id;
alter table sign_in_tokens add constraint sign_in_tokens_open check (person_id is not null or email is not null);
create index sign_in_tokens_by_email on sign_in_tokens (email, created_at) where email is not null;

alter table persons drop column proven_at;
alter table persons drop column last_tenant_id;
