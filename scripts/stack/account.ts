import { $ } from "bun";
import { CommandError } from "../terminal/command.ts";

/** The account that a program runs as, and the command prefix that switches to it. */
export interface Account {
  uid: number;
  gid: number;
  prefix: string[];
}

/**
 * The account `postgres`, created if missing, when we are root: PostgreSQL refuses to run as root.
 * @param program what it has to be able to execute
 * @param folder what it has to be able to enter
 * @returns undefined when we are anybody else, since our own account will do
 * @throws CommandError when root has no way to run it in another account
 */
export async function unprivilegedAccount(
  program: string,
  folder: string,
): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (!Bun.which("setpriv")) {
    throw new CommandError(
      "PostgreSQL does not run as root, and setpriv (of util-linux) is missing: start as another user, or set DATABASE_URL.",
    );
  }
  if ((await idOf("-u")) === undefined) {
    await $`useradd --system --user-group --no-create-home --shell /bin/false postgres`
      .quiet()
      .nothrow();
  }
  const [uid, gid] = [await idOf("-u"), await idOf("-g")];
  if (uid === undefined || gid === undefined) {
    throw new CommandError(
      'PostgreSQL does not run as root, and no account "postgres" can be made for it: start as another user, or set DATABASE_URL.',
    );
  }
  const prefix = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  if (!(await canReach(prefix, program, folder))) prefix.push(...WALK_ANYWHERE);
  return { uid, gid, prefix };
}

/**
 * Other accounts cannot enter a clone in /root. With these options the program keeps the one
 * capability of root that lets it; access(2) honours it only without the setuid fixup.
 */
const WALK_ANYWHERE = [
  "--securebits=+no_setuid_fixup",
  "--inh-caps=+dac_override",
  "--ambient-caps=+dac_override",
];

async function canReach(prefix: string[], program: string, folder: string): Promise<boolean> {
  const tried = await $`${prefix} sh -c 'test -x "$1" && test -x "$2"' sh ${program} ${folder}`
    .quiet()
    .nothrow();
  return tried.exitCode === 0;
}

async function idOf(flag: "-u" | "-g"): Promise<number | undefined> {
  const asked = await $`id ${flag} postgres`.quiet().nothrow();
  return asked.exitCode === 0 ? Number(asked.text()) : undefined;
}
