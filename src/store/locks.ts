/**
 * The advisory locks of a database, each for a kind of work that only one process may do at a
 * time. 20_260_002 and 20_260_003 are those of sql/002_listings.sql.
 */
export const MIGRATION_LOCK = 20_260_001;
export const SEARCH_SYNC_LOCK = 20_260_004;
export const IMPORT_LOCK = 20_260_005;
