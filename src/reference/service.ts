import * as v from "valibot";
import {
  describeHeaders,
  errorResponse,
  json,
  openHeaders,
  successHeaders,
  UNCHANGED,
} from "./responses.ts";

/** The body of /healthz. */
export const Health = v.strictObject({
  status: v.pipe(v.literal("ok"), v.description("The directory can be read.")),
  admission: v.strictObject({
    decidedBy: v.pipe(
      v.picklist(["redis", "server"]),
      v.description("Who counts requests: `server` while Redis is down or slow."),
    ),
    outages: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description("How often the server has taken over since the responding process started."),
    ),
  }),
});

const tag = "Service";

/** The paths about the service itself: they need no key, cost nothing, and have no rate limit. */
export function servicePaths(openAccess: boolean) {
  const open = openAccess ? openHeaders : [];
  const headers = describeHeaders([...successHeaders, ...open]);
  const headersOfHealth = describeHeaders(successHeaders);
  return {
    "/api/v1/openapi.json": {
      get: {
        operationId: "getOpenApi",
        tags: [tag],
        summary: "Get this document",
        description: "The API as OpenAPI 3.1, for generating clients.",
        security: [],
        parameters: [],
        responses: {
          200: {
            description: "This document.",
            headers,
            content: {
              "application/json": {
                schema: { type: "object", required: ["openapi", "info", "paths"] },
              },
            },
          },
          304: { description: UNCHANGED, headers },
          500: errorResponse(["Internal"], open),
        },
      },
    },
    "/healthz": {
      get: {
        operationId: "getHealth",
        tags: [tag],
        summary: "Get the service's health",
        description: "For health checks: 200 while the directory can be read.",
        security: [],
        parameters: [],
        responses: {
          200: {
            description: "The directory can be read.",
            headers: headersOfHealth,
            content: json(["Health"], {
              Health: { value: { status: "ok", admission: { decidedBy: "redis", outages: 0 } } },
            }),
          },
          304: { description: UNCHANGED, headers: headersOfHealth },
          500: errorResponse(["Internal"]),
          503: errorResponse(["Unavailable"]),
        },
      },
    },
  };
}
