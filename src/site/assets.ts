import { file, versionedFile } from "../http/files.ts";
import type { Handler } from "../http/handler.ts";
import developers from "./developers.client.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import styles from "./site.css" with { type: "text" };

const asset = (type: string, text: string) => ({
  type,
  text,
  version: `v=${Bun.hash(text).toString(36)}`,
});

const assets = {
  "/assets/icon.svg": asset("image/svg+xml", icon),
  "/assets/site.css": asset("text/css", styles),
  "/assets/developers.js": asset("text/javascript", developers),
};

/** The URL of a file, which changes whenever its text does, so that it may be cached for good. */
export const assetUrl = (path: keyof typeof assets) => `${path}?${assets[path].version}`;

/** Path and handler of each file that pages load. */
export function assetRoutes(): Record<string, Handler> {
  const all = Object.entries(assets).map(([path, { version, type, text }]) => [
    path,
    versionedFile(version, type, text),
  ]);
  const favicon = file("image/svg+xml", icon, "public, max-age=86400");
  return {
    ...Object.fromEntries(all),
    // Browsers request this path themselves when a document, such as JSON, names no icon.
    "/favicon.ico": () => favicon,
  };
}
