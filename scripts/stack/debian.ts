import { $ } from "bun";
import { CommandError } from "../terminal/command.ts";
import { say } from "../terminal/output.ts";

/**
 * A program from the PATH, or installed if this is Debian (or a derivative) and we are root.
 * @param names its possible names; the first is also the name of its package
 * @param missing says that it is missing, and how to get it
 * @throws CommandError with `missing`, and why apt-get failed
 */
export async function findOrInstall(
  names: readonly [string, ...string[]],
  missing: string,
): Promise<string> {
  const find = () => {
    // Passed explicitly, since Bun would use the PATH as it was when the process started.
    const options = { PATH: process.env.PATH ?? "" };
    return names.flatMap((name) => Bun.which(name, options) ?? [])[0];
  };
  const found = find();
  if (found) return found;
  if (process.getuid?.() !== 0 || !Bun.which("apt-get")) throw new CommandError(missing);
  const [name] = names;
  say(`${name} is missing: installing it with apt-get`);
  const apt = await $`apt-get -qq update && apt-get -qq -y --no-install-recommends install ${name}`
    .env({ ...process.env, DEBIAN_FRONTEND: "noninteractive" })
    .quiet()
    .nothrow();
  const installed = find();
  if (installed) return installed;
  const fault = apt.stderr.toString().trim().split("\n").at(-1);
  throw new CommandError(`${missing} (apt-get failed: ${fault})`);
}
