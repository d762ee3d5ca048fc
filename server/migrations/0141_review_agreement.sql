-- The decisions of an account by time: how far people agree, and how long they take.

create index reviews_by_tenant on reviews (tenant_id, created_at);
