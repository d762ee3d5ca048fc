-- delivery/notifications: messages with a capture link that wait to be sent. A row goes with the message, so an address is kept no longer.

create table link_messages (
  id text primary key,
  verification_id text not null references verifications (id),
  kind text not null check (kind in ('link', 'reminder')),
  channel text not null check (channel in ('email', 'phone')),
  address text not null,
  locale text not null,
  created_at timestamptz not null
);
create index link_messages_verification on link_messages (verification_id);
create unique index link_messages_reminder on link_messages (verification_id) where kind = 'reminder';
