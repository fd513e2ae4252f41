import * as v from "valibot";
import { isAddressOrRange } from "./http/client-address.ts";
import { counted } from "./numbers.ts";

/** All settings of the server. Read once, frozen, handed down. */
export type Config = Readonly<v.InferOutput<typeof settings>>;

/** Every setting that is missing or wrong, one sentence each. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    const number = counted(faults.length, "setting", "settings");
    super(`Cannot start, ${number} to fix:\n  ${faults.join("\n  ")}`);
  }
}

/**
 * Reads the settings of the server from an environment.
 * @throws ConfigError that lists all faults at once
 */
export function loadConfig(env: Environment): Config {
  const result = v.safeParse(settings, givenIn(env));
  if (!result.success) throw new ConfigError(result.issues.map(describeIssue));
  return Object.freeze(result.output);
}

export type Environment = Record<string, string | undefined>;

/** The variables of an environment that are set. */
export function givenIn(env: Environment): Environment {
  // An empty variable is how shells and compose files say "not set". Whitespace around a value is accidental,
  // such as the line endings of a file from Windows.
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim()]);
  return Object.fromEntries(trimmed.filter(([, value]) => value));
}

/** Values for the messages about settings that have no default. */
const examples = {
  DATABASE_URL: "postgres://user:password@localhost:5432/highstreet",
  REDIS_URL: "redis://localhost:6379",
  MEILI_URL: "http://localhost:7700",
};

const wholeNumber = (name: string, minimum: number, maximum: number) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
      `${name} must be a whole number from ${minimum} to ${maximum}.`,
    ),
    v.transform(Number),
  );

const oneOf = <const Option extends string>(name: string, options: readonly Option[]) =>
  v.picklist(options, `${name} must be ${options.join(" or ")}.`);

const webAddress = (name: string, example: string) =>
  v.pipe(
    v.string(),
    v.check(
      (value) => isAddress(value, ["http:", "https:"]),
      `${name} must be an address such as ${example}.`,
    ),
    // As browsers read it. As it was given, such as https:directory.example or HTTP://localhost:7700, it would make
    // broken links, and the client of Meilisearch would misread it.
    v.transform((url) => new URL(url).href.replace(/\/+$/, "")),
  );

/** Whether the clients of the stores can parse a URL, whose user and password they also decode. */
function isAddress(value: string, protocols: string[]): boolean {
  try {
    decodeURIComponent(value);
    return protocols.includes(new URL(value).protocol);
  } catch {
    return false;
  }
}

/** Ends a message about an address. */
const IN_PASSWORDS = "in a password, write %23 for # and %2F for /";

const list = (value: string) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

const settings = v.pipe(
  v.object({
    PORT: v.optional(wholeNumber("PORT", 0, 65_535), "3000"),
    // [::1], as IPv6 addresses are written in URLs, means ::1. Whether it is this machine's shows on listening.
    HOST: v.optional(
      v.pipe(
        v.string(),
        v.transform((host) => host.replace(/^\[(.*)\]$/, "$1")),
        v.check(
          (host) => !/[\s/]/.test(host) && (!host.includes(":") || isAddressOrRange(host)),
          "HOST must be only an address of this machine or its name, such as 127.0.0.1 or localhost; the port belongs in PORT.",
        ),
      ),
      "127.0.0.1",
    ),
    BASE_URL: v.optional(
      v.pipe(
        webAddress("BASE_URL", "https://directory.example"),
        v.regex(
          /^[^?#@]+$/,
          "BASE_URL must end with the host or a path, such as https://directory.example.",
        ),
      ),
    ),
    DATABASE_URL: v.pipe(
      v.string(),
      v.check(
        // The driver accepts a list of servers and an IPv6 address, but can use neither.
        (url) =>
          isAddress(url, ["postgres:", "postgresql:"]) && !/[,[]/.test(new URL(url).hostname),
        `DATABASE_URL must be the address of one server, by name or IPv4 address, such as ${examples.DATABASE_URL}; ${IN_PASSWORDS}.`,
      ),
    ),
    REDIS_URL: v.pipe(
      v.string(),
      v.transform(list),
      v.minLength(1, `REDIS_URL is missing: give an address such as ${examples.REDIS_URL}.`),
      v.everyItem(
        (url) =>
          /^rediss?:\/\/./.test(url) &&
          isAddress(url, ["redis:", "rediss:"]) &&
          // The number of a database. The client would treat anything else as 0.
          /^\/?\d*$/.test(new URL(url).pathname),
        `REDIS_URL must be an address such as ${examples.REDIS_URL}, or several, separated by commas, for a cluster; ${IN_PASSWORDS}.`,
      ),
      v.check(
        (urls) => urls.length === 1 || urls.every((url) => /^\/?0*$/.test(new URL(url).pathname)),
        "REDIS_URL must name no database when it has several addresses: a cluster has only one.",
      ),
    ),
    MEILI_URL: webAddress("MEILI_URL", examples.MEILI_URL),
    MEILI_KEY: v.optional(v.string(), ""),
    SAMPLE: v.optional(oneOf("SAMPLE", ["on", "off"]), "on"),
    OPEN_ACCESS: v.optional(oneOf("OPEN_ACCESS", ["on", "off"]), "on"),
    TRUSTED_PROXIES: v.optional(
      v.pipe(
        v.string(),
        v.transform(list),
        v.everyItem(
          isAddressOrRange,
          "TRUSTED_PROXIES must be addresses or CIDR ranges separated by commas, such as 10.0.0.0/8,192.0.2.7.",
        ),
      ),
      "",
    ),
    APPLICATIONS: v.optional(oneOf("APPLICATIONS", ["review", "auto"]), "review"),
    WORKERS: v.optional(wholeNumber("WORKERS", 1, 256), "1"),
    INSTANCES: v.optional(wholeNumber("INSTANCES", 1, 10_000), "1"),
    // Unlike /tmp, which may be in memory, this one is on a disk.
    TMPDIR: v.optional(v.string(), "/var/tmp"),
  }),
  v.transform((given) => ({
    port: given.PORT,
    host: given.HOST,
    baseUrl: given.BASE_URL ?? `http://localhost:${given.PORT}`,
    databaseUrl: given.DATABASE_URL,
    redisUrls: given.REDIS_URL,
    meiliUrl: given.MEILI_URL,
    meiliKey: given.MEILI_KEY,
    /** Whether `npm start` fills an empty directory with made-up businesses. */
    sample: given.SAMPLE === "on",
    openAccess: given.OPEN_ACCESS === "on",
    trustedProxies: given.TRUSTED_PROXIES,
    applications: given.APPLICATIONS,
    /** Server processes that share one port. */
    workers: given.WORKERS,
    /** Servers that share the limits while Redis is down. */
    instances: given.INSTANCES,
    /** Where the file with cached answers is made. */
    tempFolder: given.TMPDIR,
  })),
);

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const name = issue.path?.[0]?.key;
  // For an absent key valibot has a message of its own.
  return issue.input === undefined && typeof name === "string"
    ? `${name} is missing: give an address such as ${examples[name as keyof typeof examples]}.`
    : issue.message;
}
