/*
 * When programs return memory to the system. Each page that they get again has to be cleared and mapped, which
 * on a virtual machine costs more than anything else they do with it.
 */

/**
 * For Bun, in the environment that it starts with. By default its allocator (its own mimalloc) returns memory
 * 0.1 s after its last use, including free pages between blocks in use: getting it again for the next responses
 * took a tenth to a fifth of a busy server's time. With this, memory is returned after it has been free for a
 * second.
 */
export const BUN_ALLOCATOR = { MIMALLOC_PURGE_DELAY: "1000", MIMALLOC_PURGE_HOLES: "0" };

/**
 * Starts this program over with that setting, unless it has it: Bun reads it only as it starts. Call it before
 * anything is read, which a pipe would not give again. The process keeps its id, its arguments and its standard
 * streams.
 */
export function startOverWithAllocator(): void {
  if (Object.keys(BUN_ALLOCATOR).every((name) => name in process.env)) return;
  // A new start has none of the other open files, such as a shell's for <(…), and applies Bun's own --cwd to where
  // that has led already. With these it goes on as it is.
  const args = process.argv.slice(1);
  if (process.execArgv.length > 0 || args.some((given) => /\/fd\/\d/.test(given))) return;
  process.execve?.(process.execPath, [process.execPath, ...args], {
    ...BUN_ALLOCATOR,
    ...process.env,
  });
}

/** For the server. `bun run serve` and compose.yaml set this too. */
export const SERVER_MEMORY = {
  ...BUN_ALLOCATOR,
  // On a machine with 16 GB or more, JavaScriptCore lets its heap grow to three times the live size before it
  // collects garbage. Twice is just as fast; 1.8 times costs a busy server 1 % of its time, and saves 10 % of
  // its memory.
  BUN_JSC_heapGrowthMaxIncrease: "0.8",
};

/**
 * For PostgreSQL on glibc, in bytes (see mallopt(3)); compose.yaml sets this too. By default the memory of a
 * statement is returned at its end, and the next one has to get it again: a load took a fifth to a half longer.
 */
export const POSTGRES_MEMORY = {
  MALLOC_TRIM_THRESHOLD_: `${64 * 1024 * 1024}`,
  MALLOC_MMAP_THRESHOLD_: `${32 * 1024 * 1024}`,
};

/**
 * For Meilisearch, whose allocator (also mimalloc) returns memory after 10 ms; compose.yaml sets this too. By
 * default searches took a tenth longer, and building the index a fifth.
 */
export const MEILISEARCH_MEMORY = { MIMALLOC_PURGE_DELAY: "1000" };
