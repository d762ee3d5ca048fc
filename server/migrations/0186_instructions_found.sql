-- Checks in which the model found text in a picture that tells it what to answer. Each opens a review.
alter table verifications add column instructions_found jsonb;
