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
 * @param program what it must be able to execute
 * @param folder what it must be able to enter
 * @returns undefined when we are not root, since our own account will do
 * @throws CommandError when root cannot run a program as another account, or could not end it
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
  await requireCapabilities(NEEDED);
  if ((await idOf("-u")) === undefined) {
    await $`useradd --system --user-group --no-create-home --shell /bin/false postgres`
      .quiet()
      .nothrow();
  }
  const [uid, gid] = [await idOf("-u"), await idOf("-g")];
  if (uid === undefined || gid === undefined) {
    throw new CommandError(
      'PostgreSQL does not run as root, and the account "postgres" cannot be created: start as another user, or set DATABASE_URL.',
    );
  }
  const plain = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  let prefix = plain;
  for (const capability of WALK_ANYWHERE) {
    if (await canReach(prefix, program, folder)) break;
    prefix = [...plain, ...keeping(capability)];
  }
  if (prefix !== plain) await requireCapabilities(NEEDED_TO_KEEP);
  return { uid, gid, prefix };
}

/**
 * What root needs to give files to another account and read them, to run a program as that account, and to end it,
 * but may lack in a container: for each capability its bit in CapEff of /proc/self/status (linux/capability.h).
 * For the second, CAP_DAC_READ_SEARCH will do.
 */
const NEEDED = {
  CAP_CHOWN: 0b0000_0001,
  CAP_DAC_OVERRIDE: 0b0000_0110,
  CAP_KILL: 0b0010_0000,
  CAP_SETGID: 0b0100_0000,
  CAP_SETUID: 0b1000_0000,
};

/** What root needs for the options of `keeping`. */
const NEEDED_TO_KEEP = { CAP_SETPCAP: 0b1_0000_0000 };

async function requireCapabilities(needed: Record<string, number>): Promise<void> {
  const status = await Bun.file("/proc/self/status").text();
  const effective = Number.parseInt(/^CapEff:\s+(\w+)/m.exec(status)?.[1] ?? "", 16);
  const lacking = Object.entries(needed).flatMap(([name, bits]) =>
    (effective & bits) === 0 ? [name] : [],
  );
  if (lacking.length === 0) return;
  throw new CommandError(
    `PostgreSQL does not run as root, and to run it as another account, root lacks ${lacking.join(", ")} here: start as another user, or set DATABASE_URL.`,
  );
}

/**
 * Another account cannot enter a clone in /root, except with a capability of root. The first lets it enter and
 * read everything; the second lets it write everything too, and is for programs that only root may execute.
 */
const WALK_ANYWHERE = ["dac_read_search", "dac_override"];

/** Options that make setpriv keep a capability of root; access(2) honours it only without the setuid fixup. */
const keeping = (capability: string) => [
  "--securebits=+no_setuid_fixup",
  `--inh-caps=+${capability}`,
  `--ambient-caps=+${capability}`,
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
