import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * A new API key: `hs_live_`, 32 random base62 characters (190 bits), 6 characters of checksum. The checksum
 * is the CRC-32 (IEEE 802.3) of the random part in base62. It detects every error burst of up to 32 bits, so
 * any single mistyped character, before a store is queried.
 */
export function generateKey(): string {
  const secret = randomBase62(SECRET_LENGTH);
  return PREFIX + secret + checksum(secret);
}

/** Whether a text has the shape and the checksum of a key. Says nothing about whether it exists. */
export function isWellFormedKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

/**
 * SHA-256 of a key: all that is stored of it. A slow, salted hash is for guessable secrets; this one has 190
 * random bits.
 */
export function hashKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** The start of a key, by which its holder recognises it; 4 of its 32 random characters. */
export function keyHint(key: string): string {
  return key.slice(0, PREFIX.length + 4);
}

const PREFIX = "hs_live_";
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6; // 62^6 > 2^32
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 · 62: higher bytes would make the first characters likelier.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
