-- The link template that a key for apps is bound to. Keys made before have none.
alter table api_keys add template_id text references link_templates (id);

-- What proves that an attestation of this capture's photo was used: one counts once in a verification.
alter table captures add attestation_proof bytea;

-- What the account gave, while a group at the identity provider gives `role`. Null: `role` is what the account gave.
alter table memberships add granted_role text check (granted_role in ('viewer', 'reviewer', 'member', 'owner'));
