-- Triggers fire in the order of their names. An announcement names the categories above each business, and
-- `follow_businesses` waits for whoever moves a category. So announcements come after it: before, they would
-- name the old tree, and be heard when the move itself has been announced already.

alter trigger announce_insert on businesses rename to notify_insert;
alter trigger announce_update on businesses rename to notify_update;
alter trigger announce_delete on businesses rename to notify_delete;
