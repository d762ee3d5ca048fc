-- The address of an account's chat, which gets a message for each verification that needs a look.

create table chat_webhooks (
  tenant_id text primary key references tenants (id),
  -- Whoever knows the address may post: it is kept like a secret.
  sealed text not null,
  host text not null,
  updated_at timestamptz not null
);
