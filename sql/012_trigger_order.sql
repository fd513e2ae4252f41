-- Triggers fire in the order of their names. What a statement announces names the categories above each
-- business: to be told only once `follow_businesses` has waited for whoever moves a category, or it
-- would tell of the tree as it was before, and that after the move itself has been announced.

alter trigger announce_insert on businesses rename to notify_insert;
alter trigger announce_update on businesses rename to notify_update;
alter trigger announce_delete on businesses rename to notify_delete;
