import { ConfigError } from "../src/config.ts";

/** Something that the person at the terminal can put right: shown without a stack trace. */
export class CommandError extends Error {}

/**
 * Runs a command: exit code 1 on failure, with one clear line (or the usage) on stderr.
 * Faults of the program itself keep their stack.
 */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.exitCode = 1;
    console.error(isForeseeable(error) ? describe(error) : error);
  }
}

/** A wrong setting, a wrong argument, a store that is away: not a fault of the program. */
function isForeseeable(error: unknown): error is Error {
  const code = (error as { code?: string } | null)?.code ?? "";
  return (
    error instanceof CommandError ||
    error instanceof ConfigError ||
    /^(ECONN|ENOENT|EACCES|ETIMEDOUT|CONNECT|CONNECTION_|ERR_PARSE_ARGS)/.test(code)
  );
}

function describe(error: Error): string {
  const code = (error as { code?: string }).code ?? "";
  return /^(ECONN|ETIMEDOUT|CONNECT|CONNECTION_)/.test(code)
    ? `Cannot reach a store: ${error.message || code}. Is \`npm start\` running?`
    : error.message;
}
