import { plugin } from "bun";

/** Reads an OpenAPI document from stdin and writes TypeScript types for its clients to stdout. */

// The generator needs the compiler API, which TypeScript 7 no longer has.
plugin({
  name: "typescript-5",
  setup(build) {
    build.module("typescript", async () => ({
      exports: await import("typescript-5"),
      loader: "object",
    }));
  },
});
const { default: generate, astToString } = await import("openapi-typescript");
await Bun.write(Bun.stdout, astToString(await generate(await Bun.stdin.text())));
