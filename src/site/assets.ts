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

/** The address of a file; another one whenever its text changes, so that it may be kept for good. */
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
    // Browsers ask for this path on their own when a document names no icon, such as JSON.
    "/favicon.ico": () => favicon,
  };
}
