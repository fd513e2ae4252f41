/*
 * How programs get memory from the system and hand it back. Each page that comes back has to be cleared and
 * mapped again, which costs a virtual machine more than anything else that they do with it.
 */

/**
 * For Bun, in the environment that it starts in. By default its allocator (a mimalloc of its own) hands memory
 * back a tenth of a second after its last use, also the free pages between blocks that are in use: getting it
 * again for the answers of the next moment took a tenth to a fifth of a busy server's time. Now only what is
 * free for a second goes.
 */
export const BUN_ALLOCATOR = { MIMALLOC_PURGE_DELAY: "1000", MIMALLOC_PURGE_HOLES: "0" };

/** For the server. `bun run serve` and compose.yaml set this too. */
export const SERVER_MEMORY = {
  ...BUN_ALLOCATOR,
  // On a machine with 16 GB or more JavaScriptCore lets its heap grow to three times what is in use before it
  // collects garbage. Twice is just as fast; 1.8 times costs a busy server a hundredth of its time, and saves
  // a tenth of its memory.
  BUN_JSC_heapGrowthMaxIncrease: "0.8",
};

/**
 * For PostgreSQL on glibc, in bytes (see mallopt(3)); compose.yaml sets this too. By default what a statement
 * has used goes back at its end, and the next one has to get it again: a load took a fifth to a half longer.
 */
export const POSTGRES_MEMORY = {
  MALLOC_TRIM_THRESHOLD_: `${64 * 1024 * 1024}`,
  MALLOC_MMAP_THRESHOLD_: `${32 * 1024 * 1024}`,
};

/**
 * For Meilisearch, whose allocator (mimalloc as well) hands memory back after a hundredth of a second;
 * compose.yaml sets this too. By default searches took a tenth and building the index a fifth more time.
 */
export const MEILISEARCH_MEMORY = { MIMALLOC_PURGE_DELAY: "1000" };
