import { $ } from "bun";

/** Whether this is Debian or a relative of it, and we may install packages. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && Bun.which("apt-get") !== null;
}

/** Installs a package with apt-get. @returns why that failed; null when it is installed */
export async function installPackage(name: string): Promise<string | null> {
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = await $`apt-get -qq update && apt-get -qq -y --no-install-recommends install ${name}`
    .env(environment)
    .quiet()
    .nothrow();
  if (apt.exitCode === 0) return null;
  return apt.stderr.toString().trim().split("\n").at(-1) ?? "";
}
